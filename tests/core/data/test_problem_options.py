"""Options of the problem: what rules may, must and rather should not be made of, whatever solver learns them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from rulecg_core import (
    Condition,
    ConfigurationError,
    HammingMaster,
    Limits,
    Problem,
    ProblemOptions,
    RuleSet,
    Status,
    generate_columns,
    load_registry,
)
from rulecg_core.data.rules import Logic
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_fairness import Complexity

CONDITIONS = (
    Condition("income", "<=", 3),
    Condition("income", ">", 3),
    Condition("race", "==", "b"),
    Condition("race", "!=", "b"),
    Condition("member"),
)
BOUND = 6


def table(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "income": rng.integers(1, 7, 30),
        "race": rng.choice(["a", "b"], 30),
        "member": rng.random(30) < 0.5,
    }


def labels(seed: int) -> Any:
    data, rng = table(seed), np.random.default_rng(seed + 100)
    return ((data["income"] > 3) & data["member"] | (data["race"] == "b")) ^ (rng.random(30) < 0.15)


def problem(seed: int, logic: Logic, options: ProblemOptions | None) -> Problem:
    data = table(seed)
    X = np.column_stack([condition.holds(data[condition.column]) for condition in CONDITIONS])
    return Problem.from_arrays(
        X, labels(seed), conditions=CONDITIONS, logic=logic, options=options, columns=list(data), max_conditions=2
    )


def loss(rule_set: RuleSet, seed: int) -> int:
    """The Hamming loss, counted rule by rule on the original table."""
    holds, y = rule_set.covers(table(seed)), labels(seed)
    if rule_set.logic == "cnf":
        holds, y = ~holds, ~y
    return int((y & ~holds.any(axis=1)).sum() + holds[~y].sum())


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("options", "allowed", "size"),
    [
        (ProblemOptions(forbid="race"), lambda c: all(x.column != "race" for x in c), len),
        (ProblemOptions(forbid=["race != b", CONDITIONS[0]]), lambda c: not {*c} & {*CONDITIONS[::3]}, len),
        (ProblemOptions(monotone={"income": "increasing"}), lambda c: CONDITIONS[0] not in c, len),
        (ProblemOptions(monotone={"income": "decreasing"}), lambda c: CONDITIONS[1] not in c, len),
        (ProblemOptions(require="member"), lambda c: CONDITIONS[4] in c, lambda c: len(c) - 1),
        (
            ProblemOptions(costs={"income": 2, "race == b": 0.5}),
            lambda c: True,
            lambda c: sum({"income": 2, "race": 0.5 if x.operator == "==" else 1}.get(x.column, 1) for x in c),
        ),
    ],
    ids=["forbid column", "forbid conditions", "increasing", "decreasing", "require", "costs"],
)
def test_the_best_rule_set_that_the_options_allow_is_found(
    options: ProblemOptions, allowed: Any, size: Any, seed: int, logic: Logic
) -> None:
    """Against every rule set that obeys the options, tried one by one on the original table."""
    lengths = (1, 2, 3) if options.require else (1, 2)
    rules = [rule for n in lengths for rule in combinations(CONDITIONS, n) if allowed(rule)]
    best = min(
        loss(RuleSet.of(chosen, logic=logic, columns=["income", "race", "member"]), seed)
        for n_rules in range(4)
        for chosen in combinations(rules, n_rules)
        if sum(1 + size(rule) for rule in chosen) <= BOUND
    )
    master = HammingMaster(problem(seed, logic, options), [Complexity(BOUND)], load_registry().backend("highs"))
    result = generate_columns(master, [BruteForcePricer()], Limits(seconds=20))
    assert result.status is Status.OPTIMAL
    assert result.objective == best
    assert all(allowed(clause) for clause in result.rule_set.clauses())
    assert loss(result.rule_set, seed) == result.selected_objective


def test_required_conditions_are_in_every_rule_once() -> None:
    """A required condition is shown in each rule, also in the rule that consists of nothing else."""
    made = problem(0, "dnf", ProblemOptions(require=["member", "race == b"]))
    assert {str(c) for c in made.required} == {"member", "race == b"}
    for clause in made.rule_set(all_rules(made)).clauses():
        assert {CONDITIONS[2], CONDITIONS[4]} <= {*clause}
        assert len({*clause}) == len(clause)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"forbid": "rase"}, "No condition of the problem is, or is on, 'rase'. Did you mean 'race'"),
        ({"require": "income > 4"}, "Did you mean 'income > 3'"),
        ({"require": "income"}, "No condition of the problem is, or is on, 'income'"),
        ({"forbid": ["income", "race", "member"]}, "No condition is left"),
        ({"forbid": "member", "require": "member"}, "both required and forbidden"),
        ({"monotone": {"income": "up"}}, "must be 'increasing' or 'decreasing'"),
        ({"monotone": {"race": "increasing"}}, "has no condition with an order"),
        ({"costs": {"income": -1}}, "at least 0"),
    ],
)
def test_refuses_options_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    """Unknown names, contradictions and directions of unordered columns are refused with what to do instead."""
    with pytest.raises(ConfigurationError, match=message):
        problem(0, "dnf", ProblemOptions(**settings))


def test_costs_are_given_once() -> None:
    """condition_costs and options together would hide one of the two."""
    with pytest.raises(ConfigurationError, match="either as condition_costs or in the options"):
        Problem.from_arrays([[1], [0]], [1, 0], condition_costs=[1], options=ProblemOptions(costs={"x0": 2}))
