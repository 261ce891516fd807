"""Rule sets from local search over the generated rules: good answers long before the restricted MIP has any.

Greedy construction, then add, drop and swap moves (one for one, two for one, one for two) to a local optimum, then
perturbation and descent again. The same search serves the Hamming and the true 0-1 count, and every row: a move must
keep all rows, and while some are broken it must break them less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from .arrays import BoolArray, FloatArray, IntArray
from .condition_moves import ConditionMoves
from .cover_state import CoverState, CoverTable, Scorer
from .limits import Deadline
from .master import Candidate, Master
from .rules import Rule
from .sample_bits import SampleBits

TABLE_ENTRIES = 40_000_000
"""Rules × samples that one search looks at; beyond it the most promising rules and a sample of the rows are taken."""
FIRST_CHOICES = 6
"""How many first rules each one-for-two move tries."""
BATCH = 10
"""Perturbations of each kind before rules from different local optima are put together."""
POLISHED = 2
"""How many of the best rule sets of each batch are improved condition by condition."""
KEPT = 5
"""How many subsets one search over given rules remembers."""
SHARE = 0.2
"""Share of the time left that one search over given rules may take."""
TOLERATED = 0.004
"""By how much of its objective a rule set may be worse than the one before and still be where the search goes on."""
PATIENCE = 12
"""Perturbations without a new best after which the search returns to the best rule set."""


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
) -> list[Candidate]:
    """The best rule sets that local search finds, distinct and evaluated by the master, best first.

    It begins from greedy constructions and from ``starts`` over the master's pool, and ends with the deadline or after
    a number of perturbations. It also changes conditions of chosen rules, so that rules may be new to the pool; unless
    it is to choose ``among`` given rules.
    """
    search = LocalSearch(master, count_once=count_once)
    return search.improve(starts, deadline, rng, among=among, restarts=restarts, most=most)


class LocalSearch:
    """Local search on one master; what rules add to each form is kept from call to call."""

    def __init__(self, master: Master, *, count_once: bool = False, table_entries: int = TABLE_ENTRIES) -> None:
        self.master = master
        self.count_once = count_once
        self.table_entries = table_entries
        self._score = Scorer(master.objective, tuple(master.rows))
        self._forms = (master.objective, *(row.form for row in master.rows))
        self._per_rule: dict[Rule, FloatArray] = {}

    def improve(
        self,
        starts: Sequence[Sequence[Rule]],
        deadline: Deadline,
        rng: np.random.Generator,
        *,
        among: Sequence[Rule] | None = None,
        restarts: int = 30,
        most: int = 5,
    ) -> list[Candidate]:
        """As the function :func:`improve`."""
        rules = self._promising(among, starts)
        archive: dict[frozenset[Rule], Candidate] = {}
        self._keep(archive, ())
        settled: set[frozenset[Rule]] = set()
        while True:
            batch = min(restarts, BATCH)
            for chosen in self._search_among(rules, starts, deadline, rng, batch):
                self._keep(archive, chosen)
            if among is None:
                for chosen in self._change_conditions(archive, settled, deadline, rng, batch):
                    self._keep(archive, chosen)
            best = sorted(archive.values(), key=self._preference)[:most]
            restarts -= BATCH
            if restarts <= 0 or deadline.passed:
                return best
            # The next batch can combine rules from different local optima.
            starts = [candidate.rules for candidate in best]
            rules = list(dict.fromkeys([*(rule for start in starts for rule in start), *rules]))

    @cached_property
    def _moves(self) -> ConditionMoves:
        bits = SampleBits.of(self.master.problem, self._forms, count_once=self.count_once)
        return ConditionMoves(self.master.problem, bits, self._score)

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
        search = Search(CoverState(self._table(rules, rng)), deadline.within(SHARE * deadline.remaining), rng)
        for start in starts:
            search.run([place[rule] for rule in start if rule in place])
        for key in (_gain_per_size, _gain):
            search.run((), key)
        if weights.any():
            search.run(np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)], rounding=True)
        search.perturb(restarts, weights)
        return [tuple(rules[at] for at in chosen) for chosen in search.best_sets()]

    def _change_conditions(
        self,
        archive: dict[frozenset[Rule], Candidate],
        settled: set[frozenset[Rule]],
        deadline: Deadline,
        rng: np.random.Generator,
        restarts: int,
    ) -> Iterator[tuple[Rule, ...]]:
        """Local optima of condition moves: from the best rule sets known, then on and on from perturbed ones."""
        best = sorted(archive.values(), key=self._preference)
        for candidate in best[:POLISHED]:
            if frozenset(candidate.rules) not in settled:
                rules = self._moves.descend(candidate.rules, deadline, rng)
                settled |= {frozenset(candidate.rules), frozenset(rules)}
                yield rules
        current = min(archive.values(), key=self._preference)
        for _ in range(restarts):
            if deadline.passed:
                return
            blurred = self._moves.blurred(rng).descend(current.rules, deadline, rng)
            rules = self._moves.descend(blurred, deadline, rng)
            settled.add(frozenset(rules))
            yield rules
            found = archive[frozenset(rules)]
            slack = rng.random() * TOLERATED * abs(current.objective)
            if self._preference(found) <= _worse_by(self._preference(current), slack):
                current = found

    def _preference(self, candidate: Candidate) -> tuple[float, float, float]:
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
        costs = np.array([pricing.condition_price * self.master.problem.length(rule) for rule in rules])
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
        lengths = np.array([self.master.problem.length(rule) for rule in new])
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
            np.array([problem.length(rule) + 1.0 for rule in rules]),
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
            if form.zeta is not None:
                uncovered[at] = np.where(positive, form.zeta[samples], 0.0)
            if self.count_once and form.cover is not None:
                uncovered[at] -= form.cover[samples]
                constant[at] += form.cover.sum()
        return uncovered, constant


Preference = Callable[[FloatArray, FloatArray], FloatArray]
"""From gains and sizes of rules, what to maximise when adding one."""


def _gain_per_size(gain: FloatArray, size: FloatArray) -> FloatArray:
    return gain / np.maximum(size, 1e-12)


def _gain(gain: FloatArray, size: FloatArray) -> FloatArray:
    return gain


class Search:
    """Descent and perturbation on one state, remembering the best subsets met."""

    def __init__(self, state: CoverState, deadline: Deadline, rng: np.random.Generator) -> None:
        self.state = state
        self.deadline = deadline
        self.rng = rng
        self._met: dict[tuple[int, ...], tuple[float, float]] = {}
        self._banned: BoolArray = np.zeros(state.table.n_rules, dtype=bool)

    @property
    def merit(self) -> tuple[float, float]:
        """What is minimised: first the violation of the rows, then the objective."""
        return self.state.violation, self.state.objective

    def best_sets(self) -> list[tuple[int, ...]]:
        return sorted(self._met, key=lambda chosen: (self._met[chosen], chosen))[: KEPT]

    def run(
        self, start: Sequence[int] | IntArray, key: Preference = _gain_per_size, *, rounding: bool = False
    ) -> None:
        """Descend from a subset; with ``rounding``, from what its rules in this order bring one by one."""
        self.state.move_to(np.zeros(0, dtype=np.int64) if rounding else np.asarray(start, dtype=np.int64))
        if rounding:
            for rule in start:
                if self._accept(self.state.add_values()[:, [rule]]) is not None:
                    self._try([], [int(rule)])
        self.descend(key)

    def perturb(self, restarts: int, weights: FloatArray) -> None:
        """Leave local optima again and again; come back to the best subset when that brings nothing."""
        if not self._met:
            return
        best = self.best_sets()[0]
        self.state.move_to(np.array(best, dtype=np.int64))
        idle = 0
        for _ in range(restarts):
            if self.deadline.passed:
                return
            before, previous = self.merit, self.state.chosen
            self._shake(weights)
            self.descend()
            if self.merit < self._met[best]:
                best, idle = tuple(self.state.chosen.tolist()), 0
                continue
            idle += 1
            if idle % PATIENCE == 0:
                self.state.move_to(np.array(best, dtype=np.int64))
            elif self.merit > before and self.rng.random() > 0.1:
                self.state.move_to(previous)

    def _shake(self, weights: FloatArray) -> None:
        """Drop a few rules and keep them out while the rest settles; or force a rule in, rather one that the relaxation
        likes."""
        state = self.state
        slots = state.slots
        liked, others = (np.flatnonzero(which & ~state.is_chosen) for which in (weights > 0, weights >= 0))
        kind = self.rng.random()
        if len(liked) and kind < 0.4:
            state.add(int(self.rng.choice(liked, p=weights[liked] / weights[liked].sum())))
            n_out = 1
        elif len(others) and kind < 0.6:
            state.add(int(self.rng.choice(others)))
            n_out = int(self.rng.integers(0, 3))
        else:
            n_out = int(self.rng.integers(1, max(3, len(slots) // 3) + 1))
        out = self.rng.permutation(slots)[:n_out]
        self._banned[state.rules_in(out)] = True
        state.exchange(out.tolist(), [])
        self.descend(thorough=False)
        self._banned[:] = False

    # Descent --------------------------------------------------------------------------------------------------------

    def descend(self, key: Preference = _gain_per_size, *, thorough: bool = True) -> None:
        """To a local optimum of all moves; without ``thorough``, of the cheap ones."""
        moves = [self._swap_or_drop, *([self._two_for_one, self._one_for_two] if thorough else [])]
        while not self.deadline.passed:
            self._fill(key)
            if not any(move() for move in moves):
                break
        chosen = tuple(self.state.chosen.tolist())
        self._met[chosen] = self.merit
        if len(self._met) > 100 * KEPT:
            self._met = {chosen: self._met[chosen] for chosen in self.best_sets()}

    def _fill(self, key: Preference) -> None:
        """Add rules, the most useful first, while that improves."""
        state = self.state
        while not self.deadline.passed:
            values = state.add_values()
            objective, violation = state.table.score(values)
            if state.violation > 0:
                gain = np.where(violation < state.violation - 1e-9, state.violation - violation, 0.0)
            else:
                gain = np.where(violation > 0, 0.0, state.objective - objective)
            gain[(gain < self._least_gain) | state.is_chosen | self._banned] = 0.0
            rule = int(np.argmax(key(gain, state.table.sizes)))
            if gain[rule] <= 0 or not self._try([], [rule]):
                return

    @property
    def _least_gain(self) -> float:
        return 1e-7 * max(1.0, abs(self.state.objective)) if self.state.violation == 0 else 1e-9

    def _accept(self, values: FloatArray, forbidden: BoolArray | None = None) -> int | None:
        """The best improving neighbour among forms × neighbours, or None."""
        objective, violation = self.state.table.score(values)
        if forbidden is not None:
            violation[forbidden] = np.inf
        if not objective.size:
            return None
        if self.state.violation > 0:
            at = int(np.lexsort((objective, violation))[0])
            return at if violation[at] < self.state.violation - self._least_gain else None
        objective = np.where(violation > 0, np.inf, objective)
        at = int(np.argmin(objective))
        return at if objective[at] < self.state.objective - self._least_gain else None

    def _try(self, slots: Sequence[int], rules: Sequence[int]) -> bool:
        """Make a move; take it back when exact values show that it does not improve after all."""
        before, previous = self.merit, self.state.chosen
        self.state.exchange(slots, rules)
        if self.merit < before:
            return True
        self.state.move_to(previous)
        return False

    def _swap_or_drop(self) -> bool:
        state = self.state
        slots = state.slots
        if not len(slots):
            return False
        n_rules = state.table.n_rules
        swaps = state.swap_values()
        values = np.concatenate([swaps.reshape(len(swaps), -1), state.drop_values()], axis=1)
        out = state.is_chosen | self._banned
        at = self._accept(values, np.concatenate([np.tile(out, len(slots)), np.zeros(len(slots), dtype=bool)]))
        if at is None:
            return False
        if at >= len(slots) * n_rules:
            return self._try([int(slots[at - len(slots) * n_rules])], [])
        return self._try([int(slots[at // n_rules])], [at % n_rules])

    def _two_for_one(self) -> bool:
        """Cheap optimistic values pick the pairs and rules worth a closer look."""
        state = self.state
        slots = state.slots
        out = state.is_chosen | self._banned
        for at, first in enumerate(slots[:-1]):
            if self.deadline.passed:
                return False
            loose = state.loose_two_for_one_values(int(first))[:, at + 1 :]
            objective, violation = state.table.score(loose)
            good = (violation <= 0) & (objective < state.objective - self._least_gain) & ~out
            for second in np.flatnonzero(good.any(axis=1)):
                rules = np.flatnonzero(good[second])
                partner = int(slots[at + 1 + second])
                chosen = self._accept(state.two_for_one_values(int(first), partner, rules))
                if chosen is not None and self._try([int(first), partner], [int(rules[chosen])]):
                    return True
        return False

    def _one_for_two(self) -> bool:
        """As above: what two rules cover both is at first counted twice, to find the rules worth a closer look."""
        state = self.state
        out = state.is_chosen | self._banned
        objective, violation = state.table.score(state.swap_values())
        without, _ = state.table.score(state.drop_values())
        for at, slot in enumerate(state.slots):
            if self.deadline.passed:
                return False
            gain = np.where((violation[at] > state.violation) | out, 0.0, without[at] - objective[at])
            useful = np.argsort(-_gain_per_size(gain, state.table.sizes), kind="stable")[:FIRST_CHOICES]
            for first in useful[gain[useful] > 0]:
                pair_objective, pair_violation = state.table.score(
                    state.loose_one_for_two_values(int(slot), int(first))
                )
                good = (pair_violation <= 0) & (pair_objective < state.objective - self._least_gain) & ~out
                good[first] = False
                rules = np.flatnonzero(good)
                second = self._accept(state.one_for_two_values(int(slot), int(first), rules))
                if second is not None and self._try([int(slot)], [int(first), int(rules[second])]):
                    return True
        return False


def _worse_by(preference: tuple[float, float, float], slack: float) -> tuple[float, float, float]:
    return preference[0], preference[1] + slack, np.inf


def _chunks(n_rules: int, n_samples: int) -> Iterable[slice]:
    """Slices of rules whose unpacked covers stay small."""
    step = max(1, 10_000_000 // max(1, n_samples))
    return (slice(at, at + step) for at in range(0, n_rules, step))
