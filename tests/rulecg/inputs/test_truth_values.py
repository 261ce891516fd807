"""Truth values in every spelling."""

import pandas as pd
import pytest

from rulecg.inputs.truth_values import as_truth_values


@pytest.mark.parametrize(
    ("value", "meaning"),
    [("TRUE", True), (" yes", True), ("t", True), (1, True), (1.0, True), ("no", False), ("F", False), (0, False)],
)
def test_every_usual_spelling_is_understood(value, meaning):
    """In any case, with blanks, as text or as a number."""
    read, others = as_truth_values(pd.Series([value, None], dtype=object))
    assert read.tolist() == [meaning, None]
    assert others == {}


def test_everything_else_is_missing_and_counted():
    """2 and maybe are neither true nor false."""
    read, others = as_truth_values(pd.Series([True, "maybe", 2, "maybe"], dtype=object))
    assert read.tolist() == [True, None, None, None]
    assert others == {"maybe": 2, "2": 1}
