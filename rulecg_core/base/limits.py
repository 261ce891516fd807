"""How long, how often and how much: limits of a run, and the clock that keeps them."""

from __future__ import annotations

import math
import time
from typing import Any

from attrs import field, frozen

from .errors import ConfigurationError


@frozen
class Deadline:
    """A point in time; ``Deadline.after(5.0)`` is five seconds from now."""

    moment: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        return cls(math.inf if seconds is None else time.perf_counter() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds left: never negative, infinite without a limit."""
        return max(0.0, self.moment - time.perf_counter())

    @property
    def passed(self) -> bool:
        return time.perf_counter() >= self.moment

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and the given number of seconds from now."""
        return Deadline(min(self.moment, time.perf_counter() + seconds))


def _positive(instance: object, attribute: object, value: Any) -> None:
    if value is not None and not value > 0:
        raise ConfigurationError(f"The limit {getattr(attribute, 'name', '')!r} must be above 0, not {value!r}.")


@frozen
class Limits:
    """Limits of one run of column generation. None means no limit."""

    seconds: float | None = field(default=60.0, validator=_positive)
    iterations: int | None = field(default=None, validator=_positive)
    columns: int | None = field(default=None, validator=_positive)
    pricing_seconds: float | None = field(default=None, validator=_positive)
    """Longest time for one call of one pricer."""
    rules_per_call: int = field(default=50, validator=_positive)
    """How many rules one call of a pricer should return at most."""
    listed_rules: int = field(default=300_000, validator=_positive)
    """How many rules a proof of optimality may list before it gives up."""
    threads: int = field(default=1, validator=_positive)
    generation_share: float = field(default=0.6)
    """Share of the seconds after which column generation makes way for selection and proof."""

    @generation_share.validator
    def _share(self, attribute: object, value: float) -> None:
        if not 0 < value <= 1:
            raise ConfigurationError(f"generation_share must be above 0 and at most 1, not {value!r}.")


@frozen
class PricingLimits:
    """What one call of a pricer may spend and return."""

    deadline: Deadline = field(factory=Deadline)
    max_rules: int = 50
    threads: int = 1


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
