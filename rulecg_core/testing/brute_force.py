"""The oracle for pricers and proofs: every conjunction of a small problem, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from attrs import frozen

from ..api.pricing import NEGATIVE, Listing, Pricer, PricingProblem, PricingResult
from ..base.arrays import FloatArray
from ..base.limits import PricingLimits
from ..base.status import Stop
from ..data.problem import Problem
from ..data.rules import Rule


def all_rules(problem: PricingProblem | Problem) -> list[Rule]:
    """Every conjunction of 1 to ``max_conditions`` features, nested ones included, shortest first; of a pricing problem
    those that keep its bounds on single rules."""
    features = range(problem.X.shape[1])
    rules = [
        Rule(chosen) for length in range(1, problem.max_conditions + 1) for chosen in combinations(features, length)
    ]
    if not isinstance(problem, PricingProblem) or not problem.bounds:
        return rules
    return [rule for rule, allowed in zip(rules, problem.keeps_bounds(rules), strict=True) if allowed]


def all_rule_sets(problem: Problem, most_rules: int) -> Iterator[tuple[Rule, ...]]:
    """Every rule set of up to so many rules with conditions, none included, and the rule without conditions alone;
    whether they keep a goal's rows and its bounds on single rules, ``goal.evaluate`` says."""
    if problem.constant_rule is not None:
        yield (problem.constant_rule,)
    rules = all_rules(problem)
    for number in range(most_rules + 1):
        yield from combinations(rules, number)


def all_reduced_costs(problem: PricingProblem, rules: list[Rule]) -> FloatArray:
    """The reduced cost of each rule, straight from the definition."""
    return np.array([problem.reduced_cost(rule) for rule in rules])


@frozen
class BruteForcePricer(Pricer):
    """Looks at every conjunction. For problems of a dozen features: the test kit's oracle."""

    can_list = True
    counts_work = True

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        rules = all_rules(problem)
        costs = all_reduced_costs(problem, rules)
        order = np.argsort(costs, kind="stable")
        negative = order[costs[order] < NEGATIVE]
        bound = float(costs.min(initial=0.0)) if problem.bounds else float(costs.min())
        return PricingResult(tuple(rules[i] for i in negative[: limits.max_rules]), bound)

    def list_below(self, problem: PricingProblem, threshold: float, most: int, limits: PricingLimits) -> Listing:
        rules = all_rules(problem)
        costs = all_reduced_costs(problem, rules)
        below = [rules[i] for i in np.argsort(costs, kind="stable") if costs[i] <= threshold]
        complete = len(below) <= most
        return Listing(tuple(below[:most]), complete, Stop.COMPLETED if complete else Stop.OTHER_LIMIT)
