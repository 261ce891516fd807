"""The page "Write a pricer" is enough: its code registers as it stands, and keeps the contract that it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rulecg_core import Complexity, ConfigurationError, HammingMaster, Limits, generate_columns, load_registry
from rulecg_core.base.events import Event, StagePriced
from rulecg_core.testing.random_problems import planted_problem

PAGE = Path(__file__).parents[2] / "docs" / "plugins" / "pricer.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's pricer and registration as a module, and its test beside it."""
    folder = tmp_path_factory.mktemp("greedy")
    pricer, registration, contract = BLOCK.findall(PAGE.read_text(encoding="utf-8"))[:3]
    (folder / "rulecg_greedy_page.py").write_text(f"{pricer}\n{registration}", encoding="utf-8")
    tested = f"from rulecg_greedy_page import Greedy\n{contract}"
    (folder / "test_greedy.py").write_text(tested, encoding="utf-8")
    return folder


def test_it_registers_by_name_and_takes_part_in_a_run(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``greedy:starts=5`` makes one, a wrong value is refused in a sentence, and its rules lead to a rule set."""
    monkeypatch.syspath_prepend(str(package))
    registry = load_registry([EntryPoint("greedy", "rulecg_greedy_page", "rulecg")])
    assert registry.faults == []
    highs = load_registry().backend("highs")
    with pytest.raises(ConfigurationError, match="greedy: starts must be a whole number of at least 1, not 0"):
        registry.pricer("greedy:starts=0", highs)
    events: list[Event] = []
    generate_columns(
        HammingMaster(planted_problem(4), [Complexity(12)], highs),
        [("greedy", registry.pricer("greedy:starts=5", highs))],
        Limits(seconds=20),
        on_event=events.append,
    )
    assert sum(event.found for event in events if isinstance(event, StagePriced) and event.stage == "greedy") > 0


def test_its_contract_passes(package: Path) -> None:
    """The test of the page passes as it stands."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_greedy.py"]
    environ = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(command, cwd=package, env=environ, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
