"""The rule sets met so far, and the local search that keeps finding better ones while rules are generated."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from attrs import define, field

from ..api.master import Candidate, Master
from ..api.parts import SearchParts
from ..base.events import Event, IncumbentFound
from ..base.limits import Deadline
from ..data.rules import Rule
from ..generation.stages import add_lacking

SHARE, LARGE_SHARE, LEAST_LARGE_SHARE = 0.15, 0.7, 0.35
"""Share of the time of column generation that local search may take; more on large data, where it finds most. There it
falls to the last one while searches bring nothing, since only relaxations prove anything."""
FALL = 0.85
"""By which factor."""
LARGE_TURN = 0.1
"""Share of the time so far that one such search takes on large data."""
FIRST_SHARE = 0.15
"""Share of the whole time for a search before the first relaxation, on large data; it ends when it finds no more."""
MOST_SETUP = 2.0
"""A search whose beginning takes longer than this many seconds is left out when there is no time for it."""
FIRST_TURN = 0.2
"""Seconds until this search tells what it found; then twice as long, and so on."""
DRAWN = 12
"""How many rule sets drawn from the relaxation a search starts from at most."""
UNLIMITED = 1 << 40
"""So many perturbations are never made: the deadline ends the search."""
PRICED_IN = 100
"""How many rules of local optima the relaxation takes in after a search, at most."""
MOMENT = 0.25
"""No search before this many seconds: small problems are solved sooner."""


@define(eq=False)
class Incumbents:
    """Every rule set met, each once. The best by objective and the one to choose are not always the same."""

    master: Master
    rng: np.random.Generator
    emit: Callable[[Event], None]
    now: Callable[[], float]
    parts: SearchParts = field(factory=SearchParts)
    threads: int = 1
    """How many searches may run side by side."""
    known: dict[frozenset[object], Candidate] = field(factory=dict)
    _searches: tuple[Any, ...] = ()
    _spent: float = 0.0
    _large_share: float = LARGE_SHARE

    def add(self, found: Iterable[Candidate], source: str) -> None:
        """Take in rule sets; tell when one of them is the best so far."""
        before = self.best
        for candidate in found:
            self.known.setdefault(frozenset(candidate.rules), candidate)
        best = self.best
        if best is not None and best is not before:
            self.emit(IncumbentFound(self.now(), best.objective, len(best.rules), source))

    @property
    def best(self) -> Candidate | None:
        """Least objective among those that the master calls feasible."""
        return min(
            (c for c in self.known.values() if c.proxy_violation <= 1e-6),
            key=lambda c: (c.objective, c.errors, c.complexity),
            default=None,
        )

    @property
    def best_kept(self) -> Candidate | None:
        """Least objective among those that keep every bound as the master counts and in true counts."""
        return min(
            (c for c in self.known.values() if c.proxy_violation <= 1e-6 and c.is_feasible),
            key=lambda c: (c.objective, c.errors, c.complexity),
            default=None,
        )

    def choose(self) -> Candidate | None:
        """Pool Select: fewest true errors among those whose every bound holds in true counts."""
        return min(
            (c for c in self.known.values() if c.is_feasible),
            key=lambda c: (c.errors, c.objective, c.complexity),
            default=None,
        )

    def search_first(self, deadline: Deadline) -> None:
        """On large data, good rule sets grow without any relaxation; their rules are a start for it."""
        if self.master.problem.is_large and self.parts.during_generation:
            turn = FIRST_TURN
            while not deadline.passed:
                before = self.best
                self._search(deadline.within(turn), restarts=UNLIMITED, counts=(self.master.counts_once,))
                if before is not None and before.rules and self.best is before:
                    return
                turn *= 2

    def search_briefly(self, deadline: Deadline) -> None:
        """A quick search now and then, so that there is a good answer at any time."""
        is_large, elapsed = self.master.problem.is_large, self.now()
        share, turn, restarts = (self._large_share, LARGE_TURN, UNLIMITED) if is_large else (SHARE, SHARE, 2)
        if self.parts.during_generation and elapsed > MOMENT and self._spent <= share * elapsed:
            before = self.best
            turns_end = deadline.within(max(0.1, turn * elapsed))
            self._search(turns_end, restarts=restarts, counts=(self.master.counts_once,))
            found_better = self.best is not before
            self._large_share = LARGE_SHARE if found_better else max(LEAST_LARGE_SHARE, FALL * self._large_share)

    def search_thoroughly(self, deadline: Deadline) -> None:
        """A longer search, first with every cover counted, then with every covered sample counted once: one of both is
        the objective, the other finds rule sets that are good for it too."""
        size = len(self.master.pool) * self.master.problem.n_samples
        restarts = int(np.clip(size // 5_000, 2, 30))
        if math.isfinite(deadline.moment) and self.master.problem.is_large:
            restarts = UNLIMITED
        elif math.isfinite(deadline.moment) and not self.master.counts_only_size:
            # Bounds on samples leave gaps that no proof closes: here, too, it is the search that finds most.
            restarts = int(np.clip(size // 1_000, 10, 1_000))
        self._search(deadline, restarts=restarts, counts=(False, True))

    def search_deeply(self, deadline: Deadline) -> Candidate | None:
        """Search for the least objective until the deadline; the best rule set known then."""
        self._search(deadline, restarts=UNLIMITED, counts=(self.master.counts_once,))
        return self.best

    @property
    def setup_seconds(self) -> float:
        """How long it takes until the first search can begin."""
        return self._search_in(self.master.counts_once).setup_seconds

    def _search_in(self, count_once: bool) -> Any:
        from rulecg_search.local_search import LocalSearch

        if not self._searches:
            self._searches = tuple(
                LocalSearch(self.master, count_once=once, parts=self.parts) for once in (False, True)
            )
        return self._searches[count_once]

    def _price_in(self, rules: Sequence[Rule]) -> None:
        """Of the rules that local optima are made of, the master takes in those that its relaxation lacks most."""
        if rules and self.master.rule_weights() is not None:
            add_lacking(self.master, rules, PRICED_IN)

    def _search(self, deadline: Deadline, restarts: int, counts: tuple[bool, ...]) -> None:
        """One search for each way of counting covered samples: once (True) or once for each rule (False)."""
        from rulecg_search.drawn_sets import drawn_rule_sets

        began = time.perf_counter()
        for number, count_once in enumerate(counts):
            search = self._search_in(count_once)
            if search.setup_seconds > max(MOST_SETUP, deadline.remaining):
                continue
            known = self.choose() if count_once else self.best
            starts = [] if known is None or not known.rules else [known.rules]
            starts += map(tuple, drawn_rule_sets(self.master, self.rng, min(restarts, DRAWN)))
            # The first way of counting gets two thirds of the time.
            share = deadline if number == len(counts) - 1 else deadline.within(deadline.remaining * 2 / 3)
            among = None if self.parts.condition_moves else self.master.pool.rules
            found = search.improve(
                starts, share, self.rng, among=among, restarts=restarts, threads=self.threads
            )
            self.master.add_rules([rule for candidate in found for rule in candidate.rules])
            self._price_in(search.met_rules)
            self.add(found, "local search")
        self._spent += time.perf_counter() - began
