"""The restricted integer program: leaving rules out changes no answer that matters, and merged samples count fully."""

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, load_registry
from rulecg_core.masters.restricted_program import ENTRIES_PER_SECOND, build_restricted, least_objectives, restrict
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import SizeBound, small_problem

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


def test_size_is_limited_by_time_and_the_start_is_always_there():
    """With little time only the most promising rules fit, and what is left out weakens the bound honestly."""
    entries = np.full(5, 0.4 * ENTRIES_PER_SECOND)
    kept = restricted([1.0, 0.0, 3.0, 2.0, 4.0], 10.0, np.inf, entries, 1.0, np.array([4]))
    assert kept.kept.tolist() == [1, 4]
    assert kept.outside == 11.0


@pytest.mark.parametrize("seed", range(8))
def test_restriction_keeps_value_and_bound(seed):
    """Started from any rule set, the program over the restricted pool has the pool's best value, and proves it."""
    problem = small_problem(seed)
    plain, smaller = (HammingMaster(problem, [SizeBound(6)], load_registry().backend("highs")) for _ in range(2))
    for master in (plain, smaller):
        master.add_rules(all_rules(problem))
    best = plain.solve_integer(Deadline(), among=plain.pool.rules)
    smaller.solve_relaxation(Deadline())
    for start in ([], [best.candidates[0].rules], [[plain.pool.rules[seed]]]):
        found = smaller.solve_integer(Deadline(), start=start)
        assert found.candidates[0].objective == best.candidates[0].objective
        assert found.bound <= best.candidates[0].objective
        assert found.bound > best.candidates[0].objective - 1


@pytest.mark.parametrize("count_once", [False, True])
def test_merged_program_has_the_value_of_every_rule_set(count_once):
    """The point that stands for a rule set is feasible and costs what the master says."""
    for seed in range(5):
        problem = small_problem(seed)
        master = HammingMaster(problem, [SizeBound(8)], load_registry().backend("highs"))
        rules = all_rules(problem)
        lengths = np.array([problem.length(rule) for rule in rules])
        model = build_restricted(
            problem, master.objective, master.rows, 4.0, problem.covers(rules), lengths, count_once=count_once
        )
        assert model.mip.n_columns - len(rules) <= 2 * problem.n_samples
        chosen = np.random.default_rng(seed).permutation(len(rules))[:2].tolist()
        x = model.point(chosen)
        found = master.evaluate([rules[at] for at in chosen])
        assert model.mip.costs @ x + model.mip.offset == pytest.approx(found.errors if count_once else found.objective)
        activity = model.mip.rows.dot(x)
        assert np.all(activity >= model.mip.row_lower - 1e-9)
        assert np.all(activity <= model.mip.row_upper + 1e-9)
        assert sorted(model.chosen(x)) == sorted(chosen)
