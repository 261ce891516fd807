"""Local search for rule sets in one way of counting: good answers long before any integer program has one.

Greedy construction, then add, drop and swap moves (one for one, two for one, one for two) to a local optimum, then
perturbation and descent again; chosen rules also change condition by condition. The same search serves the Hamming and
the true 0-1 count, and every row: a move must keep all rows, and while some are broken it must break them less.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from attrs import define, field

from rulecg_core import Candidate, Deadline, Found, Rule, SearchLimits, View, now

from .annealing import Annealing
from .conditions.moves import Clock, ConditionMoves
from .conditions.sample_bits import SampleBits
from .drawn_sets import DRAWN, drawn_rule_sets
from .given_rules.cover_state import CoverState
from .given_rules.rule_tables import RuleTables
from .given_rules.subset_search import SubsetSearch, by_gain, by_gain_per_size
from .heuristic import LocalSearch
from .parallel_tasks import Halt
from .scoring import Scorer
from .time_shares import TimeShare
from .union_programs import UnionPrograms
from .walks import MIXED, Merit, Walks

BATCH = 10
"""Perturbations of each kind before rules from different local optima are put together."""
POLISHED = 2
"""How many of the best rule sets of each batch are improved condition by condition."""
SHARE = 0.2
"""Share of the time left that one search over given rules may take; and, on large data, of the time of all searches."""
SETUP_SECONDS = 1e-8
"""About how long it takes to lay out one bit."""
ANNEALED = 0.6
"""Share of the time of walks and annealing that annealing takes."""
REMEMBERED = 50
"""How many of the best rule sets one call remembers."""
RETURNED = 5
"""How many of the best rule sets one call returns."""

Archive = dict[frozenset[Rule], Candidate]


@define(eq=False)
class _Going:
    """A call of the search on its way."""

    starts: Sequence[Sequence[Rule]]
    rules: list[Rule]
    """The rules to choose among."""
    restarts: float
    archive: Archive = field(factory=dict)
    settled: set[frozenset[Rule]] = field(factory=set)
    """Rule sets that descents lead nowhere from."""
    began: float = field(factory=now)
    among_given: float = 0.0
    """Seconds spent on choosing among given rules."""
    waits: bool = False
    """Whether it goes on once a relaxation knows the rules of local optima."""


class CountedSearch:
    """Local search on one run, in one way of counting covered samples."""

    def __init__(self, view: View, settings: LocalSearch, *, count_once: bool) -> None:
        self.view = view
        self.settings = settings
        self.count_once = count_once
        self.goal = view.goal.counting(count_once)
        self._score = Scorer(self.goal.objective, tuple(self.goal.rows))
        self._annealing_share = TimeShare(ANNEALED, ANNEALED, 1.0)
        self._going: _Going | None = None

    def improve(self, starts: Sequence[Sequence[Rule]], limits: SearchLimits, rng: np.random.Generator) -> Found:
        """Begin from greedy constructions and from the starts over the run's rules, until the deadline or after a
        number of perturbations. What waits for a relaxation goes on from where it was."""
        going = self._going or self._begin(starts, limits, rng)
        self._going = None
        for start in starts if going.waits else ():
            # Others may have found better rule sets meanwhile.
            self._keep(going.archive, start)
        while True:
            if not going.waits:
                self._batch(going, limits, rng)
            if self._has_programs:
                if self._is_time_to_unite(limits.deadline) and self.programs.ask():
                    going.waits, self._going = True, going
                    return self._found(going, unfinished=True)
                going.waits = False
                self._unite(going, limits, rng)
            best = self._best(going)
            going.restarts -= BATCH
            if going.restarts <= 0 or limits.deadline.passed or self._is_perfect(best[0]):
                return self._found(going)
            going.archive = {frozenset(candidate.rules): candidate for candidate in best}
            # The next batch can combine rules from different local optima.
            going.starts = [candidate.rules for candidate in best[:RETURNED]]
            going.rules = list(dict.fromkeys([*(rule for start in going.starts for rule in start), *going.rules]))

    def _begin(self, starts: Sequence[Sequence[Rule]], limits: SearchLimits, rng: np.random.Generator) -> _Going:
        restarts = np.inf if limits.restarts is None else limits.restarts
        n_drawn = DRAWN if limits.restarts is None else limits.restarts
        starts = [*starts, *drawn_rule_sets(self.view, rng, n_drawn)]
        going = _Going(starts, self.tables.promising(self.view.rules, starts), restarts)
        self._keep(going.archive, ())
        return going

    def _best(self, going: _Going) -> list[Candidate]:
        return sorted(going.archive.values(), key=self._preference)[:REMEMBERED]

    def _found(self, going: _Going, *, unfinished: bool = False) -> Found:
        rule_sets = tuple(candidate.rules for candidate in self._best(going)[:RETURNED])
        return Found(rule_sets, tuple(self.programs.rules) if self._has_programs else (), unfinished)

    def _batch(self, going: _Going, limits: SearchLimits, rng: np.random.Generator) -> None:
        """Some perturbations over the rules at hand, then some condition by condition."""
        n_steps, turn = int(min(going.restarts, BATCH)), now()
        if self._has_time_for_subsets(going.among_given, turn - going.began):
            for chosen in self._search_among(going, limits.deadline, rng, n_steps):
                self._keep(going.archive, chosen)
            going.among_given += now() - turn
        if not self.settings.condition_moves:
            return
        self._polish(going, limits.deadline, rng)
        self.walks.meet(list(going.archive.values()))
        self._take_in(going.archive, self._explore(n_steps, limits.threads, limits.deadline, rng))
        if self._has_programs:
            self.programs.share.others += now() - turn

    def _has_time_for_subsets(self, spent: float, elapsed: float) -> bool:
        """On large data, changing conditions finds more: choosing among rules at hand gets a share of the time.
        Elsewhere no clock decides, so that answers depend on nothing but the seed."""
        if not self.settings.subset_moves:
            return False
        return not self.view.is_large or not self.settings.condition_moves or spent <= SHARE * elapsed

    # What it works with ---------------------------------------------------------------------------------------------

    @property
    def setup_seconds(self) -> float:
        """How long it takes until the search can begin: on ten million samples some seconds, else next to nothing."""
        is_ready = "moves" in self.__dict__
        return 0.0 if is_ready else self.view.problem.n_samples * self.view.problem.n_conditions * SETUP_SECONDS

    def prepare(self) -> None:
        """Lay out the samples."""
        _ = self.moves

    @cached_property
    def moves(self) -> ConditionMoves:
        """Descents by single conditions."""
        bits = SampleBits.of(self.view.problem, self.goal.forms, count_once=self.count_once)
        return ConditionMoves(self.view.problem, bits, self._score, bounds=self.goal.rule_bounds)

    @cached_property
    def tables(self) -> RuleTables:
        """Tables over given rules."""
        return RuleTables(
            self.view,
            self.goal,
            self._score,
            self.moves.bits,
            count_once=self.count_once,
            entries=self.settings.table_entries,
        )

    @cached_property
    def walks(self) -> Walks:
        return Walks(self.view, self.moves, self._preference, MIXED if self.settings.mixtures else 0.0)

    @cached_property
    def programs(self) -> UnionPrograms:
        return UnionPrograms(self.view, self._preference)

    @cached_property
    def annealing(self) -> Annealing:
        return Annealing(self.view, self.moves)

    @property
    def _has_annealing(self) -> bool:
        """Where every row bounds nothing but size."""
        few_enough = self.view.problem.n_samples <= self.settings.annealed_samples
        return self.settings.annealing and self.view.is_large and few_enough and not self._score.can_soften

    @property
    def _has_programs(self) -> bool:
        """Not in true counts: programs are then many times as large, and seldom solved in time."""
        settings = self.settings
        return settings.unions and settings.condition_moves and self.view.is_large and not self.count_once

    # Its steps ------------------------------------------------------------------------------------------------------

    def _take_in(self, archive: Archive, met: Collection[Candidate]) -> None:
        """Local optima that were met."""
        for found in met:
            archive.setdefault(frozenset(found.rules), found)
        if self._has_programs:
            self.programs.learn(met)

    def _keep(self, archive: Archive, rules: Sequence[Rule]) -> None:
        archive.setdefault(frozenset(rules), self.view.evaluate(rules))

    def _search_among(
        self, going: _Going, deadline: Deadline, rng: np.random.Generator, restarts: int
    ) -> list[tuple[Rule, ...]]:
        """The best subsets of the rules that are found."""
        rules = going.rules
        if not rules:
            return []
        place = {rule: at for at, rule in enumerate(rules)}
        weights = self.tables.relaxed_weights(rules)
        state = CoverState(self.tables.table(rules, rng))
        search = SubsetSearch(state, deadline.within(SHARE * deadline.remaining), rng)
        for start in going.starts:
            search.run([place[rule] for rule in start if rule in place])
        for key in (by_gain_per_size, by_gain):
            search.run((), key)
        if weights.any():
            search.run(np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)], rounding=True)
        search.perturb(restarts, weights)
        return [tuple(rules[at] for at in chosen) for chosen in search.best_sets()]

    def _polish(self, going: _Going, deadline: Deadline, rng: np.random.Generator) -> None:
        """Change conditions of the best rule sets known, where that was not yet done."""
        for candidate in sorted(going.archive.values(), key=self._preference)[:POLISHED]:
            if frozenset(candidate.rules) not in going.settled:
                rules = self.moves.descend(candidate.rules, deadline, rng)
                going.settled |= {frozenset(candidate.rules), frozenset(rules)}
                self._keep(going.archive, rules)

    def _is_time_to_unite(self, deadline: Deadline) -> bool:
        return self.programs.is_due and not deadline.passed

    def _unite(self, going: _Going, limits: SearchLimits, rng: np.random.Generator) -> None:
        """When it is time, take the best of what local optima are made of."""
        if self._is_time_to_unite(limits.deadline):
            known = min(going.archive.values(), key=self._preference)
            with self._exploring(going.archive, limits.threads - 1, limits.deadline, rng):
                united = self.programs.solve(known, limits.deadline, rng)
            for found in united:
                going.archive.setdefault(frozenset(found.rules), found)

    def _explore(self, n_steps: int, threads: int, deadline: Clock, rng: np.random.Generator) -> list[Candidate]:
        """Walk some steps, and anneal for a share of the time; the local optima met."""
        began, share = now(), self._annealing_share
        met = self.walks.leg(n_steps, threads, deadline, rng)
        share.others += now() - began
        while self._has_annealing and share.is_due and not deadline.passed:
            began = now()
            annealed = self.annealing.leg(self.walks.elites, threads, deadline, rng)
            share.spent += now() - began
            if annealed:
                met += annealed
                self.walks.meet(annealed)
        return met

    @contextmanager
    def _exploring(
        self, archive: Archive, threads: int, deadline: Deadline, rng: np.random.Generator
    ) -> Iterator[None]:
        """Go on with walks and annealing while something is done on one core; what they meet is taken in afterwards."""
        if threads < 1:
            yield
            return
        halt, own_rng = Halt(deadline), np.random.default_rng(int(rng.integers(1 << 62)))

        def explore() -> list[Candidate]:
            met: list[Candidate] = []
            while not halt.passed:
                met += self._explore(BATCH, threads, halt, own_rng)
            return met

        with ThreadPoolExecutor(1) as thread:
            exploring = thread.submit(explore)
            try:
                yield
            finally:
                halt.called_off.set()
            self._take_in(archive, exploring.result())

    def _is_perfect(self, candidate: Candidate) -> bool:
        """Whether nothing can be better, whatever the rules."""
        violation, worth, _ = self._preference(candidate)
        return violation == 0.0 and worth <= (0.0 if self.count_once else self.view.goal.least_objective)

    def _preference(self, candidate: Candidate) -> Merit:
        if self.count_once:
            return max(candidate.true_violation - 1e-9, 0.0), candidate.cost, candidate.complexity
        return max(candidate.proxy_violation - 1e-9, 0.0), candidate.objective, candidate.complexity
