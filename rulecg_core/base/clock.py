"""What decisions about time look at: the clock on the wall, or, in a repeatable run, a count of work.

In a repeatable run every look at the clock counts as a little work, and solvers add what they were given to do.
Searches look at the clock after bounded pieces of work, so that the number of looks is a measure of it that no load of
the machine changes. All of it happens on one thread.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LOOK = 1e-3
"""Seconds that a look at the clock stands for."""
LP_SOLVE, LP_ENTRY = 2e-3, 2e-7
"""The same for a linear program, and for each of its entries."""
MIP_SOLVE, MIP_ENTRY = 5e-2, 2e-5
"""And for an integer program."""


class WorkClock:
    """Counts work, in what are seconds on a machine of today with nothing else to do."""

    def __init__(self) -> None:
        self.seconds = 0.0


_CURRENT: ContextVar[WorkClock | None] = ContextVar("rulecg_work_clock", default=None)


def now() -> float:
    """Seconds on the clock that counts here; only differences mean anything.

    Examples
    --------
    >>> with counting_work():
    ...     first, second = now(), now()
    >>> round(second - first, 9) == LOOK
    True
    """
    clock = _CURRENT.get()
    if clock is None:
        return time.perf_counter()
    clock.seconds += LOOK
    return clock.seconds


def is_counting() -> bool:
    """Whether work is counted instead of seconds."""
    return _CURRENT.get() is not None


def spend(seconds: float) -> None:
    """Count work that looks at no clock; nothing where seconds are counted."""
    clock = _CURRENT.get()
    if clock is not None:
        clock.seconds += seconds


@contextmanager
def counting_work(enabled: bool = True) -> Iterator[None]:
    """Count work instead of seconds in this block; within another such block its count goes on."""
    if not enabled or is_counting():
        yield
        return
    token = _CURRENT.set(WorkClock())
    try:
        yield
    finally:
        _CURRENT.reset(token)
