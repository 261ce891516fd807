"""Time and peak memory as the number of rows grows, on generated data with planted rules.

    python benchmarks/scaling.py [--quick] [--rows 10000 100000 1000000 10000000] [--seconds 300]
                                 [--output docs/benchmarks/scaling.md]

Every size runs in a process of its own, so that peak memory is that of one fit. The labels are three planted rules of
two and three conditions, of which a given share is flipped; "found" counts the planted rules that the learned rule set
contains word for word, "agreement" is with the labels before flipping.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from composed import run

from rulecg_core import BoolArray, Limits, Problem, Rule
from rulecg_core.base.events import Event, IncumbentFound, RoundFinished

PLANTED = (Rule((3, 17)), Rule((8, 41, 60)), Rule((25, 77, 90)))
N_CONDITIONS = 100
FLIPPED = 0.05
ROWS = (10_000, 100_000, 1_000_000, 10_000_000)


def generate(n_rows: int, seed: int = 0) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Conditions of different frequencies, labels with noise, and labels without."""
    rng = np.random.default_rng(seed)
    X = np.empty((n_rows, N_CONDITIONS), dtype=bool)
    frequency = np.tile([0.3, 0.4, 0.5, 0.6], N_CONDITIONS // 4).astype(np.float32)
    for start in range(0, n_rows, 1 << 18):
        block = X[start : start + (1 << 18)]
        block[:] = rng.random(block.shape, dtype=np.float32) < frequency
    truth = np.zeros(n_rows, dtype=bool)
    for rule in PLANTED:
        truth |= rule.covers(X)
    return X, truth ^ (rng.random(n_rows) < FLIPPED), truth


def fit(n_rows: int, seconds: float) -> dict[str, Any]:
    """Learn from so many rows; progress goes to the error output."""
    X, y, truth = generate(n_rows)
    began = time.perf_counter()
    problem = Problem.from_arrays(X, y, max_conditions=4)
    # Merged samples know which rows they stand for; the rows themselves are not needed again.
    n_samples, inverse = problem.n_samples, problem.inverse
    del X
    prepared = time.perf_counter() - began
    found_after: list[float] = []

    def show(event: Event) -> None:
        if isinstance(event, IncumbentFound):
            found_after[:] = [event.seconds]
            print(f"  {event.seconds:7.1f} s  best {event.objective:.0f} ({event.source})", file=sys.stderr, flush=True)
        elif isinstance(event, RoundFinished):
            print(
                f"  {event.seconds:7.1f} s  round {event.iteration}: relaxation {event.relaxation:.0f}, "
                f"{event.pool_size} rules",
                file=sys.stderr,
                flush=True,
            )

    result = run(problem, 15, Limits(seconds=seconds, threads=2), on_event=show)
    predicted = problem.predict(result.rules)[inverse]
    return {
        "rows": n_rows,
        "samples": n_samples,
        "prepared": prepared,
        "seconds": result.seconds,
        "best_after": found_after[0] if found_after else result.seconds,
        "found": len(set(PLANTED) & set(result.rules)),
        "agreement": float(np.mean(predicted == truth)),
        "status": result.status.value,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2,
    }


def report(measured: list[dict[str, Any]], seconds: float) -> str:
    lines = [
        "# Scaling with rows",
        "",
        f"Made by `python benchmarks/scaling.py --seconds {seconds:g}`.",
        f"Python {platform.python_version()}, {platform.machine()}, two threads, {N_CONDITIONS} conditions, at most 4 "
        f"per rule, complexity 15, limit {seconds:g} s.",
        f"Labels: three planted rules, {FLIPPED:.0%} flipped. Peak memory is that of the whole process, data included.",
        "*Best after* is when the final rule set was found; what follows is the attempt to prove it.",
        "",
        "| rows | distinct | preparing, s | fit, s | best after, s | planted found | agreement | status | peak, GB |",
        "|--:|--:|--:|--:|--:|--:|--:|---|--:|",
    ]
    for one in measured:
        lines.append(
            f"| {one['rows']:,} | {one['samples']:,} | {one['prepared']:.1f} | {one['seconds']:.1f} | "
            f"{one['best_after']:.1f} | {one['found']} of {len(PLANTED)} | {one['agreement']:.4f} | {one['status']} | "
            f"{one['peak']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="up to 100 000 rows, 20 seconds each")
    parser.add_argument("--rows", nargs="+", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/scaling.md"))
    parser.add_argument("--one", type=int, default=None, help="fit one size and print JSON")
    settings = parser.parse_args()
    seconds = min(20.0, settings.seconds) if settings.quick else settings.seconds
    if settings.one is not None:
        print(json.dumps(fit(settings.one, seconds)))
        return
    measured = []
    for n_rows in settings.rows or (ROWS[:2] if settings.quick else ROWS):
        print(f"{n_rows:,} rows", flush=True)
        command = [sys.executable, __file__, "--one", str(n_rows), "--seconds", str(seconds)]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        measured.append(json.loads(run.stdout.splitlines()[-1]))
    settings.output.parent.mkdir(parents=True, exist_ok=True)
    text = report(measured, seconds)
    settings.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
