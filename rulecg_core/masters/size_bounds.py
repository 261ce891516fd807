"""How large a rule set may be."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import field, frozen

from ..api.constraint import Constraint
from ..base.errors import ConfigurationError
from ..base.settings import amount, optional
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem


@frozen
class Complexity(Constraint):
    """Bounds (and optionally prices) rules plus conditions: ``per_rule * rules + per_condition * length``.

    The bound is the paper's C; ``penalty`` is what each unit of complexity adds to the objective.
    """

    bound: float | None = field(default=None, validator=optional(amount))
    per_rule: float = field(default=1.0, validator=amount)
    per_condition: float = field(default=1.0, validator=amount)
    penalty: float = field(default=0.0, validator=amount)

    def __attrs_post_init__(self) -> None:
        if self.bound is None and not self.penalty:
            raise ConfigurationError("Give the complexity a bound, a penalty, or both: without them it does nothing.")
        if not (self.per_rule or self.per_condition):
            raise ConfigurationError("per_rule and per_condition are both 0: every rule set would have complexity 0.")

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [] if self.bound is None else [(self._form() <= self.bound).named("complexity")]

    def objective(self, problem: Problem) -> LinearForm | None:
        return self._form() * self.penalty if self.penalty else None

    def max_rules(self, problem: Problem) -> float:
        """As many rules as fit when each has only the cheapest condition; the one without conditions stands alone."""
        if self.bound is None:
            return math.inf
        cheapest = self.per_rule + self.per_condition * float(problem.condition_costs.min())
        return math.inf if cheapest <= 0 else float(math.floor(self.bound / cheapest + 1e-9))

    def _form(self) -> LinearForm:
        return LinearForm(length=self.per_condition, rule=self.per_rule)


@frozen
class MaxRules(Constraint):
    """A bound on the number of rules.

    Parameters
    ----------
    most
        How many rules there may be.

    Examples
    --------
    >>> MaxRules(3).most
    3
    """

    most: float = field(validator=amount)

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [(LinearForm(rule=1.0) <= self.most).named("number of rules")]

    def max_rules(self, problem: Problem) -> float:
        return float(math.floor(self.most + 1e-9))


@frozen
class MaxColumns(Constraint):
    """A bound on the number of columns of the table that the rules use, all together.

    Relaxations and branches leave it out, so that their bounds are valid but may be far below. Optimality is proven
    where a list of all rules that may still matter is short enough for one integer program with a variable per column.

    Parameters
    ----------
    most
        How many columns there may be.

    Examples
    --------
    >>> MaxColumns(4).max_columns(Problem.from_arrays([[1], [0]], [True, False]))
    4.0
    """

    most: float = field(validator=amount)

    def rows(self, problem: Problem) -> Sequence[Row]:
        return ()

    def max_columns(self, problem: Problem) -> float:
        if len(problem.columns_of(())) > self.most:
            raise ConfigurationError(
                f"The conditions that every rule must have are on more than {self.most:g} columns: allow more columns, "
                "or require less."
            )
        return float(math.floor(self.most + 1e-9))
