"""The learner finds the fair optimum that trying every rule set finds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import (
    Constraint,
    HammingMaster,
    InfeasibleError,
    Limits,
    Problem,
    Rule,
    Status,
    generate_columns,
    load_registry,
)
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_fairness import (
    AccuracyParity,
    Complexity,
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    GroupRecallFloor,
    MinimaxError,
)

BOUND = 6


def tiny_problem(seed: int, form: str) -> Problem:
    rng = np.random.default_rng(seed)
    groups = np.tile(["a", "a", "b", "b"], 5)
    labels = np.tile([True, False], 10)
    X = rng.random((20, 4)) < np.where(labels, 0.65, 0.35)[:, None]
    return Problem.from_arrays(X, labels, groups={"g": groups}, form=form, max_conditions=2)  # type: ignore[arg-type]


def hamming(problem: Problem, rules: list[Rule], constraints: list[Constraint]) -> float | None:
    """The objective of a rule set in Hamming counts; None when it breaks a row."""
    covers = problem.covers(rules)
    missed, counts = (problem.y & ~covers.any(axis=0)).astype(float), covers.sum(axis=0).astype(float)
    size = (sum(problem.length(rule) for rule in rules), len(rules))
    worst, total = 0.0, problem.hamming_loss().value(missed, counts, *size)
    for constraint in constraints:
        for row in constraint.rows(problem):
            value = row.form.value(missed, counts, *size)
            if row.form.variables:
                worst = max(worst, value)
            elif row.violation(value) > 1e-9:
                return None
        if isinstance(constraint, MinimaxError):
            total += worst * constraint.weight * problem.weights.sum()
    return total


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "constraint",
    [
        EqualityOfOpportunity(0.1),
        EqualizedOdds(0.2),
        DemographicParity(0.1),
        DemographicParity(ratio=0.8),
        AccuracyParity(0.1),
        GroupRecallFloor(0.6),
        MinimaxError(),
    ],
    ids=repr,
)
def test_finds_the_fair_optimum(constraint: Constraint, seed: int, form: str) -> None:
    """The objective is never below the best of all rule sets, the bound never above, and "optimal" means equal."""
    problem = tiny_problem(seed, form)
    constraints = [Complexity(BOUND), constraint]
    most = int(Complexity(BOUND).max_rules(problem))
    sets = [list(chosen) for size in range(most + 1) for chosen in combinations(all_rules(problem), size)]
    values = [value for rules in sets if (value := hamming(problem, rules, constraints)) is not None]
    master = HammingMaster(problem, constraints, load_registry().backend("highs"))
    assert values, "The example is meant to have a feasible rule set."
    result = generate_columns(master, [BruteForcePricer()], Limits(seconds=20))
    best = min(values)
    assert result.objective >= best - 1e-6
    assert result.lower_bound is None or result.lower_bound <= best + 1e-6
    if result.status is Status.OPTIMAL:
        assert result.objective == pytest.approx(best, abs=1e-6)


def test_says_when_no_rule_set_is_fair_enough() -> None:
    """When no rule set reaches the floor, the error names the rows that cannot be satisfied together."""
    problem = tiny_problem(0, "dnf")
    constraints = [Complexity(2), GroupRecallFloor(1.0)]
    sets = [[], *([rule] for rule in all_rules(problem))]
    assert all(hamming(problem, rules, constraints) is None for rules in sets)
    master = HammingMaster(problem, constraints, load_registry().backend("highs"))
    with pytest.raises(InfeasibleError, match="true positive rate: "):
        generate_columns(master, [BruteForcePricer()], Limits(seconds=20))
