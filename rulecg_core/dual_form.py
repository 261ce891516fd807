"""A linear program solved through its dual: a session like any other, on top of a session of the backend.

The master grows by columns. In the dual a new column is a new row, which the dual simplex method takes in warm, and
the many rows "positive i covered or missed" become variables with bounds. On thousands of positives this is ten to
fifteen times faster than the primal form.

Of ``min cost @ x, lo <= A x <= hi, 0 <= x <= u`` the dual is ``min -lo @ y`` (``-hi @ y`` where y < 0) with one row
``A_j @ y - v_j <= cost_j`` per column j; ``v_j >= 0`` costs ``u_j`` and exists only where u_j is finite. A column with
a single entry (in a row that is no range) and no upper bound is no row but a bound on y.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from .arrays import BoolArray, FloatArray, IntArray
from .backend import Backend, LPSession, LPSolution
from .errors import SolveError
from .limits import Deadline
from .sparse import SparseVectors
from .status import Solution, Stop

_SWAPPED = {Solution.INFEASIBLE: Solution.UNBOUNDED, Solution.UNBOUNDED: Solution.INFEASIBLE}


class DualForm(LPSession):
    """Takes the primal program, solves the dual, answers in terms of the primal. Lower bounds must be 0."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._inner: LPSession | None = None
        self._costs, self._upper = np.zeros(0), np.zeros(0)
        self._row_lower, self._row_upper = np.zeros(0), np.zeros(0)
        self._columns = SparseVectors.empty(0)
        # Where each column of the primal went in the dual, and each row.
        self._row_of_column: IntArray = np.zeros(0, dtype=np.int64)
        self._is_bound: BoolArray = np.zeros(0, dtype=bool)

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        if np.any(lower != 0):
            raise SolveError("The dual form needs columns with lower bound 0.")
        self._costs = np.concatenate([self._costs, costs])
        self._upper = np.concatenate([self._upper, upper])
        first = len(self._columns)
        self._columns = SparseVectors.stack([self._columns, entries])
        if self._inner is not None:
            self._append(np.arange(first, len(self._columns)))

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        first = len(self._row_lower)
        self._row_lower = np.concatenate([self._row_lower, lower])
        self._row_upper = np.concatenate([self._row_upper, upper])
        by_column = entries.transposed(len(self._costs))
        self._columns = self._columns.join(
            SparseVectors(by_column.starts, by_column.indices + first, by_column.values)
        )
        self._reset()

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self._costs[columns] = costs
        self._reset()

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        if np.any(lower != 0):
            raise SolveError("The dual form needs columns with lower bound 0.")
        self._upper[columns] = upper
        self._reset()

    def close(self) -> None:
        self._reset()

    def _reset(self) -> None:
        """New rows or costs are rare: the dual is built anew before the next solve."""
        if self._inner is not None:
            self._inner.close()
            self._inner = None

    # The dual program: variables are y (one per row), then the negative parts of ranged rows, then the v.

    def _build(self) -> LPSession:
        inner = self._inner = self._backend.open_lp()
        below, above = np.isfinite(self._row_lower), np.isfinite(self._row_upper)
        ranged = below & above & (self._row_lower < self._row_upper)
        self._ranged = np.flatnonzero(ranged)
        costs = np.where(below, -np.where(below, self._row_lower, 0.0), -np.where(above, self._row_upper, 0.0))
        lower = np.where(above & ~ranged, -np.inf, 0.0)
        upper = np.where(below, np.inf, 0.0)
        n_rows = len(costs)
        sizes = np.diff(self._columns.starts)
        self._is_bound = (sizes == 1) & np.isinf(self._upper)
        single = np.flatnonzero(self._is_bound)
        # The dual of a ranged row is two variables: no bound on one of them says the same.
        self._is_bound[single] = ~ranged[self._columns.indices[self._columns.starts[single]]]
        self._tighten(upper, lower)
        self._row_of_column = np.full(len(self._columns), -1, dtype=np.int64)
        n_extra = len(self._ranged)
        inner.add_columns(
            np.concatenate([costs, -self._row_upper[self._ranged]]),
            np.concatenate([lower, np.full(n_extra, -np.inf)]),
            np.concatenate([upper, np.zeros(n_extra)]),
            SparseVectors.empty(n_rows + n_extra),
        )
        self._n_variables, self._n_inner_rows = n_rows + n_extra, 0
        self._y_upper, self._y_lower = upper, lower
        self._append(np.flatnonzero(~self._is_bound))
        return inner

    def _tighten(self, upper: FloatArray, lower: FloatArray) -> None:
        """Columns with one entry ``a`` in row r say ``a y_r <= cost``."""
        bounds = np.flatnonzero(self._is_bound)
        at = self._columns.starts[bounds]
        rows, limits = self._columns.indices[at], self._costs[bounds] / self._columns.values[at]
        positive = self._columns.values[at] > 0
        np.minimum.at(upper, rows[positive], limits[positive])
        np.maximum.at(lower, rows[~positive], limits[~positive])

    def _append(self, columns: IntArray) -> None:
        """One dual row per column of the primal."""
        assert self._inner is not None
        entries = _take(self._columns, columns)
        if len(self._ranged):
            entries = entries.join(self._ranged_entries(entries))
        finite = np.flatnonzero(np.isfinite(self._upper[columns]) & (self._upper[columns] > 0))
        if len(finite):
            n_new = len(finite)
            self._inner.add_columns(
                self._upper[columns[finite]], np.zeros(n_new), np.full(n_new, np.inf), SparseVectors.empty(n_new)
            )
            sizes = np.zeros(len(columns), dtype=np.int64)
            sizes[finite] = 1
            slack = SparseVectors(
                np.concatenate([[0], np.cumsum(sizes)]),
                np.arange(self._n_variables, self._n_variables + n_new, dtype=np.int64),
                np.full(n_new, -1.0),
            )
            entries = entries.join(slack)
            self._n_variables += n_new
        # A column that must be 0 puts no limit on the duals.
        limits = np.where(self._upper[columns] == 0, np.inf, self._costs[columns])
        self._inner.add_rows(np.full(len(columns), -np.inf), limits, entries)
        if len(self._row_of_column) < len(self._columns):
            missing = len(self._columns) - len(self._row_of_column)
            self._row_of_column = np.concatenate([self._row_of_column, np.full(missing, -1, dtype=np.int64)])
            self._is_bound = np.concatenate([self._is_bound, np.zeros(missing, dtype=bool)])
        self._row_of_column[columns] = np.arange(self._n_inner_rows, self._n_inner_rows + len(columns))
        self._n_inner_rows += len(columns)

    def _ranged_entries(self, entries: SparseVectors) -> SparseVectors:
        """The entries in ranged rows once more, for the negative parts of their duals."""
        place = np.full(len(self._row_lower), -1, dtype=np.int64)
        place[self._ranged] = len(self._row_lower) + np.arange(len(self._ranged))
        twice = np.flatnonzero(place[entries.indices] >= 0)
        owners = entries.owners()[twice]
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(entries)))])
        return SparseVectors(starts.astype(np.int64), place[entries.indices[twice]], entries.values[twice])

    # Answers in terms of the primal ---------------------------------------------------------------------------------

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        inner = self._inner or self._build()
        if np.any(self._y_lower > self._y_upper):
            return _unsolved("dual bounds exclude each other")
        found = inner.solve(deadline)
        if not found.is_optimal:
            return evolve(found, solution=_SWAPPED.get(found.solution, found.solution))
        dual = found.primal[: len(self._row_lower)].copy()
        dual[self._ranged] += found.primal[len(self._row_lower) : len(self._row_lower) + len(self._ranged)]
        primal = np.zeros(len(self._costs))
        in_rows = np.flatnonzero(self._row_of_column >= 0)
        primal[in_rows] = np.maximum(-found.dual[self._row_of_column[in_rows]], 0.0)
        self._recover_bounds(primal, dual)
        return evolve(found, objective=-found.objective, primal=primal, dual=dual)

    def _recover_bounds(self, primal: FloatArray, dual: FloatArray) -> None:
        """Columns that became bounds take up what their row still lacks, where the bound is the tight one."""
        bounds = np.flatnonzero(self._is_bound)
        if not len(bounds):
            return
        rows = self._columns.transposed(len(self._row_lower))
        activity = rows.dot(primal)
        at = self._columns.starts[bounds]
        row, entry = self._columns.indices[at], self._columns.values[at]
        goal = np.where(entry > 0, self._row_lower[row], self._row_upper[row])
        lacking = np.where(np.isfinite(goal), (goal - activity[row]) / entry, 0.0)
        tight = np.abs(entry * dual[row] - self._costs[bounds]) <= 1e-9 * np.maximum(1.0, np.abs(self._costs[bounds]))
        # Of several columns on one row the first tight one takes it all.
        wanting = np.flatnonzero(tight & (lacking > 0))
        _, first = np.unique(row[wanting], return_index=True)
        taken = wanting[first]
        primal[bounds[taken]] = lacking[taken]


def _take(vectors: SparseVectors, which: IntArray) -> SparseVectors:
    sizes = np.diff(vectors.starts)[which]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    at = np.repeat(vectors.starts[which] - starts[:-1], sizes) + np.arange(starts[-1])
    return SparseVectors(starts, vectors.indices[at], vectors.values[at])


def _unsolved(why: str) -> LPSolution:
    return LPSolution(Stop.COMPLETED, Solution.UNBOUNDED, -np.inf, np.zeros(0), np.zeros(0), why)
