"""CBC through python-mip, in a process of its own: warm linear programs by Clp, branch and cut."""

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

from ..common import options
from . import process as cbc_process
from .process import CBCProcess, ProcessEnded

_HUGE = 1e17
"""CBC calls an unbounded problem optimal, with values like -3e20."""

_STATUS: dict[str, tuple[Stop, Solution]] = {
    "OPTIMAL": (Stop.COMPLETED, Solution.OPTIMAL),
    "INFEASIBLE": (Stop.COMPLETED, Solution.INFEASIBLE),
    "INT_INFEASIBLE": (Stop.COMPLETED, Solution.INFEASIBLE),
    "UNBOUNDED": (Stop.COMPLETED, Solution.UNBOUNDED),
    "FEASIBLE": (Stop.TIME_LIMIT, Solution.NONE),
    "NO_SOLUTION_FOUND": (Stop.TIME_LIMIT, Solution.NONE),
    "TRUNCATED": (Stop.TIME_LIMIT, Solution.NONE),
    "CUTOFF": (Stop.COMPLETED, Solution.INFEASIBLE),
}
"""Every other native status means that CBC failed."""


@frozen
class CBC(Backend):
    """CBC with Clp, run in a process of its own; one solution per solve, EPL licence."""

    name: ClassVar[str] = "cbc"

    threads: int = field(default=1, validator=options.whole_number)
    integrality_tolerance: float = field(default=1e-6, validator=options.between(1e-10, 1e-4))
    cuts: int = field(default=-1, validator=options.one_of(-1, 0, 1, 2, 3))
    """How hard cutting planes are sought, from 0 (not at all) to 3; -1 leaves it to CBC."""
    preprocess: bool = field(default=True, validator=options.yes_or_no)

    def without_presolve(self) -> Backend:
        return evolve(self, preprocess=False)

    @classmethod
    def availability(cls) -> Availability:
        return package_availability("mip", "mip", 'pip install "rulecg[cbc]"')

    def new_session(self) -> LPSession:
        return CBCSession()

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
        return _CBCSolve(self, model, limits, pool_size, should_stop).run(start)


def _arrays(entries: SparseVectors) -> tuple[IntArray, IntArray, FloatArray]:
    return entries.starts, entries.indices, entries.values


class CBCSession(LPSession):
    """A linear program that Clp keeps, with its basis, from one solve to the next.

    Changes are sent along with the next solve. A copy stays here, so that a process that was ended at a deadline or
    crashed is replaced without loss. The session owns its process: closing the session gives it back, and a session
    that is forgotten takes its process along.
    """

    def __init__(self) -> None:
        self._data = LinearData()
        self._process: CBCProcess | None = None
        self._loaded = False
        self._changes: list[tuple[str, tuple[Any, ...]]] = []

    def add_columns(self, costs: FloatArray, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._data.add_columns(costs, lower, upper, entries)
        self._changes.append(("add_columns", (costs, lower, upper, *_arrays(entries))))

    def add_rows(self, lower: FloatArray, upper: FloatArray, entries: SparseVectors) -> None:
        self._data.add_rows(lower, upper, entries)
        self._changes.append(("add_rows", (lower, upper, *_arrays(entries))))

    def set_costs(self, columns: IntArray, costs: FloatArray) -> None:
        self._data.set_costs(columns, costs)
        self._changes.append(("set_costs", (columns, costs)))

    def set_column_bounds(self, columns: IntArray, lower: FloatArray, upper: FloatArray) -> None:
        self._data.set_column_bounds(columns, lower, upper)
        self._changes.append(("set_column_bounds", (columns, lower, upper)))

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        if deadline.passed:
            return self._answer(Stop.TIME_LIMIT, Solution.NONE, "not started")
        crashes = 0
        while True:
            try:
                return self._solve(deadline)
            except ProcessEnded:
                self._process, self._loaded = None, False
                if deadline.passed:
                    return self._answer(Stop.TIME_LIMIT, Solution.NONE, "ended at the deadline")
                crashes += 1
                if crashes == 2:
                    return self._answer(Stop.ERROR, Solution.NONE, "CBC crashed twice")
            except BaseException:
                self._drop_process()
                raise

    def close(self) -> None:
        if self._process is not None:
            process, self._process, self._loaded = self._process, None, False
            try:
                process.send("forget", None, Deadline.after(2.0))
                process.receive()
            except (ProcessEnded, SolveError):
                process.end()
            except BaseException:
                process.end()
                raise
            else:
                cbc_process.give_back(process)

    def _solve(self, deadline: Deadline) -> LPSolution:
        if self._process is None:
            self._process = cbc_process.borrow()
        if not self._process.wait_until_ready(deadline):
            return self._answer(Stop.TIME_LIMIT, Solution.NONE, "the process for CBC was still starting")
        answer = self._attempt(deadline)
        gave_up = answer.stop is Stop.TIME_LIMIT and not deadline.passed
        if gave_up or self._is_wrong(answer):
            # From a warm start Clp sometimes gives up, or calls optimal what is not: once more, from a fresh one.
            self._loaded = False
            answer = self._attempt(deadline)
        if self._is_wrong(answer):
            return self._answer(Stop.ERROR, Solution.NONE, "called optimal what is not")
        return answer

    def _is_wrong(self, answer: LPSolution) -> bool:
        return answer.is_optimal and not self._data.proves_optimal(answer.primal, answer.dual)

    def _attempt(self, deadline: Deadline) -> LPSolution:
        reply = self._request(deadline)
        stop, solution = _STATUS.get(reply["status"], (Stop.ERROR, Solution.NONE))
        primal: FloatArray | None = reply.get("primal")
        if primal is not None and np.max(np.abs(primal), initial=0.0) >= _HUGE:
            solution = Solution.UNBOUNDED
        if solution is Solution.UNBOUNDED:
            solution = self._infeasible_or_unbounded(deadline)
        return self._answer(stop, solution, reply["status"], primal, reply.get("dual"))

    def _request(self, deadline: Deadline) -> dict[str, Any]:
        assert self._process is not None
        changes = self._changes if self._loaded else self._from_scratch()
        content = {"fresh": not self._loaded, "changes": changes, "seconds": deadline.remaining}
        self._process.send("solve_lp", content, deadline)
        self._changes, self._loaded = [], True
        reply: dict[str, Any] = self._process.receive()
        return reply

    def _from_scratch(self) -> list[tuple[str, tuple[Any, ...]]]:
        data = self._data
        columns = (data.costs, data.lower, data.upper, *_arrays(SparseVectors.empty(data.n_columns)))
        return [("add_columns", columns), ("add_rows", (data.row_lower, data.row_upper, *_arrays(data.rows)))]

    def _infeasible_or_unbounded(self, deadline: Deadline) -> Solution:
        """Clp may say unbounded before it has found a feasible point; without costs the answer is plain."""
        columns, costs = np.arange(self._data.n_columns), self._data.costs.copy()
        self._changes.append(("set_costs", (columns, np.zeros_like(costs))))
        status = self._request(deadline)["status"]
        self._changes.append(("set_costs", (columns, costs)))
        return {"OPTIMAL": Solution.UNBOUNDED, "INFEASIBLE": Solution.INFEASIBLE}.get(status, Solution.NONE)

    def _answer(
        self,
        stop: Stop,
        solution: Solution,
        native: str,
        primal: FloatArray | None = None,
        dual: FloatArray | None = None,
    ) -> LPSolution:
        if solution is not Solution.OPTIMAL or primal is None or dual is None:
            primal, dual = np.zeros(self._data.n_columns), np.zeros(self._data.n_rows)
        objective = float(self._data.costs @ primal) if solution is Solution.OPTIMAL else math.nan
        return LPSolution(stop, solution, objective, primal, dual, native)

    def _drop_process(self) -> None:
        if self._process is not None:
            self._process.end()
        self._process, self._loaded = None, False


class _CBCSolve(MIPSolve):
    """One mixed-integer solve with CBC."""

    backend: CBC

    def _solve(self) -> Outcome:
        if self.pool.size > 1:
            self.notes.append("CBC keeps one solution per solve, so no pool of solutions was collected.")
        target = self.limits.target
        if target is None:
            return self._run_once(self.model.costs, None)
        # CBC stops at the first solution below a cutoff. When it has none, the target is out of reach, or CBC
        # stopped at a solution that it then lost; both times the plain solve that follows is right.
        cutoff = target - self.model.offset
        cutoff += 1e-6 * max(1.0, abs(cutoff))
        native, stop, _, bound = self._run_once(self.model.costs, cutoff)
        if self.target_reached:
            return native, Stop.TARGET_REACHED, Solution.NONE, None
        if self.deadline.passed or self.interruption.requested:
            return native, stop, Solution.NONE, None if bound is None else min(bound, target)
        return self._run_once(self.model.costs, None)

    def _run_once(self, costs: FloatArray, cutoff: float | None) -> Outcome:
        for is_last in (False, True):
            process = cbc_process.borrow()
            try:
                if not process.wait_until_ready(self.deadline):
                    cbc_process.give_back(process)
                    return "the process for CBC was still starting", Stop.TIME_LIMIT, Solution.NONE, None
                answer = self._ask(process, costs, cutoff)
            except ProcessEnded:
                if self.deadline.passed or is_last:
                    break
                self.notes.append("CBC's process ended unexpectedly; the solve was started again in a new one.")
            except BaseException:
                process.end()
                raise
            else:
                if answer is None:
                    process.end()
                    return self.left_behind()
                cbc_process.give_back(process)
                return self._outcome(answer, costs, cutoff)
        self.notes.append("CBC's process was ended; only the start solutions were kept.")
        return "ended", Stop.TIME_LIMIT if self.deadline.passed else Stop.ERROR, Solution.NONE, None

    def _ask(self, process: CBCProcess, costs: FloatArray, cutoff: float | None) -> dict[str, Any] | None:
        """CBC's answer; None when it did not stop in time after it was asked to."""
        answers: list[dict[str, Any]] = []
        process.send("solve_mip", self._request(costs, cutoff), self.deadline)
        has_ended = self.interruption.run(
            lambda: answers.append(process.receive()), process.ask_to_stop, thread="cbc"
        )
        return answers[0] if has_ended else None

    def _outcome(self, answer: dict[str, Any], costs: FloatArray, cutoff: float | None) -> Outcome:
        native, point = str(answer["status"]), answer["point"]
        stop, solution = _STATUS.get(native, (Stop.ERROR, Solution.NONE))
        if solution is Solution.OPTIMAL and (point is None or np.max(np.abs(point), initial=0.0) >= _HUGE):
            solution, point = Solution.UNBOUNDED, None
        if solution is Solution.UNBOUNDED and costs.any():
            _, stop, solution, _ = self._run_once(np.zeros_like(costs), None)
            known = {Solution.OPTIMAL: Solution.UNBOUNDED, Solution.INFEASIBLE: Solution.INFEASIBLE}
            return native, stop, known.get(solution, Solution.NONE), None
        if point is not None:
            self.pool.add(point)
        if answer["stopped"]:
            # The nodes were cut off by force, so what CBC calls optimal or infeasible proves nothing.
            return f"{native} after a stop was asked for", Stop.INTERRUPTED, Solution.NONE, None
        bound = answer["bound"]
        if solution is Solution.INFEASIBLE and cutoff is None and self.pool.best is not None:
            # CBC prunes what is no better than the start it was given.
            solution, bound = Solution.OPTIMAL, self.pool.best.objective - self.model.offset
        return native, stop, solution, None if bound is None else bound + self.model.offset

    def _request(self, costs: FloatArray, cutoff: float | None) -> dict[str, Any]:
        model, limits = self.model, self.limits
        best, no_entries = self.pool.best, _arrays(SparseVectors.empty(self.model.n_columns))
        return {
            "columns": (costs, model.lower, model.upper, *no_entries, model.integer),
            "rows": (model.row_lower, model.row_upper, *_arrays(model.rows)),
            "start": None if best is None or cutoff is not None else best.x,
            "cutoff": cutoff,
            "seconds": self.deadline.remaining,
            "options": {
                "max_mip_gap": limits.relative_gap,
                "max_mip_gap_abs": limits.absolute_gap,
                "seed": limits.seed % 2_147_483_647,
                "threads": limits.threads or self.backend.threads,
                "integer_tol": self.backend.integrality_tolerance,
                "cuts": self.backend.cuts,
                "preprocess": -1 if self.backend.preprocess else 0,
            },
        }
