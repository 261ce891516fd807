"""What every single rule must be like: on how many rows it holds, how precise it is, how long it may be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from ..api.constraint import Constraint
from ..base.settings import amount, share
from ..data.bounds.rule_bound import RuleBound
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem


class RuleLimit(Constraint):
    """The base of constraints that bound single rules only: they have no rows."""

    def rows(self, problem: Problem) -> Sequence[Row]:
        return ()


@frozen
class RuleSupport(RuleLimit):
    """Every rule covers rows of at least so much weight: ``least`` rows, where rows have no weights.

    In CNF it is about what fails a clause: each clause turns at least so many rows away.

    Parameters
    ----------
    least
        How many rows.

    Examples
    --------
    >>> from rulecg_core import Rule
    >>> problem = Problem.from_arrays([[1, 0], [1, 1], [0, 1]], [True, True, False])
    >>> bound = RuleSupport(2).rule_bounds(problem)[0]
    >>> bound.name, bound.allows(problem.packed_covers([Rule([0]), Rule([0, 1])]), np.array([1.0, 2.0])).tolist()
    ('rows that each rule covers', [True, False])
    """

    least: float = field(validator=amount)

    def rule_bounds(self, problem: Problem) -> Sequence[RuleBound]:
        form = LinearForm(cover=problem.weights * problem.unit)
        return [RuleBound(form, lo=float(self.least), name="rows that each rule covers")]


@frozen
class RulePrecision(RuleLimit):
    """Of the rows that a rule covers at least this share has the label that the rule speaks for.

    In CNF it is the share of the rows that fail a clause and are negative.

    Parameters
    ----------
    least
        The share, from 0 to 1.

    Examples
    --------
    >>> RulePrecision(0.8).least
    0.8
    """

    least: float = field(validator=share)

    def rule_bounds(self, problem: Problem) -> Sequence[RuleBound]:
        form = LinearForm(cover=problem.weights * (np.where(problem.truth, 1.0, 0.0) - self.least))
        return [RuleBound(form, lo=0.0, name=f"precision of each rule above {self.least:g}")]


@frozen
class RuleLength(RuleLimit):
    """No rule is longer than this: its conditions, each with its cost where conditions have costs.

    Parameters
    ----------
    most
        The largest length.

    Examples
    --------
    >>> RuleLength(3).most
    3
    """

    most: float = field(validator=amount)

    def rule_bounds(self, problem: Problem) -> Sequence[RuleBound]:
        return [RuleBound(LinearForm(length=1.0), hi=float(self.most), name="length of each rule")]
