"""Warm starts from random forests."""

import numpy as np

from rulecg import Binarizer
from rulecg.datasets import load
from rulecg.estimators.forest_start import forest_leaves
from rulecg_core import HammingMaster, Limits, Problem, Start, generate_columns, load_registry


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
