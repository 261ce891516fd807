"""How long, how often and how much: limits of a run, and the clock that keeps them.

The clock is that on the wall or, in a repeatable run, a count of work: every look at it counts as a little, and
solvers add what they were given to do. Searches look at the clock after bounded pieces of work, so that the number of
looks is a measure of it that no load of the machine changes. All of it happens on one thread.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from attrs import field, frozen

from .errors import ConfigurationError

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


@frozen
class Deadline:
    """A point in time; ``Deadline.after(5.0)`` is five seconds from now.

    Deadlines made from one another share a ``halt``: when it is set, all of them have passed. That is how Ctrl-C ends
    whatever is running.
    """

    moment: float = math.inf
    halt: threading.Event | None = field(default=None, eq=False, repr=False)

    @classmethod
    def after(cls, seconds: float | None, halt: threading.Event | None = None) -> Deadline:
        return cls(math.inf if seconds is None else now() + seconds, halt)

    @property
    def remaining(self) -> float:
        """Seconds left: never negative, infinite without a limit."""
        return 0.0 if self._is_halted else max(0.0, self.moment - now())

    @property
    def passed(self) -> bool:
        return self._is_halted or now() >= self.moment

    @property
    def is_finite(self) -> bool:
        return math.isfinite(self.moment)

    @property
    def _is_halted(self) -> bool:
        return self.halt is not None and self.halt.is_set()

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and the given number of seconds from now."""
        return Deadline(min(self.moment, now() + seconds), self.halt)

    def at_least(self, seconds: float) -> Deadline:
        """The later of this deadline and the given number of seconds from now."""
        return Deadline(max(self.moment, now() + seconds), self.halt)


def _positive(instance: object, attribute: object, value: Any) -> None:
    if value is not None and not value > 0:
        raise ConfigurationError(f"The limit {getattr(attribute, 'name', '')!r} must be above 0, not {value!r}.")


@frozen
class Limits:
    """Limits of one run of column generation. None means no limit."""

    seconds: float | None = field(default=60.0, validator=_positive)
    iterations: int | None = field(default=None, validator=_positive)
    pool: int | None = field(default=None, validator=_positive)
    """How many rules may be generated."""
    pricing_seconds: float | None = field(default=None, validator=_positive)
    """Longest time for one call of one pricer."""
    rules_per_call: int = field(default=50, validator=_positive)
    """How many rules one call of a pricer should return at most."""
    listed_rules: int = field(default=300_000, validator=_positive)
    """How many rules a proof of optimality may list before it gives up."""
    threads: int = field(default=1, validator=_positive)
    counts_work: bool = False
    """Whether seconds are counted as work (looks at the clock, programs solved) instead of read from the clock: the
    same seed then gives the same answer whatever the load of the machine, and everything runs on one thread."""


@frozen
class PricingLimits:
    """What one call of a pricer may spend and return."""

    deadline: Deadline = field(factory=Deadline)
    max_rules: int = 50
    threads: int = 1


@frozen
class SearchLimits:
    """What one call of a heuristic's search may spend, and what it is to look for."""

    deadline: Deadline = field(factory=Deadline)
    restarts: int | None = None
    """How often to begin again at most; None until the deadline."""
    true_counts: bool = False
    """Whether a covered sample counts once, whatever the master counts: the fewest errors with every bound kept."""
    threads: int = 1


@frozen(eq=False)
class IntegerLimits:
    """What one integer program over the pool may spend, and how many rule sets it should give."""

    deadline: Deadline = field(factory=Deadline)
    threads: int | None = None
    pool_size: int = 20
    """How many rule sets are wanted at most."""
    should_stop: Callable[[], bool] | None = None


@frozen
class MIPLimits:
    """Limits of one mixed-integer solve."""

    seconds: float | None = None
    relative_gap: float = 0.0
    absolute_gap: float = 1e-6
    target: float | None = None
    """Stop as soon as a solution with this objective or a lower one is known."""
    threads: int | None = None
    seed: int = 0
    nodes: int | None = None
    """After how many nodes to stop, for backends that count work."""
