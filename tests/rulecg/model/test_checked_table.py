"""Tables are checked against what the rules compare with, before anything is predicted."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from rulecg.model.checked_table import checked_table
from rulecg_core import Condition, ConfigurationError, RuleSet

BY_NAME = RuleSet.of([[Condition("job", "==", "nurse")]])
BY_CODE = RuleSet.of([[Condition("job", "==", 3)]])


@pytest.mark.parametrize(
    "jobs",
    [
        pd.Series(["nurse", None]),
        pd.Series(["nurse", None], dtype=object),
        pd.Series(["nurse", "cook"], dtype="category"),
        pd.Series([None, None], dtype=object),
        pd.Series([float("nan")] * 2),
        pd.Series(["nurse", 3], dtype=object),
    ],
)
def test_columns_of_text_are_what_text_is_compared_with(jobs: Any) -> None:
    """However it is stored, with gaps, and where a column is empty or mixed."""
    checked_table(pd.DataFrame({"job": jobs}), [BY_NAME], ())


@pytest.mark.parametrize(
    ("rules", "jobs", "message"),
    [
        (BY_NAME, pd.Series([1, 2]), "held text.*now holds numbers"),
        (BY_NAME, pd.Series([1.0, None]), "held text.*now holds numbers"),
        (BY_NAME, pd.Series([1, 2], dtype="category"), "held text.*now holds numbers"),
        (BY_NAME, pd.Series([1, None], dtype=object), "held text.*now holds numbers"),
        (BY_CODE, pd.Series(["3", "4"]), "held numbers.*now holds text"),
        (BY_CODE, pd.Series(["3", None], dtype=object), "held numbers.*now holds text"),
    ],
)
def test_columns_of_another_type_are_refused(rules: RuleSet, jobs: Any, message: str) -> None:
    """No category would ever match."""
    with pytest.raises(ConfigurationError, match=message):
        checked_table(pd.DataFrame({"job": jobs}), [rules], ())


def test_the_table_given_stays_as_it_is() -> None:
    """Truth values are put into a copy of the table."""
    table = pd.DataFrame({"smoker": ["yes", "no"]})
    checked = checked_table(table, [RuleSet.of([[Condition("smoker", "true")]])], ())
    assert checked["smoker"].tolist() == [True, False]
    assert table["smoker"].tolist() == ["yes", "no"]


def test_two_columns_of_one_name_are_refused() -> None:
    """Names are compared as text."""
    with pytest.raises(ConfigurationError, match="Two columns are called '1'"):
        checked_table(pd.DataFrame([[1, 2]], columns=[1, "1"]), [BY_NAME], ())
