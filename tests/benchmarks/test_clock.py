"""Limits in seconds of the processor."""

import time

from benchmarks.clock import clock_of_deadlines
from rulecg_core import Deadline


def test_sleeping_takes_no_time_of_a_deadline_kept_by_the_processor() -> None:
    """A deadline passes while the process works, not while it waits; afterwards the wall's clock counts again."""
    usual = time.perf_counter
    with clock_of_deadlines("processor"):
        deadline = Deadline.after(0.05)
        time.sleep(0.2)
        assert not deadline.passed
        while not deadline.passed:
            sum(range(1000))
    assert time.perf_counter is usual
