"""The rule to show for a cover: of those that cover the same samples the shortest, of these the first by its text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays import BoolArray
from ...data.problem import Problem
from ...data.rules import Rule
from .tie_order import rule_text

MOST_STEPS = 100_000
"""After so many partial rules the search for shorter or earlier ones is given up."""


class TooManyRulesError(Exception):
    """More partial rules than may be looked at."""


def first_with_equal_cover(problem: Problem, rule: Rule) -> Rule:
    """Find the rule to show for a cover.

    Parameters
    ----------
    problem
        What the rule is a rule of.
    rule
        Any rule with that cover.

    Returns
    -------
    Rule
        Of the rules that cover the same samples the shortest, by the conditions' costs and then their number, and of
        these the first by its text.

    Raises
    ------
    TooManyRulesError
        When there are too many candidates to look at.

    Examples
    --------
    >>> problem = Problem.from_arrays([[1, 1, 1], [0, 1, 0], [1, 0, 1]], [1, 0, 0], columns=["c", "a", "b"])
    >>> first_with_equal_cover(problem, Rule([0, 1])).features
    (1, 2)
    """
    if not len(rule):
        return rule
    covered = rule.covers(problem.X)
    usable = np.flatnonzero(problem.X[covered].all(axis=0)) if covered.any() else np.arange(problem.n_conditions)
    excludes = ~problem.X[~covered][:, usable]
    search = _Search(problem, excludes, usable.tolist(), problem.length(rule))
    found = {rule, *search.rules()}
    return min(found, key=lambda each: (problem.length(each), len(each), rule_text(problem, each)))


class _Search:
    """Goes through the conditions that exclude one sample that is still covered and must not be."""

    def __init__(self, problem: Problem, excludes: BoolArray, usable: list[int], longest: float) -> None:
        self.problem, self.excludes, self.usable, self.longest = problem, excludes, usable, longest
        self.costs = problem.condition_costs[usable]
        self.n_steps = 0

    def rules(self) -> Iterator[Rule]:
        if not len(self.excludes):
            # Every usable condition alone covers everything.
            yield from (Rule([at]) for at, cost in zip(self.usable, self.costs, strict=True) if cost <= self.longest)
            return
        yield from self._extend((), np.ones(len(self.excludes), dtype=bool), 0.0)

    def _extend(self, chosen: tuple[int, ...], is_open: BoolArray, length: float) -> Iterator[Rule]:
        self.n_steps += 1
        if self.n_steps > MOST_STEPS:
            raise TooManyRulesError
        rest = np.flatnonzero(is_open)
        if not len(rest):
            yield Rule(self.usable[at] for at in chosen)
            return
        if len(chosen) >= self.problem.max_conditions:
            return
        open_excludes = self.excludes[rest]
        room = self.problem.max_conditions - len(chosen)
        counts = open_excludes.sum(axis=0)
        # So many conditions at least are still needed to exclude all that is left.
        if counts.max(initial=0) * room < len(rest):
            return
        hardest = int(np.argmin(open_excludes.sum(axis=1)))
        fits = self.costs + length <= self.longest + 1e-9
        for at in np.flatnonzero(open_excludes[hardest] & fits).tolist():
            yield from self._extend((*chosen, at), is_open & ~self.excludes[:, at], length + float(self.costs[at]))
