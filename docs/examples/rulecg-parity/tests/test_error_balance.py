"""The constraint keeps rulecg's contract, means what it says, and works by name."""

from __future__ import annotations

import numpy as np
import pytest
from rulecg_parity import ErrorBalance

from rulecg_core import ConfigurationError
from rulecg_core.testing import ConstraintContract


class TestErrorBalance(ConstraintContract):
    @pytest.fixture
    def constraint(self):
        return ErrorBalance(0.1, column="race")

    def expected(self, constraint, y_true, y_pred, sensitive, weights):
        """False positives minus false negatives, as a share of the group."""
        values = {}
        for group in ("Black", "White"):
            of_group = weights * (sensitive["race"] == group)
            excess = of_group[y_pred & ~y_true].sum() - of_group[~y_pred & y_true].sum()
            values[f"too many selections: {group}"] = excess / of_group.sum()
            values[f"too few selections: {group}"] = excess / of_group.sum()
        return values


def test_by_name():
    """The estimator takes the constraint as text, and its predictions keep the bound on the training data."""
    from rulecg import RuleSetClassifier

    rng = np.random.default_rng(0)
    X = rng.random((300, 4))
    sex = np.where(rng.random(300) < 0.5, "female", "male")
    y = X[:, 0] + 0.3 * (sex == "male") + 0.2 * rng.random(300) > 0.7
    classifier = RuleSetClassifier(30, constraints=["error-balance:0.1"], time_limit=10, random_state=0)
    y_pred = classifier.fit(X, y, sensitive_features={"sex": sex}).predict(X)
    for group in ("female", "male"):
        assert abs(y_pred[sex == group].mean() - y[sex == group].mean()) <= 0.1


def test_a_share_is_not_a_percentage():
    """A bound outside 0 to 1 is refused in a sentence, and so is a column that is none."""
    with pytest.raises(ConfigurationError, match=r"ErrorBalance: eps must be a number from 0 to 1.*, not 5\."):
        ErrorBalance(5)
    with pytest.raises(ConfigurationError, match="column must be some text"):
        ErrorBalance(0.1, column=3)
