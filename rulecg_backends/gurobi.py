"""Gurobi through gurobipy: warm linear programs, branch and cut with a solution pool; a commercial solver."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from attrs import evolve, field, frozen

from rulecg_core import (
    Availability,
    Backend,
    BackendUnavailable,
    Deadline,
    FloatArray,
    IntArray,
    Interruption,
    LPSession,
    LPSolution,
    MIPLimits,
    MIPModel,
    MIPResult,
    MIPSolve,
    Outcome,
    Solution,
    SolveError,
    SparseVectors,
    Stop,
    package_availability,
)

from .common import options

_METHODS = {"primal-simplex": 0, "dual-simplex": 1, "barrier": 2}

_STATUS: dict[str, tuple[Stop, Solution]] = {
    "OPTIMAL": (Stop.COMPLETED, Solution.OPTIMAL),
    "INFEASIBLE": (Stop.COMPLETED, Solution.INFEASIBLE),
    "UNBOUNDED": (Stop.COMPLETED, Solution.UNBOUNDED),
    "ITERATION_LIMIT": (Stop.OTHER_LIMIT, Solution.NONE),
    "NODE_LIMIT": (Stop.OTHER_LIMIT, Solution.NONE),
    "TIME_LIMIT": (Stop.TIME_LIMIT, Solution.NONE),
    "SOLUTION_LIMIT": (Stop.OTHER_LIMIT, Solution.NONE),
    "INTERRUPTED": (Stop.INTERRUPTED, Solution.NONE),
    "USER_OBJ_LIMIT": (Stop.TARGET_REACHED, Solution.NONE),
    "WORK_LIMIT": (Stop.OTHER_LIMIT, Solution.NONE),
    "MEM_LIMIT": (Stop.OTHER_LIMIT, Solution.NONE),
}
"""Every other native status means that Gurobi failed."""


@frozen
class Gurobi(Backend):
    """Gurobi, a commercial solver: warm linear programs, solution pool; programs up to 2000 rows without a licence."""

    name: ClassVar[str] = "gurobi"

    threads: int = field(default=1, validator=options.whole_number)
    lp_method: str = field(default="dual-simplex", validator=options.one_of(*_METHODS))
    presolve: bool = field(default=True, validator=options.yes_or_no)
    primal_tolerance: float = field(default=1e-7, validator=options.between(1e-9, 1e-4))
    dual_tolerance: float = field(default=1e-7, validator=options.between(1e-9, 1e-4))
    integrality_tolerance: float = field(default=1e-6, validator=options.between(1e-9, 1e-4))

    def without_presolve(self) -> Backend:
        return evolve(self, presolve=False)

    @classmethod
    def availability(cls) -> Availability:
        return package_availability("gurobipy", "gurobipy", 'pip install "rulecg[gurobi]"')

    def new_session(self) -> LPSession:
        return GurobiSession(self)

    def solve_mip(
        self,
        model: MIPModel,
        limits: MIPLimits = MIPLimits(),  # noqa: B008 - MIPLimits is frozen
        *,
        start: Sequence[FloatArray] = (),
        pool_size: int = 1,
        should_stop: Callable[[], bool] | None = None,
    ) -> MIPResult:
        self.require()
        return _GurobiSolve(self, model, limits, pool_size, should_stop).run(start)

    def new_solver(self) -> _Solver:
        """A silent, empty model with these options set, in an environment of its own."""
        gurobipy = _gurobipy()
        try:
            environment = gurobipy.Env(empty=True)
            environment.setParam("OutputFlag", 0)
            environment.setParam("LogToConsole", 0)
            environment.start()
        except gurobipy.GurobiError as error:
            reason = f"its licence cannot be used ({error}). Install a valid one, or choose the backend 'highs'"
            raise BackendUnavailable(self.name, reason, "") from error
        model = gurobipy.Model(env=environment)
        model.Params.Threads = self.threads
        model.Params.Presolve = -1 if self.presolve else 0
        model.Params.FeasibilityTol = self.primal_tolerance
        model.Params.OptimalityTol = self.dual_tolerance
        model.Params.IntFeasTol = self.integrality_tolerance
        return _Solver(environment, model)


def _gurobipy() -> Any:
    """The solver's package, imported only once a solver is needed."""
    import gurobipy

    return gurobipy


@contextmanager
def _told_in_a_sentence(model: Any) -> Iterator[None]:
    """Turn Gurobi's errors into ones that say what to do."""
    gurobipy = _gurobipy()
    try:
        yield
    except gurobipy.GurobiError as error:
        if error.errno == gurobipy.GRB.Error.SIZE_LIMIT_EXCEEDED:
            raise SolveError(
                f"Gurobi's licence is too small for a program of {model.NumConstrs} rows and {model.NumVars} columns: "
                "the one that comes with gurobipy ends at 2000 of each. Install a full licence "
                "(https://www.gurobi.com/solutions/licensing), or choose the backend 'highs'."
            ) from error
        raise SolveError(f"Gurobi failed: {error} (error {error.errno}).") from error


class _Solver:
    """A model of gurobipy, filled from arrays. Rows with two different finite sides get a slack column of their own."""

    def __init__(self, environment: Any, model: Any) -> None:
        self._environment = environment
        self.model = model
        self.columns: list[Any] = []
        self.rows: list[Any] = []

    def add_columns(
        self,
        costs: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        entries: SparseVectors,
        integer: Sequence[bool] | None = None,
    ) -> None:
        kinds = "C" if integer is None else np.where(integer, "I", "C")
        if not len(entries.values):
            self.columns += self.model.addMVar(len(costs), lower, upper, costs, kinds).tolist() if len(costs) else []
        else:
            column = _gurobipy().Column
            values, indices = entries.values.tolist(), entries.indices.tolist()
            self.columns += [
                self.model.addVar(low, high, cost, column=column(values[a:b], [self.rows[row] for row in indices[a:b]]))
                for cost, low, high, (a, b) in zip(
                    costs.tolist(), lower.tolist(), upper.tolist(), pairwise(entries.starts.tolist()), strict=True
                )
            ]
        self.model.update()

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        if not len(lower):
            return
        gurobipy, (starts, indices, values) = _gurobipy(), (entries.starts, entries.indices, entries.values)
        # A row with two sides, or none, is an equation with a column between its bounds; its dual stays the same.
        between = (lower != upper) & (np.isfinite(lower) == np.isfinite(upper))
        senses = np.where(between | (lower == upper), "=", np.where(np.isfinite(lower), ">", "<"))
        sides = np.where(between, 0.0, np.where(np.isfinite(lower), lower, upper))
        n_slacks, n_columns = int(between.sum()), len(self.columns)
        variables = list(self.columns)
        if n_slacks:
            variables += self.model.addMVar(n_slacks, lower[between], upper[between]).tolist()
            slack_starts = np.concatenate([[0], np.cumsum(between)])
            slacks = SparseVectors(slack_starts, n_columns + np.arange(n_slacks), np.full(n_slacks, -1.0))
            joined = entries.join(slacks)
            starts, indices, values = joined.starts, joined.indices, joined.values
        if variables:
            from scipy.sparse import csr_array

            matrix = csr_array((values, indices, starts), shape=(len(lower), len(variables)))
            added = self.model.addMConstr(matrix, gurobipy.MVar.fromlist(variables), senses, sides)
            self.rows += added.tolist()
        else:
            self.rows += [
                self.model.addLConstr(gurobipy.LinExpr(), sense, side)
                for sense, side in zip(senses.tolist(), sides.tolist(), strict=True)
            ]
        self.model.update()

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self.model.setAttr("Obj", [self.columns[column] for column in columns.tolist()], costs.tolist())

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        changed = [self.columns[column] for column in columns.tolist()]
        self.model.setAttr("LB", changed, lower.tolist())
        self.model.setAttr("UB", changed, upper.tolist())

    def optimize(self) -> None:
        """Run Gurobi to its end; by its asynchronous call, because the other one takes Ctrl-C for itself."""
        in_progress = _gurobipy().GRB.INPROGRESS
        self.model.optimizeAsync()
        pause = 1e-4
        while self.model.Status == in_progress:
            time.sleep(pause)
            pause = min(1.2 * pause, 0.01)
        self.model.sync()

    @property
    def status(self) -> str:
        """Gurobi's own word for how the last solve ended."""
        statuses, number = _gurobipy().GRB.Status, self.model.Status
        named = (name for name in dir(statuses) if name.isupper() and getattr(statuses, name) == number)
        return next(named, f"status {number}")

    def values(self, attribute: str, of: Sequence[Any]) -> FloatArray:
        return np.array(self.model.getAttr(attribute, of), dtype=np.float64)

    def close(self) -> None:
        self.model.dispose()
        self._environment.dispose()


class GurobiSession(LPSession):
    """A linear program that Gurobi keeps, with its basis, from one solve to the next."""

    def __init__(self, backend: Gurobi) -> None:
        self._solver = backend.new_solver()
        self._solver.model.Params.Method = _METHODS[backend.lp_method]
        # Else Gurobi may end with "infeasible or unbounded".
        self._solver.model.Params.DualReductions = 0
        self._is_closed = False

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        with _told_in_a_sentence(self._solver.model):
            self._solver.add_columns(costs, lower, upper, entries)

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        with _told_in_a_sentence(self._solver.model):
            self._solver.add_rows(lower, upper, entries)

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self._solver.set_costs(columns, costs)

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        self._solver.set_column_bounds(columns, lower, upper)

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        if self._is_closed:
            raise SolveError("Gurobi: the linear program was closed, or left while it was being solved.")
        if deadline.passed:
            return self._without_point(Stop.TIME_LIMIT, Solution.NONE, "not started")
        self._run(deadline)
        native = self._solver.status
        stop, solution = _STATUS.get(native, (Stop.ERROR, Solution.NONE))
        if stop is Stop.ERROR and not deadline.passed:
            # A basis that went bad after many additions is cured by a fresh start.
            self._solver.model.reset()
            self._run(deadline)
            native = self._solver.status
            stop, solution = _STATUS.get(native, (Stop.ERROR, Solution.NONE))
        if solution is not Solution.OPTIMAL:
            return self._without_point(stop, solution, native)
        primal, dual = self._solver.values("X", self._solver.columns), self._solver.values("Pi", self._solver.rows)
        return LPSolution(stop, solution, float(self._solver.model.ObjVal), primal, dual, native)

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._solver.close()

    def _run(self, deadline: Deadline) -> None:
        solver = self._solver
        solver.model.Params.TimeLimit = min(deadline.remaining, 1e100)
        ended: list[bool] = []

        def optimize() -> None:
            try:
                solver.optimize()
            finally:
                ended.append(True)

        self._is_closed = True  # a second Ctrl-C leaves the solver running, and nobody may touch it then
        try:
            with _told_in_a_sentence(solver.model):
                Interruption().run(optimize, solver.model.terminate, patience=math.inf, thread="gurobi")
        finally:
            self._is_closed = not ended

    def _without_point(self, stop: Stop, solution: Solution, native: str) -> LPSolution:
        nothing = np.zeros(len(self._solver.columns)), np.zeros(len(self._solver.rows))
        return LPSolution(stop, solution, math.nan, *nothing, native)


class _GurobiSolve(MIPSolve):
    """One mixed-integer solve with Gurobi."""

    backend: Gurobi

    def _solve(self) -> Outcome:
        solver = self._loaded_solver(self.model.costs, self.model.offset)
        best = self.pool.best
        if best is not None:
            solver.model.setAttr("Start", solver.columns, best.x.tolist())
        if not self._run(solver):
            return self.left_behind()
        native = solver.status
        stop, solution = _STATUS.get(native, (Stop.ERROR, Solution.NONE))
        if solution is Solution.UNBOUNDED or native == "INF_OR_UNBD":
            # Unbounded speaks of the relaxation only.
            stop, solution = Stop.COMPLETED, self._infeasible_or_unbounded()
        bound = None
        if solution in (Solution.OPTIMAL, Solution.NONE):
            self._collect(solver)
            if self.model.integer.any():
                bound = float(solver.model.ObjBound)
            elif solution is Solution.OPTIMAL:
                bound = float(solver.model.ObjVal)
        solver.close()
        return native, stop, solution, bound

    def _run(self, solver: _Solver) -> bool:
        """Run Gurobi so that it can be stopped; False when it was left behind."""
        with _told_in_a_sentence(solver.model):
            return self.interruption.run(solver.optimize, solver.model.terminate, thread="gurobi")

    def _collect(self, solver: _Solver) -> None:
        """Put every point that Gurobi keeps into the pool."""
        n_points = int(solver.model.SolCount)
        if n_points and not self.model.integer.any():
            self.pool.add(solver.values("X", solver.columns))
            return
        for number in range(n_points):
            solver.model.Params.SolutionNumber = number
            self.pool.add(solver.values("Xn", solver.columns))

    def _loaded_solver(self, costs: FloatArray, offset: float) -> _Solver:
        model, limits = self.model, self.limits
        solver = self.backend.new_solver()
        with _told_in_a_sentence(solver.model):
            no_entries = SparseVectors.empty(model.n_columns)
            solver.add_columns(costs, model.lower, model.upper, no_entries, model.integer.tolist())
            solver.add_rows(model.row_lower, model.row_upper, model.rows)
        solver.model.ObjCon = offset
        parameters = solver.model.Params
        parameters.MIPGap = limits.relative_gap
        parameters.MIPGapAbs = limits.absolute_gap
        parameters.Seed = limits.seed % 2_000_000_000
        parameters.TimeLimit = min(self.deadline.remaining, 1e100)
        parameters.PoolSolutions = max(self.pool.size, 10)
        parameters.Threads = limits.threads or self.backend.threads
        if limits.target is not None:
            parameters.BestObjStop = limits.target + 1e-9 * max(1.0, abs(limits.target))
        return solver

    def _infeasible_or_unbounded(self) -> Solution:
        """Gurobi did not tell which; without costs the answer is plain."""
        solver = self._loaded_solver(np.zeros(self.model.n_columns), 0.0)
        solver.model.Params.BestObjStop = -math.inf
        if not self._run(solver):
            return Solution.NONE
        known = {"INFEASIBLE": Solution.INFEASIBLE, "OPTIMAL": Solution.UNBOUNDED}
        answer = known.get(solver.status, Solution.NONE)
        solver.close()
        return answer
