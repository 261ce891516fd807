"""Local search where rules may be on a few columns of the table only: which columns, and which rules on them.

With the columns fixed, descents by single conditions find good rule sets, as without such a bound. The columns begin as
those that matter most to the relaxation, or to the rule set to start from; then one is exchanged for another as long as
that brings something.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from attrs import evolve

from rulecg_core import Candidate, Found, IntArray, Rule, Search, SearchLimits, View

from .conditions.moves import ConditionMoves
from .conditions.sample_bits import SampleBits
from .scoring import Scorer
from .walks import Merit

REMEMBERED = 256
"""So many choices of columns are laid out at a time."""
RETURNED = 5
"""How many of the best rule sets one call returns."""


class ColumnSearch(Search):
    """Local search on one run whose goal bounds the number of columns, in one way of counting covered samples."""

    def __init__(self, view: View, *, count_once: bool) -> None:
        self.view, self.count_once = view, count_once
        self.goal = view.goal.counting(count_once)
        self._given = view.problem.columns_of(view.goal.kept)
        """Columns that are used anyway."""
        self._moves: dict[frozenset[str], tuple[IntArray, ConditionMoves]] = {}

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(condition.column for condition in self.view.problem.conditions))

    @cached_property
    def _bits(self) -> SampleBits:
        return SampleBits.of(self.view.problem, self.goal.forms, count_once=self.count_once)

    def prepare(self) -> None:
        """Lay out the samples."""
        _ = self._bits

    @property
    def _room(self) -> int:
        """How many columns may be chosen besides those that are used anyway."""
        free = len(set(self._columns) - self._given)
        return int(max(0, min(free, math.floor(self.goal.max_columns) - len(self._given))))

    def improve(self, starts: Sequence[Sequence[Rule]], limits: SearchLimits, rng: np.random.Generator) -> Found:
        """Descend on the columns of the starts and on those that matter most; then exchange one column after the other
        until the deadline, or for a number of tries."""
        known: dict[frozenset[Rule], Candidate] = {}
        chosen = self._first_columns(starts)
        best = self._on(chosen, starts, limits, rng, known)
        others = [name for name in self._columns if name not in self._given]
        tries = math.inf if limits.restarts is None else max(limits.restarts, len(others))
        idle = 0
        while tries > 0 and not limits.deadline.passed and idle <= len(others) * max(1, self._room):
            swapped = self._swapped(chosen, others, rng)
            if swapped == chosen:
                break
            found = self._on(swapped, [best.rules], limits, rng, known)
            tries, idle = tries - 1, idle + 1
            if self._merit(found) < self._merit(best):
                chosen, best, idle = swapped, found, 0
        ranked = sorted(known.values(), key=self._merit)[:RETURNED]
        return Found(tuple(candidate.rules for candidate in ranked))

    def _first_columns(self, starts: Sequence[Sequence[Rule]]) -> frozenset[str]:
        """Those of the first start, filled up with those that matter most."""
        problem, relaxation = self.view.problem, self.view.relaxation
        matters = dict.fromkeys(self._columns, 0.0)
        if relaxation is not None:
            rules = self.view.rules
            for at in np.flatnonzero(relaxation.weights > 1e-6):
                for name in problem.columns_of([rules[at]]):
                    matters[name] += float(relaxation.weights[at])
        chosen = [name for rules in starts[:1] for name in sorted(problem.columns_of(rules))]
        ranked = sorted(self._columns, key=lambda name: -matters[name])
        wanted = [name for name in dict.fromkeys([*chosen, *ranked]) if name not in self._given]
        return frozenset(wanted[: self._room])

    def _swapped(self, chosen: frozenset[str], others: Sequence[str], rng: np.random.Generator) -> frozenset[str]:
        """The columns with one of them exchanged for another."""
        outside = [name for name in others if name not in chosen]
        if not outside or not chosen:
            return chosen
        dropped = sorted(chosen)[int(rng.integers(len(chosen)))]
        return (chosen - {dropped}) | {outside[int(rng.integers(len(outside)))]}

    def _on(
        self,
        chosen: frozenset[str],
        starts: Sequence[Sequence[Rule]],
        limits: SearchLimits,
        rng: np.random.Generator,
        known: dict[frozenset[Rule], Candidate],
    ) -> Candidate:
        """The best rule set that descents on these columns lead to."""
        allowed = chosen | self._given
        features, moves = self._moves_on(allowed)
        place = {int(feature): at for at, feature in enumerate(features)}
        found = [self.view.evaluate(())]
        if len(features):
            for start in ((), *starts):
                inside = [rule for rule in start if self.view.problem.columns_of([rule]) <= allowed]
                begin = [Rule(place[feature] for feature in rule) for rule in inside if len(rule)]
                rules = moves.descend(begin, limits.deadline, rng)
                found.append(self.view.evaluate([Rule(features[list(rule.features)]) for rule in rules]))
        for candidate in found:
            known[frozenset(candidate.rules)] = candidate
        return min(found, key=self._merit)

    def _moves_on(self, columns: frozenset[str]) -> tuple[IntArray, ConditionMoves]:
        """The features on some columns, and descents over them."""
        if columns not in self._moves:
            if len(self._moves) >= REMEMBERED:
                self._moves.clear()
            problem = self.view.problem
            features = np.flatnonzero([condition.column in columns for condition in problem.conditions])
            part = evolve(
                problem,
                X=np.ascontiguousarray(problem.X[:, features]),
                conditions=tuple(problem.conditions[at] for at in features),
                condition_costs=problem.condition_costs[features],
                chains=problem.chains[features],
                max_conditions=max(1, min(problem.max_conditions, len(features))),
            )
            bits = evolve(self._bits, features=np.ascontiguousarray(self._bits.features[features]))
            score = Scorer(self.goal.objective, tuple(self.goal.rows))
            self._moves[columns] = features, ConditionMoves(part, bits, score, bounds=self.goal.rule_bounds)
        return self._moves[columns]

    def _merit(self, candidate: Candidate) -> Merit:
        if self.count_once:
            return max(candidate.true_violation - 1e-9, 0.0), candidate.cost, candidate.complexity
        return max(candidate.proxy_violation - 1e-9, 0.0), candidate.objective, candidate.complexity
