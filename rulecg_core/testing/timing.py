"""Whether a call keeps its time limit, on a machine that may be busy with other things."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def within(seconds: float, call: Callable[[], Answer], *, tries: int = 3) -> Answer:
    """The call's answer, which must come within so many seconds.

    Other work on the machine may delay one call, but hardly three: the last of them counts.
    """
    for _ in range(tries):
        began = time.perf_counter()
        answer = call()
        took = time.perf_counter() - began
        if took <= seconds:
            return answer
    raise AssertionError(f"took {took:.2f} s, {seconds:g} s were allowed")
