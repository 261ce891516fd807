"""Better rules next to the chosen ones: drop, add or exchange one condition of one rule, or grow a rule anew.

The best rule is often one threshold away from a generated one. With the other rules fixed, the value of every form is
linear in what the changed rule covers, so one pass over the bits evaluates all features that could be added to what
remains of a rule without one of its conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import frozen

from .arrays import FloatArray
from .cover_state import Scorer
from .limits import Deadline
from .problem import Problem
from .rules import Rule
from .sample_bits import SampleBits, Words

BEAM = 6
"""How many partial rules are kept when a rule is grown."""

Merit = tuple[float, float]
"""Violation of the rows, then the objective: what is minimised."""


@frozen(eq=False)
class ConditionMoves:
    """Descent by single conditions, in the counts that the bits were laid out for."""

    problem: Problem
    bits: SampleBits
    score: Scorer

    def descend(self, rules: Sequence[Rule], deadline: Deadline, rng: np.random.Generator) -> tuple[Rule, ...]:
        """Change one condition at a time, and grow further rules, while that improves the rule set."""
        chosen = list(dict.fromkeys(rules))
        covers = [self.bits.covers(rule) for rule in chosen]
        waiting = rng.permutation(len(chosen)).tolist()
        while not deadline.passed:
            if not waiting:
                grown = self.grown(_Residual(self, chosen, covers), deadline)
                if grown is None:
                    break
                chosen.append(grown)
                covers.append(self.bits.covers(grown))
                waiting = rng.permutation(len(chosen)).tolist()
            at = waiting.pop()
            residual = _Residual(self, chosen[:at] + chosen[at + 1 :], covers[:at] + covers[at + 1 :])
            better = self._changed(residual, chosen[at])
            if better is None:
                continue
            chosen[at], covers[at] = better, self.bits.covers(better)
            # What was settled before is open again; the changed rule comes last.
            waiting = [at, *(other for other in rng.permutation(len(chosen)).tolist() if other != at)]
        return tuple(chosen)

    def _changed(self, residual: _Residual, rule: Rule) -> Rule | None:
        """The best rule one condition away, if it improves."""
        stems = [tuple(feature for feature in rule if feature != dropped) for dropped in rule]
        found = [(residual.merit(stem), Rule(stem)) for stem in stems if stem]
        if len(rule) < self.problem.max_conditions:
            stems.append(rule.features)
        for stem in stems:
            found += residual.extensions(stem)
        return residual.better(found, residual.merit(rule.features))

    def grown(self, residual: _Residual, deadline: Deadline) -> Rule | None:
        """A further rule that improves the rule set, found by a narrow beam search."""
        beam: list[tuple[int, ...]] = [()]
        found: list[tuple[Merit, Rule]] = []
        for _ in range(self.problem.max_conditions):
            if deadline.passed:
                break
            extended = dict.fromkeys(find for stem in beam for find in residual.extensions(stem))
            best = sorted(extended)[:BEAM]
            found += best
            beam = [rule.features for _, rule in best]
        return residual.better(found, residual.merit(None))


class _Residual:
    """What one more rule brings to fixed other rules: linear in the samples it covers."""

    def __init__(self, moves: ConditionMoves, rest: Sequence[Rule], covers: Sequence[Words]) -> None:
        self.problem, self.bits, self.score = moves.problem, moves.bits, moves.score
        self.known = set(rest)
        covered = np.zeros_like(self.bits.filled)
        for words in covers:
            covered |= words
        self.open: Words = (~covered | self.bits.always) & self.bits.filled
        lengths = np.array([self.problem.length(rule) for rule in rest])
        self.values: FloatArray = self._own(lengths).sum(axis=1) + self._covered_values(covered, covers)

    def _covered_values(self, covered: Words, covers: Sequence[Words]) -> FloatArray:
        """The forms' values without what rules add by their mere number and length."""
        once = self.bits.sums((covered & ~self.bits.always)[None])[0]
        lines = np.array(covers, dtype=np.uint64).reshape(len(covers), len(self.bits.filled))
        every = self.bits.sums(lines & self.bits.always)
        return self.bits.empty + once + every.sum(axis=0)

    def _own(self, lengths: FloatArray) -> FloatArray:
        """Forms × rules: what rules of these lengths add whatever they cover."""
        return np.array([form.length * lengths + form.rule for form in self.bits.forms])

    def merit(self, features: Sequence[int] | None) -> Merit:
        """Violation and objective with a rule of these features; None: without any."""
        values = self.values
        if features is not None:
            length = self.problem.feature_costs[list(features)].sum(keepdims=True)
            covered = self.bits.covers(Rule(features)) & self.open
            values = values + self._own(length)[:, 0] + self.bits.sums(covered[None])[0]
        objective, violation = self.score(values)
        return float(violation), float(objective)

    def better(self, found: Iterable[tuple[Merit, Rule]], now: Merit) -> Rule | None:
        """The best of the finds, if it is better than what there is and no rule that is already there."""
        merit, rule = min((find for find in found if find[1] not in self.known), default=(now, None))
        step = 1e-9 * max(1.0, abs(now[1]))
        return rule if merit[0] < now[0] or (merit[0] == now[0] and merit[1] < now[1] - step) else None

    def extensions(self, stem: Sequence[int]) -> list[tuple[Merit, Rule]]:
        """The best rules that the stem makes with one further feature."""
        problem = self.problem
        inside = self.open & self.bits.covers(Rule(stem)) if stem else self.open
        lengths = problem.feature_costs[list(stem)].sum() + problem.feature_costs
        values = self.values[:, None] + self._own(lengths) + self.bits.sums(self.bits.features & inside).T
        objective, violation = self.score(values)
        # Of two conditions of one chain in one rule, the weaker one says nothing.
        blocked = np.isin(problem.chains, problem.chains[list(stem)])
        order = np.lexsort((objective, violation))
        return [
            ((float(violation[feature]), float(objective[feature])), Rule((*stem, int(feature))))
            for feature in order[~blocked[order]][:BEAM]
        ]
