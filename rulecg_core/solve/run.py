"""The state of one run of column generation, which its phases read and advance."""

from __future__ import annotations

import math
import time

import numpy as np
from attrs import define, field

from ..api.master import Master, Relaxation
from ..api.parts import SearchParts
from ..api.pricing import Pricer, PricingProblem
from ..base.events import Event, Note, Observer, RoundFinished
from ..base.limits import Deadline, Limits
from ..base.status import Stop
from ..generation.stages import Stage
from .incumbents import Incumbents


@define(eq=False)
class Certificate:
    """The pricing problem whose exact solution proved the relaxation, and the bound that its duals prove."""

    pricing: PricingProblem
    bound: float


@define(eq=False)
class Run:
    """What was found and proven so far, and what is left of the limits."""

    master: Master
    stages: tuple[Stage, ...]
    limits: Limits
    observer: Observer
    rng: np.random.Generator
    search: SearchParts = field(factory=SearchParts)
    began: float = field(factory=time.perf_counter)
    deadline: Deadline = field(factory=Deadline)
    history: list[RoundFinished] = field(factory=list)
    lower_bound: float | None = None
    relaxation: Relaxation | None = None
    certificate: Certificate | None = None
    stop: Stop = Stop.COMPLETED
    rules_listed: int | None = None
    notes: tuple[str, ...] = ()
    """How the constraints apply to the data."""
    incumbents: Incumbents = field(init=False)

    def __attrs_post_init__(self) -> None:
        # Where data is small, what one search finds in no time would only be found twice.
        threads = self.limits.threads if self.master.problem.is_large else 1
        self.incumbents = Incumbents(self.master, self.rng, self.emit, self.now, self.search, threads)

    def start_clock(self) -> None:
        self.began = time.perf_counter()
        self.deadline = Deadline.after(self.limits.seconds)

    def now(self) -> float:
        return time.perf_counter() - self.began

    def emit(self, event: Event) -> None:
        self.observer(event)

    def note(self, text: str) -> None:
        self.emit(Note(self.now(), text))

    @property
    def lister(self) -> Pricer | None:
        """A pricer that can list rules, which proofs over all rules need."""
        return next((stage.pricer for stage in self.stages if stage.pricer.can_list), None)

    @property
    def reached_limit(self) -> bool:
        """Whether there were as many rounds or rules as allowed."""
        limits = self.limits
        return (limits.iterations is not None and len(self.history) >= limits.iterations) or (
            limits.columns is not None and len(self.master.pool) >= limits.columns
        )

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to prove, or no time to prove it."""
        best = self.incumbents.best
        if best is None or self.lower_bound is None or self.deadline.passed:
            return True
        return best.objective - self.rounded(self.lower_bound) <= 1e-9

    @property
    def step(self) -> float:
        """By how much a better rule set lowers the objective at least."""
        return 1.0 if self.master.has_integer_objective else 0.0

    def raise_bound(self, bound: float) -> None:
        self.lower_bound = bound if self.lower_bound is None else max(bound, self.lower_bound)

    def rounded(self, bound: float) -> float:
        """The bound, rounded up when every objective is a whole number; floating-point noise never rounds it up."""
        if not self.master.has_integer_objective:
            return bound
        return float(math.ceil(bound - 1e-6 * max(1.0, abs(bound))))
