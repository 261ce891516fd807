"""SCIP through PySCIPOpt: warm simplex by SoPlex for the master, branch and cut with a solution pool."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen

from rulecg_core import (
    Availability,
    Backend,
    Deadline,
    FloatArray,
    IntArray,
    LinearData,
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

_INFINITY = 1e20
"""SCIP's own word for infinite in a Model."""
_LP_INFINITY = 1e100
"""SoPlex's own word for infinite; 1e20 is an ordinary number to it."""

_SLICE_OF_WORK = 1.2e8
"""Iterations times size of a linear program between two looks at Ctrl-C: about a quarter of a second. PySCIPOpt holds
Python's lock while SoPlex runs, so nothing reaches it from outside; counted in iterations, the cuts are repeatable."""

_STATUS: dict[str, tuple[Stop, Solution]] = {
    "optimal": (Stop.COMPLETED, Solution.OPTIMAL),
    "gaplimit": (Stop.COMPLETED, Solution.OPTIMAL),
    "infeasible": (Stop.COMPLETED, Solution.INFEASIBLE),
    "unbounded": (Stop.COMPLETED, Solution.UNBOUNDED),
    "timelimit": (Stop.TIME_LIMIT, Solution.NONE),
    "primallimit": (Stop.TARGET_REACHED, Solution.NONE),
    "userinterrupt": (Stop.INTERRUPTED, Solution.NONE),
    "terminate": (Stop.INTERRUPTED, Solution.NONE),
    "memlimit": (Stop.OTHER_LIMIT, Solution.NONE),
    "nodelimit": (Stop.OTHER_LIMIT, Solution.NONE),
    "sollimit": (Stop.OTHER_LIMIT, Solution.NONE),
}
"""Every other native status means that SCIP failed."""


@frozen
class SCIP(Backend):
    """SCIP with SoPlex: strong on hard integer programs, solution pool, Apache licence; one thread."""

    name: ClassVar[str] = "scip"
    counts_work: ClassVar[bool] = True

    lp_method: str = field(default="dual-simplex", validator=options.one_of("dual-simplex", "primal-simplex"))
    primal_tolerance: float = field(default=1e-7, validator=options.between(1e-10, 1e-4))
    dual_tolerance: float = field(default=1e-7, validator=options.between(1e-10, 1e-4))
    emphasis: str = field(
        default="default", validator=options.one_of("default", "feasibility", "optimality", "easycip", "hardlp")
    )
    """SCIP's own bundles of settings for mixed-integer solves."""

    @classmethod
    def availability(cls) -> Availability:
        return package_availability("pyscipopt", "PySCIPOpt", 'pip install "rulecg[scip]"')

    def new_session(self) -> LPSession:
        return SCIPSession(self)

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
        return _SCIPSolve(self, model, limits, pool_size, should_stop).run(start)


def _finite(values: FloatArray, infinity: float = _LP_INFINITY) -> list[float]:
    return np.clip(values, -infinity, infinity).tolist()


def _pairs(entries: SparseVectors) -> list[list[tuple[int, float]]]:
    """Vector by vector the (index, value) tuples that PySCIPOpt's LP wants."""
    flat = list(zip(entries.indices.tolist(), entries.values.tolist(), strict=True))
    starts = entries.starts.tolist()
    return [flat[begin:end] for begin, end in pairwise(starts)]


def _pyscipopt() -> Any:
    """The solver's package, imported only once a solver is needed."""
    import pyscipopt

    return pyscipopt


class SCIPSession(LPSession):
    """A linear program that SoPlex keeps, with its basis, from one solve to the next.

    PySCIPOpt does not say why SoPlex stopped short of an optimum, so a claim of infeasibility or unboundedness is
    made only when the ray that SoPlex offers as proof withstands a check.
    """

    def __init__(self, backend: SCIP) -> None:
        self._backend = backend
        self._data = LinearData()
        self._solver = self._new_solver()

    def _new_solver(self) -> Any:
        pyscipopt = _pyscipopt()
        solver = pyscipopt.LP()
        solver.setRealParam(pyscipopt.SCIP_LPPARAM.FEASTOL, self._backend.primal_tolerance)
        solver.setRealParam(pyscipopt.SCIP_LPPARAM.DUALFEASTOL, self._backend.dual_tolerance)
        return solver

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._data.add_columns(costs, lower, upper, entries)
        self._solver.addCols(_pairs(entries), costs.tolist(), _finite(lower), _finite(upper))

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._data.add_rows(lower, upper, entries)
        self._solver.addRows(_pairs(entries), _finite(lower), _finite(upper))

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self._data.set_costs(columns, costs)
        for column, cost in zip(columns.tolist(), costs.tolist(), strict=True):
            self._solver.chgObj(column, cost)

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        self._data.set_column_bounds(columns, lower, upper)
        for column, low, high in zip(columns.tolist(), _finite(lower), _finite(upper), strict=True):
            self._solver.chgBound(column, low, high)

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        if self._solver is None:
            raise SolveError("SCIP: the linear program was closed.")
        if deadline.passed:
            return self._without_point(Stop.TIME_LIMIT, Solution.NONE, "not started")
        dual_first = self._backend.lp_method == "dual-simplex"
        # A second try with the other simplex variant and a third from a fresh basis cure most numerical trouble.
        for attempt in range(3):
            if attempt == 2:
                self._rebuild()
            answer = self._attempt(dual_first == (attempt != 1), deadline)
            if answer.stop is not Stop.ERROR:
                return answer
            if deadline.passed:
                return self._without_point(Stop.TIME_LIMIT, Solution.NONE, answer.native_status)
        return answer

    def close(self) -> None:
        if self._solver is not None:
            self._solver.clear()
            self._solver = None

    def _rebuild(self) -> None:
        data = self._data
        self._solver = self._new_solver()
        self._solver.addCols([[]] * data.n_columns, data.costs.tolist(), _finite(data.lower), _finite(data.upper))
        if data.n_rows:
            self._solver.addRows(_pairs(data.rows), _finite(data.row_lower), _finite(data.row_upper))

    def _attempt(self, dual: bool, deadline: Deadline) -> LPSolution:
        try:
            self._run(dual, deadline)
        except Exception as error:  # PySCIPOpt raises bare exceptions for any failure within SoPlex
            return self._without_point(Stop.ERROR, Solution.NONE, f"SoPlex failed: {error}")
        if self._solver.isOptimal():
            primal = np.array(self._solver.getPrimal())
            return LPSolution(
                Stop.COMPLETED,
                Solution.OPTIMAL,
                float(self._data.costs @ primal),
                primal,
                np.array(self._solver.getDual(), dtype=np.float64),
                "optimal",
            )
        dual_ray = self._solver.getDualRay()
        if dual_ray is not None and self._data.proves_infeasible(np.array(dual_ray)):
            return self._without_point(Stop.COMPLETED, Solution.INFEASIBLE, "infeasible")
        primal_ray = self._solver.getPrimalRay()
        if primal_ray is not None and self._data.proves_unbounded(np.array(primal_ray)):
            return self._without_point(Stop.COMPLETED, Solution.UNBOUNDED, "unbounded")
        if deadline.passed:
            return self._without_point(Stop.TIME_LIMIT, Solution.NONE, "time limit")
        return self._without_point(Stop.ERROR, Solution.NONE, "not solved")

    def _run(self, dual: bool, deadline: Deadline) -> None:
        """Run SoPlex in slices, each from where the last one ended; between them Python hears Ctrl-C."""
        parameters = _pyscipopt().SCIP_LPPARAM
        size = self._data.n_entries + self._data.n_rows + self._data.n_columns
        iterations = int(np.clip(_SLICE_OF_WORK / max(size, 1), 50, 1_000_000))
        self._solver.setIntParam(parameters.LPITLIM, iterations)
        while True:
            # A limit of 0 would be refused; the least one stops just as well.
            self._solver.setRealParam(parameters.LPTILIM, min(max(deadline.remaining, 1e-3), _LP_INFINITY))
            self._solver.solve(dual=dual)
            if self._solver.isOptimal() or self._solver.getNIterations() < iterations or deadline.passed:
                return

    def _without_point(self, stop: Stop, solution: Solution, native: str) -> LPSolution:
        return LPSolution(
            stop, solution, math.nan, np.zeros(self._data.n_columns), np.zeros(self._data.n_rows), native
        )


class _SCIPSolve(MIPSolve):
    """One mixed-integer solve with SCIP."""

    backend: SCIP

    def _solve(self) -> Outcome:
        loaded = self._loaded_solver(self.model.costs, self.model.offset)
        if loaded is None:
            stop = Stop.TIME_LIMIT if self.deadline.passed else Stop.INTERRUPTED
            return "stopped while the program was loaded", stop, Solution.NONE, None
        solver, variables = loaded
        best = self.pool.best
        if best is not None:
            start = solver.createSol()
            for variable, value in zip(variables, best.x.tolist(), strict=True):
                solver.setSolVal(start, variable, value)
            solver.addSol(start)
        native = self._optimize(solver)
        if native is None:
            return self.left_behind()
        stop, solution = _STATUS.get(native, (Stop.ERROR, Solution.NONE))
        if native == "inforunbd":
            stop, solution = Stop.COMPLETED, self._infeasible_or_unbounded()
        if solution not in (Solution.UNBOUNDED, Solution.INFEASIBLE):
            for found in solver.getSols():
                self.pool.add(np.array([solver.getSolVal(found, variable) for variable in variables]))
        bound = float(solver.getDualbound())
        solver.freeProb()
        return native, stop, solution, bound

    def _optimize(self, solver: Any) -> str | None:
        """Solve within what loading has left of the time, and say how it ended; None when SCIP was left behind."""
        if self.limits.nodes is not None:
            solver.setParam("limits/totalnodes", self.limits.nodes)
        if math.isfinite(self.deadline.remaining):
            solver.setParam("limits/time", self.deadline.remaining)

        def stop() -> None:
            # Between two stages SCIP refuses, or forgets: the next call, a moment later, is heard.
            with contextlib.suppress(Exception):
                solver.interruptSolve()

        has_ended = self.interruption.run(solver.optimizeNogil, stop, thread="scip")
        return str(solver.getStatus()) if has_ended else None

    def _new_solver(self) -> Any:
        """A silent solver with the limits and options set."""
        pyscipopt = _pyscipopt()
        limits = self.limits
        solver = pyscipopt.Model()
        solver.hideOutput()
        if self.backend.emphasis != "default":
            solver.setEmphasis(getattr(pyscipopt.SCIP_PARAMEMPHASIS, self.backend.emphasis.upper()), quiet=True)
        pool_size = max(self.pool.size, 10)
        settings: dict[str, Any] = {
            "limits/gap": limits.relative_gap,
            "limits/absgap": limits.absolute_gap,
            "limits/maxsol": pool_size,
            "limits/maxorigsol": pool_size,
            "randomization/randomseedshift": limits.seed % 2_147_483_647,
            "misc/catchctrlc": False,
            "timing/clocktype": 2,
            # This step of presolving never looks at the clock (a second and more on a pricing problem of 4000
            # samples) and changed nothing in any model tried.
            "constraints/logicor/implications": False,
        }
        if limits.target is not None:
            settings["limits/primal"] = limits.target
        solver.setParams(settings)
        if (limits.threads or 1) > 1:
            self.notes.append("SCIP solves with one thread; the number of threads asked for was not used.")
        return solver

    def _loaded_solver(self, costs: FloatArray, offset: float) -> tuple[Any, list[Any]] | None:
        """The program in a new solver, and its variables; None when a stop was wanted before all of it was loaded."""
        pyscipopt = _pyscipopt()
        model, solver = self.model, self._new_solver()
        lower, upper = _finite(model.lower, _INFINITY), _finite(model.upper, _INFINITY)
        variables = [
            solver.addVar(vtype="I" if integer else "C", lb=low, ub=high, obj=cost)
            for integer, low, high, cost in zip(model.integer.tolist(), lower, upper, costs.tolist(), strict=True)
        ]
        terms = np.empty(len(variables), dtype=object)
        terms[:] = [pyscipopt.scip.Term(variable) for variable in variables]
        starts = model.rows.starts.tolist()
        sides = zip(_finite(model.row_lower, _INFINITY), _finite(model.row_upper, _INFINITY), strict=True)
        for row, ((begin, end), (low, high)) in enumerate(zip(pairwise(starts), sides, strict=True)):
            if self.deadline.passed or (row % 256 == 0 and self.interruption.ask()):
                break
            indices, values = model.rows.indices[begin:end], model.rows.values[begin:end]
            coefficients = dict(zip(terms[indices].tolist(), values.tolist(), strict=True))
            solver.addCons(pyscipopt.ExprCons(pyscipopt.Expr(coefficients), lhs=low, rhs=high))
        self.interruption.raise_if_failed()
        if self.deadline.passed or self.interruption.requested:
            return None
        solver.addObjoffset(offset)
        return solver, variables

    def _infeasible_or_unbounded(self) -> Solution:
        """SCIP did not tell which; without costs the answer is plain."""
        loaded = self._loaded_solver(np.zeros(self.model.n_columns), 0.0)
        native = None if loaded is None else self._optimize(loaded[0])
        known = {"infeasible": Solution.INFEASIBLE, "optimal": Solution.UNBOUNDED}
        return Solution.NONE if native is None else known.get(native, Solution.NONE)
