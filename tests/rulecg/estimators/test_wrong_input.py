"""Wrong input: each a clear error that says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier
from rulecg_core import ConfigurationError, RulecgError

X = pd.DataFrame({"age": range(20), "job": ["cook", "nurse"] * 10})
Y = np.array([0, 1] * 10)
WITH_NAN = np.where(np.arange(20) == 3, np.nan, Y)

WRONG_DATA: list[tuple[str, Any, Any, dict[str, Any], str]] = [
    ("NaN labels", X, WITH_NAN, {}, r"1 missing labels.*drop these rows"),
    ("None labels", X, np.array([None, *"ab" * 9, "a"], dtype=object), {}, r"1 missing labels.*drop these rows"),
    ("infinite labels", X, np.where(Y, np.inf, 0), {}, r"infinite labels.*drop these rows"),
    ("continuous labels", X, np.linspace(0, 1, 20), {}, r"(?i)unknown label type"),
    ("mixed labels", X, np.array([1, "a"] * 10, dtype=object), {}, r"Unknown label type.*astype\(str\)"),
    ("one class", X, np.zeros(20), {}, r"only one class.*at least two classes"),
    ("one class with weight", X, Y, {"sample_weight": Y}, r"only one class.*rows that have weight"),
    ("no labels", X, None, {}, r"requires y to be passed"),
    ("no rows", X.head(0), Y[:0], {}, r"empty.*0 sample"),
    ("no rows in an array", np.zeros((0, 2)), Y[:0], {}, r"0 sample"),
    ("no columns", X[[]], Y, {}, r"empty.*0 feature"),
    ("different lengths", X, Y[:19], {}, r"X has 20 rows but y has 19 labels: give one label per row"),
    ("NaN weight", X, Y, {"sample_weight": WITH_NAN}, r"sample_weight must be finite"),
    ("infinite weight", X, Y, {"sample_weight": np.full(20, np.inf)}, r"sample_weight must be finite.*replace"),
    ("negative weight", X, Y, {"sample_weight": -np.ones(20)}, r"at least 0"),
    ("zero weights", X, Y, {"sample_weight": np.zeros(20)}, r"weights are zero: give at least one row"),
    ("too few weights", X, Y, {"sample_weight": np.ones(3)}, r"sample_weight has shape \(3,\).*one number per row"),
    ("words for weights", X, Y, {"sample_weight": ["much"] * 20}, r"one number per row"),
    ("groups too short", X, Y, {"sensitive_features": ["a"] * 19}, r"has 19 rows but the data has 20: give one value"),
    (
        "second group column too short",
        X,
        Y,
        {"sensitive_features": {"sex": ["a"] * 20, "race": ["b"] * 2}},
        r"'race' has 2 rows",
    ),
    ("constant columns", X.assign(age=1, job="cook"), Y, {}, r"No condition tells the rows apart.*columns that vary"),
    ("periods", X.assign(age=pd.Period("2020-01")), Y, {}, r"'age' holds periods.*to_timestamp"),
]


@pytest.mark.parametrize(
    ("table", "y", "extra", "message"), [case[1:] for case in WRONG_DATA], ids=[case[0] for case in WRONG_DATA]
)
def test_wrong_data(table: Any, y: Any, extra: dict[str, Any], message: str) -> None:
    """Data that cannot be learned from is refused with the way out."""
    with pytest.raises(ValueError, match=message):
        RuleSetClassifier(time_limit=5.0).fit(table, y, **extra)


WRONG_SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"max_complexity": -1}, r"max_complexity must be a number of at least 0.*-1"),
    ({"max_complexity": float("nan")}, r"max_complexity must be a number"),
    ({"max_complexity": "30"}, r"max_complexity must be a number"),
    ({"max_conditions": 0}, r"max_conditions must be a whole number of at least 1"),
    ({"logic": "xnf"}, r"'dnf' or 'cnf'"),
    ({"backend": "high"}, r"Unknown backend 'high'\. Did you mean 'highs'\?"),
    ({"backend": 3}, r"by its name or as an object, not as 3"),
    ({"pricers": ["bean"]}, r"Unknown pricer 'bean'\. Did you mean 'beam'\?"),
    ({"pricers": []}, r"pricers is empty"),
    ({"constraints": ["equalised-odds:0.05"]}, r"Unknown constraint.*Did you mean 'equalized-odds'\?"),
    ({"constraints": ["equalized-odds:0.05,epsilon=1"]}, r"cannot be made from these options.*equalized-odds\("),
    ({"constraints": [0.05]}, r"by its name or as an object"),
    ({"loss": "haming"}, r"Unknown master 'haming'\. Did you mean 'hamming'\?"),
    ({"loss": "01:formula=aggregated"}, r"cannot be made from these options.*01\("),
    ({"loss": "01:formulation=summed"}, r"formulation must be one of .*'aggregated'.*not 'summed'"),
    ({"time_limit": 0}, r"'seconds' must be above 0"),
    ({"forbid": ["agee"]}, r"Unknown column 'agee'\. Did you mean 'age'\?"),
    ({"forbid": "age"}, r"sequence of column names, such as \['age'\]"),
    ({"forbid": ["age", "job"]}, r"names every column"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG_SETTINGS, ids=[str(case[0]) for case in WRONG_SETTINGS])
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    """Settings that cannot be used are refused in fit, and near misses of names are recognised."""
    with pytest.raises(ConfigurationError, match=message):
        RuleSetClassifier(**{"time_limit": 5.0, **settings}).fit(X, Y)


def test_group_constraint_without_groups() -> None:
    """A constraint on groups says that it needs sensitive_features."""
    with pytest.raises(RulecgError, match=r"(?i)sensitive|group"):
        RuleSetClassifier(30, time_limit=5.0, constraints=["equalized-odds:0.05"]).fit(X, Y)


def test_predicting_another_table() -> None:
    """A table with other columns than those of fit is refused."""
    classifier = RuleSetClassifier(30, time_limit=5.0).fit(X, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        classifier.predict(X.rename(columns={"age": "years"}))
    with pytest.raises(ValueError, match=r"X has 1 features, but"):
        classifier.predict(X[["age"]].to_numpy())
