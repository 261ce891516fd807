"""Columns as rules see them: scales where values have an order, and advice on all else."""

import datetime
import re

import numpy as np
import pandas as pd
import pytest

from rulecg.inputs.table import ColumnTypeError, column_kind, column_scale

REFUSED = {
    "times": pd.Series([datetime.time(3, 4), None]),
    "periods": pd.Series(pd.period_range("2020", periods=2, freq="M")),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_advice_on_times_and_periods_works(what):
    """The Python in the message gives a column that rules can compare."""
    X = pd.DataFrame({"when": REFUSED[what]})
    with pytest.raises(ColumnTypeError) as refused:
        column_kind(X["when"], "when")
    advice = re.search(r"for example (.*), or drop it", str(refused.value)).group(1)
    advised = pd.Series(eval(advice, {"pd": pd, "X": X}))
    assert column_scale(advised) is not None or column_kind(advised, "when") == "number"


SCALED = {
    "dates": (pd.Series(pd.to_datetime(["2020-01-01", None, "2021-06-01"])), "date", "2020-01-01"),
    "moments": (pd.Series(pd.to_datetime(["2020-01-01 10:30", "2021-06-01 00:00"])), "datetime", "2020-01-01 10:30"),
    "zones": (pd.Series(pd.to_datetime(["2020-01-01T01:00+01:00"], utc=True)), "datetime", "2020-01-01 00:00"),
    "Python's dates": (pd.Series([datetime.date(2020, 1, 1), None]), "date", "2020-01-01"),
    "durations": (pd.Series(pd.to_timedelta(["1 day 02:00:00", None])), "duration", "1 d 2 h"),
    "Python's durations": (pd.Series([datetime.timedelta(hours=26)], dtype=object), "duration", "1 d 2 h"),
    "ordered": (pd.Series(pd.Categorical(["B", None], categories=["A", "B"], ordered=True)), "order", "B"),
}


@pytest.mark.parametrize("what", SCALED)
def test_values_with_an_order_have_a_scale_that_writes_them(what):
    """Dates, durations and ordered categories become numbers, and the scale writes a number as people would."""
    column, kind, text = SCALED[what]
    scale = column_scale(column)
    numbers = scale.numbers(column, "when")
    assert scale.kind == kind
    assert scale.text(numbers[0]) == text
    assert np.isnan(numbers).tolist() == column.isna().tolist()


def test_categories_without_an_order_and_numbers_have_no_scale():
    """A scale is for values with an order that are no numbers yet."""
    for column in (pd.Series(["a"]), pd.Series([1.5]), pd.Series([True]), pd.Series(pd.Categorical(["a"]))):
        assert column_scale(column) is None


def test_numbers_beyond_all_bounds_are_refused_by_name():
    """An integer of 400 digits is no double."""
    with pytest.raises(ColumnTypeError, match="'code' holds numbers beyond 1e308"):
        column_kind(pd.Series([10**400, 1], dtype=object), "code")
