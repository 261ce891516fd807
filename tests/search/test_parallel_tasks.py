"""Tasks side by side: answers in order, and no one waits for the others of a task that failed."""

import time

import pytest

from rulecg_core import Deadline
from rulecg_search.parallel_tasks import side_by_side


def until_halted(halt):
    while not halt.passed:
        time.sleep(0.01)
    return "halted"


def failing(halt):
    raise ValueError("out of luck")


def test_answers_come_in_the_order_of_the_tasks():
    """Whichever is faster; one task alone needs no thread."""
    slow, quick = (lambda halt: time.sleep(0.1) or "slow"), (lambda halt: "quick")
    assert side_by_side([slow, quick], Deadline()) == ["slow", "quick"]
    assert side_by_side([quick], Deadline()) == ["quick"]


def test_a_deadline_ends_all():
    """Every task sees it, whoever began first."""
    assert side_by_side([until_halted] * 2, Deadline.after(0.05)) == ["halted"] * 2


@pytest.mark.parametrize("tasks", [[failing, until_halted], [until_halted, failing]])
def test_a_failure_ends_the_others_wherever_it_is(tasks):
    """Also where the others stand first and have no deadline."""
    with pytest.raises(ValueError, match="out of luck"):
        side_by_side(tasks, Deadline())
