"""Deadlines and limits: what passes when, and what is refused."""

import math
import threading
import time

import pytest

from rulecg_core import ConfigurationError, Deadline, Limits


def test_a_deadline_without_a_moment_never_passes():
    """No limit is infinitely far away."""
    for deadline in (Deadline(), Deadline.after(None)):
        assert not deadline.passed
        assert deadline.remaining == math.inf
        assert not deadline.is_finite


def test_a_moment_in_the_past_has_passed():
    """What is left is never negative."""
    deadline = Deadline.after(-1.0)
    assert deadline.passed
    assert deadline.remaining == 0.0
    assert deadline.is_finite


def test_a_halt_passes_every_deadline_made_from_it():
    """Once the halt is set, those made before and after have passed, however late their moments are."""
    halt = threading.Event()
    first = Deadline.after(1_000.0, halt)
    made = [first, first.within(500.0), first.at_least(5_000.0), Deadline(halt=halt), first.within(1.0).at_least(90.0)]
    assert not any(deadline.passed for deadline in made)
    halt.set()
    assert all(deadline.passed for deadline in [*made, first.within(10.0), first.at_least(10.0)])
    assert all(deadline.remaining == 0.0 for deadline in made)


def test_within_takes_the_earlier_and_at_least_the_later():
    """One shortens, the other lengthens; neither does the other's work."""
    deadline = Deadline.after(100.0)
    assert deadline.within(10.0).remaining <= 10.0
    assert deadline.within(1_000.0) == deadline
    assert 900.0 < deadline.at_least(1_000.0).remaining <= 1_000.0
    assert deadline.at_least(10.0) == deadline


def test_at_least_gives_time_after_the_end():
    """A deadline that has passed can be put off, from now on and not from when it passed."""
    late = Deadline(time.perf_counter() - 50.0)
    assert 9.0 < late.at_least(10.0).remaining <= 10.0


@pytest.mark.parametrize(
    "name", ["seconds", "iterations", "pool", "pricing_seconds", "rules_per_call", "listed_rules", "threads"]
)
@pytest.mark.parametrize("value", [0, -1])
def test_limits_must_be_positive(name, value):
    """A limit of nothing is refused by its name."""
    with pytest.raises(ConfigurationError, match=name):
        Limits(**{name: value})


@pytest.mark.parametrize("name", ["seconds", "iterations", "pool", "pricing_seconds"])
def test_none_is_no_limit(name):
    """None lifts a limit."""
    assert getattr(Limits(**{name: None}), name) is None
