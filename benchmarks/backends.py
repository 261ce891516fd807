"""The same linear and integer programs, taken from real runs, through every solver, in one table and one plot.

    RULECG_DATA=... python benchmarks/backends.py [--quick] [--seconds 20] [--output docs/benchmarks/backends.md]

A run of column generation is recorded call by call: how its master grew by 50 rules a round, which restricted integer
programs it solved, which pricing programs its exact pricer built. Each recording is then replayed on every backend.
Times are given as ratios to HiGHS with its defaults within the same replay, so that tables from different machines
can be compared.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from attrs import define, field, frozen
from composed import run

from rulecg.binarize.binarizer import Binarizer
from rulecg.datasets import load
from rulecg_backends.cbc.backend import CBC
from rulecg_backends.highs import HiGHS
from rulecg_backends.scip import SCIP
from rulecg_core import (
    Availability,
    Backend,
    Deadline,
    FloatArray,
    Limits,
    LinearData,
    LPSession,
    LPSolution,
    MIPLimits,
    MIPModel,
    MIPResult,
    Problem,
    RelaxationOptions,
    Schedule,
    Solution,
    load_registry,
)


class PDLP(HiGHS):
    """HiGHS with its first-order method, which is not offered as an option: its duals prove nothing."""

    def new_solver(self, threads: int) -> Any:
        solver = super().new_solver(threads)
        solver.setOptionValue("solver", "pdlp")
        return solver


MIP_BACKENDS: dict[str, Backend] = {"highs": HiGHS(), "cbc": CBC(), "scip": SCIP()}
LP_BACKENDS: dict[str, Backend] = {
    "highs": HiGHS(),
    "highs, no presolve": HiGHS(presolve=False),
    "highs, primal simplex": HiGHS(lp_method="primal-simplex"),
    "highs, interior point": HiGHS(lp_method="interior-point"),
    "highs, interior point, no crossover": HiGHS(lp_method="interior-point", crossover=False),
    "highs, PDLP": PDLP(),
    "cbc": CBC(),
    "scip": SCIP(),
    "scip, primal simplex": SCIP(lp_method="primal-simplex"),
}
REFERENCE = "highs"

MASTERS = (("pima", 20), ("tic-tac-toe", 20), ("compas", 20), ("default", 40), ("magic", 80))
CHOICES = (("tic-tac-toe", 20), ("pima", 10), ("compas", 20), ("banknote", 20))
PRICING = (("transfusion", 10), ("bupa", 10), ("pima", 10))
QUICK = {"masters": MASTERS[:1], "choices": CHOICES[:1], "pricing": PRICING[:1]}


# Recording ----------------------------------------------------------------------------------------------------------


@define
class Tape:
    """What a run asked its backend for."""

    sessions: list[list[tuple[str, tuple[Any, ...]]]] = field(factory=list)
    mips: list[MIPModel] = field(factory=list)


class _TapedSession(LPSession):
    def __init__(self, inner: LPSession, calls: list[tuple[str, tuple[Any, ...]]]) -> None:
        self._inner, self._calls = inner, calls

    def _tell(self, name: str, *args: Any) -> None:
        # Copies: the caller may reuse its arrays.
        self._calls.append((name, tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args)))
        getattr(self._inner, name)(*args)

    def add_columns(self, *args: Any) -> None:
        self._tell("add_columns", *args)

    def add_rows(self, *args: Any) -> None:
        self._tell("add_rows", *args)

    def set_costs(self, *args: Any) -> None:
        self._tell("set_costs", *args)

    def set_column_bounds(self, *args: Any) -> None:
        self._tell("set_column_bounds", *args)

    def solve(self, deadline: Deadline = Deadline()) -> LPSolution:  # noqa: B008 - Deadline is frozen
        self._calls.append(("solve", ()))
        return self._inner.solve(deadline)

    def close(self) -> None:
        self._inner.close()


@frozen(eq=False)
class Recorder(Backend):
    """Passes everything on to HiGHS and keeps it on tape."""

    name: ClassVar[str] = "recorder"
    tape: Tape
    inner: Backend = field(factory=HiGHS)

    @classmethod
    def availability(cls) -> Availability:
        return Availability(True)

    def new_session(self) -> LPSession:
        self.tape.sessions.append([])
        return _TapedSession(self.inner.open_lp(), self.tape.sessions[-1])

    def solve_mip(
        self,
        model: MIPModel,
        limits: MIPLimits = MIPLimits(),  # noqa: B008 - MIPLimits is frozen
        *,
        start: Sequence[FloatArray] = (),
        pool_size: int = 1,
        should_stop: Callable[[], bool] | None = None,
    ) -> MIPResult:
        self.tape.mips.append(model)
        return self.inner.solve_mip(model, limits, start=start, pool_size=pool_size, should_stop=should_stop)


def load_problem(name: str) -> Problem:
    data = load(name)
    binarizer = Binarizer()
    X = binarizer.fit_transform(data.data)
    return Problem.from_arrays(X, np.asarray(data.target), conditions=binarizer.conditions_)


def record(problem: Problem, complexity: float, pricers: Sequence[str], limits: Limits, **settings: Any) -> Tape:
    """One real run, with everything it asked its backend for."""
    registry = load_registry()
    recorder = Recorder(Tape())
    named = [(name, registry.pricer(name, recorder)) for name in pricers]
    run(problem, complexity, limits, backend=recorder, pricers=named, **settings)
    return recorder.tape


# Replaying ----------------------------------------------------------------------------------------------------------


@frozen
class Measured:
    """What one backend did with one recording."""

    task: str
    instance: str
    backend: str
    seconds: float
    value: float | None
    """Final LP value, or the objective of the best solution."""
    status: str
    bound: float | None = None
    solutions: int | None = None
    violation: float | None = None
    """The largest violation in the last linear program's primal and dual answer, which a certificate depends on."""


def replay_master(calls: Sequence[tuple[str, tuple[Any, ...]]], backend: Backend, seconds: float) -> tuple[Any, ...]:
    """The whole growth of a master: seconds within the solver, its last answer, number of solves done and wanted."""
    wanted = sum(name == "solve" for name, _ in calls)
    began, done, answer = time.perf_counter(), 0, None
    deadline = Deadline.after(seconds)
    session = backend.open_lp()
    for name, args in calls:
        if name != "solve":
            getattr(session, name)(*args)
            continue
        answer = session.solve(deadline)
        if not answer.is_optimal:
            break
        done += 1
    took = time.perf_counter() - began
    session.close()
    return took, answer, done, wanted


def worst_violation(calls: Sequence[tuple[str, tuple[Any, ...]]], answer: LPSolution) -> float:
    """How far a row, a bound, a reduced cost or a dual lies on the wrong side at most."""
    data = LinearData()
    for name, args in calls:
        if name != "solve":
            getattr(data, name)(*args)
    rows = data.rows
    activity = rows.dot(answer.primal)
    terms = rows.values * answer.dual[rows.owners()]
    reduced_costs = data.costs - np.bincount(rows.indices, terms, minlength=data.n_columns)
    excess = [data.row_lower - activity, activity - data.row_upper]
    excess += [data.lower - answer.primal, answer.primal - data.upper]
    for price, lower, upper in (
        (reduced_costs, data.lower, data.upper), (answer.dual, data.row_lower, data.row_upper)
    ):
        excess += [np.where(np.isinf(upper), -price, 0.0), np.where(np.isinf(lower), price, 0.0)]
    return max(float(np.max(part, initial=0.0)) for part in excess)


def shape_of(calls: Sequence[tuple[str, tuple[Any, ...]]]) -> tuple[int, int]:
    rows = sum(len(args[0]) for name, args in calls if name == "add_rows")
    return rows, sum(len(args[0]) for name, args in calls if name == "add_columns")


def measure_masters(names: Sequence[tuple[str, float]], rounds: int, seconds: float) -> list[Measured]:
    measured = []
    for name, complexity in names:
        problem = load_problem(name)
        for form, dual_form in (("dual form", True), ("primal form", False)):
            limits = Limits(seconds=max(20.0, seconds), iterations=rounds, rules_per_call=50)
            settings = {
                "schedule": Schedule().with_settings({"generation": {"share": 0.9}}),
                "options": RelaxationOptions(dual_form=dual_form, merge_rows=False),
            }
            tape = record(problem, complexity, ["beam"], limits, **settings)
            calls = max(tape.sessions, key=len)
            n_rows, n_columns = shape_of(calls)
            label = f"{name}, C={complexity:g}, {form} ({n_rows} × {n_columns})"
            for backend_name, backend in LP_BACKENDS.items():
                took, answer, done, wanted = replay_master(calls, backend, seconds)
                value = answer.objective if answer is not None and answer.is_optimal else None
                status = str(answer.solution) if done == wanted else f"{done} of {wanted} solves, then {answer.stop}"
                worst = worst_violation(calls, answer) if done == wanted else None
                measured.append(Measured("masters", label, backend_name, took, value, status, violation=worst))
                report(measured[-1])
    return measured


def measure_mips(
    task: str, names: Sequence[tuple[str, float]], pricers: Sequence[str], rounds: int, seconds: float
) -> list[Measured]:
    measured = []
    for name, complexity in names:
        limits = Limits(seconds=4 * seconds, iterations=rounds, pricing_seconds=seconds, rules_per_call=50)
        tape = record(load_problem(name), complexity, pricers, limits)
        models = tape.mips[:2] if task == "pricing programs" else sorted(tape.mips, key=_size)[-1:]
        for number, model in enumerate(models):
            label = f"{name}, C={complexity:g}, no. {number + 1} ({len(model.rows)} × {model.n_columns})"
            for backend_name, backend in MIP_BACKENDS.items():
                began = time.perf_counter()
                result = backend.solve_mip(model, MIPLimits(seconds=seconds), pool_size=50)
                took = time.perf_counter() - began
                value = None if result.best is None else result.best.objective
                proven = "optimal" if result.solution is Solution.OPTIMAL else f"{result.solution}, {result.stop}"
                measured.append(
                    Measured(task, label, backend_name, took, value, proven, result.bound, len(result.solutions))
                )
                report(measured[-1])
    return measured


def _size(model: MIPModel) -> int:
    return len(model.rows.values)


def report(m: Measured) -> None:
    print(f"{m.task}: {m.instance}: {m.backend}: {m.seconds:.2f} s, {_number(m.value)}, {m.status}", flush=True)


# Telling ------------------------------------------------------------------------------------------------------------


def ratios(measured: Sequence[Measured]) -> dict[tuple[str, str], float]:
    reference = {m.instance: m.seconds for m in measured if m.backend == REFERENCE}
    return {(m.instance, m.backend): m.seconds / max(reference[m.instance], 1e-9) for m in measured}


def table(measured: Sequence[Measured]) -> str:
    """Markdown, one row per instance and backend."""
    ratio = ratios(measured)
    extra = ["violation"] if any(m.violation is not None for m in measured) else ["bound", "solutions"]
    lines = [
        f"| program | backend | seconds | × {REFERENCE} | value | {' | '.join(extra)} | outcome |",
        f"|---|---|---:|---:|---:|{'---:|' * len(extra)}---|",
    ]
    for m in measured:
        shown = [m.violation] if len(extra) == 1 else [m.bound, m.solutions]
        lines.append(
            f"| {m.instance} | {m.backend} | {m.seconds:.2f} | {ratio[m.instance, m.backend]:.2g} | {_number(m.value)} "
            f"| {' | '.join(map(_number, shown))} | {m.status} |"
        )
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.6g}" if abs(value) >= 1e-3 else f"{value:.0e}"


def plot(measured: Sequence[Measured], path: Path) -> None:
    """Ratios to the reference on a logarithmic axis; hollow marks did not finish."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    tasks = list(dict.fromkeys(m.task for m in measured))
    figure, axes = plt.subplots(1, len(tasks), figsize=(5.2 * len(tasks), 4.2), squeeze=False)
    for axis, task in zip(axes[0], tasks, strict=True):
        of_task = [m for m in measured if m.task == task]
        ratio = ratios(of_task)
        backends = list(dict.fromkeys(m.backend for m in of_task))
        for m in of_task:
            finished = m.status == "optimal"
            axis.plot(
                ratio[m.instance, m.backend], backends.index(m.backend), "o", color="tab:blue",
                fillstyle="full" if finished else "none", alpha=0.8,
            )
        axis.axvline(1.0, color="grey", linewidth=0.8)
        axis.set_xscale("log")
        low, high = axis.get_xlim()
        axis.set_xlim(min(low, 0.08), max(high, 12.0))
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_yticks(range(len(backends)), backends)
        axis.invert_yaxis()
        axis.set_xlabel(f"time, as a multiple of {REFERENCE} (hollow: not finished)")
        axis.set_title(task)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one small data set per task, a few seconds, no files")
    parser.add_argument("--seconds", type=float, default=20.0, help="limit for one program on one backend")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of 50 rules for the masters")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/backends.md"))
    options = parser.parse_args()
    seconds = min(options.seconds, 5.0) if options.quick else options.seconds
    rounds = min(options.rounds, 5) if options.quick else options.rounds
    masters = QUICK["masters"] if options.quick else MASTERS
    choices = QUICK["choices"] if options.quick else CHOICES
    pricing = QUICK["pricing"] if options.quick else PRICING
    for backend in MIP_BACKENDS.values():
        backend.solve_mip(_warm_up())
    parts = {
        "masters": measure_masters(masters, rounds, seconds),
        "restricted programs": measure_mips("restricted programs", choices, ["beam"], rounds, seconds),
        "pricing programs": measure_mips("pricing programs", pricing, ["exact-ip"], 2, seconds),
    }
    text = "\n\n".join(f"## {task.capitalize()}\n\n{table(rows)}" for task, rows in parts.items())
    print(text)
    if options.quick:
        return
    options.output.parent.mkdir(parents=True, exist_ok=True)
    picture = options.output.with_suffix(".svg")
    plot([row for rows in parts.values() for row in rows], picture)
    options.output.write_text(
        f"# Solvers side by side\n\nMade by `benchmarks/backends.py`: decile conditions, at most 5 conditions in a "
        f"rule, {seconds:g} s per program, one thread. A master is replayed from its first to its last round, 50 "
        f"rules a round, {rounds} rounds at most; integer programs are solved once from cold, with a pool of up to 50 "
        f"solutions. The violation is how far a row, a bound, a reduced cost or a dual lies on the wrong side at "
        f"most: what it would cost a certificate.\n\n![Time of each backend as a multiple of HiGHS]({picture.name})"
        f"\n\n{text}\n"
    )


def _warm_up() -> MIPModel:
    """Loads the solvers' libraries and starts CBC's process, which is no part of solving."""
    from rulecg_core.testing.backends.instances import set_cover

    return set_cover(0, 10, 10)


if __name__ == "__main__":
    main()
