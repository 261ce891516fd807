"""Assembling rule sets from listed rules: the same optimum as brute force, and never a claim without proof."""

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, Problem, load_registry
from rulecg_core.assembly import assemble
from rulecg_core.proof import without_dominated
from rulecg_core.stages import reduced_costs
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem


def solved_master(seed, bound):
    """A master whose relaxation over all rules is solved, with its pricing problem and bound."""
    rng = np.random.default_rng(seed)
    X = rng.random((40, 5)) < 0.5
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(40) < 0.3)
    problem = Problem.from_arrays(X, y, weights=rng.integers(1, 4, 40), max_conditions=2)
    master = HammingMaster(problem, [SizeBound(bound)], load_registry().backend("highs"))
    master.add_rules(all_rules(problem))
    master.solve_relaxation(Deadline())
    return master, master.pricing_problem(), master.lower_bound(0.0)


def brute_force(master):
    rules = master.pool.rules
    sets = (chosen for size in range(4) for chosen in combinations(rules, size))
    feasible = (candidate for candidate in map(master.evaluate, sets) if candidate.proxy_violation <= 1e-9)
    return min(candidate.objective for candidate in feasible)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("bound", [4, 6])
def test_finds_the_optimum_from_a_poor_start(seed, bound):
    """From the empty rule set's objective, the search ends at the optimum over all rule sets."""
    master, pricing, lower = solved_master(seed, bound)
    rules = without_dominated(master, list(master.pool.rules))
    costs = reduced_costs(master, pricing, rules)
    empty = master.evaluate(()).objective
    made = assemble(master, rules, pricing, costs, lower, empty, 1.0, Deadline())
    assert made.complete
    found = empty if made.rules is None else master.evaluate(made.rules).objective
    assert found == brute_force(master)


@pytest.mark.parametrize("seed", range(6))
def test_an_optimal_start_is_proven_not_beaten(seed):
    """Starting from the optimum nothing better is found, and the search is complete."""
    master, pricing, lower = solved_master(seed, 6)
    rules = list(master.pool.rules)
    costs = reduced_costs(master, pricing, rules)
    made = assemble(master, rules, pricing, costs, lower, brute_force(master), 1.0, Deadline())
    assert made.complete
    assert made.rules is None


def test_out_of_time_claims_nothing():
    """A passed deadline leaves the search incomplete."""
    master, pricing, lower = solved_master(0, 6)
    rules = list(master.pool.rules)
    costs = reduced_costs(master, pricing, rules)
    assert not assemble(master, rules, pricing, costs, lower, 1e9, 1.0, Deadline(0.0)).complete


def test_rows_on_predictions_rule_it_out():
    """The losses are only valid while rows look at size alone."""
    backend = load_registry().backend("highs")
    assert HammingMaster(small_problem(0), [SizeBound(6)], backend).counts_only_size
    assert not HammingMaster(small_problem(0), [SizeBound(6), MissedShareBound(0.1)], backend).counts_only_size


@pytest.mark.parametrize("seed", range(8))
def test_dropping_dominated_rules_keeps_the_optimum(seed):
    """The optimum over undominated rules is the optimum over all."""
    master, _, _ = solved_master(seed, 6)
    rules = without_dominated(master, list(master.pool.rules))
    assert len(rules) <= len(master.pool)
    best = master.solve_integer(Deadline(), among=rules).candidates[0].objective
    assert best == brute_force(master)
