"""Bounds on single rules: what they count, in both logics, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from rulecg_core import (
    ConfigurationError,
    Constraint,
    HammingMaster,
    LinearForm,
    PluginError,
    Problem,
    Rule,
    RuleBound,
    RuleLength,
    RulePool,
    RulePrecision,
    RuleSupport,
    checked_rule_bounds,
    load_registry,
)
from rulecg_core.testing import ConstraintContract

X, Y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool), np.array([1, 1, 0, 0], dtype=bool)


class TestRuleSupport(ConstraintContract):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return RuleSupport(3)


class TestRulePrecision(ConstraintContract):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return RulePrecision(0.7)


class TestRuleLength(ConstraintContract):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return RuleLength(2)


@pytest.mark.parametrize(("logic", "rows"), [("dnf", [3.0, 4.0]), ("cnf", [7.0, 6.0])])
def test_support_counts_rows_by_weight(logic, rows):
    """In DNF the rows that a rule covers count, in CNF those that fail the clause."""
    problem = Problem.from_arrays(X, Y, weights=[1, 2, 2, 5], logic=logic)
    (bound,) = RuleSupport(1).rule_bounds(problem)
    rules = [Rule([0]), Rule([1])]
    assert bound.values(problem.packed_covers(rules), problem.lengths(rules)).tolist() == rows


def test_a_pool_takes_in_no_rule_that_breaks_a_bound():
    """The pool is the last to look: what breaks a bound never becomes a column."""
    problem = Problem.from_arrays(X, Y)
    pool = RulePool(problem, RuleSupport(2).rule_bounds(problem))
    assert len(pool.add([Rule([0]), Rule([0, 1])])) == 1
    assert pool.rules == [Rule([0])]


def test_where_columns_matter_equal_covers_on_other_columns_stay():
    """A rule stands for others with its cover only if they are on the same columns."""
    problem = Problem.from_arrays(np.column_stack([X[:, 0], X[:, 0]]), Y)
    assert len(RulePool(problem).add([Rule([0]), Rule([1])])) == 1
    assert len(RulePool(problem, columns_matter=True).add([Rule([0]), Rule([1])])) == 2


def test_a_rule_set_with_a_rule_that_breaks_a_bound_keeps_nothing():
    """Such a rule set is neither feasible nor kept as the master counts, whatever its rows."""
    problem = Problem.from_arrays(X, Y)
    master = HammingMaster(problem, [RuleSupport(2)], load_registry().backend("highs"))
    found = master.evaluate([Rule([0, 1])])
    assert not found.is_feasible
    assert not found.keeps_rows
    assert master.evaluate([Rule([0])]).is_feasible


@pytest.mark.parametrize(
    "make",
    [
        lambda: RuleBound(LinearForm(missed=np.ones(4)), lo=1),
        lambda: RuleBound(LinearForm.variable("worst"), hi=1),
        lambda: RuleBound(LinearForm(length=1.0), lo=2),
        lambda: RuleBound(LinearForm(rule=1.0), lo=2, hi=1),
    ],
)
def test_bounds_that_are_none_are_refused(make):
    """A bound on rules looks at one rule, and never asks for conditions that change nothing."""
    with pytest.raises(ConfigurationError):
        make()


def test_a_constraint_that_makes_no_bounds_is_named():
    """What a stranger's constraint gives instead of bounds is refused with its name."""

    class Wrong(RuleSupport):
        def rule_bounds(self, problem):
            return ["twenty rows"]

    with pytest.raises(PluginError, match="Wrong"):
        checked_rule_bounds(Wrong(2), Problem.from_arrays(X, Y))
