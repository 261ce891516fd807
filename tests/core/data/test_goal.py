"""A goal judges rule sets: objective, rows, and what follows from both."""

from itertools import combinations

import numpy as np
import pytest
from attrs import evolve

from rulecg_core import Goal, LinearForm, Problem, Row, Rule, least_variables
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import small_problem

SIZE = (LinearForm(length=1.0, rule=1.0) <= 4).named("size")


def goal_of(problem, *rows, counts_once=False):
    return Goal(problem, problem.hamming_loss(), rows, counts_once=counts_once)


def covered_twice(problem):
    """How many samples the rules cover, each counted for each of them: a row that is a proxy."""
    return LinearForm(cover=np.ones(problem.n_samples))


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize("counts_once", [False, True])
def test_rule_sets_are_counted_from_the_data(counts_once, logic):
    """Objective, errors, size and violations of every small rule set are what predictions and covers say."""
    problem = small_problem(3, logic)
    goal = goal_of(problem, SIZE, (covered_twice(problem) <= 15).named("covers"), counts_once=counts_once)
    for chosen in combinations(all_rules(problem)[::2], 2):
        found = goal.evaluate(chosen)
        counts = problem.covers(chosen).sum(axis=0)
        missed = problem.weights[problem.y & (counts == 0)].sum()
        negatives = np.minimum(counts, 1) if counts_once else counts
        errors = problem.errors(problem.predict(chosen))
        size = sum(map(problem.length, chosen)) + 2
        assert found.rules == chosen
        assert found.errors == errors
        assert found.objective == missed + (problem.weights * negatives)[~problem.y].sum()
        assert found.complexity == size
        proxy = (np.minimum(counts, 1) if counts_once else counts).sum()
        assert found.proxy_violation == pytest.approx(max(0.0, size - 4, proxy - 15))
        assert found.true_violation == pytest.approx(max(0.0, size - 4, np.minimum(counts, 1).sum() - 15))
        assert goal.row_values(chosen)["covers"] == (proxy, np.minimum(counts, 1).sum())


def test_a_row_is_kept_to_rounding():
    """What floating-point sums and solvers leave of equality does not break a row."""
    found = goal_of(small_problem(0), SIZE).evaluate([Rule([0])])
    assert evolve(found, true_violation=1e-10).is_feasible
    assert not evolve(found, true_violation=1e-8).is_feasible
    assert evolve(found, proxy_violation=1e-7).keeps_rows
    assert not evolve(found, proxy_violation=1e-5).keeps_rows


def test_what_is_known_about_the_counts():
    """Rows on size leave everything true; rows on covers are a proxy unless samples count once."""
    problem = small_problem(0)
    proxy = (covered_twice(problem) <= 5).named("covers")
    missed = (problem.false_negative_rate() <= 0.5).named("missed")
    assert goal_of(problem, SIZE).counts_only_size
    assert not goal_of(problem, SIZE, counts_once=True).counts_only_size
    assert not goal_of(problem, SIZE, missed).counts_only_size
    assert goal_of(problem, SIZE, missed).counts_truly
    assert not goal_of(problem, SIZE, proxy).counts_truly
    assert goal_of(problem, SIZE, proxy, counts_once=True).counts_truly


def test_the_step_is_one_only_where_all_objectives_are_whole():
    """Fractional weights, prices, or variables leave nothing known."""
    X, y = [[1, 0], [1, 1], [0, 1]], [True, True, False]
    whole = goal_of(Problem.from_arrays(X, y))
    assert whole.step == 1.0
    assert goal_of(Problem.from_arrays(X, y, weights=[1.0, 0.5, 1.0])).step == 0.0
    assert evolve(whole, objective=whole.objective + LinearForm(length=0.5)).step == 0.0
    assert evolve(whole, objective=whole.objective + LinearForm(rule=2.0)).step == 1.0
    assert evolve(whole, objective=whole.objective + LinearForm.variable("v") * 2.0).step == 0.0


def test_the_least_objective_is_its_constant_unless_something_pays():
    """A sum of costs is at least its constant; with a negative coefficient nothing is known."""
    whole = goal_of(small_problem(0))
    assert whole.least_objective == 0.0
    assert evolve(whole, objective=whole.objective + LinearForm(const=3.0)).least_objective == 3.0
    assert evolve(whole, objective=whole.objective + LinearForm(rule=-1.0)).least_objective == -np.inf


def test_auxiliary_variables_are_as_small_as_their_rows_allow():
    """Each is 0 or what the worst of its rows lacks; what it costs is part of the objective, and its row is kept."""
    problem = small_problem(1)
    soft = (problem.false_negative_rate() - LinearForm.variable("excess") <= 0.25).named("soft")
    plain = goal_of(problem)
    goal = Goal(problem, problem.hamming_loss() + LinearForm.variable("excess") * 8.0, (soft,))
    assert goal.variables == ("excess",)
    found = goal.evaluate(())
    assert found.objective == pytest.approx(plain.evaluate(()).objective + 8.0 * 0.75)
    assert found.proxy_violation == pytest.approx(0.0)
    rows = [
        Row(LinearForm(variables={"a": -2.0}), hi=1.0, name="above"),
        Row(LinearForm(variables={"a": 1.0}), lo=0.5, name="below"),
    ]
    assert least_variables(rows, [4.0, 0.0])["a"] == 1.5
    assert least_variables(rows, [1.0, 0.25])["a"] == 0.25
    assert least_variables(rows, [0.0, 7.0])["a"] == 0.0


def test_rules_are_taken_while_they_fit():
    """In their order; one that is too long is left out, a later one may still fit."""
    goal = goal_of(small_problem(0), SIZE)
    rules = [Rule([0]), Rule([1, 2]), Rule([3]), Rule([4])]
    assert goal.within_size(rules) == [Rule([0]), Rule([3])]
    assert goal_of(small_problem(0)).within_size(rules) == rules
