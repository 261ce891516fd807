"""What every mixed-integer solve has in common, whatever the solver: starts, target, repair, an honest result."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ..api.backend import Backend, MIPModel, MIPResult
from ..base.arrays import FloatArray
from ..base.interruption import Interruption
from ..base.limits import Deadline, MIPLimits
from ..base.sparse import SparseVectors
from ..base.status import Solution, Stop
from .pool import SolutionPool

Outcome: TypeAlias = "tuple[str, Stop, Solution, float | None]"
"""Native status, why it stopped, what it claims to have, its lower bound."""


class MIPSolve(ABC):
    """One mixed-integer solve. A solver adds what it finds to ``self.pool`` and says how it ended.

    A subclass implements :meth:`_solve`; :meth:`run` does the rest: it checks and counts the starts, returns at once
    when the target is reached or no time is left, repairs or drops what is infeasible once rounded, and takes no claim
    of the solver that its own points contradict.

    Parameters
    ----------
    backend : Backend
        Whose linear programs repair points, with the integers fixed.
    model, limits, pool_size, should_stop
        As given to :meth:`Backend.solve_mip`.

    Attributes
    ----------
    deadline : Deadline
        When the seconds of the limits are over.
    pool : SolutionPool
        Where found points go; ``pool.best`` is the best start.
    interruption : Interruption
        Runs the solver so that Ctrl-C and ``should_stop`` reach it.
    notes : list of str
        What to tell in ``MIPResult.notes``.
    """

    def __init__(
        self,
        backend: Backend,
        model: MIPModel,
        limits: MIPLimits,
        pool_size: int,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self.backend, self.model, self.limits = backend, model, limits
        self.deadline = Deadline.after(limits.seconds)
        self.pool = SolutionPool(model, pool_size, self._with_integers_fixed)
        self.interruption = Interruption(should_stop, self.deadline)
        self.notes: list[str] = []

    @abstractmethod
    def _solve(self) -> Outcome:
        """Run the solver from the best of the pool, if there is one, and say how it ended."""

    def left_behind(self, bound: float | None = None) -> Outcome:
        """How a solve ended that did not stop when asked: with the points it reported, and the bound if it told one."""
        self.notes.append("The solver did not stop when asked and was left behind; what it had reported was kept.")
        stop = Stop.TIME_LIMIT if self.interruption.is_overdue else Stop.INTERRUPTED
        return "left behind", stop, Solution.NONE, bound

    def run(self, start: Sequence[FloatArray]) -> MIPResult:
        """Solve from these points; returns the result as :meth:`Backend.solve_mip` must."""
        if any(accepted is None for accepted in self.pool.add_all(start)):
            self.notes.append("A start solution was infeasible and was not used.")
        if self.target_reached:
            return self._result("target reached by a start solution", Stop.TARGET_REACHED, Solution.NONE, None)
        if self.deadline.passed:
            return self._result("not started", Stop.TIME_LIMIT, Solution.NONE, None)
        return self._result(*self._solve())

    @property
    def target_reached(self) -> bool:
        """Whether a point is as good as the limits ask for."""
        best, target = self.pool.best, self.limits.target
        return best is not None and target is not None and best.objective <= target

    def _with_integers_fixed(self, point: FloatArray) -> FloatArray | None:
        model = self.model
        if model.integer.all() or self.deadline.passed:
            return None
        with self.backend.open_lp() as session:
            session.add_columns(
                model.costs,
                np.where(model.integer, point, model.lower),
                np.where(model.integer, point, model.upper),
                SparseVectors.empty(model.n_columns),
            )
            session.add_rows(model.row_lower, model.row_upper, model.rows)
            answer = session.solve(self.deadline)
            return answer.primal if answer.is_optimal else None

    def _result(self, native: str, stop: Stop, solution: Solution, bound: float | None) -> MIPResult:
        self.pool.settle()
        if self.pool.n_dropped:
            self.notes.append(f"{self.pool.n_dropped} solutions broke a row once rounded and were dropped.")
        best = self.pool.best
        if stop is Stop.INTERRUPTED and self.interruption.is_overdue:
            stop = Stop.TIME_LIMIT
        if solution is Solution.UNBOUNDED:
            return MIPResult(stop, solution, (), None, native, tuple(self.notes))
        if solution is Solution.OPTIMAL and best is None:
            # The solver's optimum did not survive the check, so nothing is claimed.
            stop, solution = Stop.ERROR, Solution.NONE
        elif solution is Solution.INFEASIBLE and best is not None:
            # A checked point contradicts the solver; the point is right.
            stop, solution, bound = Stop.ERROR, Solution.FEASIBLE, None
        elif solution is not Solution.OPTIMAL and best is not None:
            solution = Solution.FEASIBLE
        if stop is not Stop.COMPLETED and self.target_reached:
            stop = Stop.TARGET_REACHED
        if bound is not None and (not math.isfinite(bound) or abs(bound) >= 1e19 or solution is Solution.INFEASIBLE):
            bound = None
        if bound is not None and best is not None:
            if self._is_wrong(bound, best.objective):
                self.notes.append("The solver's bound lay above a feasible solution and was not used.")
                bound = None
            else:
                bound = min(bound, best.objective)
        return MIPResult(stop, solution, self.pool.solutions(), bound, native, tuple(self.notes))

    @staticmethod
    def _is_wrong(bound: float, objective: float) -> bool:
        return bound > objective + 1e-5 * max(1.0, abs(objective))
