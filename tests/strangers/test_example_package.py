"""The example package in docs: its declared entry point registers a constraint that keeps the contract."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg_core import load_registry
from rulecg_core.plugins.config import tomllib

PACKAGE = Path(__file__).parents[2] / "docs" / "examples" / "rulecg-parity"


def test_the_declared_entry_point_registers_the_constraint(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pyproject.toml names can be loaded, and offers the constraint by name."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    declared = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["entry-points"]["rulecg"]
    registry = load_registry([EntryPoint(name, value, "rulecg") for name, value in declared.items()])
    assert registry.problems == []
    assert registry.names("constraint") == ["error-balance"]
    made = registry.constraint("error-balance:0.05,column=sex")
    assert (made.eps, made.column) == (0.05, "sex")  # type: ignore[attr-defined]


def test_its_own_contract_tests_pass() -> None:
    """The package's contract tests pass from its own folder (by name it is tried once it is installed)."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not by_name", "tests"]
    environ = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(command, cwd=PACKAGE, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
