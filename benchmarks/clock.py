"""Which clock limits are kept by: the wall's, or the processor's, so that what else a machine does matters less."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import Iterator  # noqa: UP035 - Python 3.8

CLOCKS = ("wall", "processor")


def processor_seconds() -> float:
    """Seconds of processor time of this process and of those that it has waited for.

    >>> processor_seconds() > 0
    True
    """
    return sum(os.times()[:4])


@contextmanager
def clock_of_deadlines(clock: str) -> Iterator[None]:
    """Let every deadline of this process be kept by a clock while the context lasts.

    Solvers look at the wall's clock for their own limits all the same, so with the processor's they get less than they
    are allowed, never more.

    >>> with clock_of_deadlines("processor"):
    ...     time.perf_counter == processor_seconds
    True
    """
    usual = time.perf_counter
    if clock == "processor":
        time.perf_counter = processor_seconds
    try:
        yield
    finally:
        time.perf_counter = usual
