"""Constraints of strangers: what they give is checked, and what is wrong with it is said with their name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from rulecg_core import (
    ConfigurationError,
    Constraint,
    HammingMaster,
    LinearForm,
    PluginError,
    Problem,
    Row,
    ZeroOneMaster,
    checked_objective,
    checked_rows,
    load_registry,
)


@pytest.fixture
def problem() -> Problem:
    return Problem.from_arrays([[1, 0], [0, 1], [1, 1]], [1, 0, 1], sensitive_groups={"sex": ["f", "m", "f"]})


@frozen
class Strange(Constraint):
    """Does whatever it is told."""

    make_rows: Callable[[Problem], Any] = lambda problem: []
    make_objective: Callable[[Problem], Any] = lambda problem: None

    def rows(self, problem: Problem) -> Any:
        return self.make_rows(problem)

    def objective(self, problem: Problem) -> Any:
        return self.make_objective(problem)


def fails(problem: Problem) -> Any:
    return {}["nothing"]


FAULTY_ROWS = [
    (lambda p: [Row(LinearForm(rule=math.nan), hi=3, name="mine")], r"row 'mine' of the constraint Strange.*is nan"),
    (lambda p: [Row(LinearForm(cover=np.array([0, 0, np.inf])), hi=3, name="mine")], r"row 'mine'.*sample 2 is inf"),
    (lambda p: [Row(LinearForm(missed=np.ones(9)), hi=3, name="mine")], r"row 'mine'.*9 samples, but there are 3"),
    (lambda p: [LinearForm(rule=1.0)], r"constraint Strange .*made a LinearForm where a Row belongs"),
    (lambda p: None, r"constraint Strange .*could not make its rows: TypeError"),
    (fails, r"constraint Strange .*could not make its rows: KeyError"),
]


@pytest.mark.parametrize(("rows", "message"), FAULTY_ROWS)
def test_faulty_rows_are_refused_by_name(problem: Problem, rows: Any, message: str) -> None:
    """The error names the constraint, its module, the row and the number; so does that of every master."""
    with pytest.raises(PluginError, match=message) as caught:
        checked_rows(Strange(rows), problem)
    assert caught.value.distribution == "tests"
    for master in (HammingMaster, ZeroOneMaster):
        with pytest.raises(PluginError, match=message):
            master(problem, [Strange(rows)], load_registry().backend("highs"))


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        (lambda p: LinearForm(length=math.inf), r"objective's term of the constraint Strange.*condition is inf"),
        (lambda p: 3.0, r"constraint Strange .*adds a float to the objective"),
        (fails, r"constraint Strange .*could not make its term of the objective: KeyError"),
    ],
)
def test_faulty_objectives_are_refused_by_name(problem: Problem, objective: Any, message: str) -> None:
    """The error names the constraint and what is wrong; so does that of the master."""
    constraint = Strange(make_objective=objective)
    with pytest.raises(PluginError, match=message):
        checked_objective(constraint, problem)
    with pytest.raises(PluginError, match=message):
        HammingMaster(problem, [constraint], load_registry().backend("highs"))


def test_what_a_constraint_says_about_the_data_passes_through(problem: Problem) -> None:
    """Errors that are meant for people are not wrapped."""

    def refuse(problem: Problem) -> Any:
        raise ConfigurationError("Give sensitive features.")

    with pytest.raises(ConfigurationError, match="Give sensitive features"):
        checked_rows(Strange(refuse), problem)


def test_a_bound_by_comparison_is_measured_in_its_own_units(problem: Problem) -> None:
    """``problem.selection_rate(group) <= 0.5`` measures selection rates, whatever constant the form has."""

    def rows(problem: Problem) -> list[Row]:
        groups = problem.sensitive_groups.crossed()
        return [(problem.selection_rate(group) <= 0.5).named(group.name) for group in groups]

    measured = Strange(rows).measure(problem, np.array([True, False, False]))
    assert measured == {"f": pytest.approx(0.5), "m": pytest.approx(0.0)}
    assert [row.hi for row in checked_rows(Strange(rows), problem)] == [0.5, 0.5]
