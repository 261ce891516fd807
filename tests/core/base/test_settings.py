"""Settings of plugins: wrong values are refused in a sentence that names class, setting and value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import field, frozen

from rulecg_core import ConfigurationError, settings


@frozen
class Mine:
    """Every kind of setting, with values that are fine."""

    eps: Any = field(default=0.1, validator=settings.share)
    size: Any = field(default=3, validator=settings.amount)
    policy: Any = field(default="drop", validator=settings.one_of("keep", "drop"))
    title: Any = field(default="x", validator=settings.text)
    floor: Any = field(default=None, validator=settings.optional(settings.share))
    columns: Any = field(default=None, converter=settings.names)


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("eps", 5, r"Mine: eps must be a number from 0 to 1 \(a share, not a percentage\), not 5\."),
        ("eps", np.float64(1.5), r"not 1\.5\."),
        ("eps", True, "not True"),
        ("eps", None, "not None"),
        ("size", -1, "Mine: size must be a number of at least 0, not -1"),
        ("size", float("inf"), "not inf"),
        ("size", "many", "not 'many'"),
        ("policy", "lose", "Mine: policy must be one of keep, drop, not 'lose'"),
        ("title", " ", "Mine: title must be some text, not ' '"),
        ("title", 3, "not 3"),
        ("floor", 2, "Mine: floor must be a number from 0 to 1"),
    ],
)
def test_wrong_values_are_told_plainly(setting: str, value: Any, message: str) -> None:
    """The message says what the setting must be and what it was given, as a person would write it."""
    with pytest.raises(ConfigurationError, match=message):
        Mine(**{setting: value})


def test_good_values_pass() -> None:
    """Whole numbers, NumPy's numbers and None where it is allowed are taken as they are; names become a tuple."""
    mine = Mine(eps=np.float64(0.5), size=0, floor=1, columns="race| sex")
    assert (mine.eps, mine.size, mine.floor, mine.columns) == (0.5, 0, 1, ("race", "sex"))
    assert Mine(columns=["a", 1]).columns == ("a", "1")
    assert Mine(columns=3).columns == ("3",)
