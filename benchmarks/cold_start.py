"""How long ``rulecg fit`` takes on the lending data when nothing is compiled yet, and when everything is.

    python benchmarks/cold_start.py [--runs 3] [--kernels]

Every cold run has a new, empty cache (``NUMBA_CACHE_DIR``); a warm one uses the cache of the cold run before it. Shown
are the seconds by the clock and of all processors, the median of the runs. The goal for a cold run, on two free cores,
is ten seconds by the clock. ``--kernels`` shows instead how many seconds of processor each function takes to compile.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOAL = 10.0


def fit_once(table: Path, cache: str) -> tuple[float, float]:
    """Seconds by the clock, and of all processors, for one fit in a process of its own."""
    model = table.with_suffix(".json")
    command = [sys.executable, "-m", "rulecg.commands.cli", "fit", str(table), "--target", "approved"]
    # A small bound, proven within seconds: what is left is compiling.
    command += ["--max-complexity", "10"]
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*command, "--out", str(model)], env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show_kernels() -> None:
    """Compile every kernel in an empty cache, one after the other, and show what each takes."""
    from rulecg_kernels.kernel import announced_kernels

    print("| function | seconds |\n|---|---|")
    for kernel in announced_kernels():
        began = time.process_time()
        kernel.load()
        print(f"| {kernel.name} | {time.process_time() - began:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kernels", action="store_true", help="seconds for each function instead")
    parser.add_argument("--in-this-cache", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_this_cache:
        show_kernels()
        return
    with tempfile.TemporaryDirectory() as folder:
        if options.kernels:
            settings = {**os.environ, "NUMBA_CACHE_DIR": folder, "RULECG_COMPILE_ALONE": "1"}
            subprocess.run([sys.executable, __file__, "--in-this-cache"], env=settings, check=True)
            return
        from rulecg.datasets import load

        data = load("lending")
        table = Path(folder, "lending.csv")
        data.data.assign(approved=data.target).to_csv(table, index=False)
        cold, warm = [], []
        for run in range(options.runs):
            cache = os.path.join(folder, f"cache-{run}")
            cold.append(fit_once(table, cache))
            warm.append(fit_once(table, cache))
    print("| cache | by the clock (s) | processors (s) |\n|---|---|---|")
    for name, runs in (("empty", cold), ("full", warm)):
        clock, processors = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"| {name} | {clock:.1f} | {processors:.1f} |")
    print(f"\nGoal for an empty cache on two free cores: {GOAL:g} s by the clock. Load now: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
