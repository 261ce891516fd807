"""Compiled functions follow their sources, and a cache that cannot be used never stops anybody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulecg_kernels import cache

PARTS = """
from rulecg_kernels.compiler import INT, compiled

@compiled(INT)
def changed(number):
    return number + {step}
"""
WHOLE = """
from rulecg_kernels.compiler import INT, compiled
from .parts import changed

@compiled(INT, outer=True)
def total(number):
    return changed(number) * 10
"""
CALL = """
import rulecg_kernels
from toy_kernels.whole import total
with rulecg_kernels.listening(lambda sentence: print("said:", sentence)):
    print(total(1))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a kernel that calls a kernel of another module."""
    folder = tmp_path / "toy_kernels"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "parts.py").write_text(PARTS.format(step=1))
    (folder / "whole.py").write_text(WHOLE)
    return folder


def call(package: Path, **environment: str) -> list[str]:
    """What a new process says that calls the kernel."""
    settings = {**os.environ, "PYTHONPATH": str(package.parent), "RULECG_COMPILE_ALONE": "1", **environment}
    settings.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-W", "error", "-c", CALL]
    run = subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


SAID = "said: compiling toy_kernels.whole.total (once)"


def test_an_edit_of_another_module_is_followed(package: Path) -> None:
    """After a change in a module that a kernel only calls, a new process computes with the new source."""
    assert call(package) == [SAID, "20"]
    assert call(package) == ["20"]
    (package / "parts.py").write_text(PARTS.format(step=2))
    assert call(package) == [SAID, "30"]
    assert call(package) == ["30"]


def test_a_damaged_entry_is_compiled_anew(package: Path) -> None:
    """Files that are cut short or full of nonsense cost time, not the answer."""
    call(package)
    entries = [path for path in package.rglob("*") if path.suffix in {".nbi", ".nbc"}]
    assert len(entries) == 2
    for path in entries:
        path.write_bytes(path.read_bytes()[:20] + b"nonsense")
        assert call(package) == [SAID, "20"]


def test_without_a_writable_folder_beside_the_sources_the_users_cache_is_taken(package: Path, tmp_path: Path) -> None:
    """Where the package's folder cannot be written to, entries lie in the user's cache folder."""
    (package / "__pycache__").write_text("in the way: no folder can be made here")
    home = tmp_path / "home"
    home.mkdir()
    places = {"XDG_CACHE_HOME": str(home), "HOME": str(home), "LOCALAPPDATA": str(home)}
    assert call(package, PYTHONDONTWRITEBYTECODE="1", **places) == [SAID, "20"]
    assert any(path.suffix == ".nbc" for path in home.rglob("*"))
    assert call(package, PYTHONDONTWRITEBYTECODE="1", **places) == ["20"]


def test_without_any_writable_folder_kernels_still_work(package: Path, tmp_path: Path) -> None:
    """A cache that cannot be written costs time in every process, nothing else."""
    (package / "__pycache__").write_text("in the way")
    nowhere = tmp_path / "nowhere"
    nowhere.write_text("no folder")
    places = {name: str(nowhere) for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA")}
    for _ in range(2):
        assert call(package, PYTHONDONTWRITEBYTECODE="1", **places) == [SAID, "20"]


def test_the_stamp_covers_imported_modules_of_the_package() -> None:
    """The search's kernels are made of its records and of the compiler's module; not of the standard library."""
    import rulecg_pricing.exact.search_kernel

    files = {path.name for path in cache._source_files(rulecg_pricing.exact.search_kernel.__name__)}
    assert {"search_kernel.py", "weighing.py", "pruning.py", "bits.py", "records.py", "compiler.py"} <= files
    assert "pathlib.py" not in files
