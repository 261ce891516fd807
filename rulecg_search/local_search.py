"""Rule sets from local search over the generated rules: good answers long before the restricted MIP has any.

Greedy construction, then add, drop and swap moves (one for one, two for one, one for two) to a local optimum, then
perturbation and descent again. The same search serves the Hamming and the true 0-1 count, and every row: a move must
keep all rows, and while some are broken it must break them less.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from rulecg_core import Candidate, Deadline, FloatArray, IntArray, Master, Rule
from rulecg_core.api.parts import SearchParts

from .annealing import Annealing
from .condition_moves import Clock, ConditionMoves
from .cover_state import CoverState, CoverTable
from .sample_bits import SampleBits
from .scoring import Scorer
from .side_by_side import Halt
from .subset_search import SubsetSearch, by_gain, by_gain_per_size
from .time_shares import Turns
from .unions import Unions
from .walks import MIXED, Merit, Walks

TABLE_ENTRIES = 40_000_000
"""Rules × samples that one search looks at; beyond it the most promising rules and a sample of the rows are taken."""
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
ANNEALED_SAMPLES = 1 << 18
"""With more samples a sweep takes too long for the many that annealing needs."""
REMEMBERED = 50
"""How many of the best rule sets one call remembers."""


def improve(
    master: Master,
    starts: Sequence[Sequence[Rule]],
    deadline: Deadline,
    rng: np.random.Generator,
    *,
    count_once: bool = False,
    among: Sequence[Rule] | None = None,
    restarts: int = 30,
    most: int = 5,
    threads: int = 1,
) -> list[Candidate]:
    """The best rule sets that local search finds, distinct and evaluated by the master, best first.

    It begins from greedy constructions and from ``starts`` over the master's pool, and ends with the deadline or after
    a number of perturbations. It also changes conditions of chosen rules, so that rules may be new to the pool; unless
    it is to choose ``among`` given rules.
    """
    search = LocalSearch(master, count_once=count_once)
    return search.improve(starts, deadline, rng, among=among, restarts=restarts, most=most, threads=threads)


class LocalSearch:
    """Local search on one master; what rules add to each form is kept from call to call."""

    def __init__(
        self,
        master: Master,
        *,
        count_once: bool = False,
        table_entries: int = TABLE_ENTRIES,
        parts: SearchParts = SearchParts(),  # noqa: B008 - SearchParts is frozen
    ) -> None:
        self.master = master
        self.parts = parts
        self.count_once = count_once
        self.table_entries = table_entries
        self._score = Scorer(master.objective, tuple(master.rows))
        self._forms = (master.objective, *(row.form for row in master.rows))
        self._per_rule: dict[Rule, FloatArray] = {}
        self._annealing_turns = Turns(ANNEALED, ANNEALED, 1.0)

    def improve(
        self,
        starts: Sequence[Sequence[Rule]],
        deadline: Deadline,
        rng: np.random.Generator,
        *,
        among: Sequence[Rule] | None = None,
        restarts: int = 30,
        most: int = 5,
        threads: int = 1,
    ) -> list[Candidate]:
        """As the function :func:`improve`."""
        rules = self._promising(among, starts)
        archive: dict[frozenset[Rule], Candidate] = {}
        self._keep(archive, ())
        settled: set[frozenset[Rule]] = set()
        began, among_given = time.perf_counter(), 0.0
        while True:
            batch, turn = min(restarts, BATCH), time.perf_counter()
            if self._has_time_for_subsets(among_given, turn - began):
                for chosen in self._search_among(rules, starts, deadline, rng, batch):
                    self._keep(archive, chosen)
                among_given += time.perf_counter() - turn
            if among is None:
                self._polish(archive, settled, deadline, rng)
                self.walks.meet(list(archive.values()))
                self._take_in(archive, self._explore(batch, threads, deadline, rng))
                if self._has_programs:
                    self.unions.turns.others += time.perf_counter() - turn
                    self._unite(archive, deadline, rng, threads)
            best = sorted(archive.values(), key=self._preference)[:REMEMBERED]
            restarts -= BATCH
            if restarts <= 0 or deadline.passed or self._is_perfect(best[0]):
                return best[:most]
            archive = {frozenset(candidate.rules): candidate for candidate in best}
            # The next batch can combine rules from different local optima.
            starts = [candidate.rules for candidate in best[:most]]
            rules = list(dict.fromkeys([*(rule for start in starts for rule in start), *rules]))

    def _has_time_for_subsets(self, spent: float, elapsed: float) -> bool:
        """On large data, changing conditions finds more: choosing among rules at hand gets a share of the time.
        Elsewhere no clock decides, so that answers depend on nothing but the seed."""
        if not self.parts.subset_moves:
            return False
        return not self.master.problem.is_large or spent <= SHARE * elapsed

    @property
    def setup_seconds(self) -> float:
        """How long it takes until the search can begin: on ten million rows some seconds, else next to nothing."""
        is_ready = "_moves" in self.__dict__
        return 0.0 if is_ready else self.master.problem.n_samples * self.master.problem.n_conditions * SETUP_SECONDS

    @cached_property
    def _moves(self) -> ConditionMoves:
        bits = SampleBits.of(self.master.problem, self._forms, count_once=self.count_once)
        return ConditionMoves(self.master.problem, bits, self._score)

    @cached_property
    def walks(self) -> Walks:
        return Walks(self.master, self._moves, self._preference, MIXED if self.parts.mixtures else 0.0)

    @cached_property
    def unions(self) -> Unions:
        return Unions(self.master, self._preference)

    @cached_property
    def annealing(self) -> Annealing:
        return Annealing(self.master, self._moves)

    @property
    def _has_annealing(self) -> bool:
        """Where every row bounds nothing but size."""
        problem = self.master.problem
        is_fit = problem.is_large and problem.n_samples <= ANNEALED_SAMPLES and not self._score.can_soften
        return self.parts.annealing and is_fit

    @property
    def _has_programs(self) -> bool:
        """Not in true counts: programs are then many times as large, and seldom solved in time."""
        return self.parts.unions and self.master.problem.is_large and not self.count_once

    @property
    def met_rules(self) -> list[Rule]:
        """Rules of the best local optima met, where these are remembered."""
        return self.unions.rules if self._has_programs else []

    def _take_in(self, archive: dict[frozenset[Rule], Candidate], met: Collection[Candidate]) -> None:
        """Local optima that were met."""
        for found in met:
            archive.setdefault(frozenset(found.rules), found)
        if self._has_programs:
            self.unions.learn(met)

    def _keep(self, archive: dict[frozenset[Rule], Candidate], rules: Sequence[Rule]) -> None:
        archive.setdefault(frozenset(rules), self.master.evaluate(rules))

    def _search_among(
        self,
        rules: Sequence[Rule],
        starts: Sequence[Sequence[Rule]],
        deadline: Deadline,
        rng: np.random.Generator,
        restarts: int,
    ) -> list[tuple[Rule, ...]]:
        """The best subsets of the rules that are found."""
        if not rules:
            return []
        place = {rule: at for at, rule in enumerate(rules)}
        weights = self._relaxed_weights(place)
        search = SubsetSearch(CoverState(self._table(rules, rng)), deadline.within(SHARE * deadline.remaining), rng)
        for start in starts:
            search.run([place[rule] for rule in start if rule in place])
        for key in (by_gain_per_size, by_gain):
            search.run((), key)
        if weights.any():
            search.run(np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)], rounding=True)
        search.perturb(restarts, weights)
        return [tuple(rules[at] for at in chosen) for chosen in search.best_sets()]

    def _polish(
        self,
        archive: dict[frozenset[Rule], Candidate],
        settled: set[frozenset[Rule]],
        deadline: Deadline,
        rng: np.random.Generator,
    ) -> None:
        """Change conditions of the best rule sets known, where that was not yet done."""
        for candidate in sorted(archive.values(), key=self._preference)[:POLISHED]:
            if frozenset(candidate.rules) not in settled:
                rules = self._moves.descend(candidate.rules, deadline, rng)
                settled |= {frozenset(candidate.rules), frozenset(rules)}
                self._keep(archive, rules)

    def _unite(
        self,
        archive: dict[frozenset[Rule], Candidate],
        deadline: Deadline,
        rng: np.random.Generator,
        threads: int,
    ) -> None:
        """When it is time, take the best of what local optima are made of."""
        if self.unions.is_due and not deadline.passed:
            known = min(archive.values(), key=self._preference)
            with self._exploring(archive, threads - 1, deadline, rng):
                united = self.unions.solve(known, deadline, rng)
            for found in united:
                archive.setdefault(frozenset(found.rules), found)

    def _explore(self, n_steps: int, threads: int, deadline: Clock, rng: np.random.Generator) -> list[Candidate]:
        """Walk some steps, and anneal for a share of the time; the local optima met."""
        began, turns = time.perf_counter(), self._annealing_turns
        met = self.walks.leg(n_steps, threads, deadline, rng)
        turns.others += time.perf_counter() - began
        while self._has_annealing and turns.is_due and not deadline.passed:
            began = time.perf_counter()
            annealed = self.annealing.leg(self.walks.elites, threads, deadline, rng)
            turns.spent += time.perf_counter() - began
            if annealed:
                met += annealed
                self.walks.meet(annealed)
        return met

    @contextmanager
    def _exploring(
        self, archive: dict[frozenset[Rule], Candidate], threads: int, deadline: Deadline, rng: np.random.Generator
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
        return violation == 0.0 and worth <= (0.0 if self.count_once else self.master.trivial_bound)

    def _preference(self, candidate: Candidate) -> Merit:
        if self.count_once:
            return max(candidate.true_violation - 1e-9, 0.0), candidate.errors, candidate.complexity
        return max(candidate.proxy_violation - 1e-9, 0.0), candidate.objective, candidate.complexity

    # What to search over --------------------------------------------------------------------------------------------

    def _promising(self, among: Sequence[Rule] | None, starts: Iterable[Sequence[Rule]]) -> list[Rule]:
        """All rules, or those with the least reduced cost when there are too many; the starts' rules always."""
        wanted = list(dict.fromkeys(rule for start in starts for rule in start))
        rules = list(self.master.pool.rules if among is None else among)
        most = max(200, self.table_entries // max(1, self.master.problem.n_samples))
        if len(rules) > most:
            costs = self._reduced_costs(rules)
            rules = [rules[at] for at in np.argsort(costs, kind="stable")[:most]]
        return list(dict.fromkeys([*wanted, *rules]))

    def _reduced_costs(self, rules: Sequence[Rule]) -> FloatArray:
        """By the duals of the last relaxation; before the first one, what each rule alone would bring."""
        per_rule = self._form_values(rules)
        if self.master.rule_weights() is None:
            return per_rule[0]
        pricing = self.master.pricing_problem()
        costs = pricing.condition_price * self.master.problem.lengths(rules)
        weights = pricing.sample_weights.astype(np.float32)
        for some in _chunks(len(rules), self.master.problem.n_samples):
            costs[some] += self.master.problem.covers(rules[some]).astype(np.float32) @ weights
        return costs

    def _relaxed_weights(self, place: dict[Rule, int]) -> FloatArray:
        """The weights of the searched rules in the last relaxation."""
        weights = np.zeros(len(place))
        relaxed = self.master.rule_weights()
        if relaxed is not None:
            for at in np.flatnonzero(relaxed > 1e-6):
                position = place.get(self.master.pool.rules[at])
                if position is not None:
                    weights[position] = relaxed[at]
        return weights

    def _form_values(self, rules: Sequence[Rule]) -> FloatArray:
        """Forms × rules: what each rule adds to each form, whatever else is chosen."""
        bits = self._moves.bits
        new = [rule for rule in rules if rule not in self._per_rule]
        lengths = self.master.problem.lengths(new)
        values = np.multiply.outer(bits.per_length, lengths) + bits.per_rule[:, None]
        for at, rule in enumerate(new):
            values[:, at] += bits.sums((bits.covers(rule.features) & bits.always)[None])[0]
        self._per_rule.update(zip(new, values.T, strict=True))
        return np.array([self._per_rule[rule] for rule in rules]).reshape(len(rules), len(self._forms)).T

    def _table(self, rules: Sequence[Rule], rng: np.random.Generator) -> CoverTable:
        problem = self.master.problem
        packed = problem.packed_covers(rules)
        samples = np.arange(problem.n_samples)
        share = 1.0
        if len(rules) * problem.n_samples > 2 * self.table_entries:
            # A sample of the rows, eight neighbours at a time: this is how covers are packed.
            n_bytes = max(1, self.table_entries // (8 * len(rules)))
            drawn = np.sort(rng.choice(packed.shape[1], size=min(n_bytes, packed.shape[1]), replace=False))
            packed = packed[:, drawn]
            samples = (drawn[:, None] * 8 + np.arange(8)).ravel()
            share = packed.shape[1] * 8 / problem.n_samples
        covers = np.unpackbits(packed, axis=1).view(np.bool_)
        inside = samples < problem.n_samples
        covers, samples = covers[:, : len(samples)][:, inside], samples[inside]
        uncovered, constant = self._uncovered(samples)
        return CoverTable.merged(
            covers,
            uncovered / share,
            self._form_values(rules),
            constant,
            problem.lengths(rules) + 1.0,
            self._score,
            rng,
        )

    def _uncovered(self, samples: IntArray) -> tuple[FloatArray, FloatArray]:
        """Forms × samples: what each sample adds while uncovered; and the constants of the forms."""
        uncovered = np.zeros((len(self._forms), len(samples)))
        constant = np.zeros(len(self._forms))
        positive = self.master.problem.y[samples]
        for at, form in enumerate(self._forms):
            constant[at] = form.const
            if form.missed is not None:
                uncovered[at] = np.where(positive, form.missed[samples], 0.0)
            if self.count_once and form.cover is not None:
                uncovered[at] -= form.cover[samples]
                constant[at] += form.cover.sum()
        return uncovered, constant


def _chunks(n_rules: int, n_samples: int) -> Iterable[slice]:
    """Slices of rules whose unpacked covers stay small."""
    step = max(1, 10_000_000 // max(1, n_samples))
    return (slice(at, at + step) for at in range(0, n_rules, step))
