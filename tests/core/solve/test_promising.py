"""Promising rules: leaving the others out changes no answer that matters, and what it does change is told."""

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, IntegerLimits, Schedule, load_registry
from rulecg_core.solve.promising import least_objectives, promising_rules, restrict
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import SizeBound, small_problem
from tests.core.runs import run_of

NOTHING = np.zeros(0, dtype=np.int64)


def restricted(costs, relaxation, *others):
    """The restriction when rules stand in the order of the bounds they leave."""
    least = least_objectives(np.array(costs), relaxation)
    return restrict(least, least, *others)


def test_rules_beyond_the_cutoff_are_left_out():
    """A rule whose reduced cost lifts the relaxation above the cutoff cannot be in a rule set that good."""
    kept = restricted([0.0, 4.0, 6.0, 5.0], 10.0, 15.0, np.ones(4), 60.0, NOTHING)
    assert kept.kept.tolist() == [0, 1, 3]
    assert kept.outside == 16.0


def test_negative_reduced_costs_weaken_every_bound():
    """Rules that came after the relaxation can lower it: each may be in the rule set."""
    kept = restricted([-3.0, 4.0, 7.0], 10.0, 12.0, np.ones(3), 60.0, NOTHING)
    assert kept.kept.tolist() == [0, 1]
    assert kept.outside == 14.0


def test_size_is_limited_and_the_start_is_always_there():
    """With little room only the most promising rules fit, and what is left out weakens the bound honestly."""
    kept = restricted([1.0, 0.0, 3.0, 2.0, 4.0], 10.0, np.inf, np.full(5, 0.4), 1.0, np.array([4]))
    assert kept.kept.tolist() == [1, 4]
    assert kept.outside == 11.0


def run_over_all_rules(seed, **selection):
    """A run whose pool is every rule of a small problem, with its relaxation solved."""
    problem = small_problem(seed)
    master = HammingMaster(problem, [SizeBound(6)], load_registry().backend("highs"))
    master.add_rules(all_rules(problem))
    run = run_of(master, schedule=Schedule().with_settings({"selection": selection}))
    run.relax(master, Deadline())
    return run


@pytest.mark.parametrize("seed", range(8))
def test_restriction_keeps_value_and_bound(seed):
    """Started from any rule set, the program over the promising rules has the pool's best value, and proves it."""
    run = run_over_all_rules(seed)
    master, rules = run.master, run.master.pool.rules
    best = master.solve_integer(IntegerLimits()).candidates[0]
    for start in ([], [best.rules], [[rules[seed]]]):
        among, note = promising_rules(run, start, 60.0)
        assert note is None
        assert {rule for chosen in start for rule in chosen} <= set(among)
        found = master.solve_integer(IntegerLimits(), among=among, start=start)
        assert found.candidates[0].objective == best.objective
        assert found.bound <= best.objective
        assert found.bound > best.objective - 1


def test_a_good_start_leaves_rules_out():
    """From the best rule set, some rules can be part of none that is as good."""
    run = run_over_all_rules(0)
    best = run.master.solve_integer(IntegerLimits()).candidates[0]
    assert len(promising_rules(run, [best.rules], 60.0)[0]) < len(run.master.pool)


@pytest.mark.parametrize("setting", ["entries_per_second", "most_entries"])
def test_want_of_time_is_told(setting):
    """With few entries allowed, few rules take part, those of the start among them, and a note says how many."""
    run = run_over_all_rules(1, **{setting: 30})
    start = [run.master.pool.rules[3]]
    among, note = promising_rules(run, [start], 1.0)
    assert set(start) <= set(among)
    assert 1 < len(among) < len(run.master.pool)
    assert f"{len(among)} most promising of {len(run.master.pool)}" in note


def test_without_a_relaxation_every_rule_is_promising():
    """Before any relaxation nothing tells rules apart, so that all take part."""
    run = run_over_all_rules(2)
    run.guidance = run.relaxation = None
    assert promising_rules(run, [], 0.0) == (list(run.master.pool.rules), None)
