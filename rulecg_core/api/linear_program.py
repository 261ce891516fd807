"""Linear programs that grow: what a solver's session must do, and the check that every answer passes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from attrs import frozen

from ..base.arrays import FloatArray, IntArray, locked
from ..base.errors import ConfigurationError, RulecgError, SolveError
from ..base.limits import LP_ENTRY, LP_SOLVE, Deadline, is_counting, spend
from ..base.linear_data import LinearData
from ..base.sparse import SparseVectors
from ..base.status import Solution, Stop

_Session = TypeVar("_Session", bound="LPSession")


@frozen(eq=False)
class LPSolution:
    """How a solve of a linear program ended, and with what.

    Parameters
    ----------
    stop : Stop
        Why the solver stopped.
    solution : Solution
        What it has in hand. ``OPTIMAL`` is checked by :class:`CheckedSession`.
    objective : float
        ``costs @ primal`` with a point in hand, else NaN.
    primal : numpy.ndarray
        One number per column; zeros without a point.
    dual : numpy.ndarray
        One number per row; zeros without a point. ``reduced cost = cost - A' dual``: in minimisation rows with a lower
        bound have duals >= 0, rows with an upper bound duals <= 0.
    native_status : str
        The solver's own word for how it ended; never empty.
    """

    stop: Stop
    solution: Solution
    objective: float
    primal: FloatArray
    dual: FloatArray
    native_status: str = ""

    @property
    def is_optimal(self) -> bool:
        """Whether the solver claims an optimum."""
        return self.solution is Solution.OPTIMAL


class LPSession(ABC):
    """One linear program ``min cost @ x, row_lower <= A x <= row_upper, lower <= x <= upper`` that grows.

    Rows and columns are numbered from 0 in the order they were added. Infinite bounds are ``±inf``. A session belongs
    to whoever opened it, who closes it: with ``with``, or by :meth:`close`.
    """

    @abstractmethod
    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        """Append columns; ``entries`` holds, column by column, (row number, coefficient)."""

    @abstractmethod
    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        """Append rows; ``entries`` holds, row by row, (column number, coefficient)."""

    @abstractmethod
    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        """Change the costs of the columns with these numbers."""

    @abstractmethod
    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        """Change the bounds of the columns with these numbers."""

    @abstractmethod
    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        """Solve from where the last solve ended.

        Parameters
        ----------
        deadline : Deadline, optional
            When to give up: the answer then has ``Stop.TIME_LIMIT``.

        Returns
        -------
        LPSolution
            How it ended, and with what.

        Raises
        ------
        KeyboardInterrupt
            Within about half a second of Ctrl-C; the session can be solved again or closed.
        """

    @abstractmethod
    def close(self) -> None:
        """Free the solver's memory, threads and processes; a second call does nothing. Not used afterwards."""

    def __enter__(self: _Session) -> _Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class CheckedSession(LPSession):
    """A backend's session behind a check: wrong answers become errors that name the backend.

    Numbers that are not finite are refused on their way in. An optimum is passed on only when its point keeps every
    row and bound and its duals prove its value; otherwise the program is loaded into a new session and solved once
    more, and if that answer is wrong as well, the backend is.

    Parameters
    ----------
    backend : str
        The backend's name, for messages.
    open_session : callable
        Opens an empty session of that backend.
    """

    def __init__(self, backend: str, open_session: Callable[[], LPSession]) -> None:
        self._backend = backend
        self._open_session = open_session
        self._data = LinearData()
        self.inner = open_session()
        """The backend's own session."""
        if not isinstance(self.inner, LPSession):
            raise SolveError(f"The backend {backend!r} opened a {type(self.inner).__name__}, which is no LPSession.")

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        check_numbers("columns", costs, lower, upper, entries)
        self._change(self.inner.add_columns, locked(costs), locked(lower), locked(upper), entries)
        self._data.add_columns(costs, lower, upper, entries)

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        check_numbers("rows", np.zeros(0), lower, upper, entries)
        self._change(self.inner.add_rows, locked(lower), locked(upper), entries)
        self._data.add_rows(lower, upper, entries)

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        check_numbers("costs", costs, np.zeros(0), np.zeros(0), SparseVectors.empty(0))
        self._change(self.inner.set_costs, locked(columns), locked(costs))
        self._data.set_costs(columns, costs)

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        check_numbers("bounds", np.zeros(0), lower, upper, SparseVectors.empty(0))
        self._change(self.inner.set_column_bounds, locked(columns), locked(lower), locked(upper))
        self._data.set_column_bounds(columns, lower, upper)

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        if is_counting():
            # A solver's clock is that on the wall: a linear program is solved to its end, and counted by its size.
            spend(LP_SOLVE + LP_ENTRY * self._data.n_rows * self._data.n_columns)
            if deadline.passed:
                return self._unsolved()
            deadline = Deadline(halt=deadline.halt)
        answer = self._solve_inner(deadline)
        if self._fault_of(answer):
            self._reload()
            answer = self._solve_inner(deadline)
            fault = self._fault_of(answer)
            if fault:
                raise SolveError(
                    f"The backend {self._backend!r} called a linear program of {self._data.n_rows} rows and "
                    f"{self._data.n_columns} columns optimal, but {fault}. Try another backend, and tell its authors."
                )
        return answer

    def close(self) -> None:
        self.inner.close()

    def _unsolved(self) -> LPSolution:
        nothing = np.zeros(self._data.n_columns), np.zeros(self._data.n_rows)
        return LPSolution(Stop.TIME_LIMIT, Solution.NONE, math.nan, *nothing, "not started")

    def _change(self, call: Callable[..., None], *arguments: Any) -> None:
        """Change the backend's program; arrays are views that it cannot write to."""
        try:
            call(*arguments)
        except RulecgError:
            raise
        except Exception as error:  # a stranger's code: anything may come
            raise SolveError(
                f"The backend {self._backend!r} failed to change a linear program: {type(error).__name__}: {error}"
            ) from error

    def _solve_inner(self, deadline: Deadline) -> LPSolution:
        try:
            answer = self.inner.solve(deadline)
        except RulecgError:
            raise
        except Exception as error:  # a stranger's code: anything may come
            raise SolveError(
                f"The backend {self._backend!r} failed on a linear program: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(answer, LPSolution):
            raise SolveError(
                f"The backend {self._backend!r} answered a linear program with a {type(answer).__name__} instead of "
                "an LPSolution."
            )
        return answer

    def _fault_of(self, answer: LPSolution) -> str:
        """What is wrong with a claim of optimality, or nothing."""
        if not answer.is_optimal:
            return ""
        primal, dual = np.asarray(answer.primal, dtype=np.float64), np.asarray(answer.dual, dtype=np.float64)
        if primal.shape != (self._data.n_columns,) or dual.shape != (self._data.n_rows,):
            return f"gave {primal.size} values and {dual.size} duals"
        if not (np.all(np.isfinite(primal)) and np.all(np.isfinite(dual)) and math.isfinite(answer.objective)):
            return "gave numbers that are not finite"
        terms = self._data.costs * primal
        if abs(answer.objective - float(terms.sum())) > 1e-6 * (1.0 + float(np.abs(terms).sum())):
            return f"stated the objective {answer.objective:.9g} for a point that costs {terms.sum():.9g}"
        if not self._data.proves_optimal(primal, dual):
            return "its point breaks a row or a bound, or its duals do not prove the point's value"
        return ""

    def _reload(self) -> None:
        self.inner.close()
        self.inner = self._open_session()
        data = self._data
        self.inner.add_columns(data.costs, data.lower, data.upper, SparseVectors.empty(data.n_columns))
        if data.n_rows:
            self.inner.add_rows(data.row_lower, data.row_upper, data.rows)


def check_numbers(
    what: str, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors
) -> None:
    """Raise :class:`ConfigurationError` when a cost or coefficient is not finite, or a bound cannot be met."""
    if not np.all(np.isfinite(costs)):
        raise ConfigurationError(f"A linear program cannot have costs that are not finite numbers ({what}).")
    if not np.all(np.isfinite(entries.values)):
        raise ConfigurationError(f"A linear program cannot have coefficients that are not finite numbers ({what}).")
    if np.any(np.isnan(lower) | (lower == np.inf)) or np.any(np.isnan(upper) | (upper == -np.inf)):
        raise ConfigurationError(
            f"A bound in a linear program is not a number, a lower one is inf, or an upper one -inf ({what})."
        )
