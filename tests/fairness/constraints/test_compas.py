"""compas, the paper's 5278 rows: on the training data every bound holds in true counts."""

from __future__ import annotations

import numpy as np
import pytest

from rulecg import RuleSetClassifier
from rulecg.datasets import load
from rulecg_fairness import equalized_odds_difference, group_table

pytestmark = pytest.mark.paper_data


@pytest.mark.parametrize(
    ("columns", "eps", "forbid"),
    [
        (["African_American"], 0.05, []),
        (["African_American"], 0.01, ["African_American"]),
        (["African_American", "Female"], 0.1, []),
    ],
)
def test_bounds_hold_in_true_counts(columns: list[str], eps: float, forbid: list[str]) -> None:
    """Equalized odds on race, with race kept out of the rules, and on race × sex."""
    data = load("compas")
    y, sensitive = np.asarray(data.target), data.data[columns]
    classifier = RuleSetClassifier(
        max_complexity=20, constraints=[f"equalized-odds:{eps}"], forbid=forbid, time_limit=2
    )
    y_pred = classifier.fit(data.data, data.target, sensitive_features=sensitive).predict(data.data)
    assert equalized_odds_difference(y, y_pred, sensitive_features=sensitive) <= eps + 1e-9
    assert not {condition.column for condition in classifier.rule_set_.conditions} & {*forbid}  # type: ignore[union-attr]
    rates = group_table(y, y_pred, sensitive_features=sensitive)["true_positive_rate"]
    assert rates.max() - rates.min() <= eps + 1e-9
