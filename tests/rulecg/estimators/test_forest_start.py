"""Warm starts from random forests."""

import numpy as np
import pytest

from rulecg import Binarizer, RuleSetClassifier, complexity_path
from rulecg.datasets import load
from rulecg.estimators import classifier
from rulecg.estimators.forest_start import forest_leaves
from rulecg_core import (
    ConfigurationError,
    HammingMaster,
    Limits,
    Pricer,
    PricingResult,
    Problem,
    Start,
    UnknownNameError,
    generate_columns,
    load_registry,
)


def lending():
    data, target, _ = load("lending")
    binarizer = Binarizer().fit(data)
    return Problem.from_arrays(
        binarizer.transform(data), target, conditions=binarizer.conditions_, max_conditions=4
    )


def test_leaves_are_rules_of_the_problem_that_favour_positives():
    """Rules keep the limit on conditions and cover a larger share of positives than the data has."""
    problem = lending()
    rules = forest_leaves(problem, n_trees=5)
    assert len(rules) > 10
    assert all(1 <= len(rule) <= 4 for rule in rules)
    overall = problem.weights[problem.y].sum() / problem.weights.sum()
    covers = problem.covers(rules)
    shares = (covers & problem.y) @ problem.weights / (covers @ problem.weights)
    # Leaves were judged on bootstrap samples, so a few differ on the data.
    assert np.mean(shares > overall) > 0.85


def test_same_seed_same_leaves():
    """The warm start is reproducible."""
    problem = lending()
    assert forest_leaves(problem, n_trees=3, seed=4) == forest_leaves(problem, n_trees=3, seed=4)


def test_a_warm_start_begins_with_a_lower_relaxation():
    """The first relaxation with the leaves is below the one without rules."""
    problem = lending()
    registry = load_registry()
    backend = registry.backend("highs")
    first = []
    for start in ((), forest_leaves(problem, n_trees=5)):
        master = HammingMaster(problem, [registry.constraint("complexity:12")], backend)
        result = generate_columns(
            master, [registry.pricer("beam", backend)], Limits(seconds=20, iterations=1), start=Start(start)
        )
        first.append(result.history[0].relaxation)
    assert first[1] < 0.7 * first[0]


def test_the_estimator_begins_with_the_leaves():
    """With start="forest" the first relaxation is below that of a fit without it; unknown starts are refused."""
    data, target, _ = load("lending")
    settings = {"max_complexity": 6, "time_limit": 4, "binarizer": "deciles", "heuristics": ()}
    without = RuleSetClassifier(**settings).fit(data, target)
    started = RuleSetClassifier(**settings, start="forest").fit(data, target)
    assert started.result_.history["relaxation"].iloc[0] < without.result_.history["relaxation"].iloc[0]
    with pytest.raises(UnknownNameError, match="Unknown start"):
        RuleSetClassifier(start="woods").fit(data, target)


def test_leaves_take_of_the_run_s_time_and_are_made_once(monkeypatch):
    """A path makes them for its first limit only: later ones have them in the pool."""
    made = []

    def leaves(problem):
        made.append(problem)
        return forest_leaves(problem, n_trees=2)

    monkeypatch.setattr(classifier, "starter_of", lambda start: leaves if start == "forest" else None)
    data, target, _ = load("lending")
    complexity_path(data, target, [2, 4], estimator=RuleSetClassifier(start="forest"), time_limit=2)
    assert len(made) == 1


def test_every_pricing_problem_keeps_its_limit():
    """What a pricer is given ends at most so many seconds after it was asked."""
    left = []

    class Clock(Pricer):
        def price(self, problem, limits, rng):
            left.append(limits.deadline.remaining)
            return PricingResult(())

    data, target, _ = load("lending")
    RuleSetClassifier(4, pricers=[Clock()], pricing_time_limit=0.5, time_limit=20).fit(data, target)
    assert left
    assert max(left) <= 0.5
    with pytest.raises(ConfigurationError, match="pricing_time_limit must be"):
        RuleSetClassifier(pricing_time_limit="short").fit(data, target)
