"""Searching rule sets of listed rules: the same optimum as brute force, and never a claim without proof."""

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, Problem, Schedule, load_registry
from rulecg_core.proof import listed_search as module
from rulecg_core.proof.certificate import Certificate
from rulecg_core.proof.dominance import without_dominated
from rulecg_core.proof.list_duals import ListDuals, Part
from rulecg_core.proof.listed_covers import ListedCovers, sums
from rulecg_core.proof.listed_pairs import fitting_pairs
from rulecg_core.proof.listed_search import can_search, search_list
from rulecg_core.proof.listing_proof import prove
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem
from tests.core.runs import run_of

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
    result = search_list(master.goal, BACKEND, list(master.pool.rules), known, step, Deadline(), first)
    assert result.complete
    found = [master.evaluate(rules) for rules in result.sets]
    assert all(candidate.proxy_violation <= 1e-9 for candidate in found)
    return min([known, *(candidate.objective for candidate in found)])


@pytest.mark.parametrize("can_count_bits", [True, False])
@pytest.mark.parametrize("most_pairs", [0, 1_500])
@pytest.mark.parametrize("bound", [4, 7, 9])
@pytest.mark.parametrize("seed", range(8))
def test_finds_the_optimum_from_a_poor_start(seed, bound, most_pairs, can_count_bits, monkeypatch):
    """From the empty rule set's objective, the search ends at the optimum over all rule sets."""
    can_count_bits = can_count_bits and hasattr(np, "bitwise_count")
    monkeypatch.setattr("rulecg_core.proof.listed_covers.CAN_COUNT_BITS", can_count_bits)
    monkeypatch.setattr(module, "MOST_PAIRS", most_pairs)
    master = random_master(seed, bound)
    empty = master.evaluate(()).objective
    assert searched(master, empty + 1, 1.0, first=1 + seed % 4) == brute_force(master)


@pytest.mark.parametrize("seed", range(8))
def test_weights_need_not_be_whole(seed):
    """With weights of any size the optimum is found as well, to rounding."""
    master = random_master(seed, 7, whole=False)
    assert searched(master, master.evaluate(()).objective, 0.0) == pytest.approx(brute_force(master), rel=1e-5)


def test_size_need_not_be_bounded():
    """Without any row, a rule set is found that is no worse than the best of up to four rules."""
    master = random_master(1, 9)
    free = HammingMaster(master.problem, [], BACKEND)
    free.add_rules(master.pool.rules)
    assert searched(free, free.evaluate(()).objective, 1.0, first=4) <= brute_force(master)


@pytest.mark.parametrize("seed", range(6))
def test_an_optimal_start_is_proven_not_beaten(seed):
    """Starting from the optimum nothing better is found, and the search is complete."""
    master = random_master(seed, 8)
    result = search_list(master.goal, BACKEND, list(master.pool.rules), brute_force(master), 1.0, Deadline())
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
    listed = ListedCovers([covers > 0], weights)
    solved = ListDuals(BACKEND, costs, listed, weights, Deadline()).bound(part, np.inf)
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
    assert not search_list(master.goal, BACKEND, list(master.pool.rules), 1e9, 1.0, Deadline(0.0)).complete


def test_rows_on_predictions_rule_it_out():
    """The losses are only valid while rows look at size alone."""
    assert can_search(HammingMaster(small_problem(0), [SizeBound(6)], BACKEND).goal, 10)
    assert not can_search(HammingMaster(small_problem(0), [SizeBound(6), MissedShareBound(0.1)], BACKEND).goal, 10)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_dropping_dominated_rules_keeps_the_optimum(seed, whole):
    """The optimum over undominated rules is the optimum over all."""
    master = random_master(seed, 7, whole)
    rules = without_dominated(master.goal, list(master.pool.rules))
    assert len(rules) < len(master.pool) or not whole
    assert brute_force(master, rules) == pytest.approx(brute_force(master))


def proven(master, lister, deadline, schedule=None):
    """A proof that begins from the master's relaxation and the empty rule set."""
    relaxation = master.solve_relaxation(Deadline())
    certificate = Certificate(relaxation, relaxation.lower_bound(-1e-9))
    return prove(run_of(master, schedule=schedule), certificate, lister, master.evaluate(()), deadline)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_a_proof_ends_at_the_optimum_from_any_rule_set(seed, whole):
    """Listing and searching from the empty rule set ends with the optimum as objective and as bound."""
    master = random_master(seed, 7, whole)
    assert master.goal.step == (1.0 if whole else 0.0)
    proof = proven(master, load_registry().pricer("exact-search", BACKEND), Deadline())
    best = min(candidate.objective for candidate in [master.evaluate(()), *proof.candidates])
    assert best == pytest.approx(brute_force(master), rel=1e-5)
    assert proof.complete
    assert best - 1e-5 <= proof.lower_bound <= best


def random_covers(rng, n_rules=30, n_positives=150):
    return rng.random((n_rules, n_positives)) < 0.3


@pytest.mark.parametrize("can_count_bits", [True, False])
@pytest.mark.parametrize("kind", ["ones", "small", "large", "fractional", "none"])
def test_packed_covers_weigh_as_plain_ones(kind, can_count_bits, monkeypatch):
    """Sums, gains and overlaps are those of the unpacked covers, whatever the weights and without counting bits."""
    if can_count_bits and not hasattr(np, "bitwise_count"):
        pytest.skip("this NumPy cannot count bits")
    monkeypatch.setattr("rulecg_core.proof.listed_covers.CAN_COUNT_BITS", can_count_bits)
    rng = np.random.default_rng(len(kind))
    covers = random_covers(rng, n_positives=0 if kind == "none" else 150)
    n = covers.shape[1]
    weights = {
        "ones": np.ones(n), "small": rng.integers(1, 4, n).astype(float), "none": np.zeros(0),
        "large": rng.integers(1, 1_500, n).astype(float), "fractional": rng.uniform(0.1, 3.0, n),
    }[kind]
    is_open, duals = rng.random(n) < 0.6, rng.random(n)
    listed = ListedCovers([covers[:7], covers[7:]], weights)
    which, others = rng.permutation(30)[:12], rng.permutation(30)[:9]
    assert len(listed) == 30
    assert np.array_equal(listed.of(which), covers[which])
    assert np.array_equal(listed.of(3), covers[3])
    assert sums(listed.by_byte(which), duals) == pytest.approx(covers[which] @ duals)
    assert listed.gains(which, is_open) == pytest.approx(covers[which] @ (weights * is_open))
    expected = (covers[which] * (weights * is_open)) @ covers[others].T.astype(float)
    assert listed.overlaps(which, others, is_open) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("most_kinds", [1, 12])
@pytest.mark.parametrize("seed", range(6))
def test_every_pair_that_fits_and_is_in_reach_is_tried(seed, most_kinds, monkeypatch):
    """Blocks of pairs leave out none that has room for both and loses no more than is in reach."""
    monkeypatch.setattr("rulecg_core.proof.listed_pairs.MOST_KINDS", most_kinds)
    monkeypatch.setattr("rulecg_core.proof.listed_pairs.PAIR_ROWS", 4)
    rng = np.random.default_rng(seed)
    sizes, limits = rng.integers(0, 3, (2, 40)).astype(float), np.array([3.0, 2.0])
    losses = np.sort(rng.random(40))
    blocks = fitting_pairs(sizes, limits, losses, 0.8)
    tried = {frozenset((int(a), int(b))) for one, other in blocks for a in one for b in other}
    for a, b in combinations(range(40), 2):
        if losses[a] + losses[b] <= 0.8 and (sizes[:, a] + sizes[:, b] <= limits).all():
            assert frozenset((a, b)) in tried


class ShortLists:
    """A lister that gives up on lists beyond a length."""

    def __init__(self, most):
        self.lister, self.most = load_registry().pricer("exact-search", BACKEND), most

    def list_below(self, problem, threshold, most, limits):
        return self.lister.list_below(problem, threshold, self.most, limits)


@pytest.mark.parametrize("most", [3, 20, 60, 10_000])
@pytest.mark.parametrize("look_share", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_a_proof_claims_no_more_than_its_lists_prove(seed, look_share, most):
    """With lists of any length, and with or without time to look beyond a target, the bound is never above the optimum;
    where all could be listed it is the optimum."""
    schedule = Schedule().with_settings({"proof": {"look_share": look_share, "long_list": 5}})
    master = random_master(seed, 7)
    optimum = brute_force(master)
    proof = proven(master, ShortLists(most), Deadline.after(30.0), schedule)
    best = min(candidate.objective for candidate in [master.evaluate(()), *proof.candidates])
    assert proof.lower_bound <= optimum <= best
    if most == 10_000:
        assert proof.lower_bound == optimum == best
