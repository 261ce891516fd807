"""The rule set that is returned holds nothing that could be left out."""

from __future__ import annotations

import numpy as np
import pytest

from rulecg_core import Complexity, Constraint, Goal, Problem, Row, Rule
from rulecg_core.masters.pool_master import goal_of
from rulecg_core.solve.tidy_rules import tidied, without_redundancy
from rulecg_core.testing.random_problems import random_problem


class SelectedAtLeast(Constraint):
    """A row that counts covers: at least half of the samples are selected."""

    def rows(self, problem: Problem) -> list[Row]:
        return [(problem.selection_rate() >= 0.5).named("selected")]


def random_case(seed: int) -> tuple[Goal, list[Rule]]:
    """A small problem with some goal, and a rule set with much that is redundant."""
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, max_features=6, logic="dnf" if seed % 2 else "cnf")
    constraints = [Complexity(40), *([SelectedAtLeast()] if seed % 3 == 0 else [])]
    goal = goal_of(problem, constraints, counts_once=seed % 4 < 2)
    sizes = rng.integers(1, min(4, problem.n_conditions + 1) + 1, size=6)
    rules = {Rule(rng.choice(problem.n_conditions, min(size, problem.n_conditions), replace=False)) for size in sizes}
    return goal, sorted(rules, key=str)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_lost_and_nothing_more_can_be_left_out(seed: int) -> None:
    """Objective, errors and rows are no worse; every rule set with one rule or condition less is worse somewhere."""
    goal, rules = random_case(seed)
    before = goal.evaluate(rules)
    after = without_redundancy(goal, before)
    assert (after.objective <= before.objective, after.errors <= before.errors) == (True, True)
    assert after.complexity <= before.complexity
    assert (after.is_feasible, after.keeps_rows or not before.keeps_rows) == (True, True) or after is before
    for position, rule in enumerate(after.rules):
        others = [other for at, other in enumerate(after.rules) if at != position]
        shorter = [[*others, Rule(set(rule) - {feature})] for feature in rule if len(rule) > 1]
        for less in (others, *(found for found in shorter if len(set(found)) == len(found))):
            found = goal.evaluate(less)
            assert (
                found.objective > after.objective
                or found.errors > after.errors
                or not found.is_feasible
                or (after.keeps_rows and not found.keeps_rows)
            ), f"{less} would do"


def test_rules_that_predict_the_same_are_one() -> None:
    """Of nested and repeated rules only what is needed stays: here one rule with one condition says it all."""
    X = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    goal = goal_of(Problem.from_arrays(X, [1, 1, 0, 0]), [Complexity(20)], counts_once=True)
    chosen = tidied(goal, goal.evaluate([Rule([0, 1]), Rule([0, 2]), Rule([1])]))
    assert (chosen.rules, chosen.errors, chosen.complexity) == ((Rule([1]),), 0, 2)
