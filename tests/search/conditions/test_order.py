"""The order of features: every one once, and twins in places that tell them."""

import numpy as np
import pytest

from rulecg_core import Problem
from rulecg_search.conditions.order import KEY_BYTES, ConditionOrder


def order_of(X):
    y = np.zeros(len(X), dtype=bool)
    y[0] = True
    problem = Problem.from_arrays(X, y)
    return problem, ConditionOrder.of(problem)


@pytest.mark.parametrize("n_samples", [5, 64, 8 * KEY_BYTES + 77])
def test_twins_are_found_and_nothing_else_is_a_twin(n_samples):
    """Also where columns come twice, and where two are twins but for the last sample."""
    rng = np.random.default_rng(n_samples)
    A = rng.random((n_samples, 4)) < 0.5
    almost = ~A[:, :1]
    almost[-1] = ~almost[-1]
    X = np.hstack([A, ~A[:, 1:3], almost, A[:, 1:2], ~A[:, 1:2], np.ones((n_samples, 1), dtype=bool)])
    problem, order = order_of(X)
    assert sorted(order.features) == list(range(problem.n_conditions))
    assert np.array_equal(order.features[order.places], np.arange(problem.n_conditions))
    seconds = order.features[order.n_counted :]
    firsts = order.features[: len(seconds)]
    assert len(seconds) >= 3
    assert np.array_equal(problem.X[:, firsts], ~problem.X[:, seconds])
    alone = order.features[len(seconds) : order.n_counted]
    for one in alone:
        assert not any(np.array_equal(problem.X[:, one], ~problem.X[:, other]) for other in alone)
