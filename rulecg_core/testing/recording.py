"""A backend that passes everything on to another and remembers what it was told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from ..api.backend import Availability, Backend, LPSession, LPSolution, MIPModel, MIPResult
from ..base.arrays import FloatArray, IntArray
from ..base.limits import Deadline, MIPLimits
from ..base.sparse import SparseVectors


class RecordingSession(LPSession):
    """A linear program whose matrix can be looked at afterwards, to check what the solver was really given."""

    def __init__(self, inner: LPSession) -> None:
        self.inner = inner
        self.costs = np.zeros(0)
        self.row_upper = np.zeros(0)
        self.matrix = np.zeros((0, 0))
        self.last: LPSolution | None = None

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self.inner.add_columns(costs, lower, upper, entries)
        self.matrix = np.hstack([self.matrix, entries.to_dense(len(self.matrix)).T])
        self.costs = np.concatenate([self.costs, costs])

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self.inner.add_rows(lower, upper, entries)
        self.matrix = np.vstack([self.matrix, entries.to_dense(len(self.costs))])
        self.row_upper = np.concatenate([self.row_upper, upper])

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self.inner.set_costs(columns, costs)
        self.costs[columns] = costs

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        self.inner.set_column_bounds(columns, lower, upper)

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        self.last = self.inner.solve(deadline)
        return self.last

    def close(self) -> None:
        self.inner.close()

    def reduced_costs(self) -> FloatArray:
        """``cost - A' dual`` for every column, from the matrix and the duals of the last solve."""
        assert self.last is not None
        return self.costs - self.matrix.T @ self.last.dual

    def row_slacks(self) -> FloatArray:
        """``upper - A x`` for every row: the reduced costs, when columns were written as rows of a dual."""
        assert self.last is not None
        return self.row_upper - self.matrix @ self.last.primal


class RecordingBackend(Backend):
    """Opens recording sessions on another backend."""

    name: ClassVar[str] = "recording"

    def __init__(self, inner: Backend) -> None:
        self.inner = inner
        self.sessions: list[RecordingSession] = []

    @classmethod
    def availability(cls) -> Availability:
        return Availability(True)

    def new_session(self) -> LPSession:
        self.sessions.append(RecordingSession(self.inner.open_lp()))
        return self.sessions[-1]

    def solve_mip(
        self,
        model: MIPModel,
        limits: MIPLimits = MIPLimits(),  # noqa: B008 - MIPLimits is frozen
        *,
        start: Sequence[FloatArray] = (),
        pool_size: int = 1,
        should_stop: Callable[[], bool] | None = None,
    ) -> MIPResult:
        return self.inner.solve_mip(model, limits, start=start, pool_size=pool_size, should_stop=should_stop)
