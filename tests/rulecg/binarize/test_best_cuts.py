"""Cut points beside quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier
from rulecg.binarize.best_cuts import best_cuts, checked_cut_points, united
from rulecg.binarize.binarizer import Binarizer
from rulecg.binarize.by_name import binarizer_of
from rulecg_core import ConfigurationError


def deviance(values: np.ndarray, is_class: np.ndarray, weights: np.ndarray, threshold: float) -> float:
    """Minus twice the log-likelihood of the labels, with one probability on either side of a threshold."""
    total = 0.0
    for side in (values <= threshold, values > threshold):
        share = weights[side & is_class].sum() / weights[side].sum()
        total -= 2 * sum(
            weight * np.log(share if label else 1 - share)
            for weight, label in zip(weights[side], is_class[side], strict=True)
        )
    return total


@pytest.mark.parametrize("seed", range(5))
def test_the_best_cut_is_the_best_of_all(seed: int) -> None:
    """No threshold between two values of the column tells the classes apart better."""
    rng = np.random.default_rng(seed)
    values, classes = rng.integers(0, 12, 80).astype(float), rng.integers(0, 2, 80)
    weights = rng.integers(1, 4, 80).astype(float)
    (found,) = best_cuts(values, classes, weights)
    with np.errstate(divide="ignore"):
        tried = [deviance(values, classes == 1, weights, t) for t in np.unique(values)[:-1]]
        assert deviance(values, classes == 1, weights, found) == pytest.approx(np.nanmin(tried))


def test_noise_gets_no_cut_of_its_own() -> None:
    """Where labels have nothing to do with a column, deciles are all it gets; they look at no label."""
    rng = np.random.default_rng(1)
    table, y = pd.DataFrame({f"x{i}": rng.random(300) for i in range(20)}), rng.random(300) < 0.4
    best, deciles = (binarizer_of(name, table.shape).fit(table, y).conditions_ for name in ("best", "deciles"))
    assert best == deciles


def test_few_rows_that_one_threshold_separates_are_separated() -> None:
    """By default, a threshold that no decile is near still makes a perfect rule, and the certificate says over what."""
    table = pd.DataFrame({"x": np.arange(200.0), "noise": np.random.default_rng(0).random(200)})
    y = table["x"] > 187.5
    learned = RuleSetClassifier(max_complexity=2, time_limit=10).fit(table, y)
    assert learned.score(table, y) == 1
    assert str(len(learned.model_.conditions)) in learned.result_.certificate()
    assert "deciles of the rows and where one cut" in learned.model_.certificate.text
    deciles = RuleSetClassifier(max_complexity=2, time_limit=10, binarizer="deciles").fit(table, y)
    assert deciles.score(table, y) < 1
    assert "where one cut" not in deciles.result_.certificate()


@pytest.mark.parametrize("binarizer", ["deciles", "best", "distinct", "trees", Binarizer(2)])
def test_own_cut_points_are_conditions(binarizer: Any) -> None:
    """Whatever else chooses thresholds, those that were named are there; one that splits nothing is not."""
    table = pd.DataFrame({"age": np.arange(10.0, 90.0), "job": ["a", "b"] * 40})
    made = binarizer_of(binarizer, table.shape, cut_points={"age": [18, 25.5, 300]})
    made.fit(table, table["age"] > 40)
    found = [str(condition) for condition in made.conditions_]
    assert {"age <= 18", "age > 18", "age <= 25.5"} <= set(found)
    assert not any("300" in text for text in found)


def test_thresholds_that_split_alike_are_one() -> None:
    """Of two thresholds between the same two values, the one that was named stays."""
    assert united([12.0, 20.0], [18.0], np.array([10.0, 15.0, 19.0, 30.0])) == [12.0, 18.0, 20.0]
    assert united([16.0], [18.0], np.array([10.0, 15.0, 19.0])) == [18.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"agee": [1]}, "Did you mean 'age'"),
        ({"job": [1]}, "holds no numbers"),
        ({"age": [float("nan")]}, "finite numbers"),
        ({"age": "18"}, "finite numbers"),
        ([18], "must be like"),
    ],
)
def test_wrong_cut_points_are_refused_in_a_sentence(given: Any, said: str) -> None:
    """A column that is unknown or holds no numbers, or something else than numbers, is named."""
    with pytest.raises(ConfigurationError, match=said):
        checked_cut_points(given, ["age"], ["age", "job"])
