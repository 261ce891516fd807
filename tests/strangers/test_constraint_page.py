"""The page "Write a constraint" is enough: its files make a package that registers and keeps the contract."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg_core import ConfigurationError, load_registry
from rulecg_core.plugins.config import tomllib

from .page_files import write_package


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the page shows, in a folder of their own."""
    return write_package("constraint.md", tmp_path_factory.mktemp("caps"))


def test_its_entry_point_registers_the_constraint(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its pyproject.toml names offers the constraint by name, and a wrong value is refused in a sentence."""
    monkeypatch.syspath_prepend(str(package))
    declared = tomllib.loads((package / "pyproject.toml").read_text())["project"]["entry-points"]["rulecg"]
    registry = load_registry([EntryPoint(name, value, "rulecg") for name, value in declared.items()])
    assert registry.faults == []
    assert repr(registry.constraint("selection-cap:0.2,column=sex")) == "SelectionCap(share=0.2, column='sex')"
    with pytest.raises(ConfigurationError, match=r"SelectionCap: share must be a number from 0 to 1.*not 20"):
        registry.constraint("selection-cap:20")


def test_its_contract_passes(package: Path) -> None:
    """The test file of the page passes as it stands."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    environ = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(command, cwd=package, env=environ, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
