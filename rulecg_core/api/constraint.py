"""What a constraint module is: a pure function from a problem to rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ..base.arrays import BoolArray
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem


class Constraint(ABC):
    """A restriction on rule sets. Subclasses are frozen attrs classes; they keep no state and see no solver."""

    @abstractmethod
    def rows(self, problem: Problem) -> Sequence[Row]:
        """The rows of the master that express the restriction."""

    def objective(self, problem: Problem) -> LinearForm | None:
        """A term to add to the objective, if any."""
        return None

    def max_rules(self, problem: Problem) -> float:
        """How many rules a feasible rule set can have at most; infinite when this constraint does not say."""
        return math.inf

    def notes(self, problem: Problem) -> Sequence[str]:
        """What a person should know about how the constraint applies to this data, such as groups left out."""
        return ()

    def measure(self, problem: Problem, y_pred: BoolArray) -> dict[str, float]:
        """The true 0-1 value of every row that is about predictions, from predictions of the original labels.

        The rows' covers count a sample once however many rules cover it, so a Hamming proxy becomes the truth. A value
        under a row's name is in the units of that row's bounds; further names may be added and are only reported.
        """
        return {
            row.name: prediction_value(row.form, problem, y_pred)
            for row in self.rows(problem)
            if not (row.form.length or row.form.rule or row.form.variables)
        }


def prediction_value(form: LinearForm, problem: Problem, y_pred: BoolArray) -> float:
    """The form's value when covers are counted once: a true rate instead of its Hamming proxy."""
    covered = y_pred if problem.logic == "dnf" else ~np.asarray(y_pred)
    missed = (problem.y & ~covered).astype(np.float64)
    return form.value(missed, covered.astype(np.float64), 0.0, 0.0)
