"""The search in one way of counting: answers keep every row, are never worse than a start, and solve small problems."""

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import Deadline
from rulecg_core.testing.master_contract import SizeBound, small_problem
from rulecg_core.testing.random_problems import random_problem

from .cases import CASES, master_of_case
from .opened import counted, improved, master_of


def brute_force(master, count_once, most):
    """The best value over all subsets of up to ``most`` rules that keep every row."""
    best = np.inf
    for size in range(most + 1):
        for rules in combinations(master.pool.rules, size):
            found = master.evaluate(rules)
            violation = found.true_violation if count_once else found.proxy_violation
            if violation <= 1e-9:
                best = min(best, found.errors if count_once else found.objective)
    return best


@pytest.mark.parametrize(
    ("case", "count_once"),
    # In true counts, errors alone do not say what an auxiliary variable costs.
    [(case, False) for case in CASES] + [(case, True) for case in CASES if case != "auxiliary variable"],
)
def test_small_problems_are_solved_and_every_row_is_kept(case, count_once):
    """With restarts the search finds the best rule set among all, and what it returns keeps all rows."""
    for seed in range(3):
        master = master_of_case(case, seed, n_conditions=4)
        best = improved(counted(master, count_once=count_once), restarts=60)[0]
        assert (best.true_violation if count_once else best.proxy_violation) <= 1e-9
        assert (best.errors if count_once else best.objective) == pytest.approx(brute_force(master, count_once, 4))


def test_answers_are_distinct_ordered_and_the_same_for_the_same_seed():
    """Candidates come best first, each once, and depend on nothing but the master, the starts and the seed."""
    answers = []
    for _ in range(2):
        master = master_of_case("rates", 1)
        search = counted(master, relaxation=master.solve_relaxation(Deadline()))
        answers.append(improved(search, [[master.pool.rules[0]]], seed=3))
    assert [candidate.rules for candidate in answers[0]] == [candidate.rules for candidate in answers[1]]
    objectives = [candidate.objective for candidate in answers[0] if candidate.proxy_violation <= 1e-9]
    assert objectives == sorted(objectives)
    assert len({frozenset(candidate.rules) for candidate in answers[0]}) == len(answers[0])


def test_never_worse_than_a_feasible_start():
    """A start is a promise: the best answer is at least as good, also among few rules."""
    for seed in range(6):
        rules = master_of_case("complexity", seed).pool.rules
        start = [rules[at] for at in np.random.default_rng(seed).permutation(len(rules))[:2]]
        # With an empty pool and whole rules only, there is nothing but the start to choose among.
        few = master_of(small_problem(seed), *CASES["complexity"])
        given = few.evaluate(start)
        assert given.proxy_violation == 0
        best, *_ = improved(counted(few, condition_moves=False), [start], restarts=1, seed=seed)
        assert best.objective <= given.objective
        assert set(best.rules) <= set(start)
        best, *_ = improved(counted(few), [start], restarts=1, seed=seed)
        assert best.objective <= given.objective


def test_large_data_is_searched_on_a_sample_and_judged_on_all():
    """With a small budget only promising rules and some rows are looked at; the values returned are still exact."""
    master = master_of_case("complexity", 0)
    found = improved(counted(master, table_entries=100), restarts=5)
    assert all(candidate == master.evaluate(candidate.rules) for candidate in found)
    assert found[0].objective < master.evaluate([]).objective


def test_rules_are_grown_without_any_pool():
    """An empty pool is no obstacle: rules grow from nothing, and are new to the pool."""
    problem = random_problem(5, max_samples=200, max_features=8, max_conditions=3)
    master = master_of(problem, SizeBound(12))
    found = improved(counted(master))
    assert found[0].rules
    assert found[0].objective < master.evaluate([]).objective
    assert len(master.pool) == 0
