"""Compiling beside: each kernel is compiled by one of two processes, and both end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulecg_kernels import beside


def test_a_kernel_is_claimed_once(tmp_path: Path) -> None:
    """Whoever comes second does not compile it."""
    assert beside._claim(tmp_path, "one")
    assert not beside._claim(tmp_path, "one")
    assert beside._claim(tmp_path, "other")


def test_the_other_process_ends_with_this_one() -> None:
    """A process that reads the end of its input, because whoever started it is gone, does not go on."""
    code = "import time; from rulecg_kernels import beside; beside._end_with_parent(); time.sleep(1000)"
    run = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, check=False, timeout=60)
    assert run.returncode == 0


def test_waiting_ends_when_the_other_process_is_gone() -> None:
    """Nobody waits for a kernel that a process which ended has claimed."""
    other = beside.Beside()
    other.close()
    other._process.wait(timeout=30)
    other.wait_for("never compiled")


@pytest.mark.parametrize("reason", ["nothing in the way", "switched off", "one core", "nothing to compile"])
def test_no_process_is_started_where_it_would_not_help(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not when switched off, not on one core, not without announced kernels."""
    monkeypatch.setenv(beside.ALONE, "1" if reason == "switched off" else "")
    monkeypatch.setattr(os, "cpu_count", lambda: 1 if reason == "one core" else 2)
    monkeypatch.setattr(beside.multiprocessing, "parent_process", lambda: None)
    monkeypatch.setattr(beside, "kernel_modules", lambda: [] if reason == "nothing to compile" else ["one"])
    monkeypatch.setattr(beside, "Beside", lambda: "a process")
    assert beside._start() == ("a process" if reason == "nothing in the way" else None)
