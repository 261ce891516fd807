"""Whether proofs became slower: the same fixed problems, in turn, in another checkout and in this one.

    python benchmarks/against_checkout.py /path/to/other/.venv/bin/python /path/to/other --pairs 5

Every run is a process of its own. Limits and results are in seconds of processor, on one thread, so that a busy machine
changes little; each process solves a problem several times after the kernels are loaded, and its fastest time counts.
Looking for the first of all optima, which comes after a proof, is counted apart where the checkout does that.
Data sets are read from the folder that RULECG_DATA names.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
SETS = {
    "tic-tac-toe": 5, "transfusion": 5, "banknote": 5, "bupa": 5, "compas": 5, "heart": 5, "pima": 5, "wdbc": 4,
    "ionosphere": 4, "ilpd": 5,
}  # fmt: skip
REPEATS = {"ilpd": 1}
"""How often a process solves a problem: five times unless it takes long."""
CHILD = r"""
import json, sys, time
time.perf_counter = time.process_time
sys.path.insert(0, "benchmarks")
import certificates
name, complexity, conditions, seconds, repeats = sys.argv[1], *map(float, sys.argv[2:])
certificates.prove(certificates.problem_of("tic-tac-toe", 3), 10, 60, "highs", 1)
ties = [0.0]
try:
    from rulecg_core.solve import loop
    def timed(phase):
        def run(*arguments):
            began = time.process_time()
            phase(*arguments)
            if phase.__name__ == "settle_ties":
                ties[0] = time.process_time() - began
        return run
    loop.COMPLETION = tuple(map(timed, loop.COMPLETION))
except ImportError:
    pass
found = []
for _ in range(int(repeats)):
    problem = certificates.problem_of(name, int(conditions))
    ties[0], began = 0.0, time.process_time()
    result, _ = certificates.prove(problem, complexity, seconds, "highs", 1)
    found.append((time.process_time() - began, ties[0]))
total, first = min(found)
print(json.dumps({"seconds": total, "ties": first, "objective": result.objective, "status": result.status.value}))
"""


def run(python: str, checkout: Path, name: str, complexity: float, seconds: float) -> dict[str, Any]:
    """Prove one problem in a process of a checkout's own."""
    words = [name, complexity, SETS[name], seconds, REPEATS.get(name, 5)]
    done = subprocess.run(
        [python, "-c", CHILD, *map(str, words)], cwd=checkout, env={**os.environ, "PYTHONPATH": "benchmarks"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="the other checkout's interpreter")
    parser.add_argument("checkout", type=Path, help="the other checkout")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--complexity", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pairs", type=int, default=3)
    arguments = parser.parse_args()
    others = (arguments.python, arguments.checkout)
    ours = (sys.executable, HERE)
    print("| data set | objective | then (s) | now (s) | of which first optimum (s) | ratio | ratio until the proof |")
    print("|---|---|---|---|---|---|---|")
    ratios, until = [], []
    for name in arguments.sets:
        then, now = [], []
        for pair in range(arguments.pairs):
            for place, runs in [(others, then), (ours, now)] if pair % 2 == 0 else [(ours, now), (others, then)]:
                runs.append(run(*place, name, arguments.complexity, arguments.seconds))
        before, after, first = (
            statistics.median(each[key] for each in runs)
            for runs, key in ((then, "seconds"), (now, "seconds"), (now, "ties"))
        )
        statuses = sorted({each["status"] for each in then + now})
        objectives = sorted({f"{each['objective']:g}" for each in then + now})
        what = ", ".join(objectives) + ("" if statuses == ["optimal"] else f" ({', '.join(statuses)})")
        ratios.append(after / before)
        until.append((after - first) / before)
        print(f"| {name} | {what} | {before:.2f} | {after:.2f} | {first:.2f} | {ratios[-1]:.2f} | {until[-1]:.2f} |",
              flush=True)  # fmt: skip
    print(f"| median | | | | | {statistics.median(ratios):.2f} | {statistics.median(until):.2f} |")


if __name__ == "__main__":
    main()
