"""Enumerating rule sets: exactly those that brute force finds within the limit, one shortest rule for each cover."""

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import (
    Complexity,
    EnumerationBudget,
    HammingMaster,
    Limits,
    Problem,
    ZeroOneMaster,
    generate_columns,
    load_registry,
    near_optimal_sets,
)
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound

REGISTRY = load_registry()
BACKEND = REGISTRY.backend("highs")
LISTER = REGISTRY.pricer("exact-search", BACKEND)


def problem_of(seed):
    """Thirty noisy samples of five features, with whole weights."""
    rng = np.random.default_rng(seed)
    X = rng.random((30, 5)) < 0.5
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3])) ^ (rng.random(30) < 0.2)
    groups = rng.integers(0, 2, 30)
    return Problem.from_arrays(X, y, weights=rng.integers(1, 4, 30), max_conditions=2, sensitive_groups=groups)


def covers_of(problem, rules):
    return frozenset(problem.packed_covers([rule])[0].tobytes() for rule in rules)


def by_brute_force(master, limit):
    """What every rule set within the limit covers, rule by rule; rules without any cover left out."""
    problem = master.problem
    shortest = {}
    for rule in all_rules(problem):
        shortest.setdefault(problem.packed_covers([rule])[0].tobytes(), rule)
    rules = [rule for cover, rule in shortest.items() if any(cover)]
    sets = [chosen for size in range(4) for chosen in combinations(rules, size)]
    if problem.constant_rule is not None:
        sets.append((problem.constant_rule,))
    found = [master.goal.evaluate(chosen) for chosen in sets]
    return sorted(
        (each.objective, sorted(covers_of(problem, each.rules)))
        for each in found
        if each.is_feasible and each.keeps_rows and each.objective <= limit
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["size", "01", "missed"])
def test_every_rule_set_within_the_limit_is_found_once(kind, seed):
    """The enumeration holds the same rule sets, by what their rules cover, as brute force, and each once."""
    kinds = {"size": (HammingMaster, []), "01": (ZeroOneMaster, []), "missed": (HammingMaster, [MissedShareBound(0.4)])}
    cls, more = kinds[kind]
    master = cls(problem_of(seed), [Complexity(7), *more], BACKEND)
    result = generate_columns(master, [LISTER], Limits(seconds=30))
    budget = EnumerationBudget(sets=100_000, nodes=1_000_000)
    for beyond in (0, 2):
        limit = result.objective + beyond
        found = near_optimal_sets(master, result.proof, LISTER, limit, budget)
        assert found.complete
        listed = sorted((each.objective, sorted(covers_of(master.problem, each.rules))) for each in found.candidates)
        assert listed == by_brute_force(master, limit)


def test_a_spent_budget_is_told():
    """With too few sets or rules allowed the enumeration says that it is not complete, and why."""
    master = HammingMaster(problem_of(0), [Complexity(7)], BACKEND)
    result = generate_columns(master, [LISTER], Limits(seconds=30))
    limit = result.objective + 5
    assert near_optimal_sets(master, result.proof, LISTER, limit, EnumerationBudget(sets=10**6)).complete
    for budget in (EnumerationBudget(sets=2), EnumerationBudget(rules=2)):
        found = near_optimal_sets(master, result.proof, LISTER, limit, budget)
        assert not found.complete
        assert found.why
