"""The complexity constraint: its bound, its penalty, its limit on the number of rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rulecg_core import ConfigurationError, Problem, load_registry
from rulecg_core.masters.size_bounds import Complexity


@pytest.fixture
def problem() -> Problem:
    return Problem.from_arrays(np.eye(4), [1, 1, 0, 0])


def test_counts_rules_and_conditions(problem: Problem) -> None:
    """Two rules with five conditions cost 2 per_rule + 5 per_condition."""
    (row,) = Complexity(10, per_rule=2, per_condition=0.5).rows(problem)
    assert row.form.value(np.zeros(4), np.zeros(4), length=5, n_rules=2) == 6.5
    assert (row.lo, row.hi, row.name) == (-math.inf, 10, "complexity")


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (Complexity(10), 5),
        (Complexity(11), 5),
        (Complexity(0.3, per_rule=0.05, per_condition=0.05), 3),
        (Complexity(10, per_rule=0), 10),
        (Complexity(0), 0),
        (Complexity(penalty=0.1), math.inf),
    ],
)
def test_limits_the_number_of_rules(problem: Problem, constraint: Complexity, expected: float) -> None:
    """No more rules fit than the bound divided by the cheapest rule, rounded down."""
    assert constraint.max_rules(problem) == expected


def test_a_cheap_feature_lets_more_rules_fit() -> None:
    """Feature costs count in the limit on the number of rules: 10 / (1 + 0.25) = 8; a free rule gives no limit."""
    costs = [1, 0.25, 1, 1]
    problem = Problem.from_arrays(np.eye(4), [1, 1, 0, 0], condition_costs=costs)
    assert Complexity(10).max_rules(problem) == 8
    free = Problem.from_arrays(np.eye(4), [1, 1, 0, 0], condition_costs=[0, 1, 1, 1])
    assert Complexity(10, per_rule=0).max_rules(free) == math.inf


def test_penalty_goes_to_the_objective(problem: Problem) -> None:
    """A penalty alone makes no row; each unit of complexity adds it to the objective."""
    constraint = Complexity(penalty=0.5)
    assert list(constraint.rows(problem)) == []
    objective = constraint.objective(problem)
    assert objective is not None
    assert objective.value(np.zeros(4), np.zeros(4), length=3, n_rules=1) == 2
    assert Complexity(5).objective(problem) is None


@pytest.mark.parametrize(
    "arguments",
    [
        {"bound": -1},
        {"bound": math.nan},
        {"bound": math.inf},
        {"bound": "many"},
        {"bound": True},
        {"bound": 5, "per_rule": -1},
        {"bound": 5, "per_condition": None},
        {"bound": 5, "penalty": -0.1},
        {"bound": 5, "per_rule": 0, "per_condition": 0},
        {},
    ],
)
def test_refuses_settings_that_mean_nothing(arguments: dict[str, object]) -> None:
    """Negative, non-finite or idle settings are refused with a message."""
    with pytest.raises(ConfigurationError, match=r"omplexity|per_rule"):
        Complexity(**arguments)  # type: ignore[arg-type]


def test_is_registered_by_name() -> None:
    """The string "complexity:20,penalty=0.1" makes the constraint."""
    assert load_registry().constraint("complexity:20,penalty=0.1") == Complexity(20, penalty=0.1)
