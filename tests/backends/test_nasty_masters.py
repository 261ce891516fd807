"""Masters that are hard on solvers: every backend survives them, and all agree."""

import numpy as np
import pytest

from rulecg_core import Limits, Problem, generate_columns, load_registry
from rulecg_core.masters.hamming import HammingMaster

BACKENDS = ("highs", "cbc", "gurobi", "scip")


def samples(seed=0, n=36, d=5):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d)) < 0.6
    y = X[:, :2].all(axis=1) ^ (rng.random(n) < 0.2)
    return X, y, rng


def plain():
    X, y, _ = samples()
    return Problem.from_arrays(X, y, max_conditions=3), ()


def weights_from_a_millionth_to_a_million():
    X, y, rng = samples(1)
    return Problem.from_arrays(X, y, weights=10.0 ** rng.uniform(-6, 6, len(y)), max_conditions=3), ()


def features_that_are_equal_always_true_or_never_true():
    X, y, _ = samples(2)
    odd = np.column_stack([X, X, np.ones(len(y), bool), np.zeros(len(y), bool)])
    return Problem.from_arrays(odd, y, max_conditions=2), ()


def every_rule_covers_every_positive():
    X, y, _ = samples(3)
    return Problem.from_arrays(X | y[:, None], y, max_conditions=3), ()


def one_positive():
    X, y, _ = samples(4)
    y = np.arange(len(y)) == 7
    return Problem.from_arrays(X, y, max_conditions=3), ()


def a_group_without_positives():
    X, y, _ = samples(5)
    groups = np.where(np.arange(len(y)) % 3 == 0, "a", np.where(y, "b", "c"))
    problem = Problem.from_arrays(X, y, sensitive_groups=groups, max_conditions=3)
    return problem, ("equality-of-opportunity:0.1,min_group_size=1",)


def fairness_with_uneven_weights():
    X, y, rng = samples(6)
    groups = np.where(rng.random(len(y)) < 0.3, "a", "b")
    weights = 10.0 ** rng.uniform(-3, 3, len(y))
    problem = Problem.from_arrays(X, y, weights=weights, sensitive_groups=groups, max_conditions=2)
    return problem, ("equalized-odds:0.05",)


CASES = [
    plain,
    weights_from_a_millionth_to_a_million,
    features_that_are_equal_always_true_or_never_true,
    every_rule_covers_every_positive,
    one_positive,
    a_group_without_positives,
    fairness_with_uneven_weights,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_all_backends_agree(case):
    """The relaxation over all rules and the best rule set have the same values, relative to their size."""
    problem, constraints = case()
    registry = load_registry()
    runs = []
    for name in BACKENDS:
        backend = registry.backend(name)
        rows = [registry.constraint("complexity:8"), *map(registry.constraint, constraints)]
        pricers = [(stage, registry.pricer(stage, backend)) for stage in ("beam", "exact-search")]
        runs.append(generate_columns(HammingMaster(problem, rows, backend), pricers, Limits(seconds=30.0)))
    reference = runs[0]
    for run in runs[1:]:
        assert run.relaxation == pytest.approx(reference.relaxation, rel=1e-6, abs=1e-6)
        assert run.objective == pytest.approx(reference.objective, rel=1e-6, abs=1e-6)
        assert run.status is reference.status
