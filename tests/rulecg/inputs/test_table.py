"""Columns that rules cannot compare are refused, and following the advice makes them comparable."""

import datetime
import re

import pandas as pd
import pytest

from rulecg.inputs.table import ColumnTypeError, column_kind

COLUMNS = {
    "dates": pd.Series(pd.to_datetime(["2020-01-01", None, "2021-06-01"])),
    "dates with a zone": pd.Series(pd.to_datetime(["2020-01-01", "2021-06-01"], utc=True)),
    "Python's dates": pd.Series([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]),
    "durations": pd.Series(pd.to_timedelta(["1 day", "2 days"])),
    "Python's durations": pd.Series([datetime.timedelta(1), datetime.timedelta(2)], dtype=object),
    "times": pd.Series([datetime.time(3, 4), None]),
    "periods": pd.Series(pd.period_range("2020", periods=2, freq="M")),
}


@pytest.mark.parametrize("what", COLUMNS)
def test_the_advice_on_dates_and_times_works(what):
    """The Python in the message gives a column of numbers."""
    X = pd.DataFrame({"when": COLUMNS[what]})
    with pytest.raises(ColumnTypeError) as refused:
        column_kind(X["when"], "when")
    advice = re.search(r"for example (.*), or drop it", str(refused.value)).group(1)
    assert column_kind(pd.Series(eval(advice, {"pd": pd, "X": X})), "when") == "number"


def test_numbers_beyond_all_bounds_are_refused_by_name():
    """An integer of 400 digits is no double."""
    with pytest.raises(ColumnTypeError, match="'code' holds numbers beyond 1e308"):
        column_kind(pd.Series([10**400, 1], dtype=object), "code")
