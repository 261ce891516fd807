"""Supervised thresholds: they lie where the labels change, and depend on nothing but what the rows hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from rulecg import Binarizer
from rulecg.binarize.tree_gains import cut_gains
from rulecg_core import ConfigurationError


@parametrize_with_checks([Binarizer(thresholds="trees", max_thresholds=4), Binarizer(thresholds="distinct")])
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for transformers passes, with and without labels."""
    check(estimator)


def thresholds(table: pd.DataFrame, labels: Any, weights: Any = None, **options: Any) -> dict[str, list[float]]:
    """For each column the thresholds it got."""
    fitted = Binarizer(thresholds="trees", **options).fit(table, labels, sample_weight=weights)
    found: dict[str, list[float]] = {}
    for condition in fitted.conditions_:
        if condition.operator == "<=":
            found.setdefault(condition.column, []).append(float(condition.value))  # type: ignore[arg-type]
    return found


def random_table(n_rows: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"x": rng.normal(size=n_rows).round(3), "z": rng.integers(0, 40, n_rows), "c": rng.choice(list("abc"), n_rows)}
    )


def test_where_the_label_changes_there_is_a_threshold() -> None:
    """A label that changes at one value of one column is told exactly by a threshold, however many others there are."""
    table = random_table(2000)
    labels = table["z"] > 23
    assert any(((table["z"] > threshold) == labels).all() for threshold in thresholds(table, labels)["z"])


def test_thresholds_that_only_count_together_are_found() -> None:
    """In each category another threshold matters; cuts within the category find both, to within a quantile of rows."""
    table = random_table(4000)
    labels = np.where(table["c"] == "a", table["x"] > 1.0, table["x"] > -0.7)
    found = np.array(thresholds(table, labels)["x"])
    assert np.abs(found - 1.0).min() < 0.1
    assert np.abs(found + 0.7).min() < 0.1


def test_spikes_do_not_hide_what_lies_beyond() -> None:
    """A column that is 0 in nearly all rows, whose few other values decide: deciles are blind, trees are not."""
    rng = np.random.default_rng(1)
    gain = np.where(rng.random(5000) < 0.92, 0, rng.integers(1, 20_000, 5000))
    table = pd.DataFrame({"gain": gain, "x": rng.normal(size=5000)})
    labels = gain > 7000
    assert {c.value for c in Binarizer().fit(table).conditions_ if c.column == "gain"} == {0}
    nearest = min(thresholds(table, labels)["gain"], key=lambda threshold: abs(threshold - 7000))
    assert np.mean((gain > nearest) == labels) > 0.998


@given(st.integers(0, 10**6), st.integers(2, 3))
@settings(max_examples=15)
def test_weights_are_repeated_rows_in_any_order(seed: int, n_classes: int) -> None:
    """Weighted rows, repeated rows and shuffled rows give the same thresholds, weight 0 is absence."""
    rng = np.random.default_rng(seed)
    table = random_table(60, seed)
    labels = rng.integers(0, n_classes, 60)
    weights = rng.integers(0, 4, 60)
    if len(np.unique(labels[weights > 0])) < n_classes:
        return
    rows = rng.permutation(np.repeat(np.arange(60), weights))
    assert thresholds(table, labels, weights) == thresholds(table.iloc[rows], labels[rows])


def test_numbers_are_bounded() -> None:
    """No column gets more thresholds than allowed; columns that trees never cut get their quartiles."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"signal": rng.normal(size=3000), "noise": rng.permutation(3000) % 2 + 0.5})
    found = thresholds(table.assign(constant=1.0), table["signal"] > 0, max_thresholds=5)
    assert len(found["signal"]) <= 5
    assert "constant" not in found
    assert len(found["noise"]) == 1


def test_few_rows_get_few_thresholds() -> None:
    """Without a number given, 300 rows get 3 for a column at most and 20 000 rows 16."""
    for n_rows, most in ((300, 3), (20_000, 16)):
        table = random_table(n_rows)[["x"]]
        assert len(thresholds(table, np.sin(9 * table["x"]) > 0)["x"]) == most


def test_many_columns_share_the_thresholds_by_their_gains() -> None:
    """With very many columns, those that gain keep most of their thresholds and the others a few."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(800, 80)), columns=[f"x{at}" for at in range(80)])
    chance = 1 / (1 + np.exp(-3 * table["x0"]))
    found = thresholds(table, rng.random(800) < chance, max_thresholds=16)
    assert len(found["x0"]) > np.median([len(values) for values in found.values()])
    assert sum(map(len, found.values())) < 900


def test_missing_values_and_unseen_labels() -> None:
    """Missing numbers are no obstacle, and their rows satisfy no comparison."""
    table = random_table(500)
    labels = table["x"] > 0.3
    table.loc[::7, "x"] = np.nan
    fitted = Binarizer(thresholds="trees").fit(table, labels)
    features = pd.DataFrame(fitted.transform(table), columns=[str(c) for c in fitted.conditions_])
    compared = [str(c) for c in fitted.conditions_ if c.column == "x" and c.operator in ("<=", ">")]
    assert not features.loc[::7, compared].to_numpy().any()
    assert features.loc[::7, "x is missing"].all()


def test_the_first_cut_has_the_gain_of_the_logistic_loss() -> None:
    """Brute force over all cuts of one column: the best Newton gain at the root is where gains are largest."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 6, (400, 1)).astype(np.uint8)
    positive = rng.random(400) < np.where(codes[:, 0] > 3, 0.8, 0.3)
    (gains,) = cut_gains(codes, [6], positive.astype(np.int64), np.ones(400), 2)
    slopes, curvature = positive.mean() - positive, positive.mean() * (1 - positive.mean())

    def newton(cut: int) -> float:
        sides = [slopes[codes[:, 0] <= cut], slopes[codes[:, 0] > cut]]
        return float(sum(side.sum() ** 2 / (curvature * len(side) + 1) for side in sides))

    assert int(np.argmax(gains)) == max(range(5), key=newton)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"thresholds": "threes"}, "trees"), ({"thresholds": "trees", "max_thresholds": 0}, "max_thresholds")],
)
def test_wrong_settings_are_explained(options: dict[str, Any], message: str) -> None:
    """A wrong name gets the right one proposed; a wrong number is named."""
    with pytest.raises(ConfigurationError, match=message):
        Binarizer(**options).fit(pd.DataFrame({"a": [1, 2, 3]}), [0, 1, 0])


def test_trees_need_labels() -> None:
    """Without labels the error says what to do."""
    with pytest.raises(ConfigurationError, match="distinct"):
        Binarizer(thresholds="trees").fit(pd.DataFrame({"a": [1, 2, 3]}))
