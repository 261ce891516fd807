"""What a heuristic is: it looks for rule sets beside column generation, with a memory of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from attrs import define, field, frozen

from ..base.limits import Deadline, IntegerLimits, SearchLimits
from ..data.goal import Candidate, Goal
from ..data.problem import Problem
from ..data.rules import Rule
from .master import IntegerResult, Master
from .relaxation import Relaxation

REMEMBERED = 2_000
"""How many evaluations a view keeps, so that the core need not repeat what a search already asked for."""


@define(eq=False)
class View:
    """What a search may look at: the run as it is now. It changes nothing.

    >>> sorted(name for name in dir(View) if not name.startswith("_"))
    ['evaluate', 'goal', 'is_large', 'problem', 'relaxation', 'rules', 'solve_integer', 'threads']
    """

    _master: Master
    _latest: Callable[[], Relaxation | None] = field(default=lambda: None)
    is_large: bool = False
    """Whether the schedule calls the data large: proofs are seldom within reach, and searching brings most."""
    threads: int = 1
    """How many threads a search may use."""
    _known: dict[tuple[Rule, ...], Candidate] = field(init=False, factory=dict)

    @property
    def problem(self) -> Problem:
        return self._master.problem

    @property
    def goal(self) -> Goal:
        """What rule sets are judged by."""
        return self._master.goal

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules generated so far."""
        return tuple(self._master.pool.rules)

    @property
    def relaxation(self) -> Relaxation | None:
        """The latest relaxation; None before the first one."""
        return self._latest()

    def evaluate(self, rules: Sequence[Rule]) -> Candidate:
        """Count everything about one rule set from the data."""
        key = tuple(rules)
        found = self._known.get(key)
        if found is None:
            found = self._master.evaluate(key)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = found
        return found

    def solve_integer(
        self, among: Sequence[Rule], deadline: Deadline, start: Sequence[Sequence[Rule]] = (), threads: int = 1
    ) -> IntegerResult:
        """Find the best rule sets made of some rules, by the run's solver."""
        return self._master.solve_integer(IntegerLimits(deadline, threads), among=among, start=start)


@frozen(eq=False)
class Found:
    """What one call of a search brought. The core evaluates every rule set itself."""

    rule_sets: tuple[tuple[Rule, ...], ...] = ()
    """Best first."""
    rules: tuple[Rule, ...] = ()
    """Further rules that the relaxation may lack: the loop takes in those that price in."""
    unfinished: bool = False
    """Whether the search would go on at once, from a relaxation that knows its rules."""


class Search(ABC):
    """One search on one run; it may remember from call to call."""

    @property
    def setup_seconds(self) -> float:
        """About how long :meth:`prepare` will take: the schedule leaves out a search that there is no time for."""
        return 0.0

    def prepare(self) -> None:
        """Lay out what the first call of :meth:`improve` would otherwise wait for."""
        return

    @abstractmethod
    def improve(
        self, starts: Sequence[Sequence[Rule]], limits: SearchLimits, rng: np.random.Generator
    ) -> Found:
        """Look for better rule sets.

        Parameters
        ----------
        starts : rule sets to begin from, best first; they need not keep every row
        limits : when to end, how much to do, and in which counts to search
        rng : the only source of chance; the same seed gives the same answer where no clock decides

        Returns
        -------
        Rule sets that are no worse than the starts and keep every row that the best start keeps, as far as any was
        found; and rules for the relaxation.
        """

    def close(self) -> None:
        """Free what the search holds."""
        return


class Heuristic(ABC):
    """Opens searches. A heuristic holds settings only; what is remembered belongs to the search.

    Examples
    --------
    A heuristic that proposes the best single rule of the pool:

    >>> class BestSingle(Heuristic):
    ...     def open(self, view):
    ...         class Single(Search):
    ...             def improve(self, starts, limits, rng):
    ...                 sets = [(rule,) for rule in view.rules] + [tuple(start) for start in starts]
    ...                 best = min(sets, key=lambda rules: view.evaluate(rules).objective, default=None)
    ...                 return Found(() if best is None else (best,))
    ...         return Single()
    """

    counts_work: ClassVar[bool] = False
    """Whether its searches read time from nothing but :func:`rulecg_core.now` and deadlines: what a repeatable run
    needs."""

    def prepare(self) -> None:
        """Load or compile what the first search would otherwise wait for; called before anybody's clock starts."""
        return

    @abstractmethod
    def open(self, view: View) -> Search:
        """Begin a search on a run."""
