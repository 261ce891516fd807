"""Drop and add: leave a good rule set by dropping some of its rules, and come back by adding others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np
from attrs import field, frozen
from attrs.validators import ge, le

from rulecg_core import Found, Heuristic, Rule, Search, SearchLimits, View

Rules = tuple[Rule, ...]
Merit = tuple[float, float, float]
"""Violation of the rows, then what is minimised, then complexity: less is better."""


@frozen
class DropAdd(Heuristic):
    """Drop some rules of the best rule set at random, then add single rules of the pool while that helps.

    Parameters
    ----------
    dropped : float
        Share of the rules that a restart drops, on average.
    tried : int
        How many rules of the pool a restart tries to add.
    """

    dropped: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    tried: int = field(default=40, validator=ge(1))

    def open(self, view: View) -> Search:
        return DropAddSearch(view, self)


class DropAddSearch(Search):
    """One run's search; it remembers the best rule set of each way of counting from call to call."""

    def __init__(self, view: View, settings: DropAdd) -> None:
        self.view, self.settings = view, settings
        self._best: dict[bool, Rules] = {}

    def improve(self, starts: Sequence[Sequence[Rule]], limits: SearchLimits, rng: np.random.Generator) -> Found:
        pool = self.view.rules
        known = [(), self._best.get(limits.true_counts, ()), *map(tuple, starts)]
        best = min(known, key=lambda rules: self._merit(rules, limits))
        turns: Iterable[int] = count() if limits.restarts is None else range(limits.restarts)
        for _ in turns:
            if limits.deadline.passed:
                break
            found = self._restart(best, pool, limits, rng)
            best = min(best, found, key=lambda rules: self._merit(rules, limits))
        self._best[limits.true_counts] = best
        return Found(rule_sets=(best,))

    def _restart(self, best: Rules, pool: Rules, limits: SearchLimits, rng: np.random.Generator) -> Rules:
        """Drop at random, add what helps, then leave out what nobody misses."""
        kept = tuple(rule for rule in best if rng.random() >= self.settings.dropped)
        for at in rng.permutation(len(pool))[: self.settings.tried]:
            if limits.deadline.passed:
                break
            if pool[at] not in kept and self._merit((*kept, pool[at]), limits) < self._merit(kept, limits):
                kept = (*kept, pool[at])
        for rule in kept:
            without = tuple(other for other in kept if other != rule)
            if self._merit(without, limits) < self._merit(kept, limits):
                kept = without
        return kept

    def _merit(self, rules: Rules, limits: SearchLimits) -> Merit:
        candidate = self.view.evaluate(rules)
        if limits.true_counts:
            return max(candidate.true_violation - 1e-9, 0.0), candidate.errors, candidate.complexity
        return max(candidate.proxy_violation - 1e-9, 0.0), candidate.objective, candidate.complexity
