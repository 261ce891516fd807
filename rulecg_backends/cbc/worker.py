"""The process in which CBC runs: reads pickled requests on stdin, writes pickled replies on stdout.

CBC writes to file descriptor 1 whatever it is told, cannot be cancelled, and takes the process down when it crashes.
In a process of its own none of that reaches the caller. Only python-mip's public interface is used.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import time
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

_NO_LIMIT = 1e9
"""python-mip does not pass an infinite limit on, so the last finite one would stay in force."""


IDLE_SECONDS = 15.0
"""A worker that holds no program and is asked for nothing so long ends."""


class LinearModel:
    """A python-mip model built from arrays. Rows with two different finite sides get a slack column of their own."""

    def __init__(self) -> None:
        import mip

        self.mip = mip
        self.solver = mip.Model(solver_name=mip.CBC)
        self.solver.verbose = 0
        # python-mip refuses models without variables, and gives rows without entries one on the first variable.
        self.solver.add_var(lb=0.0, ub=0.0)
        self._columns: list[Any] = []
        self._rows: list[Any] = []

    def add_columns(
        self,
        costs: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        starts: NDArray[np.int64],
        indices: NDArray[np.int64],
        values: NDArray[np.float64],
        integer: NDArray[np.bool_] | None = None,
    ) -> None:
        kinds = ["C"] * len(costs) if integer is None else np.where(integer, "I", "C").tolist()
        rows = np.empty(len(self._rows), dtype=object)
        rows[:] = self._rows
        owners, coefficients, ends = rows[indices].tolist(), values.tolist(), starts.tolist()
        self._columns += [
            self.solver.add_var(
                lb=low, ub=high, obj=cost, var_type=kind, column=self.mip.Column(owners[a:b], coefficients[a:b])
            )
            for cost, low, high, kind, (a, b) in zip(
                costs.tolist(), lower.tolist(), upper.tolist(), kinds, pairwise(ends), strict=True
            )
        ]

    def add_rows(
        self,
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        starts: NDArray[np.int64],
        indices: NDArray[np.int64],
        values: NDArray[np.float64],
    ) -> None:
        columns = np.empty(len(self._columns), dtype=object)
        columns[:] = self._columns
        owners, coefficients, ends = columns[indices].tolist(), values.tolist(), starts.tolist()
        for low, high, (a, b) in zip(lower.tolist(), upper.tolist(), pairwise(ends), strict=True):
            variables, factors = owners[a:b], coefficients[a:b]
            if low == high:
                sense, side = "=", low
            elif high == np.inf and low > -np.inf:
                sense, side = ">", low
            elif low == -np.inf and high < np.inf:
                sense, side = "<", high
            else:
                sense, side = "=", 0.0
                variables = [*variables, self.solver.add_var(lb=low, ub=high)]
                factors = [*factors, -1.0]
            self._rows.append(self.solver.add_constr(self.mip.LinExpr(variables, factors, -side, sense)))

    def set_costs(self, columns: NDArray[np.int64], costs: NDArray[np.float64]) -> None:
        for column, cost in zip(columns.tolist(), costs.tolist(), strict=True):
            self._columns[column].obj = cost

    def set_column_bounds(
        self, columns: NDArray[np.int64], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> None:
        for column, low, high in zip(columns.tolist(), lower.tolist(), upper.tolist(), strict=True):
            self._columns[column].lb = low
            self._columns[column].ub = high

    def solve_relaxation(self, seconds: float) -> dict[str, Any]:
        status = self.solver.optimize(relax=True, max_seconds=min(max(seconds, 1e-3), _NO_LIMIT))
        answer: dict[str, Any] = {"status": status.name}
        if status.name == "OPTIMAL":
            answer["primal"] = np.array([column.x for column in self._columns], dtype=np.float64)
            answer["dual"] = np.array([row.pi for row in self._rows], dtype=np.float64)
        return answer

    def point(self) -> NDArray[np.float64]:
        return np.array([column.x for column in self._columns], dtype=np.float64)

    def start_from(self, point: NDArray[np.float64]) -> None:
        self.solver.start = list(zip(self._columns, point.tolist(), strict=True))


class Worker:
    """Answers requests one after the other; a request to stop is heard at any time."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests, self._replies = requests, replies
        self._queue: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._model: LinearModel | None = None

    def run(self) -> None:
        import mip  # noqa: F401 - the slow import belongs before the first request

        self._reply("ready", None)
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            try:
                request, content = self._queue.get(timeout=IDLE_SECONDS if self._model is None else None)
            except queue.Empty:
                os._exit(0)
            try:
                self._reply("answer", getattr(self, f"_on_{request}")(content))
            except Exception as error:  # whatever python-mip raises belongs to the caller
                self._reply("error", f"{type(error).__name__}: {error}")

    def _listen(self) -> None:
        while True:
            try:
                request, content = pickle.load(self._requests)
            except Exception:  # the caller is gone
                os._exit(0)
            if request == "stop":
                self._stop.set()
            else:
                self._stop.clear()
                self._queue.put((request, content))

    def _reply(self, kind: str, content: Any) -> None:
        pickle.dump((kind, content), self._replies, protocol=5)
        self._replies.flush()

    def _on_forget(self, content: None) -> None:
        self._model = None

    def _on_solve_lp(self, content: dict[str, Any]) -> dict[str, Any]:
        """Carry out the changes since the last solve, then solve from where that ended."""
        started = time.perf_counter()
        if content["fresh"] or self._model is None:
            self._model = LinearModel()
        for change, arguments in content["changes"]:
            getattr(self._model, change)(*arguments)
        return self._model.solve_relaxation(content["seconds"] - (time.perf_counter() - started))

    def _on_solve_mip(self, content: dict[str, Any]) -> dict[str, Any]:
        started = time.perf_counter()
        self._model = None
        model = LinearModel()
        model.add_columns(*content["columns"])
        model.add_rows(*content["rows"])
        solver = model.solver
        for option, value in content["options"].items():
            setattr(solver, option, value)
        if content["cutoff"] is not None:
            solver.cutoff = content["cutoff"]
        if content["start"] is not None:
            model.start_from(content["start"])
        heard = self._watch(solver)
        seconds = content["seconds"] - (time.perf_counter() - started)
        if seconds <= 0:
            return {"status": "NO_SOLUTION_FOUND", "point": None, "bound": None, "stopped": False}
        limits = {"max_seconds": min(seconds, _NO_LIMIT)}
        if content["cutoff"] is not None:
            limits["max_solutions"] = 1
        status = solver.optimize(**limits)
        has_point = status.name in ("OPTIMAL", "FEASIBLE") and solver.num_solutions > 0
        return {
            "status": status.name,
            "point": model.point() if has_point else None,
            "bound": solver.objective_bound,
            "stopped": heard.is_set(),
        }

    def _watch(self, solver: Any) -> threading.Event:
        """Make CBC listen for a stop; the event tells whether it heard one."""
        import mip

        stop, heard = self._stop, threading.Event()

        class Watch(mip.ConstrsGenerator):  # type: ignore[misc]
            """CBC knows no cancellation: once a stop is wanted, every node is cut off by a row no point can meet."""

            def generate_constrs(self, node: Any, depth: int = 0, npass: int = 0) -> None:
                if stop.is_set():
                    heard.set()
                    first = node.vars[0]
                    node.add_cut(mip.LinExpr([first], [1.0], -(first.ub + 10.0), ">"))

        solver.cuts_generator = Watch()
        return heard


def main() -> None:
    """Serve the process that started this one until it is gone."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(silence, descriptor)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open as long as the process lives
    Worker(requests, replies).run()
