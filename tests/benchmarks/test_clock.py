"""Limits in seconds of the processor."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.clock import VARIABLE

PROGRAM = """
import time
import benchmarks
from rulecg_core import Deadline
deadline = Deadline.after(0.05)
time.sleep(0.2)
assert not deadline.passed
while not deadline.passed:
    sum(range(1000))
print(benchmarks.clock.clock())
"""


def test_sleeping_takes_no_time_of_a_deadline_kept_by_the_processor() -> None:
    """A deadline passes while the process works, not while it waits."""
    environment = {**os.environ, VARIABLE: "processor"}
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", PROGRAM]
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout.strip() == "processor", run.stderr
