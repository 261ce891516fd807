"""Bounds on what a rule set does to all rows: how many it selects, how many rightly, how many wrongly.

Each is one row of the master. Where it counts rows that are covered wrongly, the master counts such a row once for each
rule that covers it (the Hamming proxy); what is chosen keeps the bound in true counts on the training rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from ..api.constraint import Constraint
from ..base.settings import amount, share
from ..data.linear_form import Row
from ..data.problem import Problem


@frozen
class FprCeiling(Constraint):
    """At most this share of the negative rows is predicted positive.

    Parameters
    ----------
    most
        The largest false positive rate, from 0 to 1.

    Examples
    --------
    >>> FprCeiling(0.05).most
    0.05
    """

    most: float = field(validator=share)

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [(problem.false_positive_rate() <= self.most).named("false positive rate")]


@frozen
class RecallFloor(Constraint):
    """At least this share of the positive rows is predicted positive.

    Parameters
    ----------
    least
        The least true positive rate, from 0 to 1.

    Examples
    --------
    >>> RecallFloor(0.8).least
    0.8
    """

    least: float = field(validator=share)

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [(problem.true_positive_rate() >= self.least).named("recall")]


@frozen
class PrecisionFloor(Constraint):
    """Of the rows predicted positive at least this share is positive; predicting none keeps it.

    A precision is no linear form, but this is the same: of all rows, the share of true positives times ``1 - least``
    is at least the share of false positives times ``least``.

    Parameters
    ----------
    least
        The least precision, from 0 to 1.

    Examples
    --------
    >>> problem = Problem.from_arrays([[1, 0], [1, 1], [0, 1]], [True, True, False])
    >>> [row.name for row in PrecisionFloor(0.9).rows(problem)]
    ['precision above 0.9: 0.1 × true − 0.9 × false positives']
    """

    least: float = field(validator=share)

    def rows(self, problem: Problem) -> Sequence[Row]:
        positive = float(problem.weights[problem.labels].sum())
        negative = float(problem.weights[~problem.labels].sum())
        total = positive + negative
        right = problem.true_positive_rate() * (positive / total * (1.0 - self.least))
        if negative == 0:
            return [(right >= 0.0).named(self._name)]
        wrong = problem.false_positive_rate() * (negative / total * self.least)
        return [(right - wrong >= 0.0).named(self._name)]

    @property
    def _name(self) -> str:
        return f"precision above {self.least:g}: {1 - self.least:g} × true − {self.least:g} × false positives"


@frozen
class Capacity(Constraint):
    """At most so many of the training rows are predicted positive: alerts that somebody must look at.

    Where rows have weights, it is the weight of those predicted positive.

    Parameters
    ----------
    most
        How many rows.

    Examples
    --------
    >>> problem = Problem.from_arrays([[1, 0], [1, 1], [0, 1]], [True, True, False])
    >>> Capacity(100).measure(problem, problem.labels)
    {'rows predicted positive': 2.0}
    """

    most: float = field(validator=amount)

    def rows(self, problem: Problem) -> Sequence[Row]:
        rows = float(problem.weights.sum()) * problem.unit
        return [(problem.selection_rate() * rows <= self.most).named("rows predicted positive")]
