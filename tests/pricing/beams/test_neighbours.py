"""Neighbours: what is one condition away from a rule in use is found, and what is farther step by step."""

from itertools import combinations

import numpy as np
import pytest
from attrs import evolve

from rulecg_core import NEGATIVE, ConfigurationError, HammingMaster, PricingLimits, PricingProblem, Rule, load_registry
from rulecg_core.base.limits import Deadline
from rulecg_core.testing.master_contract import SizeBound
from rulecg_core.testing.random_problems import random_pricing_problem, random_problem
from rulecg_pricing.beams.neighbours import Neighbours


def price(problem, limits=None, **options):
    return Neighbours(**options).price(problem, limits or PricingLimits(), np.random.default_rng(0))


def neighbours_of(rule, problem):
    """Every rule that differs in one condition: exchanged or added."""
    stems = [set(rule.features) - {left_out} for left_out in rule.features]
    stems += [set(rule.features)] if len(rule) < problem.max_conditions else []
    features = range(problem.n_conditions)
    return {Rule(sorted(stem | {feature})) for stem in stems for feature in features if feature not in stem}


@pytest.mark.parametrize("seed", range(40))
def test_the_best_rule_one_condition_away_is_found(seed):
    """No neighbour of a rule in use has a lower reduced cost than what is returned."""
    problem = random_pricing_problem(seed)
    if problem.n_conditions < 2:
        return
    rng = np.random.default_rng(seed)
    length = min(problem.max_conditions, problem.n_conditions, 2)
    start = Rule(sorted(rng.choice(problem.n_conditions, size=length, replace=False).tolist()))
    result = price(evolve(problem, in_use=(start,)))
    least = min((problem.reduced_cost(rule) for rule in neighbours_of(start, problem)), default=0.0)
    found = min((problem.reduced_cost(rule) for rule in result.rules), default=0.0)
    assert found <= least + 1e-9 or least > NEGATIVE
    assert result.bound is None


def far_off(n_samples=400, seed=0):
    """One good rule of three conditions among many features, of which no single one looks good."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_samples, 12)) < 0.6
    weights = np.where(Rule((1, 4, 9)).covers(X), -1.0, 1.0)
    return PricingProblem(X, weights, 0.1, 0.1, 3)


def test_steps_lead_away_from_the_rules_in_use():
    """From a rule with two other conditions, the planted rule is two steps away: reached with two steps, not with
    one."""
    problem = evolve(far_off(), in_use=(Rule((1, 4, 7)),))
    assert Rule((1, 4, 9)) in price(problem, steps=1).rules
    farther = evolve(far_off(), in_use=(Rule((1, 7, 8)),))
    assert Rule((1, 4, 9)) not in price(farther, steps=1).rules


def test_without_rules_in_use_it_begins_from_nothing():
    """Single conditions first, then what can be added to them."""
    rng = np.random.default_rng(1)
    X = rng.random((300, 8)) < 0.5
    problem = PricingProblem(X, np.where(X[:, 2] & X[:, 5], -1.0, 0.2), 0.1, 0.1, 2)
    assert price(problem).rules[0] == Rule((2, 5))


def test_nested_features_never_meet_in_one_rule():
    """Two thresholds of one column in one rule say no more than one."""
    values = np.random.default_rng(2).random(200)
    X = values[:, None] <= np.array([0.2, 0.4, 0.6, 0.8])
    X = np.hstack([X, np.random.default_rng(3).random((200, 3)) < 0.5])
    problem = PricingProblem(
        X, np.where(X[:, 1], -1.0, 0.5), 0.01, 0.0, 3, chains=np.array([0, 0, 0, 0, 1, 2, 3]), in_use=(Rule((0, 4)),)
    )
    rules = price(problem).rules
    assert rules
    for rule in rules:
        assert not any({a, b} <= {0, 1, 2, 3} for a, b in combinations(rule.features, 2))


def test_only_so_many_stems_are_looked_at():
    """With one stem of many, other rules are found for other seeds; all of them truly negative."""
    problem = evolve(far_off(), in_use=(Rule((1, 4, 7)),))
    found = {
        Neighbours(steps=1, stems=1).price(problem, PricingLimits(), np.random.default_rng(seed)).rules
        for seed in range(12)
    }
    assert len(found) > 1
    assert all(problem.reduced_cost(rule) < 0 for rules in found for rule in rules)


def test_a_passed_deadline_ends_it():
    """What was found before stands; here that is nothing."""
    result = price(evolve(far_off(), in_use=(Rule((1, 4, 7)),)), PricingLimits(Deadline.after(0.0)))
    assert result.rules == ()
    assert result.stop.value == "time-limit"


def test_wrong_numbers_are_refused():
    """Options are whole numbers of at least 1."""
    for options in ({"steps": 0}, {"stems": -1}, {"per_stem": 0}, {"steps": "many"}):
        with pytest.raises(ConfigurationError):
            Neighbours(**options)


def test_a_relaxation_tells_its_rules_in_use():
    """Those with weight, to whoever asks it and to pricers; none while the pool is empty."""
    problem = random_problem(3, max_samples=60, max_features=6, max_conditions=2)
    with HammingMaster(problem, [SizeBound(6)], load_registry().backend("highs")) as master:
        assert master.solve_relaxation(Deadline()).in_use == ()
        master.add_rules([Rule((feature,)) for feature in range(problem.n_conditions)])
        relaxation = master.solve_relaxation(Deadline())
    weighted = zip(master.pool.rules, relaxation.weights, strict=True)
    expected = tuple(rule for rule, weight in weighted if weight > 1e-6)
    assert expected
    assert relaxation.in_use == expected
    assert relaxation.pricing_problem().in_use == expected


def test_a_part_of_the_problem_has_no_rules_in_use():
    """Features have other numbers there."""
    problem = evolve(far_off(), in_use=(Rule((1, 4)),))
    assert problem.restrict(np.arange(10), np.arange(5)).in_use == ()


def test_rules_in_use_that_are_too_long_lead_nowhere():
    """A relaxation may hold rules of an earlier run that allowed more conditions."""
    problem = evolve(far_off(), max_conditions=2, in_use=(Rule((1, 4, 7)),))
    assert price(problem).rules == ()
    problem = evolve(far_off(), max_conditions=2, in_use=(Rule((1, 4, 7)), Rule((1, 4))))
    assert all(len(rule) <= 2 for rule in price(problem).rules)
