"""Logistic regression without disparate mistreatment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchmarks.rivals.mistreatment import Zafar

from .toys import two_groups


def test_without_a_criterion_it_is_logistic_regression() -> None:
    """The loss is scikit-learn's, fitted without regularization."""
    X, y, _ = two_groups(0)
    model = Zafar().fit(X, y)
    reference = LogisticRegression(C=np.inf, max_iter=1000).fit(X.to_numpy(), y)
    assert model.weights_[1:] == pytest.approx(reference.coef_[0], abs=0.02)


@pytest.mark.parametrize("criterion", ["equality-of-opportunity", "equalized-odds"])
def test_covariance_stays_within_the_threshold(criterion: str) -> None:
    """What is bounded was not within the bound before, and is afterwards."""
    X, y, groups = two_groups(1)
    free = Zafar().fit(X, y)
    fair = Zafar(criterion=criterion, threshold=0.002).fit(X, y, groups)
    assert isinstance(free, Zafar)
    assert isinstance(fair, Zafar)
    assert abs(free.covariance(y, groups)) > 0.01
    for label in (True, False) if criterion == "equalized-odds" else (True,):
        assert abs(fair.covariance(y, groups, label)) <= 0.002 + 1e-3


def test_a_loose_threshold_changes_nothing() -> None:
    """Where the free solution keeps the bound, it is the solution."""
    X, y, groups = two_groups(2)
    free, bounded = Zafar().fit(X, y), Zafar(criterion="equalized-odds", threshold=1.0).fit(X, y, groups)
    assert bounded.weights_ == pytest.approx(free.weights_, abs=1e-3)  # type: ignore[attr-defined]


def test_three_groups_are_refused() -> None:
    """The method compares two groups; the message says so."""
    X, y, _ = two_groups(3)
    with pytest.raises(ValueError, match="two groups"):
        Zafar(criterion="equalized-odds").fit(X, y, np.arange(len(y)) % 3)


def test_loss_is_at_most_that_of_the_referee() -> None:
    """dccp, given the same difference of convex functions, finds no solution that is better by more than a trifle."""
    cvxpy = pytest.importorskip("cvxpy")
    pytest.importorskip("dccp")
    X, y, groups = two_groups(4, n=200)
    threshold = 0.005
    ours = Zafar(criterion="equality-of-opportunity", threshold=threshold).fit(X, y, groups)
    assert isinstance(ours, Zafar)
    design = np.column_stack([np.ones(len(X)), X.to_numpy(dtype=float)])
    signs, weights = np.where(y, 1.0, -1.0), cvxpy.Variable(design.shape[1])
    weights.value = Zafar().fit(X, y).weights_  # type: ignore[attr-defined]
    loss = cvxpy.sum(cvxpy.logistic(-cvxpy.multiply(signs, design @ weights))) / len(y)
    share = groups.mean()

    def depth(members: Any) -> Any:
        return cvxpy.sum(cvxpy.pos(-(design[members] @ weights))) / len(y)

    low, high = share * depth(y & ~groups), (1 - share) * depth(y & groups)
    problem = cvxpy.Problem(cvxpy.Minimize(loss), [low <= high + threshold, high <= low + threshold])
    problem.solve(method="dccp", tau_ini=5.0, mu=1.2, seed=0, parallel=False)
    assert ours.loss() <= float(loss.value) + 2e-3
    assert abs(ours.covariance(y, groups)) <= threshold + 1e-3
