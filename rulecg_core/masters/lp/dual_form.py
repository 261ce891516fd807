"""A linear program solved through its dual: a session like any other, on top of a session of the backend.

The master grows by columns. In the dual a new column is a new row, which the dual simplex method takes in warm, and
the many rows "positive i covered or missed" become variables with bounds. On thousands of positives this is ten to
fifteen times faster than the primal form.

Of ``min cost @ x, lo <= A x <= hi, 0 <= x <= u`` the dual is ``min -lo @ y`` (``-hi @ y`` where y < 0) with one row
``A_j @ y - v_j <= cost_j`` per column j; ``v_j >= 0`` costs ``u_j`` and exists only where u_j is finite. A column with
a single entry (in a row that is no range) and no upper bound is no row but a bound on y.

New columns, new rows and new costs of columns that are bounds are taken in warm; after other changes the dual is built
anew before the next solve.
"""

from __future__ import annotations

import numpy as np
from attrs import evolve

from ...api.backend import Backend, LPSession, LPSolution
from ...base.arrays import BoolArray, FloatArray, IntArray
from ...base.errors import SolveError
from ...base.limits import Deadline
from ...base.sparse import SparseVectors
from ...base.status import Solution, Stop

_SWAPPED = {Solution.INFEASIBLE: Solution.UNBOUNDED, Solution.UNBOUNDED: Solution.INFEASIBLE}


class DualForm(LPSession):
    """Takes the primal program, solves the dual, answers in terms of the primal. Lower bounds must be 0."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._inner: LPSession | None = None
        self._costs, self._upper = np.zeros(0), np.zeros(0)
        self._row_lower, self._row_upper = np.zeros(0), np.zeros(0)
        # Entries as they came: (number of the first column or row, vectors). Sorting them all is for rebuilding only.
        self._by_column: list[tuple[int, SparseVectors]] = []
        self._by_row: list[tuple[int, SparseVectors]] = []
        # Where columns went in the dual: to a row, or to the bound of the dual of a row, by an entry; -1 for neither.
        self._row_of_column: IntArray = np.zeros(0, dtype=np.int64)
        self._bounded_row: IntArray = np.zeros(0, dtype=np.int64)
        self._entry = np.zeros(0)

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        if np.any(lower != 0):
            raise SolveError("The dual form needs columns with lower bound 0.")
        first = len(self._costs)
        self._costs = np.concatenate([self._costs, costs])
        self._upper = np.concatenate([self._upper, upper])
        self._by_column.append((first, entries))
        if self._inner is None:
            return
        n_new = len(costs)
        self._row_of_column = np.concatenate([self._row_of_column, np.full(n_new, -1, dtype=np.int64)])
        self._bounded_row = np.concatenate([self._bounded_row, np.full(n_new, -1, dtype=np.int64)])
        self._entry = np.concatenate([self._entry, np.zeros(n_new)])
        # A column without entries says nothing yet; a row to come makes it a bound.
        says_nothing = (np.diff(entries.starts) == 0) & (costs >= 0) & np.isinf(upper)
        self._append(first + np.flatnonzero(~says_nothing), _take(entries, np.flatnonzero(~says_nothing)))

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        first = len(self._row_lower)
        self._row_lower = np.concatenate([self._row_lower, lower])
        self._row_upper = np.concatenate([self._row_upper, upper])
        self._by_row.append((first, entries))
        if self._inner is not None:
            self._extend(first, entries)

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self._costs[columns] = costs
        if self._inner is not None and np.all(self._bounded_row[columns] >= 0):
            self._change_bounds()
        else:
            self._reset()

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        if np.any(lower != 0):
            raise SolveError("The dual form needs columns with lower bound 0.")
        self._upper[columns] = upper
        self._reset()

    def close(self) -> None:
        self._reset()

    def _reset(self) -> None:
        if self._inner is not None:
            self._inner.close()
            self._inner = None

    # The dual program -----------------------------------------------------------------------------------------------

    def _build(self) -> LPSession:
        inner = self._inner = self._backend.open_lp()
        n_rows, n_columns = len(self._row_lower), len(self._costs)
        columns = self._all_by_column()
        ranged = self._is_range(slice(0, n_rows))
        self._ranged = np.flatnonzero(ranged)
        self._row_of_column = np.full(n_columns, -1, dtype=np.int64)
        self._bounded_row, self._entry = np.full(n_columns, -1, dtype=np.int64), np.zeros(n_columns)
        # The dual of a ranged row is two variables: no bound on one of them says the same.
        single = np.flatnonzero((np.diff(columns.starts) == 1) & np.isinf(self._upper))
        single = single[~ranged[columns.indices[columns.starts[single]]]]
        self._bounded_row[single] = columns.indices[columns.starts[single]]
        self._entry[single] = columns.values[columns.starts[single]]
        self._y_lower, self._y_upper = self._bounds()
        n_extra = len(self._ranged)
        self._variable_of_row: IntArray = np.arange(n_rows, dtype=np.int64)
        self._negative_part = n_rows + np.arange(n_extra, dtype=np.int64)
        inner.add_columns(
            np.concatenate([self._goals(slice(0, n_rows)), -self._row_upper[self._ranged]]),
            np.concatenate([self._y_lower, np.full(n_extra, -np.inf)]),
            np.concatenate([self._y_upper, np.zeros(n_extra)]),
            SparseVectors.empty(n_rows + n_extra),
        )
        self._n_variables, self._n_inner_rows = n_rows + n_extra, 0
        others = np.flatnonzero(self._bounded_row < 0)
        self._append(others, _take(columns, others))
        return inner

    def _all_by_column(self) -> SparseVectors:
        parts = [(first + block.owners(), block.indices, block.values) for first, block in self._by_column]
        parts += [(block.indices, first + block.owners(), block.values) for first, block in self._by_row]
        columns, rows, values = (np.concatenate([part[at] for part in parts]) for at in range(3))
        order = np.argsort(columns, kind="stable")
        starts = np.zeros(len(self._costs) + 1, dtype=np.int64)
        np.cumsum(np.bincount(columns, minlength=len(self._costs)), out=starts[1:])
        return SparseVectors(starts, rows[order].astype(np.int64), values[order])

    def _is_range(self, rows: slice) -> BoolArray:
        lower, upper = self._row_lower[rows], self._row_upper[rows]
        return np.asarray(np.isfinite(lower) & np.isfinite(upper) & (lower < upper))

    def _goals(self, rows: slice) -> FloatArray:
        """Costs of the duals: minus the bound that binds where they are positive, or else negative."""
        lower, upper = self._row_lower[rows], self._row_upper[rows]
        return np.asarray(-np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.0)))

    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        """Bounds of the duals: by the sense of their rows, and by the columns with one entry: ``a y_r <= cost``."""
        below, above = np.isfinite(self._row_lower), np.isfinite(self._row_upper)
        lower = np.where(above & ~self._is_range(slice(0, len(below))), -np.inf, 0.0)
        upper = np.where(below, np.inf, 0.0)
        bounds = np.flatnonzero(self._bounded_row >= 0)
        rows, entries = self._bounded_row[bounds], self._entry[bounds]
        limits, positive = self._costs[bounds] / entries, entries > 0
        np.minimum.at(upper, rows[positive], limits[positive])
        np.maximum.at(lower, rows[~positive], limits[~positive])
        return lower, upper

    def _change_bounds(self) -> None:
        """Tell the solver which bounds of duals are new."""
        assert self._inner is not None
        lower, upper = self._bounds()
        if np.any(lower > upper):
            self._reset()
            return
        changed = np.flatnonzero((lower != self._y_lower) | (upper != self._y_upper))
        self._y_lower, self._y_upper = lower, upper
        if len(changed):
            self._inner.set_column_bounds(self._variable_of_row[changed], lower[changed], upper[changed])

    def _append(self, columns: IntArray, entries: SparseVectors) -> None:
        """One dual row per column of the primal."""
        assert self._inner is not None
        if not len(columns):
            return
        twice = self._ranged_entries(entries) if len(self._ranged) else None
        entries = SparseVectors(entries.starts, self._variable_of_row[entries.indices], entries.values)
        if twice is not None:
            entries = entries.join(twice)
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
        self._row_of_column[columns] = np.arange(self._n_inner_rows, self._n_inner_rows + len(columns))
        self._n_inner_rows += len(columns)

    def _ranged_entries(self, entries: SparseVectors) -> SparseVectors:
        """The entries in ranged rows once more, for the negative parts of their duals."""
        place = np.full(len(self._row_lower), -1, dtype=np.int64)
        place[self._ranged] = self._negative_part
        twice = np.flatnonzero(place[entries.indices] >= 0)
        owners = entries.owners()[twice]
        starts = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(entries)))])
        return SparseVectors(starts.astype(np.int64), place[entries.indices[twice]], entries.values[twice])

    def _extend(self, first: int, entries: SparseVectors) -> None:
        """One dual variable per new row of the primal."""
        assert self._inner is not None
        in_rows = self._row_of_column[entries.indices] >= 0
        outside = entries.indices[~in_rows]
        rows = slice(first, len(self._row_lower))
        if (
            np.any(self._is_range(rows))
            or np.any(self._bounded_row[outside] >= 0)
            or len(np.unique(outside)) < len(outside)
        ):
            self._reset()
            return
        owners = entries.owners()
        self._bounded_row[outside] = first + owners[~in_rows]
        self._entry[outside] = entries.values[~in_rows]
        lower, upper = self._bounds()
        if np.any(lower > upper):
            self._reset()
            return
        self._y_lower, self._y_upper = lower, upper
        n_new = len(entries)
        kept = np.concatenate([[0], np.cumsum(np.bincount(owners[in_rows], minlength=n_new))]).astype(np.int64)
        self._inner.add_columns(
            self._goals(rows),
            lower[rows],
            upper[rows],
            SparseVectors(kept, self._row_of_column[entries.indices[in_rows]], entries.values[in_rows]),
        )
        new = np.arange(self._n_variables, self._n_variables + n_new, dtype=np.int64)
        self._variable_of_row = np.concatenate([self._variable_of_row, new])
        self._n_variables += n_new

    # Answers in terms of the primal ---------------------------------------------------------------------------------

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        inner = self._inner or self._build()
        if np.any(self._y_lower > self._y_upper):
            return _unsolved("dual bounds exclude each other")
        found = inner.solve(deadline)
        if not found.is_optimal:
            return evolve(found, solution=_SWAPPED.get(found.solution, found.solution))
        dual = found.primal[self._variable_of_row]
        dual[self._ranged] += found.primal[self._negative_part]
        primal = np.zeros(len(self._costs))
        in_rows = np.flatnonzero(self._row_of_column >= 0)
        primal[in_rows] = np.maximum(-found.dual[self._row_of_column[in_rows]], 0.0)
        self._recover_bounds(primal, dual)
        return evolve(found, objective=-found.objective, primal=primal, dual=dual)

    def _recover_bounds(self, primal: FloatArray, dual: FloatArray) -> None:
        """Columns that became bounds take up what their row still lacks, where the bound is the tight one."""
        bounds = np.flatnonzero(self._bounded_row >= 0)
        if not len(bounds):
            return
        row, entry = self._bounded_row[bounds], self._entry[bounds]
        goal = np.where(entry > 0, self._row_lower[row], self._row_upper[row])
        activity = self._activity(primal)
        lacking = np.where(np.isfinite(goal), (goal - activity[row]) / entry, 0.0)
        tight = np.abs(entry * dual[row] - self._costs[bounds]) <= 1e-9 * np.maximum(1.0, np.abs(self._costs[bounds]))
        # Of several columns on one row the first tight one takes it all.
        wanting = np.flatnonzero(tight & (lacking > 0))
        _, first = np.unique(row[wanting], return_index=True)
        taken = wanting[first]
        primal[bounds[taken]] = lacking[taken]

    def _activity(self, primal: FloatArray) -> FloatArray:
        """What the columns in use bring to each row; they are few."""
        activity = np.zeros(len(self._row_lower))
        for first, block in self._by_column:
            used = np.flatnonzero(primal[first : first + len(block)])
            if len(used):
                entries = _take(block, used)
                values = entries.values * np.repeat(primal[first + used], np.diff(entries.starts))
                np.add.at(activity, entries.indices, values)
        for first, block in self._by_row:
            activity[first : first + len(block)] += block.dot(primal)
        return activity


def _take(vectors: SparseVectors, which: IntArray) -> SparseVectors:
    sizes = np.diff(vectors.starts)[which]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    at = np.repeat(vectors.starts[which] - starts[:-1], sizes) + np.arange(starts[-1])
    return SparseVectors(starts, vectors.indices[at], vectors.values[at])


def _unsolved(why: str) -> LPSolution:
    return LPSolution(Stop.COMPLETED, Solution.UNBOUNDED, -np.inf, np.zeros(0), np.zeros(0), why)
