"""Group tables and gaps: the same numbers as fairlearn, with intervals that cover."""

from __future__ import annotations

import math
from typing import Any

import fairlearn.metrics as fairlearn
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score

import rulecg_fairness as ours
from rulecg_core import ConfigurationError
from rulecg_fairness.metrics.gaps import GAPS as GAP_DEFINITIONS


def random_outcomes(seed: int, n: int = 200, n_groups: int = 3) -> tuple[Any, Any, Any, Any]:
    """Labels, predictions, groups and weights; every group has both labels."""
    rng = np.random.default_rng(seed)
    y_true, y_pred = rng.integers(0, 2, n), rng.integers(0, 2, n)
    groups = rng.choice(list("abcdef")[:n_groups], n)
    for i, group in enumerate("abcdef"[:n_groups]):
        groups[[2 * i, 2 * i + 1]] = group
        y_true[[2 * i, 2 * i + 1]] = [0, 1]
    return y_true, y_pred, groups, rng.random(n) + 0.5


GAPS = [
    (ours.demographic_parity_difference, fairlearn.demographic_parity_difference),
    (ours.demographic_parity_ratio, fairlearn.demographic_parity_ratio),
    (ours.equal_opportunity_difference, fairlearn.equal_opportunity_difference),
    (ours.equalized_odds_difference, fairlearn.equalized_odds_difference),
]


@given(seed=st.integers(0, 10**6), n_groups=st.integers(2, 5), weighted=st.booleans())
@settings(max_examples=12, deadline=None)
def test_gaps_are_those_of_fairlearn(seed: int, n_groups: int, weighted: bool) -> None:
    """Each gap equals fairlearn's metric of the same name, with and without sample weights."""
    y_true, y_pred, groups, weights = random_outcomes(seed, n_groups=n_groups)
    arguments = {"sensitive_features": groups, "sample_weight": weights if weighted else None}
    table = ours.gaps(y_true, y_pred, **arguments)
    for mine, theirs in GAPS:
        value = pytest.approx(theirs(y_true, y_pred, **arguments), abs=1e-12)
        assert mine(y_true, y_pred, **arguments) == value
        assert table.loc[mine.__name__, "gap"] == value


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=12, deadline=None)
def test_group_table_is_fairlearns_metric_frame(seed: int, weighted: bool) -> None:
    """Every rate of every group equals fairlearn's, on crossed groups too."""
    y_true, y_pred, groups, weights = random_outcomes(seed)
    sex = np.random.default_rng(seed).choice(["f", "m"], len(y_true))
    names = ("true_positive_rate", "false_positive_rate", "selection_rate")
    metrics = {**{name: getattr(fairlearn, name) for name in names}, "accuracy": accuracy_score}
    frame = fairlearn.MetricFrame(
        metrics=metrics,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features={"group": groups, "sex": sex},
        sample_params={name: {"sample_weight": weights} for name in metrics} if weighted else None,
    ).by_group
    table = ours.group_table(
        y_true,
        y_pred,
        sensitive_features={"group": groups, "sex": sex},
        sample_weight=weights if weighted else None,
    )
    for (group, label), row in frame.iterrows():
        mine = table.loc[f"{group} & {label}"]
        for name in metrics:
            if not math.isnan(mine[name]):  # fairlearn calls an undefined rate 0
                assert mine[name] == pytest.approx(row[name], abs=1e-12)


def test_group_table_counts_rows() -> None:
    """Sizes and positives are numbers of rows; rows without a group are counted apart; an undefined rate is NaN."""
    groups = ["a", "a", "a", "b", None]
    table = ours.group_table([1, 0, 1, 0, 1], [True, True, False, False, True], sensitive_features=groups)
    assert table["n"].to_dict() == {"a": 3, "b": 1}
    assert table["positives"].to_dict() == {"a": 2, "b": 0}
    assert table.attrs["rows_without_group"] == 1
    assert math.isnan(table.loc["b", "true_positive_rate"])
    assert math.isnan(table.loc["b", "true_positive_rate_low"])


def test_equal_weights_change_nothing() -> None:
    """Weights that are all the same leave rates and intervals as they are."""
    y_true, y_pred, groups, _ = random_outcomes(0)
    plain = ours.group_table(y_true, y_pred, sensitive_features=groups)
    weighted = ours.group_table(y_true, y_pred, sensitive_features=groups, sample_weight=np.full(len(y_true), 2.5))
    pd.testing.assert_frame_equal(plain, weighted.drop(columns="weight"))


def test_intervals_are_about_the_gap() -> None:
    """The interval contains the gap, widens with confidence, and narrows with more rows."""
    y_true, y_pred, groups, _ = random_outcomes(3, n=400, n_groups=2)
    flip = groups == "a"
    y_pred = np.where(flip, y_true, y_pred)

    def table(times: int = 1, **options: Any) -> pd.DataFrame:
        columns = [np.tile(column, times) for column in (y_true, y_pred, groups)]
        return ours.gaps(*columns[:2], sensitive_features=columns[2], **options)

    first, wide, large = table(), table(confidence=0.99), table(times=16)
    assert ((first["low"] <= first["gap"]) & (first["gap"] <= first["high"])).all()
    assert ((wide["low"] <= first["low"]) & (first["high"] <= wide["high"])).all()
    ratio = (large["high"] - large["low"]) / (first["high"] - first["low"])
    assert (ratio < 0.5).all()
    assert (ratio > 0.1).all()
    assert first.loc["accuracy_difference", ["highest", "lowest"]].tolist() == ["a", "b"]


POPULATIONS = [
    ("demographic_parity_difference", [0.5] * 4, [0.5] * 4, 2000),
    ("equalized_odds_difference", [0.7] * 4, [0.2] * 4, 200),
    ("equalized_odds_difference", [0.7, 0.7, 0.7, 0.65], [0.2] * 4, 200),
    ("demographic_parity_ratio", [0.5, 0.4], [0.5, 0.4], 100),
    ("demographic_parity_ratio", [0.3] * 3, [0.3] * 3, 100),
    ("accuracy_difference", [0.9, 0.8], [0.1, 0.3], 50),
]


@pytest.mark.parametrize(("name", "true_positive", "false_positive", "n"), POPULATIONS)
def test_intervals_cover_the_true_gap(name: str, true_positive: Any, false_positive: Any, n: int) -> None:
    """In 2000 samples from a known population, gaps of 0 included, 95 % intervals hold the gap in 94 % at least."""
    rng = np.random.default_rng(1)
    rates = np.array([false_positive, true_positive]).T
    truth = np.stack([n * (1 - rates[:, 0]), n * rates[:, 0], n * (1 - rates[:, 1]), n * rates[:, 1]], axis=-1)
    selected = rng.binomial(n, rates, size=(2000, *rates.shape)).astype(float)
    counts = np.stack([n - selected[..., 0], selected[..., 0], n - selected[..., 1], selected[..., 1]], axis=-1)
    gap = float(GAP_DEFINITIONS[name].value(truth))
    low, high = GAP_DEFINITIONS[name].interval(counts)
    assert np.mean((low <= gap + 1e-9) & (gap - 1e-9 <= high)) >= 0.94


def test_unequal_weights_widen_the_intervals() -> None:
    """Equal weights change nothing, whatever their unit; unequal ones count as fewer rows."""
    y_true, y_pred, groups, _ = random_outcomes(5, n=600)
    uneven = np.random.default_rng(0).exponential(size=600)
    plain, same, wider = (
        ours.gaps(y_true, y_pred, sensitive_features=groups, sample_weight=weights)
        for weights in (None, np.full(600, 7.0), uneven)
    )
    np.testing.assert_allclose(plain[["gap", "low", "high"]], same[["gap", "low", "high"]])
    name = "accuracy_difference"
    assert wider.loc[name, "high"] - wider.loc[name, "gap"] > plain.loc[name, "high"] - plain.loc[name, "gap"]


def test_groups_without_a_rate_are_named() -> None:
    """A group without positives is left out of the true positive gap, by name, with a warning from the plain metric."""
    arguments = ([1, 0, 1, 0, 0], [1, 0, 0, 0, 1])
    groups = ["a", "a", "b", "b", "c"]
    table = ours.gaps(*arguments, sensitive_features=groups)
    assert table.loc["equal_opportunity_difference", "left_out"] == "c"
    assert table.loc["equal_opportunity_difference", "gap"] == 1.0
    assert table.loc["equal_opportunity_difference", "high"] <= 1.0
    assert table.loc["demographic_parity_difference", "left_out"] == ""
    with pytest.warns(UserWarning, match="leaves out groups without a true_positive_rate: c"):
        assert ours.equal_opportunity_difference(*arguments, sensitive_features=groups) == 1.0


def test_labels_of_any_kind() -> None:
    """Other labels need pos_label, and then count as such."""
    words = np.array(["bad", "good", "good", "bad"])
    groups = ["a", "a", "b", "b"]
    table = ours.group_table(words, words, sensitive_features=groups, pos_label="good")
    assert table["selection_rate"].tolist() == [0.5, 0.5]
    with pytest.raises(ConfigurationError, match="pos_label"):
        ours.group_table(words, words, sensitive_features=groups)
    assert ours.demographic_parity_difference([-1, 1], [-1, 1], sensitive_features=["a", "b"]) == 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y_pred": [1]}, "y_true has 2 rows but y_pred has 1"),
        ({"y_true": [[1, 0]]}, "must be one column"),
        ({"sensitive_features": ["a"]}, "has 1 rows but the data has 2"),
        ({"sensitive_features": [None, None]}, "no label at all"),
        ({"sample_weight": [1.0, -1.0]}, "sample_weight must be"),
        ({"sample_weight": [1.0]}, "sample_weight must be"),
        ({"confidence": 95}, "confidence must be between 0 and 1"),
    ],
)
def test_refuses_columns_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    """Columns of different length, bad weights and impossible confidences are refused."""
    arguments = {"y_true": [1, 0], "y_pred": [1, 0], "sensitive_features": ["a", "b"], **changes}
    with pytest.raises(ConfigurationError, match=message):
        ours.group_table(**arguments)
