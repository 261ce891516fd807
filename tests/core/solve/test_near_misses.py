"""Rules near the relaxation: all of the least reduced cost, none left out between, never too many."""

import numpy as np
import pytest

from rulecg_core import Deadline, PricingLimits, load_registry
from rulecg_core.solve.near_misses import near_misses
from rulecg_core.testing.brute_force import all_reduced_costs, all_rules
from rulecg_core.testing.random_problems import random_pricing_problem


def lister():
    registry = load_registry()
    return registry.pricer("exact-search", registry.backend("highs"))


@pytest.mark.parametrize("seed", range(10))
def test_near_misses_are_the_rules_of_least_reduced_cost(seed):
    """Whatever a nearer rule than the farthest listed one covers, a listed rule covers; and there are not too many."""
    problem = random_pricing_problem(seed)
    rules = all_rules(problem)
    costs = all_reduced_costs(problem, rules)
    found = near_misses(lister(), problem, float(costs.max()) + 1.0, PricingLimits(max_rules=12), halvings=8)
    assert len(set(found)) == len(found) <= 12
    farthest = max((problem.reduced_cost(rule) for rule in found), default=-np.inf)
    covers = {rule.covers(problem.X).tobytes() for rule in found}
    nearer = [rule for rule, cost in zip(rules, costs, strict=True) if cost < farthest - 1e-9]
    assert {rule.covers(problem.X).tobytes() for rule in nearer} <= covers


def test_a_passed_deadline_lists_nothing_more():
    """Without time there are no near misses, and no error."""
    limits = PricingLimits(deadline=Deadline.after(0.0))
    problem = random_pricing_problem(0)
    found = near_misses(lister(), problem, 1e9, limits, halvings=8)
    assert set(found) <= set(all_rules(problem))
