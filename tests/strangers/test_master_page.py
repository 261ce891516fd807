"""The page "Write a master" is enough: its files make a package that registers and keeps the contract."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg_core import PoolMaster, load_registry
from rulecg_core.plugins.config import tomllib
from rulecg_core.testing.random_problems import planted_problem

from .page_files import write_package


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the page shows, in a folder of their own."""
    return write_package("master.md", tmp_path_factory.mktemp("plain"))


def test_its_entry_point_registers_the_master(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its pyproject.toml names offers the master by name, made of a problem, constraints and a backend."""
    monkeypatch.syspath_prepend(str(package))
    declared = tomllib.loads((package / "pyproject.toml").read_text())["project"]["entry-points"]["rulecg"]
    registry = load_registry([EntryPoint(name, value, "rulecg") for name, value in declared.items()])
    assert registry.faults == []
    backend = load_registry().backend("highs")
    with registry.master("plain")(planted_problem(2), [], backend) as master:
        assert type(master).__name__ == "PlainMaster"
        assert isinstance(master, PoolMaster)


def test_its_contract_passes(package: Path) -> None:
    """The test file of the page passes as it stands."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    environ = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(command, cwd=package, env=environ, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
