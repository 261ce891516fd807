"""The rows to learn from: binarized, in an order of their own, and still able to tell their original values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, frozen

from rulecg_core import Condition, Groups, Problem, Stakes
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray
from rulecg_core.data.conditions import numbers_on

from ..inputs.row_order import canonical_order


@frozen(eq=False)
class Training:
    """Binarized rows in canonical order, so that the order in which they came does not matter."""

    inputs: pd.DataFrame
    """The table as it came."""
    order: IntArray
    """Which row of the table stands at each place of everything below."""
    features: BoolArray
    conditions: tuple[Condition, ...]
    codes: IntArray
    """The class of each row."""
    weights: FloatArray
    groups: Groups
    stakes: Stakes | None = None
    """What errors on each row cost in the problem to be made; None: its weight."""
    allows: Callable[[Condition], bool] = bool
    """Which further conditions rules may use; each, unless somebody says otherwise."""

    @classmethod
    def of(
        cls,
        inputs: pd.DataFrame,
        features: BoolArray,
        conditions: Sequence[Condition],
        codes: IntArray,
        weights: FloatArray,
        groups: Groups,
    ) -> Training:
        """Bring rows into canonical order.

        Parameters
        ----------
        inputs : DataFrame
            The table that the conditions are about.
        features : bool array, rows × conditions
            Which conditions hold in which rows.
        conditions : sequence of Condition
            The conditions.
        codes : int array
            The class of every row.
        weights : float array
            The weight of every row.
        groups : Groups
            The groups of every row.

        Returns
        -------
        Training
            The rows, sorted by what they hold.
        """
        order = canonical_order(features, codes, groups.codes)
        return cls(
            inputs, order, features[order], tuple(conditions), codes[order], weights[order], groups.take(order)
        )

    def with_stakes(self, stakes: Stakes | None) -> Training:
        """Make the same rows with stakes, given in the order of the table."""
        return evolve(self, stakes=None if stakes is None else stakes.take(self.order))

    def problem(self, position: int, **options: Any) -> Problem:
        """Make the problem of telling the class at the position from the others.

        Parameters
        ----------
        position : int
            The code of the class.
        **options
            What ``Problem.from_arrays`` takes besides the rows.

        Returns
        -------
        Problem
            What column generation works on.
        """
        return Problem.from_arrays(
            self.features,
            self.codes == position,
            weights=self.weights,
            sensitive_groups=self.groups,
            conditions=self.conditions,
            stakes=self.stakes,
            **options,
        )

    def numbers(self, condition: Condition) -> FloatArray:
        """Get the original values that a condition compares with its threshold, in canonical order."""
        return numbers_on(condition.value, self.inputs[condition.column].iloc[self.order], condition.column)

    def extended(self, conditions: Sequence[Condition]) -> Training:
        """Add those of further conditions that rules may use after the known ones; the rows are sorted anew."""
        conditions = list(filter(self.allows, conditions))
        if not conditions:
            return self
        added = np.array([condition.holds(self.inputs[condition.column].iloc[self.order]) for condition in conditions])
        features = np.concatenate([self.features.T, added]).T
        order = canonical_order(features, self.codes, self.groups.codes)
        return evolve(
            self,
            order=self.order[order],
            features=features[order],
            conditions=(*self.conditions, *conditions),
            codes=self.codes[order],
            weights=self.weights[order],
            groups=self.groups.take(order),
            stakes=None if self.stakes is None else self.stakes.take(order),
        )

    @property
    def row_sizes(self) -> FloatArray:
        """How much is at stake with each row, or its weight where nothing is: what rows share a sample's price by."""
        if self.stakes is None:
            return self.weights
        net = np.abs(self.stakes.net)
        return np.where(net > 0, net, self.weights)
