"""Searching rule sets of listed rules: the same optimum as brute force, and never a claim without proof."""

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, Problem, load_registry
from rulecg_core import listed_search as module
from rulecg_core.limits import Limits
from rulecg_core.list_duals import ListDuals, Part
from rulecg_core.listed_search import can_search, search_list
from rulecg_core.proof import prove, without_dominated
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem

BACKEND = load_registry().backend("highs")


def random_master(seed, bound, whole=True):
    """A noisy problem of five features, with weights that are whole numbers or not, over all its rules."""
    rng = np.random.default_rng(seed)
    X = rng.random((40, 5)) < 0.5
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3])) ^ (rng.random(40) < 0.25)
    weights = rng.integers(1, 4, 40) if whole else rng.uniform(0.2, 3.0, 40)
    master = HammingMaster(Problem.from_arrays(X, y, weights=weights, max_conditions=2), [SizeBound(bound)], BACKEND)
    master.add_rules(all_rules(master.problem))
    return master


def brute_force(master, rules=None):
    rules = master.pool.rules if rules is None else rules
    sets = (chosen for size in range(5) for chosen in combinations(rules, size))
    feasible = (candidate for candidate in map(master.evaluate, sets) if candidate.proxy_violation <= 1e-9)
    return min(candidate.objective for candidate in feasible)


def searched(master, known, step, first=1):
    """The objective that the search ends with, which must be complete."""
    result = search_list(master, list(master.pool.rules), known, step, Deadline(), first)
    assert result.complete
    found = [master.evaluate(rules) for rules in result.sets]
    assert all(candidate.proxy_violation <= 1e-9 for candidate in found)
    return min([known, *(candidate.objective for candidate in found)])


@pytest.mark.parametrize("most_pairs", [0, 1_500])
@pytest.mark.parametrize("bound", [4, 7, 9])
@pytest.mark.parametrize("seed", range(8))
def test_finds_the_optimum_from_a_poor_start(seed, bound, most_pairs, monkeypatch):
    """From the empty rule set's objective, the search ends at the optimum over all rule sets."""
    monkeypatch.setattr(module, "MOST_PAIRS", most_pairs)
    master = random_master(seed, bound)
    empty = master.evaluate(()).objective
    assert searched(master, empty + 1, 1.0, first=1 + seed % 4) == brute_force(master)


@pytest.mark.parametrize("seed", range(8))
def test_weights_need_not_be_whole(seed):
    """With weights of any size the optimum is found as well, to rounding."""
    master = random_master(seed, 7, whole=False)
    assert searched(master, master.evaluate(()).objective, 0.0) == pytest.approx(brute_force(master), rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_an_optimal_start_is_proven_not_beaten(seed):
    """Starting from the optimum nothing better is found, and the search is complete."""
    master = random_master(seed, 8)
    result = search_list(master, list(master.pool.rules), brute_force(master), 1.0, Deadline())
    assert result.complete
    assert result.sets == ()


@pytest.mark.parametrize("seed", range(20))
def test_bounds_and_losses_hold_for_every_choice(seed):
    """No choice of so many rules has an objective below the bound plus losses plus duals of what is covered twice."""
    rng = np.random.default_rng(seed)
    covers = (rng.random((9, 12)) < 0.4).astype(np.float32)
    costs, weights = rng.uniform(0.0, 3.0, 9), rng.uniform(0.1, 2.0, 12)
    rows, limits = rng.integers(1, 5, (1, 9)).astype(float), np.array([7.0])
    part = Part(np.arange(9), 3, 0.5, np.ones(12, dtype=bool), rows, limits)
    solved = ListDuals(BACKEND, costs, covers, weights, Deadline()).bound(part, np.inf)
    assert solved.losses.min() >= 0
    for chosen in map(list, combinations(range(9), 3)):
        if rows[0, chosen].sum() <= 7:
            counts = covers[chosen].sum(axis=0)
            objective = 0.5 + costs[chosen].sum() + weights[counts == 0].sum()
            twice = solved.duals @ np.maximum(counts - 1, 0)
            assert objective >= solved.bound + solved.losses[chosen].sum() + twice - 1e-9


def test_out_of_time_claims_nothing():
    """A passed deadline leaves the search incomplete."""
    master = random_master(0, 9)
    assert not search_list(master, list(master.pool.rules), 1e9, 1.0, Deadline(0.0)).complete


def test_rows_on_predictions_rule_it_out():
    """The losses are only valid while rows look at size alone."""
    assert can_search(HammingMaster(small_problem(0), [SizeBound(6)], BACKEND), 10)
    assert not can_search(HammingMaster(small_problem(0), [SizeBound(6), MissedShareBound(0.1)], BACKEND), 10)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_dropping_dominated_rules_keeps_the_optimum(seed, whole):
    """The optimum over undominated rules is the optimum over all."""
    master = random_master(seed, 7, whole)
    rules = without_dominated(master, list(master.pool.rules))
    assert len(rules) < len(master.pool) or not whole
    assert brute_force(master, rules) == pytest.approx(brute_force(master))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_a_proof_ends_at_the_optimum_from_any_rule_set(seed, whole):
    """Listing and searching from the empty rule set ends with the optimum as objective and as bound."""
    master = random_master(seed, 7, whole)
    master.solve_relaxation(Deadline())
    proof = prove(
        master,
        load_registry().pricer("exact-search", BACKEND),
        master.pricing_problem(),
        master.lower_bound(-1e-9),
        master.evaluate(()),
        1.0 if whole else 0.0,
        Limits(threads=1),
        Deadline(),
        lambda deadline: None,
        lambda event: None,
        lambda: 0.0,
    )
    best = min(candidate.objective for candidate in [master.evaluate(()), *proof.candidates])
    assert best == pytest.approx(brute_force(master), rel=1e-5)
    assert proof.complete
    assert best - 1e-5 <= proof.lower_bound <= best
