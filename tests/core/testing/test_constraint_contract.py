"""The contract for constraints catches what it promises to catch, and takes a good one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from attrs import field, frozen
from attrs.validators import ge

from rulecg_core import Constraint, LinearForm, Problem, Row, RulecgError, settings
from rulecg_core.testing.constraint_contract import Case, ConstraintContract


@frozen
class AtMostSelected(Constraint):
    """A good one: at most this share of everybody is selected."""

    share: float = field(default=0.5, validator=settings.share)

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [(problem.selection_rate() <= self.share).named("selected")]


class TestAGoodConstraint(ConstraintContract):
    @pytest.fixture
    def constraint(self) -> Constraint:
        return AtMostSelected()


@frozen
class Unnamed(AtMostSelected):
    def rows(self, problem: Problem) -> Sequence[Row]:
        return [problem.selection_rate() <= self.share]


@frozen
class NotFinite(AtMostSelected):
    def rows(self, problem: Problem) -> Sequence[Row]:
        return [Row(problem.selection_rate() + math.nan, hi=self.share, name="selected")]


@frozen
class Unbounded(AtMostSelected):
    def rows(self, problem: Problem) -> Sequence[Row]:
        return [Row(problem.selection_rate(), name="selected")]


@frozen
class Percent(AtMostSelected):
    """Measures in other units than its bound has."""

    def measure(self, problem: Problem, y_pred: Any) -> dict[str, float]:
        return {name: 100 * value for name, value in super().measure(problem, y_pred).items()}


@frozen
class Silent(AtMostSelected):
    def measure(self, problem: Problem, y_pred: Any) -> dict[str, float]:
        return {}


@frozen
class Moody(AtMostSelected):
    """Says something else every time."""

    asked: list[int] = field(factory=list, eq=False)

    def notes(self, problem: Problem) -> Sequence[str]:
        self.asked.append(1)
        return [f"Asked {len(self.asked)} times."]


@frozen
class Idle(AtMostSelected):
    """An auxiliary variable that nothing pushes up."""

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [Row(problem.selection_rate() + LinearForm.variable("t"), hi=1.0, name="selected")]

    def objective(self, problem: Problem) -> LinearForm:
        return LinearForm.variable("t")


@frozen
class Rough(Constraint):
    """Refuses wrong values as attrs does, with a traceback for whoever typed them."""

    share: float = field(default=0.5, validator=ge(0.0))

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [Row(problem.selection_rate(), hi=self.share, name="selected")]


class Mutable(AtMostSelected):
    """Not a value: two equal ones are not equal."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@frozen
class MostRules(AtMostSelected):
    """Claims a limit on rules that its rows do not have."""

    def max_rules(self, problem: Problem) -> float:
        return 1.0


CONTRACT = ConstraintContract()
MUTANTS: list[tuple[Callable[..., None], Constraint]] = [
    (CONTRACT.test_rows_are_well_formed, Unnamed()),
    (CONTRACT.test_rows_are_well_formed, NotFinite()),
    (CONTRACT.test_rows_are_well_formed, Unbounded()),
    (CONTRACT.test_proxy_is_the_truth_when_rules_do_not_overlap, Percent()),
    (CONTRACT.test_measures_every_row_about_predictions, Silent()),
    (CONTRACT.test_is_pure, Moody()),
    (CONTRACT.test_objective_is_well_formed, Idle()),
    (CONTRACT.test_refuses_wrong_settings_in_a_sentence, Rough()),
    (CONTRACT.test_limits_rules_truthfully, MostRules(1.0)),
]


@pytest.mark.parametrize(("test", "mutant"), MUTANTS, ids=lambda part: getattr(part, "__name__", type(part).__name__))
def test_each_promise_is_checked(test: Callable[..., None], mutant: Constraint) -> None:
    """A constraint that breaks one promise fails the test of that promise."""
    with pytest.raises((AssertionError, RulecgError, pytest.fail.Exception)):
        test(mutant, Case.random(0, "dnf"))


def test_constraints_must_be_values() -> None:
    """One that is not equal to its copy fails."""
    with pytest.raises(AssertionError):
        CONTRACT.test_is_a_value(Mutable())


def test_the_meaning_is_checked_against_the_authors_own_count() -> None:
    """``expected`` that differs from what is measured fails."""

    class Checked(ConstraintContract):
        def expected(self, constraint: Any, y_true: Any, y_pred: Any, sensitive: Any, weights: Any) -> dict[str, float]:
            return {"selected": float(np.mean(y_pred)) + 0.01}

    with pytest.raises(AssertionError):
        Checked().test_measures_what_it_means(AtMostSelected(), Case.random(0, "dnf"))
