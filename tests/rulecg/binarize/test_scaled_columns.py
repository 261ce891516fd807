"""Dates, durations and ordered categories are cut at marks that people can read."""

import numpy as np
import pandas as pd
import pytest

from rulecg import Binarizer
from rulecg_core import Condition, RuleSet

TABLE = pd.DataFrame(
    {
        "day": pd.to_datetime(["2023-11-30", "2024-02-10", None, "2024-02-20"]),
        "grade": pd.Categorical(["B", "A", "C", None], categories=["A", "B", "C", "D"], ordered=True),
        "wait": pd.to_timedelta(["1 day", "3 days 05:00:00", "30 days", "31 days"]),
        "two": pd.to_datetime(["2024-01-01", "2024-03-01", "2024-01-01", "2024-03-01"]),
    }
)


@pytest.mark.parametrize("thresholds", ["quantiles", "distinct", "trees"])
def test_marks_split_the_rows_and_are_short(thresholds):
    """A year's beginning where there is one between two dates; levels by name; transform is what conditions say."""
    binarizer = Binarizer(thresholds=thresholds, max_thresholds=5).fit(TABLE, [0, 1, 1, 0])
    texts = [str(condition) for condition in binarizer.conditions_]
    assert {"day <= 2024-01-01", "grade <= A", "grade > B", "day is missing", "two > 2024-01-01"} <= set(texts)
    found = binarizer.transform(TABLE)
    for column, condition in zip(found.T, binarizer.conditions_, strict=True):
        assert column.tolist() == condition.holds(TABLE[condition.column]).tolist()
    assert not np.any(np.all(found == found[0], axis=0)), "every condition tells rows apart"


def test_rules_on_scales_survive_json_and_text_columns():
    """A rule set with marks reads back as an equal one, and takes dates and levels as the texts that CSV files hold."""
    conditions = Binarizer().fit(TABLE).conditions_
    rules = RuleSet.of([[c for c in conditions if str(c) in ("day > 2024-01-01", "grade <= A")]], outcome="yes")
    again = RuleSet.from_json(rules.to_json())
    assert str(again) == str(rules) == "yes if\n  day > 2024-01-01 and grade <= A"
    texts = {"day": ["2024-02-10", "2023-11-30", None], "grade": ["A", "A", "A"]}
    assert again.predict(texts).tolist() == [True, False, False]


def test_a_level_that_was_never_seen_is_neither_above_nor_below():
    """Nobody can say where an unknown category belongs."""
    levels = TABLE["grade"].dtype.categories
    condition = next(c for c in Binarizer().fit(TABLE).conditions_ if str(c) == "grade <= A")
    assert list(condition.value.scale.levels) == list(levels)
    assert [Condition.holds(c, ["Z"]).tolist() for c in (condition, condition.complement())] == [[False], [False]]
