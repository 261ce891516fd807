"""What a condition says about a column, whatever the column is stored as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulecg_core import Condition, ConfigurationError
from rulecg_core.data.conditions import as_truth_values, exact_numbers

WHOLE = st.integers(-(2**63), 2**63 - 1)


@given(
    st.lists(WHOLE, min_size=1, max_size=8),
    WHOLE | st.floats(-1e19, 1e19),
    st.sampled_from(["int64", "Int64", "object"]),
)
def test_whole_numbers_are_compared_exactly(values: list[int], threshold: float, dtype: str) -> None:
    """As Python compares whole numbers, however large, with whole numbers and floats."""
    column = pd.Series(values, dtype=dtype)
    expected = [value <= threshold for value in values]
    assert Condition("x", "<=", threshold).holds(column).tolist() == expected
    assert Condition("x", ">", threshold).holds(column).tolist() == [not at_most for at_most in expected]


def test_missing_whole_numbers_satisfy_no_comparison() -> None:
    """Neither direction holds, also beyond 2^53."""
    column = pd.Series([2**60, None, 2**60 + 1], dtype="Int64")
    assert Condition("x", "<=", 2**60).holds(column).tolist() == [True, False, False]
    assert Condition("x", ">", 2**60).holds(column).tolist() == [False, False, True]


def test_small_whole_numbers_stay_floats() -> None:
    """Only columns that floats cannot hold are taken as whole numbers."""
    every = np.array([True, True])
    assert exact_numbers(np.array([1, 2**53]), "x", every).dtype == np.float64
    assert exact_numbers(np.array([1, 2**53 + 1]), "x", every).dtype == np.int64


@pytest.mark.parametrize(
    "column",
    [
        np.array([True, False]),
        np.array([1, 0]),
        np.array([1.0, 0.0]),
        np.array(["yes", "No"]),
        pd.Series(["T", "F"]),
        pd.Series([True, False], dtype="boolean"),
        pd.Series(["true", "false"], dtype="category"),
        [True, False],
    ],
)
def test_truth_values_are_read_however_they_are_stored(column: Any) -> None:
    """True and false hold where they should, in every spelling and type."""
    assert Condition("x", "true").holds(column).tolist() == [True, False]
    assert Condition("x", "false").holds(column).tolist() == [False, True]


def test_what_is_neither_true_nor_false_is_missing() -> None:
    """Neither condition holds for it."""
    column = np.array([True, "unknown", None, 7, np.nan, "F"], dtype=object)
    truth, known = as_truth_values(column)
    assert known.tolist() == [True, False, False, False, False, True]
    assert truth.tolist() == [True, False, False, False, False, False]
    assert Condition("x", "false").holds(column).tolist() == [False, False, False, False, False, True]


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan"), "x"])
def test_thresholds_are_finite_numbers(value: Any) -> None:
    """Anything else is refused in words."""
    with pytest.raises(ConfigurationError, match="must be a finite number"):
        Condition("x", ">", value)
