"""Scales turn dates, durations and ordered categories into numbers and back into what people write."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import Condition, ConfigurationError, Mark, Scale

KINDS = st.sampled_from(["date", "datetime", "duration"])


@settings(max_examples=150, deadline=None)
@given(KINDS, st.integers(-(10**10), 10**10), st.integers(1, 10**9), st.floats(0, 1))
def test_the_simplest_mark_lies_between(kind, low, width, fraction):
    """It is at least the lower end and below the upper one, wherever it is wanted."""
    unit = 1 / 86_400 if kind == "date" else 1.0
    first, last = np.floor(low * unit), np.floor((low + width) * unit) + 1
    mark = Scale(kind).simplest(first, last, first + fraction * (last - first))
    assert first <= mark < last
    assert str(mark)


MARKS = [
    ("date", "2023-11-30", "2024-02-10", "2024-01-01"),
    ("date", "2024-01-20", "2024-02-10", "2024-02-01"),
    ("date", "2024-01-20", "2024-01-22", "2024-01-20"),
    ("datetime", "2024-01-20T10:20:30", "2024-01-20T12:10:00", "2024-01-20 11:00"),
    ("datetime", "2024-01-20T10:20:30", "2024-01-20T10:20:31", "2024-01-20 10:20:30"),
    ("datetime", "2024-01-20T10:20:30.25", "2024-01-20T10:20:30.75", "2024-01-20 10:20:30.25"),
]


@pytest.mark.parametrize(("kind", "low", "high", "text"), MARKS)
def test_beginnings_are_preferred(kind, low, high, text):
    """A year's before a month's, a month's before a day's, an hour's before a minute's."""
    scale = Scale(kind)
    ends = scale.numbers(np.array([low, high], dtype="M8[us]"), "when")
    assert str(scale.simplest(*ends)) == text


LENGTHS = [(0, "0 s"), (-90, "-1 min 30 s"), (86_400.5, "1 d 0.5 s"), (60, "1 min")]


@pytest.mark.parametrize(("seconds", "text"), LENGTHS)
def test_durations_are_written_in_parts(seconds, text):
    """Days, hours, minutes and seconds, without those that are zero."""
    assert Scale("duration").text(seconds) == text


def test_a_mark_is_its_number_and_keeps_its_scale():
    """It compares and hashes as a number, and survives pickling, copying and JSON."""
    mark = Mark(1, Scale("order", ("low", "high")))
    assert (mark == 1, mark < 2, hash(mark) == hash(1.0), str(mark)) == (True, True, True, "high")
    for again in (pickle.loads(pickle.dumps(mark)), copy.deepcopy(mark)):
        assert (again, again.scale) == (mark, mark.scale)
    condition = Condition("grade", "<=", Mark(0, mark.scale))
    read = Condition.from_dict(condition.to_dict())
    assert (read, read.value.scale) == (condition, mark.scale)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "colour"},
        {"kind": "order"},
        {"kind": "order", "levels": ["a", "a"]},
        {"kind": "date", "levels": ["a"]},
        {"kind": "order", "levels": [1]},
        {"kind": "date", "more": 1},
        "date",
    ],
)
def test_what_is_no_scale_is_refused(wrong):
    """Unknown kinds, levels where none belong or twice, and anything else in a file."""
    with pytest.raises(ConfigurationError):
        Condition.from_dict({"column": "x", "operator": "<=", "value": 0, "scale": wrong})


def test_values_of_another_kind_are_refused_by_name():
    """Words where dates were; a place that the levels do not have."""
    with pytest.raises(ConfigurationError, match="'day' held dates"):
        Scale("date").numbers(["tomorrow"], "day")
    with pytest.raises(ConfigurationError, match="no place among"):
        Mark(5, Scale("order", ("low", "high")))
