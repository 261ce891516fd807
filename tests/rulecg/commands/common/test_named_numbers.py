"""Costs and class weights as they are typed."""

import argparse

import pytest

from rulecg.commands.common.named_numbers import class_weights, named_numbers, share


def test_numbers_by_name():
    """Names may hold an equals sign; the number stands after the last one."""
    assert named_numbers("fp=5, fn=0.5") == {"fp": 5.0, "fn": 0.5}
    assert named_numbers("a=b=2") == {"a=b": 2.0}
    assert class_weights("balanced") == "balanced"
    assert class_weights("yes=3") == {"yes": 3.0}
    assert share("1") == 1.0


@pytest.mark.parametrize(
    ("reader", "text"),
    [(named_numbers, "fp"), (named_numbers, ""), (named_numbers, "fp=-1"), (named_numbers, "=2"), (share, "2"),
     (share, "half"), (class_weights, "even")],
)  # fmt: skip
def test_anything_else_is_refused(reader, text):
    """The error quotes what was typed."""
    with pytest.raises(argparse.ArgumentTypeError):
        reader(text)
