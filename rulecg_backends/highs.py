"""HiGHS through highspy: warm dual simplex for the master, branch and cut with a solution pool."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import evolve, field, frozen

from rulecg_core import (
    Availability,
    Backend,
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

_SIMPLEX_STRATEGY = {"dual-simplex": 1, "primal-simplex": 4}

_SMALL = 20_000
"""Linear programs with at most so many rows, columns and entries are solved where they are called, which takes a small
part of a second; larger ones where Ctrl-C reaches them."""

_STATUS: dict[str, tuple[Stop, Solution]] = {
    "kOptimal": (Stop.COMPLETED, Solution.OPTIMAL),
    "kModelEmpty": (Stop.COMPLETED, Solution.OPTIMAL),
    "kInfeasible": (Stop.COMPLETED, Solution.INFEASIBLE),
    "kUnbounded": (Stop.COMPLETED, Solution.UNBOUNDED),
    "kTimeLimit": (Stop.TIME_LIMIT, Solution.NONE),
    "kIterationLimit": (Stop.OTHER_LIMIT, Solution.NONE),
    "kSolutionLimit": (Stop.OTHER_LIMIT, Solution.NONE),
    "kObjectiveBound": (Stop.OTHER_LIMIT, Solution.NONE),
    "kMemoryLimit": (Stop.OTHER_LIMIT, Solution.NONE),
    "kObjectiveTarget": (Stop.TARGET_REACHED, Solution.NONE),
    "kInterrupt": (Stop.INTERRUPTED, Solution.NONE),
    "kHighsInterrupt": (Stop.INTERRUPTED, Solution.NONE),
}
"""Every other native status means that HiGHS failed."""


@frozen
class HiGHS(Backend):
    """HiGHS, the embedded default: warm linear programs, solution pool, MIT licence."""

    name: ClassVar[str] = "highs"
    counts_work: ClassVar[bool] = True

    threads: int = field(default=1, validator=options.whole_number)
    """For mixed-integer solves. One by default: after a solve with more, a forked child that uses HiGHS can hang."""
    lp_method: str = field(
        default="dual-simplex", validator=options.one_of("dual-simplex", "primal-simplex", "interior-point")
    )
    crossover: bool = field(default=True, validator=options.yes_or_no)
    """Whether interior point goes on to a vertex; without, it is faster and its duals are less sharp."""
    presolve: bool = field(default=True, validator=options.yes_or_no)
    primal_tolerance: float = field(default=1e-7, validator=options.between(1e-10, 1e-4))
    dual_tolerance: float = field(default=1e-7, validator=options.between(1e-10, 1e-4))
    integrality_tolerance: float = field(default=1e-6, validator=options.between(1e-10, 1e-4))

    def without_presolve(self) -> Backend:
        return evolve(self, presolve=False)

    @classmethod
    def availability(cls) -> Availability:
        return package_availability("highspy", "highspy", "pip install highspy")

    def new_session(self) -> LPSession:
        return HiGHSSession(self)

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
        return _HiGHSSolve(self, model, limits, pool_size, should_stop).run(start)

    def new_solver(self, threads: int) -> Any:
        """A silent solver with these options set."""
        import highspy

        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        settings: dict[str, Any] = {
            "output_flag": False,
            "threads": threads,
            "presolve": "on" if self.presolve else "off",
            "primal_feasibility_tolerance": self.primal_tolerance,
            "dual_feasibility_tolerance": self.dual_tolerance,
            "mip_feasibility_tolerance": self.integrality_tolerance,
            # Entries below 1e-9 would be dropped without a word, and the answer would be to another problem.
            "small_matrix_value": 1e-12,
        }
        if self.lp_method == "interior-point":
            settings["solver"] = "ipm"
            settings["run_crossover"] = "on" if self.crossover else "off"
        else:
            settings["solver"] = "simplex"
            settings["simplex_strategy"] = _SIMPLEX_STRATEGY[self.lp_method]
        for option, value in settings.items():
            solver.setOptionValue(option, value)
        return solver


def _native(solver: Any) -> tuple[str, Stop, Solution]:
    status = solver.getModelStatus()
    stop, solution = _STATUS.get(status.name, (Stop.ERROR, Solution.NONE))
    return str(solver.modelStatusToString(status)), stop, solution


def _listen(chances: Sequence[Any], callback: Callable[[Any], None]) -> None:
    """Subscribe to HiGHS's chances to stop, once a stop is wanted and not before: being asked at every iteration makes
    the simplex method a fifth slower."""
    for chance in chances:
        if not chance.callbacks:
            chance.subscribe(callback)


class HiGHSSession(LPSession):
    """A linear program that HiGHS keeps, with its basis, from one solve to the next."""

    def __init__(self, backend: HiGHS) -> None:
        self._solver = backend.new_solver(threads=1)
        # Presolve only ever sees the first, cold solve, and on a master in dual form, thousands of equal columns, it
        # takes minutes where the simplex method takes a tenth of a second.
        self._solver.setOptionValue("presolve", "off")
        self._is_closed = False

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._check(
            self._solver.addCols(
                len(costs), costs, lower, upper, len(entries.values),
                entries.starts.astype(np.int32), entries.indices.astype(np.int32), entries.values,
            ),
            "columns could not be added",
        )

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._check(
            self._solver.addRows(
                len(lower), lower, upper, len(entries.values),
                entries.starts.astype(np.int32), entries.indices.astype(np.int32), entries.values,
            ),
            "rows could not be added",
        )

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self._check(
            self._solver.changeColsCost(len(columns), np.asarray(columns, np.int32), np.asarray(costs, np.float64)),
            "costs could not be changed",
        )

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        self._check(
            self._solver.changeColsBounds(
                len(columns), np.asarray(columns, np.int32), np.asarray(lower, np.float64),
                np.asarray(upper, np.float64),
            ),
            "bounds could not be changed",
        )

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        if self._is_closed:
            raise SolveError("HiGHS: the linear program was closed, or left while it was being solved.")
        if deadline.passed:
            return self._answer("not started", Stop.TIME_LIMIT, Solution.NONE)
        native, stop, solution = self._run(deadline)
        if stop is Stop.ERROR and not deadline.passed:
            # A basis that went bad after many additions is cured by a fresh start.
            self._solver.clearSolver()
            native, stop, solution = self._run(deadline)
        if stop is Stop.ERROR and not deadline.passed:
            # Undecided between infeasible and unbounded, or in numerical trouble: another way through.
            self._solver.clearSolver()
            native, stop, solution = self._run(deadline, presolve="off", simplex_strategy=4)
        return self._answer(native, stop, solution)

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._solver.clear()

    def _run(self, deadline: Deadline, **settings: Any) -> tuple[str, Stop, Solution]:
        # HiGHS counts its time over all solves of one object.
        limit = math.inf if math.isinf(deadline.moment) else self._solver.getRunTime() + deadline.remaining
        self._solver.setOptionValue("time_limit", limit)
        usual = {option: self._solver.getOptionValue(option)[1] for option in settings}
        for option, value in settings.items():
            self._solver.setOptionValue(option, value)
        if self._run_solver() == "kError" and self._solver.getModelStatus().name == "kNotset":
            # Someone else in this thread ran HiGHS with another number of threads, which are shared: use those.
            self._solver.setOptionValue("threads", 0)
            self._run_solver()
        for option, value in usual.items():
            self._solver.setOptionValue(option, value)
        return _native(self._solver)

    def _run_solver(self) -> str:
        """Run HiGHS so that Ctrl-C reaches it; returns the name of its status."""
        solver = self._solver
        if solver.getNumNz() + solver.getNumCol() + solver.getNumRow() <= _SMALL:
            return str(solver.run().name)
        statuses: list[Any] = []
        chances = (solver.cbSimplexInterrupt, solver.cbIpmInterrupt)

        def stop() -> None:
            _listen(chances, lambda event: event.interrupt())

        self._is_closed = True  # a second Ctrl-C leaves the solver running, and nobody may touch it then
        try:
            Interruption().run(lambda: statuses.append(solver.run()), stop, patience=math.inf, thread="highs-1")
        finally:
            if statuses:
                self._is_closed = False
                for chance in chances:
                    chance.clear()
        return str(statuses[0].name)

    def _answer(self, native: str, stop: Stop, solution: Solution) -> LPSolution:
        found = self._solver.getSolution()
        info = self._solver.getInfo()
        n_columns, n_rows = self._solver.getNumCol(), self._solver.getNumRow()
        primal = np.array(found.col_value, dtype=np.float64)
        dual = np.array(found.row_dual, dtype=np.float64)
        if stop is not Stop.COMPLETED and found.value_valid and int(info.primal_solution_status) == 2:
            solution = Solution.FEASIBLE
        has_point = solution in (Solution.OPTIMAL, Solution.FEASIBLE)
        return LPSolution(
            stop,
            solution,
            float(info.objective_function_value) if has_point else math.nan,
            primal if len(primal) == n_columns else np.zeros(n_columns),
            dual if len(dual) == n_rows else np.zeros(n_rows),
            native,
        )

    @staticmethod
    def _check(status: Any, message: str) -> None:
        if status.name == "kError":
            raise SolveError(f"HiGHS: {message}; an index is out of range or a number is not finite.")


class _HiGHSSolve(MIPSolve):
    """One mixed-integer solve with HiGHS."""

    backend: HiGHS

    _last_bound: float | None = None

    def _solve(self) -> Outcome:
        solver = self._loaded_solver(self.model.costs)
        best = self.pool.best
        if best is not None:
            columns = np.arange(self.model.n_columns, dtype=np.int32)
            solver.setSolution(len(columns), columns, best.x)
        solver.cbMipSolution.subscribe(self._on_solution)
        if not self._run_solver(solver):
            return self.left_behind(self._last_bound)
        native, stop, solution = _native(solver)
        if native == "Primal infeasible or unbounded":
            solution, stop = self._infeasible_or_unbounded(), Stop.COMPLETED
        found = solver.getSolution()
        if found.value_valid and solution is not Solution.UNBOUNDED:
            self.pool.add(np.array(found.col_value, dtype=np.float64))
        info = solver.getInfo()
        if self.model.integer.any():
            bound: float | None = float(info.mip_dual_bound)
        else:
            bound = float(info.objective_function_value) if solution is Solution.OPTIMAL else None
        solver.clear()
        return native, stop, solution, bound

    def _run_solver(self, solver: Any) -> bool:
        """Run HiGHS so that it can be stopped; False when it was left behind."""
        solver.cbMipInterrupt.subscribe(self._on_chance_to_stop)

        def stop() -> None:
            # For programs without integers.
            _listen((solver.cbSimplexInterrupt, solver.cbIpmInterrupt), self._on_chance_to_stop)

        # HiGHS keeps the number of threads that a thread first ran it with.
        word = f"highs-{solver.getOptionValue('threads')[1]}"
        has_ended = self.interruption.run(solver.run, stop, thread=word)
        if has_ended:
            solver.clearCallbacks()
        return has_ended

    def _loaded_solver(self, costs: FloatArray) -> Any:
        model, limits = self.model, self.limits
        solver = self.backend.new_solver(limits.threads or self.backend.threads)
        settings = {
            "mip_rel_gap": limits.relative_gap,
            "mip_abs_gap": limits.absolute_gap,
            "random_seed": limits.seed % 2_147_483_647,
            "time_limit": self.deadline.remaining,
        }
        if limits.nodes is not None:
            settings["mip_max_nodes"] = limits.nodes
        if limits.target is not None:
            # HiGHS wants the objective below its target, we are content with equality.
            settings["objective_target"] = limits.target + 1e-9 * max(1.0, abs(limits.target))
        for option, value in settings.items():
            solver.setOptionValue(option, value)
        status = solver.passModel(
            model.n_columns, len(model.rows), len(model.rows.values), 2, 1, model.offset,
            costs, model.lower, model.upper, model.row_lower, model.row_upper,
            model.rows.starts.astype(np.int32), model.rows.indices.astype(np.int32), model.rows.values,
            model.integer.astype(np.int32),
        )
        if status.name == "kError":
            raise SolveError("HiGHS refused the model; an index is out of range or a number is not finite.")
        return solver

    def _on_solution(self, event: Any) -> None:
        try:
            self.pool.add(np.array(event.data_out.mip_solution, dtype=np.float64))
        except BaseException as error:
            self.interruption.fail(error)

    def _on_chance_to_stop(self, event: Any) -> None:
        bound = float(event.data_out.mip_dual_bound)
        if self.model.integer.any() and math.isfinite(bound):
            self._last_bound = bound
        if self.interruption.requested:
            event.interrupt()

    def _infeasible_or_unbounded(self) -> Solution:
        """HiGHS did not tell which; without costs the answer is plain."""
        solver = self._loaded_solver(np.zeros(self.model.n_columns))
        if not self._run_solver(solver):
            return Solution.NONE
        _, _, solution = _native(solver)
        known = {Solution.INFEASIBLE: Solution.INFEASIBLE, Solution.OPTIMAL: Solution.UNBOUNDED}
        return known.get(solution, Solution.NONE)
