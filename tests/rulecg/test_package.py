"""The package itself: quick to import, everything public found."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import rulecg

HEAVY = ("numpy", "pandas", "sklearn", "numba", "highspy", "matplotlib", "scipy", "rich", "mip", "pyscipopt")


def loaded_after(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(' '.join(name for name in {HEAVY!r} if name in sys.modules))"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(shown.stdout.split())


def test_import_loads_nothing_heavy() -> None:
    """import rulecg waits for no numerical library, no solver and no plotting."""
    assert loaded_after("import rulecg") == set()


def test_listing_plugins_loads_no_solver_and_no_table_library() -> None:
    """Finding out what is installed does not import it."""
    statement = "import rulecg.commands.cli, rulecg.commands.installation.plugins as p; p.render(p.load_registry())"
    assert not loaded_after(statement) & {"pandas", "sklearn", "highspy", "matplotlib", "mip", "pyscipopt"}


def test_public_names_are_found() -> None:
    """Every public name resolves, dir() shows it, and anything else is an AttributeError."""
    for name in rulecg.__all__:
        assert getattr(rulecg, name) is not None
        assert name in dir(rulecg)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rulecg.nothing  # type: ignore[attr-defined]


def test_version_is_the_distribution_s() -> None:
    """The version in the code is that of the installed distribution."""
    assert rulecg.__version__ == version("rulecg")
