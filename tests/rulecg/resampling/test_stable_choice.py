"""The rule set that resamples agree on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from attrs import evolve

from rulecg import RuleSetClassifier
from rulecg.resampling.stable_choice import NEAR, choose_stably
from rulecg_core import Complexity, ConfigurationError, Goal, Problem, Result, Rule, Status, Stop
from rulecg_core.masters.pool_master import goal_of


def result_of(goal: Goal, rules: tuple[Rule, ...], pool: tuple[Rule, ...]) -> Result:
    """A finished run that chose these rules."""
    found = goal.evaluate(rules)
    return Result(
        rules=rules, rule_set=goal.problem.rule_set(rules), best_rules=rules, objective=found.objective,
        selected_objective=found.objective, errors=found.errors, cost=found.cost, lower_bound=None,
        status=Status.HEURISTIC, stop=Stop.COMPLETED, relaxation=None, seconds=0.0, pool_size=len(pool), history=(),
        pool=pool,
    )  # fmt: skip


def test_what_resamples_prefer_wins_over_a_lucky_best() -> None:
    """One condition may be used. The first has the fewest errors, but rules learned from resamples are now this, now
    that of six others that are almost the same: one of these is chosen."""
    X = np.zeros((80, 7), dtype=bool)
    X[0:21, 0] = True
    for k in range(6):
        X[60:80, 1 + k] = True
        X[60 + k, 1 + k] = False
    goal = goal_of(Problem.from_arrays(X, np.ones(80), merge=False), [Complexity(2)])
    pool = tuple(Rule([feature]) for feature in range(7))
    run, given = result_of(goal, (pool[0],), pool), iter([1, 2, 3, 0, 4, 5, 6, 0])
    weights = []

    def relearn(problem: Problem, seconds: float) -> Result:
        weights.append(problem.weights.sum())
        return result_of(goal, (pool[next(given)],), pool)

    chosen = choose_stably(run, goal, 0, relearn)
    assert chosen.rules[0] in pool[1:]
    assert chosen.errors == goal.evaluate(chosen.rules).errors == 61
    assert "because resamples of the rows agree on it most" in chosen.certificate()
    assert len(set(weights)) > 1, "the same rows again are no resamples"


@pytest.mark.parametrize("seed", range(6))
def test_the_choice_keeps_every_bound_and_is_hardly_worse(seed: int) -> None:
    """Whatever the pool, the set chosen is feasible and within the share of errors that counts as near, and what was
    proven stays."""
    rng = np.random.default_rng(seed)
    X = rng.random((80, 5)) < 0.5
    y = (X[:, 0] & X[:, 1]) | (rng.random(80) < 0.2)
    goal = goal_of(Problem.from_arrays(X, y), [Complexity(5)])
    pool = tuple(Rule(rng.choice(5, size, replace=False)) for size in (1, 1, 2, 2, 2, 3))
    rules = min(((rule,) for rule in pool), key=lambda each: goal.evaluate(each).errors)
    run = evolve(result_of(goal, rules, pool), near_best=tuple((rule,) for rule in pool))
    chosen = choose_stably(run, goal, seed, lambda problem, seconds: evolve(run, rules=(pool[seed],)))
    found = goal.evaluate(chosen.rules)
    assert found.is_feasible
    assert found.errors <= run.errors + NEAR * 80
    assert (chosen.lower_bound, chosen.objective) == (run.lower_bound, run.objective)


def test_the_estimator_takes_the_choice() -> None:
    """A fit with the choice returns a rule set about as good, with its own errors; other names are refused."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((150, 4)), columns=list("abcd"))
    y = (table["a"] > 0.5) ^ (rng.random(150) < 0.2)
    learned = RuleSetClassifier(6, time_limit=5, choice="stable").fit(table, y)
    assert learned.score(table, y) > 0.7
    assert learned.result_.errors == (learned.predict(table) != y).sum()
    assert next(iter(learned.result_.runs.values())).chosen_for.startswith("because resamples")
    with pytest.raises(ConfigurationError, match="Unknown choice"):
        RuleSetClassifier(30, choice="nicest").fit(table, y)
