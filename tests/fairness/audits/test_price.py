"""The price of fairness agrees with solving the relaxation again at a slightly different bound."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve

from rulecg import RuleSetClassifier
from rulecg_core import (
    ConfigurationError,
    Constraint,
    Deadline,
    HammingMaster,
    Limits,
    Problem,
    generate_columns,
    load_registry,
)
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_fairness import Complexity, EqualityOfOpportunity, EqualizedOdds, GroupRecallFloor, price_of_fairness

STEP = 1e-5


@pytest.fixture(scope="module")
def problem() -> Problem:
    rng = np.random.default_rng(4)
    groups = np.repeat(["a", "b"], 40)
    labels = rng.random(80) < np.where(groups == "a", 0.6, 0.4)
    X = rng.random((80, 5)) < np.where(labels, 0.7, 0.35)[:, None] - 0.2 * (groups == "b")[:, None]
    return Problem.from_arrays(X, labels, sensitive_groups={"g": groups}, max_conditions=2)


def relaxed(problem: Problem, constraint: Constraint) -> float:
    """The relaxation's value over all rules."""
    master = HammingMaster(problem, [Complexity(10), constraint], load_registry().backend("highs"))
    master.add_rules(all_rules(problem))
    relaxation = master.solve_relaxation(Deadline())
    assert relaxation is not None
    assert relaxation.feasible
    return relaxation.value


@pytest.mark.parametrize(
    ("make", "bound", "loosening"),
    [
        (EqualizedOdds, 0.03, +1),
        (EqualityOfOpportunity, 0.02, +1),
        (GroupRecallFloor, 0.9, -1),
    ],
)
def test_prices_are_slopes(
    problem: Problem, make: Callable[[float], Constraint], bound: float, loosening: int
) -> None:
    """The prices of the rows that share a bound add up to what loosening it by a little saves, per unit."""
    constraint = make(bound)
    master = HammingMaster(problem, [Complexity(10), constraint], load_registry().backend("highs"))
    result = generate_columns(master, [BruteForcePricer()], Limits(seconds=20))
    prices = price_of_fairness(result).drop("complexity")
    saved = relaxed(problem, constraint) - relaxed(problem, make(bound + loosening * STEP))
    assert saved > 0, "The example is meant to have a binding bound."
    assert prices["per_unit"].sum() == pytest.approx(saved / STEP, rel=1e-3)
    assert (prices["per_unit"] >= 0).all()
    dearest = prices.iloc[0]
    assert dearest["words"].startswith(f"Loosening the bound on {prices.index[0]} by 0.01 saves about")


def test_a_loose_bound_costs_nothing(problem: Problem) -> None:
    """A bound that every rule set keeps has price 0, and the words say so."""
    constraint = EqualityOfOpportunity(1.0)
    master = HammingMaster(problem, [Complexity(10), constraint], load_registry().backend("highs"))
    result = generate_columns(master, [BruteForcePricer()], Limits(seconds=20))
    prices = price_of_fairness(result).drop("complexity")
    assert len(prices) == 2
    assert (prices["per_unit"] == 0).all()
    assert prices["words"].str.contains("costs nothing").all()


def test_no_price_without_a_relaxation(problem: Problem) -> None:
    """A run that never solved a feasible relaxation cannot tell prices."""
    master = HammingMaster(problem, [Complexity(4)], load_registry().backend("highs"))
    result = evolve(generate_columns(master, [BruteForcePricer()], Limits(seconds=20)), relaxation=None)
    with pytest.raises(ConfigurationError, match="no price to tell"):
        price_of_fairness(result)


def test_the_result_of_a_classifier_will_do() -> None:
    """``classifier.result_`` of two classes is taken; of several classes, or no result at all, is told what to give."""
    rng = np.random.default_rng(0)
    X, sex = (rng.random((80, 3)) < 0.5).astype(float), rng.choice(["f", "m"], 80)
    classifier = RuleSetClassifier(max_complexity=4, constraints=["equality-of-opportunity:0.05"], time_limit=10)
    fitted = classifier.fit(X, X[:, 0] > 0, sensitive_features=sex).result_
    (run,) = fitted.runs.values()
    assert price_of_fairness(fitted).equals(price_of_fairness(run))
    with pytest.raises(ConfigurationError, match=r"2 runs, one for each class: give one of them.*result_\.runs\['a'\]"):
        price_of_fairness(SimpleNamespace(runs={"a": run, "b": run}))
    with pytest.raises(ConfigurationError, match=r"classifier\.result_ of a fitted classifier, not RuleSetClassifier"):
        price_of_fairness(classifier)
