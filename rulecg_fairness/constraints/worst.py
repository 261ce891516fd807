"""Constraints on the worst-off group: a floor under every group's recall, and the worst group's error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from attrs import field, frozen

from rulecg_core import BoolArray, ConfigurationError, Group, LinearForm, Problem, Row, prediction_value, settings

from .compared import GroupConstraint
from .rates import ERROR_RATE, TRUE_POSITIVE_RATE, Rate


@frozen
class GroupRecallFloor(GroupConstraint):
    """Every group's true positive rate is at least the floor.

    Parameters
    ----------
    floor
        The least rate, from 0 to 1.
    columns, groups, min_group_size, small_groups, confidence
        Which groups count, and on which rows, as for every :class:`GroupConstraint`.

    Examples
    --------
    >>> GroupRecallFloor(0.6).floor
    0.6
    """

    floor: float = field(validator=settings.share)
    rates: ClassVar[tuple[Rate, ...]] = (TRUE_POSITIVE_RATE,)
    least_groups: ClassVar[int] = 1

    def rows_for(self, problem: Problem, groups_of: Callable[[Rate], Sequence[Group]]) -> list[Row]:
        return [
            Row(problem.true_positive_rate(group), lo=self.floor, name=f"true positive rate: {group}")
            for group in groups_of(TRUE_POSITIVE_RATE)
        ]


@frozen
class MinimaxError(GroupConstraint):
    """Adds the worst group's error rate, times ``weight`` times the number of rows, to the objective.

    At weight 1 a point of the worst group's error rate costs as much as a point of everybody's.

    Parameters
    ----------
    weight
        How much the worst group counts, above 0.
    columns, groups, min_group_size, small_groups
        Which groups count, as for every :class:`GroupConstraint`.

    Raises
    ------
    ConfigurationError
        When the weight is 0, or a confidence is given.

    Examples
    --------
    >>> MinimaxError(2.0).weight
    2.0
    """

    weight: float = field(default=1.0, validator=settings.amount)
    rates: ClassVar[tuple[Rate, ...]] = (ERROR_RATE,)
    least_groups: ClassVar[int] = 1

    worst: ClassVar[str] = "worst group's error rate"

    def __attrs_post_init__(self) -> None:
        if not self.weight:
            raise ConfigurationError("MinimaxError with weight 0 does nothing: give a weight above 0.")
        if self.confidence is not None:
            raise ConfigurationError("MinimaxError bounds nothing that could be confirmed: leave confidence out.")

    def rows_for(self, problem: Problem, groups_of: Callable[[Rate], Sequence[Group]]) -> list[Row]:
        worst = LinearForm.variable(self.worst)
        return [
            Row(problem.error_rate(group) - worst, hi=0.0, name=f"error rate: {group} − worst")
            for group in groups_of(ERROR_RATE)
        ]

    def objective(self, problem: Problem) -> LinearForm:
        # In the user's weights, as every term of the objective.
        return LinearForm.variable(self.worst) * (self.weight * float(problem.weights.sum()) * problem.unit)

    def measure(self, problem: Problem, y_pred: BoolArray) -> dict[str, float]:
        """Every group's true error rate and the worst one; none of them is bounded."""
        groups = self.select(problem, ERROR_RATE).reported
        errors = {f"error rate: {g}": prediction_value(problem.error_rate(g), problem, y_pred) for g in groups}
        return {**errors, self.worst: max(errors.values(), default=0.0)}
