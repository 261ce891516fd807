"""The rates that parities compare: a name, the rows they are a share of, and their linear form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen

from rulecg_core import BoolArray, Group, LinearForm, Problem

Cell: TypeAlias = Literal["positives", "negatives", "rows"]
"""The rows that a rate is a share of."""


@frozen
class Rate:
    """A share of a group's rows that depends on the predictions."""

    name: str
    cell: Cell
    of: Callable[[Problem, Group], LinearForm]

    def members(self, problem: Problem) -> BoolArray:
        """The samples that the rate counts, of all groups."""
        if self.cell == "rows":
            return np.ones(problem.n_samples, dtype=bool)
        return problem.labels if self.cell == "positives" else ~problem.labels

    def size(self, problem: Problem, group: Group) -> float:
        """How many rows of the group the rate is a share of."""
        return float(problem.weights[group.members & self.members(problem)].sum())


def _accuracy(problem: Problem, group: Group) -> LinearForm:
    return 1.0 - problem.error_rate(group)


FALSE_NEGATIVE_RATE = Rate("false negative rate", "positives", Problem.false_negative_rate)
TRUE_POSITIVE_RATE = Rate("true positive rate", "positives", Problem.true_positive_rate)
FALSE_POSITIVE_RATE = Rate("false positive rate", "negatives", Problem.false_positive_rate)
SELECTION_RATE = Rate("selection rate", "rows", Problem.selection_rate)
ERROR_RATE = Rate("error rate", "rows", Problem.error_rate)
ACCURACY = Rate("accuracy", "rows", _accuracy)
