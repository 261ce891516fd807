"""Groups: how sensitive columns are read, and which groups they make."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rulecg_core import ConfigurationError, Groups


def members(groups: Groups, *columns: str) -> dict[str, list[int]]:
    return {group.name: np.flatnonzero(group.members).tolist() for group in groups.crossed(columns or None)}


@pytest.mark.parametrize(
    ("sensitive", "name"),
    [
        (["b", "a", "b"], "group"),
        (np.array(["b", "a", "b"]), "group"),
        (pd.Series(["b", "a", "b"], name="race", index=[7, 8, 9]), "race"),
        (pd.Series(["b", "a", "b"], dtype="category"), "group"),
        ({"race": ["b", "a", "b"]}, "race"),
        (pd.DataFrame({"race": ["b", "a", "b"]}), "race"),
        (np.array([["b"], ["a"], ["b"]]), "group0"),
    ],
)
def test_reads_every_usual_container(sensitive: Any, name: str) -> None:
    """One column may come as list, array, Series, dict, DataFrame or 2-D array, and means the same."""
    groups = Groups.encode(sensitive, 3)
    assert groups.columns == (name,)
    assert members(groups) == {"a": [1], "b": [0, 2]}


def test_crossed_groups_are_the_nonempty_combinations() -> None:
    """Several columns make a group for every combination that occurs, each sample in exactly one."""
    groups = Groups.encode({"race": ["b", "a", "b", "a"], "sex": ["f", "f", "m", "f"]}, 4)
    assert members(groups) == {"a & f": [1, 3], "b & f": [0], "b & m": [2]}
    assert members(groups, "sex") == {"f": [0, 1, 3], "m": [2]}
    assert [group.name for group in groups.of_column("race")] == ["a", "b"]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_labels_belong_to_no_group(missing: Any) -> None:
    """A sample with a missing label is in no group of that column, in lists as in pandas, and is known as missing."""
    values = ["a", missing, "b"]
    for sensitive in (pd.Series(values, dtype=object), values if missing is not pd.NA else pd.array(values)):
        groups = Groups.encode({"race": sensitive, "sex": ["f", "f", "f"]}, 3)
        assert members(groups, "race") == {"a": [0], "b": [2]}
        assert members(groups) == {"a & f": [0], "b & f": [2]}
        assert groups.missing.tolist() == [False, True, False]
        assert members(groups, "sex") == {"f": [0, 1, 2]}


def test_a_column_of_missing_labels_makes_no_group() -> None:
    """When every label is missing there are no groups, rather than one called "nan"."""
    assert members(Groups.encode([None, np.nan], 2)) == {}


def test_numbers_are_named_with_their_column() -> None:
    """A bare number says nothing to a reader, so its group carries the column's name."""
    groups = Groups.encode({"sex": [1, 0, 1], "race": ["a", "a", "b"]}, 3)
    assert members(groups) == {"sex=0 & a": [1], "sex=1 & a": [0], "sex=1 & b": [2]}
    assert members(Groups.encode([True, False], 2)) == {"group=False": [1], "group=True": [0]}


def test_whole_numbers_keep_their_label_when_one_is_missing() -> None:
    """Missing values turn integers into floats; 1 and 1.0 are the same group."""
    assert members(Groups.encode({"sex": np.array([1.0, np.nan, 0.0])}, 3)) == {"sex=0": [2], "sex=1": [0]}
    assert members(Groups.encode({"sex": [1, "1", 1.0, 1.5]}, 4)) == {"sex=1": [0, 1, 2], "sex=1.5": [3]}


def test_labels_that_read_alike_are_told_apart() -> None:
    """Two combinations never share a name, even when labels contain the separator."""
    groups = Groups.encode({"one": ["a & b", "a"], "two": ["c", "b & c"]}, 2)
    assert members(groups) == {"one='a' & two='b & c'": [1], "one='a & b' & two='c'": [0]}


def test_many_labels_are_crossed_by_what_occurs() -> None:
    """Two columns with a thousand labels each make as many groups as samples, not a million."""
    labels = [str(number) for number in range(1000)]
    assert len(Groups.encode({"one": labels, "two": labels}, 1000).crossed()) == 1000


@pytest.mark.parametrize(
    ("sensitive", "message"),
    [
        ({"race": ["a", "b"]}, r"'race' has 2 rows but the data has 3"),
        ({"race": [["a", "b"]] * 3}, "must be one column"),
        (np.zeros((3, 1, 1)), "must be one column"),
        (pd.DataFrame([["a", "b"]] * 3, columns=["race", "race"]), "Two sensitive features are called 'race'"),
    ],
)
def test_refuses_columns_that_do_not_fit(sensitive: Any, message: str) -> None:
    """Wrong lengths, wrong shapes and repeated names are refused, naming the column."""
    with pytest.raises(ConfigurationError, match=message):
        Groups.encode(sensitive, 3)


def test_unknown_columns_are_named_with_the_known_ones() -> None:
    """Asking for a column that is not there lists those that are."""
    with pytest.raises(ConfigurationError, match=r"Unknown sensitive feature 'sex'; known: race"):
        Groups.encode({"race": ["a"]}, 1).crossed(["sex"])
    assert Groups.none(3).crossed() == ()


def test_groups_partition_the_labelled_samples() -> None:
    """Every sample without a missing label is in exactly one crossed group (random tables, against counting)."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = {name: rng.choice(np.array(["x", "y", "z", None], dtype=object), 15) for name in ("one", "two")}
        groups = Groups.encode(table, 15)
        expected: dict[str, list[int]] = {}
        for left, right in product("xyz", repeat=2):
            rows = [i for i in range(15) if (table["one"][i], table["two"][i]) == (left, right)]
            if rows:
                expected[f"{left} & {right}"] = rows
        assert members(groups) == expected


def test_numbers_of_groups_are_their_members() -> None:
    """Numbering the samples and asking for members say the same; a missing label has the number -1."""
    groups = Groups.encode({"one": ["x", "y", None, "x"], "two": ["a", "a", "a", "b"]}, 4)
    names, number = groups.numbered()
    assert number.tolist() == [0, 2, -1, 1]
    assert {name: np.flatnonzero(number == at).tolist() for at, name in enumerate(names)} == members(groups)


def test_two_tables_one_after_the_other_share_their_groups() -> None:
    """Labels that only one table has, missing ones and another order of columns do no harm; other columns are named."""
    first = Groups.encode({"race": ["b", None, "1"], "sex": ["f", "f", "m"]}, 3)
    second = Groups.encode({"sex": ["m", "x"], "race": ["a", "b"]}, 2)
    both = first.followed_by(second)
    assert members(both, "race") == {"race=1": [2], "race=a": [3], "race=b": [0, 4]}
    assert members(both, "sex") == {"f": [0, 1], "m": [2, 3], "x": [4]}
    assert both.missing.tolist() == [False, True, False, False, False]
    for one, other in ((first, Groups.encode({"race": ["a"]}, 1)), (Groups.encode({"race": ["a"]}, 1), first)):
        with pytest.raises(ConfigurationError, match="no sensitive feature 'sex'; it has race"):
            one.followed_by(other)
