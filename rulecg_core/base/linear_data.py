"""A copy of a session's linear program: to rebuild it, and to check what a solver claims about it."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray, IntArray
from .sparse import SparseVectors

_MOST_BLOCKS = 16
"""Beyond this many pieces the matrix is joined, so that many small additions stay fast to read."""


class LinearData:
    """``min costs @ x, row_lower <= rows x <= row_upper, lower <= x <= upper``, growing by rows and columns.

    The arrays of entries are kept as they are given, not copied: whoever adds them must not change them.

    Examples
    --------
    >>> data = LinearData()
    >>> data.add_columns(np.ones(2), np.zeros(2), np.full(2, np.inf), SparseVectors.empty(2))
    >>> data.add_rows(np.array([3.0]), np.array([np.inf]), SparseVectors.from_dense(np.array([[1.0, 2.0]])))
    >>> data.proves_optimal(primal=np.array([0.0, 1.5]), dual=np.array([0.5]))
    True
    >>> data.proves_optimal(primal=np.array([0.0, 1.5]), dual=np.array([-0.5]))
    False
    """

    def __init__(self) -> None:
        self.costs = np.zeros(0)
        self.lower = np.zeros(0)
        self.upper = np.zeros(0)
        self.row_lower = np.zeros(0)
        self.row_upper = np.zeros(0)
        # Entries as they came: what add_columns gave, column by column, and what add_rows gave, row by row.
        self._by_column: list[SparseVectors] = []
        self._by_row: list[SparseVectors] = []

    @property
    def n_columns(self) -> int:
        return len(self.costs)

    @property
    def n_rows(self) -> int:
        return len(self.row_lower)

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._by_column = _joined([*self._by_column, entries])
        self.costs = np.append(self.costs, costs)
        self.lower = np.append(self.lower, lower)
        self.upper = np.append(self.upper, upper)

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._by_row = _joined([*self._by_row, entries])
        self.row_lower = np.append(self.row_lower, lower)
        self.row_upper = np.append(self.row_upper, upper)

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self.costs[columns] = costs

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        self.lower[columns], self.upper[columns] = lower, upper

    @property
    def n_entries(self) -> int:
        return sum(len(block.values) for block in (*self._by_column, *self._by_row))

    def _blocks(self) -> list[tuple[IntArray, IntArray, FloatArray]]:
        """Row, column and value of every entry, in no order, piece by piece."""
        pieces: list[tuple[IntArray, IntArray, FloatArray]] = []
        first = 0
        for block in self._by_column:
            pieces.append((block.indices, block.owners() + first, block.values))
            first += len(block)
        first = 0
        for block in self._by_row:
            pieces.append((block.owners() + first, block.indices, block.values))
            first += len(block)
        return pieces

    @property
    def rows(self) -> SparseVectors:
        """The whole matrix, row by row."""
        blocks = self._blocks()
        row_of = np.concatenate([np.zeros(0, np.int64), *(block[0] for block in blocks)])
        column_of = np.concatenate([np.zeros(0, np.int64), *(block[1] for block in blocks)])
        values = np.concatenate([np.zeros(0), *(block[2] for block in blocks)])
        order = np.argsort(row_of, kind="stable")
        starts = np.zeros(self.n_rows + 1, np.int64)
        np.cumsum(np.bincount(row_of, minlength=self.n_rows), out=starts[1:])
        return SparseVectors(starts, column_of[order], values[order])

    def proves_optimal(self, primal: FloatArray, dual: FloatArray, tolerance: float = 1e-5) -> bool:
        """Check a claim of optimality.

        Parameters
        ----------
        primal, dual : numpy.ndarray
            One number per column and one per row, with ``reduced cost = cost - A' dual``.
        tolerance : float, default=1e-5
            All comparisons are relative to the size of the terms that are added up.

        Returns
        -------
        bool
            Whether the point keeps every row and bound, and the duals bound the value of every such point from below
            by the value of this one.
        """
        if len(primal) != self.n_columns or len(dual) != self.n_rows:
            return False
        if not (np.all(np.isfinite(primal)) and np.all(np.isfinite(dual))):
            return False
        activity, row_size = np.zeros(self.n_rows), np.ones(self.n_rows)
        reduced_costs, column_size = self.costs.copy(), 1.0 + np.abs(self.costs)
        for row_of, column_of, values in self._blocks():
            products, terms = values * primal[column_of], values * dual[row_of]
            activity += np.bincount(row_of, products, minlength=self.n_rows)
            row_size += np.bincount(row_of, np.abs(products), minlength=self.n_rows)
            reduced_costs -= np.bincount(column_of, terms, minlength=self.n_columns)
            column_size += np.bincount(column_of, np.abs(terms), minlength=self.n_columns)
        slack = tolerance * (1.0 + np.abs(primal))
        row_slack = tolerance * row_size
        if (
            np.any(activity < self.row_lower - row_slack)
            or np.any(activity > self.row_upper + row_slack)
            or np.any(primal < self.lower - slack)
            or np.any(primal > self.upper + slack)
        ):
            return False
        # What is rounding must not be multiplied with an infinite bound.
        reduced_costs[np.abs(reduced_costs) <= tolerance * column_size] = 0.0
        is_rounding = np.abs(dual) <= tolerance * np.max(np.abs(dual), initial=1.0)
        has_no_bound = ~np.isfinite(np.where(dual > 0, self.row_lower, self.row_upper))
        # Small duals of rows with a bound count: there may be many beside a large one.
        dual = np.where(is_rounding & has_no_bound, 0.0, dual)
        bound = _extreme(dual, self.row_lower, self.row_upper) + _extreme(reduced_costs, self.lower, self.upper)
        size = 1.0 + float(np.abs(self.costs) @ np.abs(primal)) + float(np.abs(dual) @ np.abs(activity))
        return bound >= float(self.costs @ primal) - 10 * tolerance * size

    def proves_infeasible(self, ray: FloatArray) -> bool:
        """Whether the combination of rows given by the ray asks for more than the bounds of x allow (Farkas)."""
        scale = float(np.max(np.abs(ray), initial=0.0))
        if scale == 0.0 or not np.all(np.isfinite(ray)):
            return False
        ray = np.where(np.abs(ray) <= 1e-9 * scale, 0.0, ray / scale)
        rows = self.rows
        terms = rows.values * ray[rows.owners()]
        combined = np.bincount(rows.indices, terms, minlength=self.n_columns).astype(np.float64)
        size = np.bincount(rows.indices, np.abs(terms), minlength=self.n_columns)
        combined[np.abs(combined) <= 1e-9 * size] = 0.0
        asked = _extreme(ray, self.row_lower, self.row_upper)
        offered = _extreme(combined, self.upper, self.lower)
        if not np.isfinite(asked) or not np.isfinite(offered):
            return False
        return asked > offered + 1e-7 * max(1.0, abs(asked), abs(offered))

    def proves_unbounded(self, ray: FloatArray) -> bool:
        """Whether the ray improves the objective without end and keeps every row and bound."""
        scale = float(np.max(np.abs(ray), initial=0.0))
        if scale == 0.0 or not np.all(np.isfinite(ray)):
            return False
        ray = ray / scale
        activity = self.rows.dot(ray)
        tolerance = 1e-7 * max(1.0, float(np.max(np.abs(self.rows.values), initial=0.0)))
        keeps_rows = not (
            np.any(activity[np.isfinite(self.row_lower)] < -tolerance)
            or np.any(activity[np.isfinite(self.row_upper)] > tolerance)
        )
        keeps_bounds = not (
            np.any(ray[np.isfinite(self.lower)] < -1e-7) or np.any(ray[np.isfinite(self.upper)] > 1e-7)
        )
        return keeps_rows and keeps_bounds and float(self.costs @ ray) < -1e-9


def _extreme(weights: FloatArray, when_positive: FloatArray, when_negative: FloatArray) -> float:
    """``Σ weight * (one side if the weight is positive, the other if negative)``."""
    used = weights != 0.0
    return float(np.sum(weights[used] * np.where(weights > 0, when_positive, when_negative)[used]))


def _joined(blocks: list[SparseVectors]) -> list[SparseVectors]:
    return blocks if len(blocks) <= _MOST_BLOCKS else [SparseVectors.stack(blocks)]
