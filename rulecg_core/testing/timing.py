"""Whether a call keeps its time limit, on a machine that may be busy with other things."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def within(seconds: float, call: Callable[[], Answer], *, tries: int = 3) -> Answer:
    """The call's answer, which must come within so many seconds of a machine that does nothing else.

    Other work on the machine may delay one call, but hardly three: the last of them counts, and each is given more
    time by the factor that the machine is slower at the moment.
    """
    for _ in range(tries):
        began = time.perf_counter()
        answer = call()
        took = time.perf_counter() - began
        allowed = seconds * slowdown()
        if took <= allowed:
            return answer
    raise AssertionError(f"took {took:.2f} s, {allowed:.2f} s were allowed")


def slowdown(work: float = 0.05) -> float:
    """How many seconds of the clock this thread needs now for a second of computing, at least 1."""
    began, computed = time.perf_counter(), time.thread_time()
    while time.thread_time() - computed < work:
        pass
    return max(1.0, (time.perf_counter() - began) / work)
