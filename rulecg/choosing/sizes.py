"""How much to try on how many rows: decided by the size of the data alone, so that no clock changes the choice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from rulecg_core.base.arrays import IntArray

from .fold_rules import Option, Task
from .folds import dealt_folds

BOUNDS = (1, 2, 3, 4, 5, 6, 8, 11, 15, 20, 28, 40, 60, 90)
COARSE_BOUNDS = (1, 3, 6, 11, 20, 40, 80)
FEW_BOUNDS = (1, 2, 4, 6, 11, 20)
"""Bounds on complexity to choose from; the coarse ones where every rule set takes long, the few where rows are few."""
FOLDS = 5
FEW_ROWS = 100
"""With fewer rows, folds cannot tell neighbouring bounds apart."""
FEW_FOLDS = 3
LARGE_ROWS = 5_000
"""From this many rows there are few folds, coarse bounds and fewer options."""
MOST_ROWS = 15_000
"""The choice is made on at most so many rows, drawn evenly."""
ROWS_PER_SIZE, LEAST_BOUND = 5, 6.0
"""Rule sets have at most one rule or condition for so many rows, but this bound is always tried."""


@frozen(eq=False)
class Plan:
    """Which rows take part in the choice, in how many folds, and what is tried."""

    rows: IntArray
    folds: int
    bounds: tuple[float, ...]
    options: tuple[Option, ...]
    alternatives: tuple[str, ...]
    """Further binarizers, tried with the option that is best."""

    @classmethod
    def of(cls, task: Task, options: Sequence[Option]) -> Plan:
        """Plan the choice for some data.

        Parameters
        ----------
        task : Task
            The rows.
        options : sequence of Option
            What there is to choose among.

        Returns
        -------
        Plan
            Everything on few rows; less on many, where each rule set takes longer and chance matters less.
        """
        n_rows, is_binary = len(task.rows.codes), len(task.positions) == 1
        if n_rows < LARGE_ROWS:
            bounds: tuple[float, ...] = BOUNDS if is_binary else COARSE_BOUNDS
            if n_rows < FEW_ROWS:
                bounds = FEW_BOUNDS
            most = max(n_rows / ROWS_PER_SIZE, LEAST_BOUND)
            kept = list(options) if is_binary else _plain(options)
            return cls(np.arange(n_rows), FOLDS, tuple(bound for bound in bounds if bound <= most), tuple(kept), ())
        rows = np.arange(n_rows)
        if n_rows > MOST_ROWS:
            share = dealt_folds(task.rows, task.groups, -(-n_rows // MOST_ROWS), task.seed, None)
            rows = np.flatnonzero(share == 0)
        return cls(rows, FEW_FOLDS, COARSE_BOUNDS, tuple(_without(0.0, options)), ())

    def reduced(self, task: Task) -> Task:
        """The task on the rows that take part."""
        return task if len(self.rows) == len(task.rows.codes) else task.taking(self.rows)

    def split(self, fold: IntArray, number: int) -> tuple[IntArray, IntArray]:
        """Rows outside and inside a fold."""
        return np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def _plain(options: Sequence[Option]) -> list[Option]:
    """The options for several classes: DNF, which reads best where each class has its rules, where it is allowed."""
    return [option for option in _without(0.0, options) if option.logic == "dnf"] or _without(0.0, options)


def _without(label_weight: float, options: Sequence[Option]) -> list[Option]:
    """The options with other label weights, if there are any: a teacher alone wins least often."""
    return [option for option in options if option.label_weight != label_weight] or list(options)
