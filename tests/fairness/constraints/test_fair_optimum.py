"""What is returned keeps every bound in true counts, and what is claimed agrees with trying every rule set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from attrs import evolve

from rulecg_core import (
    Candidate,
    Constraint,
    HammingMaster,
    InfeasibleError,
    Limits,
    Problem,
    ProblemOptions,
    Result,
    Status,
    generate_columns,
    load_registry,
)
from rulecg_core.data.rules import Logic
from rulecg_core.testing.brute_force import BruteForcePricer, all_rule_sets
from rulecg_fairness import (
    AccuracyParity,
    Complexity,
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    ErrorRateParity,
    FalsePositiveRateParity,
    GroupRecallFloor,
    IntersectionalGroups,
    MinimaxError,
)
from rulecg_fairness.constraints.compared import GroupConstraint

BOUND = 6
CONSTRAINTS = [
    EqualityOfOpportunity(0.1),
    EqualizedOdds(0.1),
    FalsePositiveRateParity(0.05),
    DemographicParity(0.1),
    DemographicParity(ratio=0.8),
    AccuracyParity(0.1),
    ErrorRateParity(0.05),
    GroupRecallFloor(0.6),
    MinimaxError(),
    IntersectionalGroups("equalized-odds", crossed=0.4, each=0.2),
]


def tiny_problem(seed: int, logic: Logic, forbid: Sequence[str] = ()) -> Problem:
    """Twenty people with four attributes, the last of which is the sensitive one."""
    rng = np.random.default_rng(seed)
    sex = np.tile(["a", "a", "b", "b"], 5)
    labels = np.tile([True, False], 10)
    race = rng.permutation(np.repeat(["x", "y"], 10))
    X = rng.random((20, 4)) < np.where(labels, 0.65, 0.35)[:, None]
    X[:, 3] = sex == "a"
    return Problem.from_arrays(
        X,
        labels,
        sensitive_groups={"sex": sex, "race": race},
        logic=logic,
        max_conditions=2,
        options=ProblemOptions(forbid=forbid),
    )


def learn(problem: Problem, constraints: Sequence[Constraint]) -> tuple[Result, HammingMaster]:
    master = HammingMaster(problem, constraints, load_registry().backend("highs"))
    return generate_columns(master, [BruteForcePricer()], Limits(seconds=20)), master


def every_rule_set(master: HammingMaster) -> list[Candidate]:
    """All rule sets that fit the complexity, evaluated one by one."""
    most = int(Complexity(BOUND).max_rules(master.problem))
    return [master.evaluate(chosen) for chosen in all_rule_sets(master.problem, most)]


def about(constraint: Constraint) -> Constraint:
    """Constraints on groups are about sex here; the intersectional one about sex and race."""
    return evolve(constraint, columns="sex") if isinstance(constraint, GroupConstraint) else constraint


@pytest.mark.parametrize("forbid", [(), ("x3",)], ids=["sensitive allowed", "sensitive forbidden"])
@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=repr)
def test_bounds_hold_in_true_counts_and_claims_are_true(
    constraint: Constraint, logic: Logic, forbid: tuple[str, ...]
) -> None:
    """Every bound holds in true counts on the training data; no claim is contradicted by any rule set."""
    problem = tiny_problem(3, logic, forbid)
    constraints = [Complexity(BOUND), about(constraint)]
    result, master = learn(problem, constraints)
    measured = constraints[1].measure(problem, problem.predict(result.rules))
    for row in constraints[1].rows(problem):
        if not row.form.variables:
            assert row.violation(measured[row.name]) <= 1e-9, row.name
    assert result.rule_set.complexity <= BOUND
    assert all("x3" not in map(str, clause) for clause in result.rule_set.clauses()) or not forbid

    sets = every_rule_set(master)
    assert result.errors >= min(s.errors for s in sets if s.is_feasible)
    kept = [s for s in sets if s.is_feasible and s.proxy_violation <= 1e-9]
    best = min(s.objective for s in kept)
    assert result.objective >= best - 1e-6
    assert result.lower_bound is None or result.lower_bound <= best + 1e-6
    if result.status is Status.OPTIMAL:
        assert result.objective == pytest.approx(best, abs=1e-6)
        assert result.keeps_proxy
    if not result.keeps_proxy:
        assert "nothing was proven about it" in result.certificate()


def test_says_when_no_rule_set_is_fair_enough() -> None:
    """When no rule set reaches the floor, the error names the rows that cannot be satisfied together."""
    problem = tiny_problem(0, "dnf")
    # With so little room there is not even the rule that covers everything.
    constraints = [Complexity(0.5), about(GroupRecallFloor(1.0))]
    master = HammingMaster(problem, constraints, load_registry().backend("highs"))
    assert not any(master.evaluate(rules).is_feasible for rules in all_rule_sets(problem, 1))
    with pytest.raises(InfeasibleError, match="true positive rate: ") as caught:
        generate_columns(master, [BruteForcePricer()], Limits(seconds=20))
    assert caught.value.proven
