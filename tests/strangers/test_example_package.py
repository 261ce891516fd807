"""The example packages in docs: their declared entry points register what they promise, and keep the contracts."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg_core import Registry, load_registry
from rulecg_core.plugins.config import tomllib

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def registry_of(package: str, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """What the entry points in a package's pyproject.toml register."""
    monkeypatch.syspath_prepend(str(EXAMPLES / package))
    project = tomllib.loads((EXAMPLES / package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"]["rulecg"]
    registry = load_registry([EntryPoint(name, value, "rulecg") for name, value in declared.items()])
    assert registry.faults == []
    return registry


def test_the_declared_entry_point_registers_the_constraint(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pyproject.toml names can be loaded, and offers the constraint by name."""
    registry = registry_of("rulecg-parity", monkeypatch)
    assert registry.names("constraint") == ["error-balance"]
    made = registry.constraint("error-balance:0.05,column=sex")
    assert (made.eps, made.column) == (0.05, "sex")  # type: ignore[attr-defined]


def test_the_declared_entry_point_registers_the_heuristic(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is offered by name with its settings as text, and takes part only when asked for."""
    registry = registry_of("rulecg-drop-add", monkeypatch)
    assert registry.names("heuristic") == ["drop-add"]
    assert registry.defaults("heuristic", is_large=True) == []
    made = registry.heuristic("drop-add:dropped=0.2,tried=7")
    assert (made.dropped, made.tried) == (0.2, 7)  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", ["rulecg-parity", "rulecg-drop-add"])
def test_its_own_contract_tests_pass(package: str) -> None:
    """A package's contract tests pass from its own folder (by name it is tried once it is installed)."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not by_name", "tests"]
    environ = {**os.environ, "PYTHONPATH": str(EXAMPLES / package), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        command, cwd=EXAMPLES / package, env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
