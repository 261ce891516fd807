"""What every mixed-integer solve has in common, whatever the solver: starts, target, repair, an honest result."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from rulecg_core import Backend, Deadline, FloatArray, MIPLimits, MIPModel, MIPResult, Solution, SparseVectors, Stop

from .interruption import Interruption
from .pool import SolutionPool

Outcome: TypeAlias = "tuple[str, Stop, Solution, float | None]"
"""Native status, why it stopped, what it claims to have, its lower bound."""


class MIPSolve(ABC):
    """One mixed-integer solve. A solver adds what it finds to ``self.pool`` and says how it ended."""

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
        self.interruption = Interruption(should_stop)
        self.notes: list[str] = []

    @abstractmethod
    def _solve(self) -> Outcome:
        """Run the solver from the best of the pool, if there is one."""

    def run(self, start: Sequence[FloatArray]) -> MIPResult:
        if any(accepted is None for accepted in self.pool.add_all(start)):
            self.notes.append("A start solution was infeasible and was not used.")
        if self.target_reached:
            return self._result("target reached by a start solution", Stop.TARGET_REACHED, Solution.NONE, None)
        if self.deadline.passed:
            return self._result("not started", Stop.TIME_LIMIT, Solution.NONE, None)
        return self._result(*self._solve())

    @property
    def target_reached(self) -> bool:
        best, target = self.pool.best, self.limits.target
        return best is not None and target is not None and best.objective <= target

    def _with_integers_fixed(self, point: FloatArray) -> FloatArray | None:
        model = self.model
        if model.integer.all() or self.deadline.passed:
            return None
        session = self.backend.open_lp()
        try:
            session.add_columns(
                model.costs,
                np.where(model.integer, point, model.lower),
                np.where(model.integer, point, model.upper),
                SparseVectors.empty(model.n_columns),
            )
            session.add_rows(model.row_lower, model.row_upper, model.rows)
            answer = session.solve(self.deadline)
            return answer.primal if answer.is_optimal else None
        finally:
            session.close()

    def _result(self, native: str, stop: Stop, solution: Solution, bound: float | None) -> MIPResult:
        self.pool.settle()
        if self.pool.n_dropped:
            self.notes.append(f"{self.pool.n_dropped} solutions broke a row once rounded and were dropped.")
        best = self.pool.best
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
