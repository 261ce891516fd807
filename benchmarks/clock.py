"""Which clock limits are kept by: the wall's, or the processor's, so that what else a machine does matters less.

With ``RULECG_BENCHMARK_CLOCK=processor`` in the environment every deadline of a process is kept by the processor's
clock, from the moment when :mod:`benchmarks` is imported. Solvers look at the wall's clock for their own limits all the
same, so they get less than they are allowed, never more.
"""

from __future__ import annotations

import os
import time

VARIABLE = "RULECG_BENCHMARK_CLOCK"


def processor_seconds() -> float:
    """Seconds of processor time of this process and of those that it has waited for.

    >>> processor_seconds() > 0
    True
    """
    return sum(os.times()[:4])


def choose_clock() -> None:
    """Keep deadlines by the clock that the environment names; before anything remembers the usual one."""
    if os.environ.get(VARIABLE) == "processor":
        time.perf_counter = processor_seconds


def clock() -> str:
    """The clock that deadlines are kept by.

    >>> clock()
    'wall'
    """
    return "processor" if time.perf_counter is processor_seconds else "wall"
