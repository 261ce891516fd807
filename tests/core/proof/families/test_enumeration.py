"""Every family of covers within a threshold, exactly as plain enumeration finds them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import Complexity, Deadline, HammingMaster, load_registry
from rulecg_core.proof.families import enumeration as module
from rulecg_core.proof.families import tree as tree_module
from rulecg_core.proof.families.enumeration import families_within
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.random_problems import random_problem

BACKEND = load_registry().backend("highs")


def master_of(seed, bound, penalty=0.0):
    problem = random_problem(seed, max_samples=25, max_features=5, max_conditions=2)
    return HammingMaster(problem, [Complexity(bound, penalty=penalty)], BACKEND)


def plain_families(master, threshold):
    """One shortest rule per cover; all sets of them that fit; those within the threshold without a redundant rule."""
    problem = master.problem
    shortest = {}
    for rule in all_rules(problem):
        shortest.setdefault(rule.covers(problem.X).tobytes(), rule)
    found = {}
    for size in range(4):
        for chosen in combinations(shortest.items(), size):
            judged = master.evaluate([rule for _, rule in chosen])
            covers = np.array([np.frombuffer(cover, dtype=bool) for cover, _ in chosen])
            is_needed = all((own & (covers.sum(axis=0) == 1)).any() for own in covers)
            if judged.keeps_rows and judged.objective <= threshold + 1e-9 and is_needed:
                found[frozenset(cover for cover, _ in chosen)] = judged.objective
    return found


def as_covers(master, families):
    X = master.problem.X
    sets = (families.rules(at) for at in range(len(families)))
    return {
        frozenset(rule.covers(X).tobytes() for rule in rules): float(value)
        for rules, value in zip(sets, families.objectives, strict=True)
    }


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000), bound=st.integers(0, 7), above=st.integers(0, 8), penalty=st.sampled_from([0.0, 0.3])
)
def test_the_families_are_those_of_plain_enumeration(seed, bound, above, penalty):
    """All rules given: every family within the threshold is found once, with its objective, and no other."""
    master = master_of(seed, bound, penalty)
    rules = all_rules(master.problem)
    best = min(plain_families(master, np.inf).values())
    families = families_within(master.goal, BACKEND, rules, best + above)
    expected = plain_families(master, best + above)
    found = as_covers(master, families)
    assert families.complete
    assert len(found) == len(families)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("worth", [0, 10**9])
def test_new_duals_change_nothing_but_the_time(monkeypatch, worth):
    """The same families are found whether duals are sought anew at every node or never."""
    monkeypatch.setattr(tree_module, "WORTH_DUALS", worth)
    monkeypatch.setattr(tree_module, "MOST_PAIRS", 3)
    for seed in range(12):
        master = master_of(seed, 7)
        rules = all_rules(master.problem)
        best = min(plain_families(master, np.inf).values())
        families = families_within(master.goal, BACKEND, rules, best + 4)
        assert as_covers(master, families) == pytest.approx(plain_families(master, best + 4))


def test_a_list_that_is_cut_off_never_claims_to_be_complete():
    """With more families than wanted, as many as wanted are listed, the list is not complete, and it says about how
    many there are, where that can be told."""
    master = master_of(3, 7)
    rules = all_rules(master.problem)
    everything = families_within(master.goal, BACKEND, rules, 1e9)
    some = families_within(master.goal, BACKEND, rules, 1e9, most=len(everything) // 2)
    assert (everything.complete, everything.estimate) == (True, None)
    assert (some.complete, len(some)) == (False, len(everything) // 2)


def test_walks_estimate_the_number_of_families(monkeypatch):
    """The mean over many walks is within four standard errors of the true number, also where paths end in nothing."""
    monkeypatch.setattr(tree_module, "MOST_PAIRS", 0)
    monkeypatch.setattr(module, "MOST_WALKS", 80)
    seen = 0
    for seed in range(4):
        master = master_of(seed, 7)
        rules = all_rules(master.problem)
        everything = families_within(master.goal, BACKEND, rules, 1e9)
        cut = families_within(master.goal, BACKEND, rules, 1e9, most=0, seed=seed)
        if cut.estimate is not None:
            seen += 1
            assert abs(cut.estimate.count - len(everything)) <= 4 * cut.estimate.standard_error + 1e-6
    assert seen >= 2


def test_without_time_nothing_is_claimed():
    """A deadline that has passed gives a list that is not complete."""
    master = master_of(3, 7)
    families = families_within(master.goal, BACKEND, all_rules(master.problem), 1e9, deadline=Deadline.after(0.0))
    assert not families.complete
