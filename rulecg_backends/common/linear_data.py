"""A copy of a session's linear program: to rebuild it, and to check what a solver claims about it."""

from __future__ import annotations

import numpy as np

from rulecg_core import FloatArray, IntArray, SparseVectors


class LinearData:
    """``min costs @ x, row_lower <= rows x <= row_upper, lower <= x <= upper``, growing by rows and columns."""

    def __init__(self) -> None:
        self.costs = np.zeros(0)
        self.lower = np.zeros(0)
        self.upper = np.zeros(0)
        self.row_lower = np.zeros(0)
        self.row_upper = np.zeros(0)
        self._blocks: list[SparseVectors] = []
        """Pieces of the matrix as (row, column, value) kept row by row; joined when asked for."""
        self._shape_of_block: list[tuple[str, int]] = []

    @property
    def n_columns(self) -> int:
        return len(self.costs)

    @property
    def n_rows(self) -> int:
        return len(self.row_lower)

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._blocks.append(entries)
        self._shape_of_block.append(("columns", self.n_columns))
        self.costs = np.append(self.costs, costs)
        self.lower = np.append(self.lower, lower)
        self.upper = np.append(self.upper, upper)

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._blocks.append(entries)
        self._shape_of_block.append(("rows", self.n_rows))
        self.row_lower = np.append(self.row_lower, lower)
        self.row_upper = np.append(self.row_upper, upper)

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self.costs[columns] = costs

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        self.lower[columns], self.upper[columns] = lower, upper

    def _entries(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Row, column and value of every entry, in no order."""
        which: list[IntArray] = [np.zeros(0, np.int64)]
        indices: list[IntArray] = [np.zeros(0, np.int64)]
        for (kind, first), block in zip(self._shape_of_block, self._blocks, strict=True):
            owners = block.owners() + first
            which.append(owners if kind == "rows" else block.indices)
            indices.append(block.indices if kind == "rows" else owners)
        values = np.concatenate([*(block.values for block in self._blocks), np.zeros(0)])
        return np.concatenate(which).astype(np.int64), np.concatenate(indices).astype(np.int64), values

    @property
    def rows(self) -> SparseVectors:
        """The whole matrix, row by row."""
        row_of, indices, values = self._entries()
        order = np.argsort(row_of, kind="stable")
        starts = np.zeros(self.n_rows + 1, np.int64)
        np.cumsum(np.bincount(row_of, minlength=self.n_rows), out=starts[1:])
        return SparseVectors(starts, indices[order], values[order])

    def proves_optimal(self, primal: FloatArray, dual: FloatArray, tolerance: float = 1e-5) -> bool:
        """Whether the point keeps every row and bound, and the duals bound every such point by its value.

        All comparisons are relative to the size of the terms that are added up.
        """
        row_of, column_of, values = self._entries()
        products = values * primal[column_of]
        activity = np.bincount(row_of, products, minlength=self.n_rows)
        row_size = tolerance * (1.0 + np.bincount(row_of, np.abs(products), minlength=self.n_rows))
        slack = tolerance * (1.0 + np.abs(primal))
        if (
            np.any(activity < self.row_lower - row_size)
            or np.any(activity > self.row_upper + row_size)
            or np.any(primal < self.lower - slack)
            or np.any(primal > self.upper + slack)
        ):
            return False
        terms = values * dual[row_of]
        reduced_costs = self.costs - np.bincount(column_of, terms, minlength=self.n_columns)
        column_size = 1.0 + np.abs(self.costs) + np.bincount(column_of, np.abs(terms), minlength=self.n_columns)
        # What is rounding must not be multiplied with an infinite bound.
        reduced_costs[np.abs(reduced_costs) <= tolerance * column_size] = 0.0
        dual = np.where(np.abs(dual) <= tolerance * np.max(np.abs(dual), initial=1.0), 0.0, dual)
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
