"""Better rules next to the chosen ones: drop, add or exchange one condition of one rule, or grow a rule anew.

The best rule is often one threshold away from a generated one. With the other rules fixed, the value of every form is
linear in what the changed rule covers, so one pass over the bits evaluates all features that could be added to what
remains of a rule without one of its conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import evolve, frozen

from .arrays import FloatArray
from .cover_state import Scorer
from .limits import Deadline
from .problem import Problem
from .rules import Rule
from .sample_bits import SampleBits, Words

BEAM = 6
"""How many partial rules are kept when a rule is grown."""
WORDS_AT_ONCE = 1 << 20
"""How many words of bits one pass may hold."""
BLURRED_WORDS = 1 << 13
"""How many words of 64 samples a perturbed descent looks at, at most."""

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
        covers = [self.bits.covers(rule.features) for rule in chosen]
        settled: set[int] = set()
        waiting: list[int] = []
        while not deadline.passed:
            if len(settled) == len(chosen):
                grown = self._grown(_Residual(self, chosen, covers), deadline)
                if grown is None:
                    break
                chosen.append(grown)
                covers.append(self.bits.covers(grown.features))
                settled = set()
            waiting = waiting or rng.permutation(len(chosen)).tolist()
            at = waiting.pop()
            if at in settled:
                continue
            residual = _Residual(self, chosen[:at] + chosen[at + 1 :], covers[:at] + covers[at + 1 :])
            better = self._changed(residual, chosen[at])
            if better is None:
                settled.add(at)
            else:
                chosen[at], covers[at] = better, self.bits.covers(better.features)
                settled = set()
        return tuple(chosen)

    def blurred(self, rng: np.random.Generator) -> ConditionMoves:
        """The same on a random part of the samples and with another weight of what covering costs: good rule sets
        there are close to good ones here, but not to the same local optimum."""
        share = rng.uniform(0.15, 0.5) * min(1.0, BLURRED_WORDS / max(1, len(self.bits.filled)))
        return evolve(self, bits=self.bits.sampled(share, float(np.exp(rng.uniform(-0.5, 1.5))), rng))

    def softened(self, objective: float, rng: np.random.Generator) -> ConditionMoves:
        """The same where rows may be broken at a price."""
        return evolve(self, score=self.score.softened(objective, rng))

    def _changed(self, residual: _Residual, rule: Rule) -> Rule | None:
        """The best rule one condition away, if it improves."""
        stems = [tuple(feature for feature in rule if feature != dropped) for dropped in rule]
        *shorter, now = residual.merits([*stems, rule.features])
        found = [(merit, stem) for merit, stem in zip(shorter, stems, strict=True) if stem]
        if len(rule) < self.problem.max_conditions:
            stems.append(rule.features)
        return residual.better(found + residual.extensions(stems, 2), now)

    def _grown(self, residual: _Residual, deadline: Deadline) -> Rule | None:
        """A further rule that improves the rule set, found by a narrow beam search."""
        beam: list[tuple[int, ...]] = [()]
        found: list[tuple[Merit, tuple[int, ...]]] = []
        for _ in range(self.problem.max_conditions):
            if deadline.passed:
                break
            best = sorted(set(residual.extensions(beam, BEAM)))[:BEAM]
            found += best
            beam = [features for _, features in best]
        return residual.better(found, residual.without)


class _Residual:
    """What one more rule brings to fixed other rules: linear in the samples it covers."""

    def __init__(self, moves: ConditionMoves, rest: Sequence[Rule], covers: Sequence[Words]) -> None:
        self.problem, self.bits, self.score = moves.problem, moves.bits, moves.score
        self.known = {rule.features for rule in rest}
        covered = np.zeros_like(self.bits.filled)
        for words in covers:
            covered |= words
        self.open: Words = (~covered | self.bits.always) & self.bits.filled
        lengths = self.problem.lengths(rest)
        self.values: FloatArray = self._own(lengths).sum(axis=1) + self._covered_values(covered, covers)
        objective, violation = self.score(self.values)
        self.without: Merit = (float(violation), float(objective))

    def _covered_values(self, covered: Words, covers: Sequence[Words]) -> FloatArray:
        """The forms' values without what rules add by their mere number and length."""
        lines = np.empty((len(covers) + 1, len(covered)), dtype=np.uint64)
        for line, words in zip(lines, covers, strict=False):
            np.bitwise_and(words, self.bits.always, out=line)
        lines[-1] = covered & ~self.bits.always
        return self.bits.empty + self.bits.sums(lines).sum(axis=0)

    def _own(self, lengths: FloatArray) -> FloatArray:
        """Forms × rules: what rules of these lengths add whatever they cover."""
        return np.multiply.outer(self.bits.per_length, lengths) + self.bits.per_rule[:, None]

    def merits(self, rules: Sequence[tuple[int, ...]]) -> list[Merit]:
        """Violation and objective with a rule of each of these feature sets."""
        lengths = np.array([self.problem.feature_costs[list(features)].sum() for features in rules])
        covered = np.array([self._inside(features) for features in rules])
        objective, violation = self.score(self.values[:, None] + self._own(lengths) + self.bits.sums(covered).T)
        return list(zip(violation.tolist(), objective.tolist(), strict=True))

    def _inside(self, features: tuple[int, ...]) -> Words:
        """The open samples that have all these features."""
        return self.open & self.bits.covers(features) if features else self.open

    def better(self, found: Iterable[tuple[Merit, tuple[int, ...]]], now: Merit) -> Rule | None:
        """The best of the finds, if it is better than what there is and no rule that is already there."""
        merit, features = min(
            (find for find in found if find[1] not in self.known), default=(now, None)
        )
        step = 1e-9 * max(1.0, abs(now[1]))
        # Rounding must not look like progress, or the descent would go round in circles.
        is_better = merit[0] < now[0] - 1e-9 or (merit[0] <= now[0] + 1e-12 and merit[1] < now[1] - step)
        return Rule(features) if is_better and features is not None else None

    def extensions(self, stems: Sequence[tuple[int, ...]], most: int) -> list[tuple[Merit, tuple[int, ...]]]:
        """For each stem the best feature sets that it makes with one further feature."""
        problem, n_features = self.problem, self.problem.n_features
        lengths = np.array([problem.feature_costs[list(stem)].sum() for stem in stems])
        values = self.values[:, None] + self._own(np.add.outer(lengths, problem.feature_costs).ravel())
        at_once = max(1, WORDS_AT_ONCE // max(1, self.bits.features.size))
        for at in range(0, len(stems), at_once):
            inside = np.array([self._inside(stem) for stem in stems[at : at + at_once]])
            words = (self.bits.features & inside[:, None, :]).reshape(-1, inside.shape[1])
            values[:, at * n_features : at * n_features + len(words)] += self.bits.sums(words).T
        objective, violation = (part.reshape(len(stems), n_features) for part in self.score(values))
        found = []
        for stem, worth, broken in zip(stems, objective, violation, strict=True):
            # Of two conditions of one chain in one rule, the weaker one says nothing.
            in_use = np.zeros(self.bits.n_chains, dtype=bool)
            in_use[problem.chains[list(stem)]] = True
            order = np.lexsort((worth, broken))
            for feature in order[~in_use[problem.chains[order]]][:most].tolist():
                found.append(((float(broken[feature]), float(worth[feature])), tuple(sorted((*stem, feature)))))
        return found
