"""What a run tells its observers: frozen facts, in the order they happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from attrs import field, frozen

from .status import Status, Stop

if TYPE_CHECKING:
    from ..data.rules import Rule


@frozen
class Event:
    """Base of all events. ``seconds`` counts from the start of the run."""

    seconds: float
    run: str = field(default="", kw_only=True)
    """Which run it is of: the same for all events of one run, different for each."""


@frozen
class Started(Event):
    n_samples: int
    n_conditions: int
    n_rows: int
    """Rows that constraints put into the master."""
    backend: str
    pricers: tuple[str, ...]


@frozen
class StagePriced(Event):
    """One pricer was called once."""

    iteration: int
    stage: str
    found: int
    """New rules with negative reduced cost on the full data."""
    best: float | None
    """Least reduced cost among them."""
    bound: float | None
    """Proven lower bound on all reduced costs, if the pricer has one."""
    stop: Stop


@frozen
class RoundFinished(Event):
    """The master was solved and priced once."""

    iteration: int
    relaxation: float
    """Value of the restricted master's linear relaxation."""
    lower_bound: float | None
    """Best proven lower bound on the objective over all rules so far."""
    incumbent: float | None
    """Objective of the best rule set known so far."""
    pool_size: int
    new_rules: int
    stage: str
    """The stage that ended the round."""


@frozen
class IncumbentFound(Event):
    """A rule set that is better than all before it."""

    objective: float
    rules: tuple[Rule, ...]
    source: str
    """Who found it."""

    @property
    def n_rules(self) -> int:
        return len(self.rules)


@frozen
class Note(Event):
    """Something was done differently than asked or expected, and why."""

    message: str


@frozen
class RulesListed(Event):
    """A proof listed the rules that could still improve the incumbent."""

    threshold: float
    n_rules: int
    complete: bool


@frozen
class Branched(Event):
    """Branch and price tried to close the gap that listing left."""

    n_nodes: int
    lower_bound: float
    closed: bool


@frozen
class Finished(Event):
    status: Status
    stop: Stop
    objective: float
    lower_bound: float | None
    pool_size: int


Observer: TypeAlias = Callable[[Event], None]
