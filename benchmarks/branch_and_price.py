"""Does branch and price close what listing leaves open? From the same rules, branching alone and the whole proof.

    python benchmarks/branch_and_price.py                      # the small sets at C = 20, writes docs/benchmarks
    python benchmarks/branch_and_price.py heart --seconds 120  # one set, prints

The finding is written up in docs/explanation/branch-and-price.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from certificates import SETS, problem_of
from composed import defaults, run

from rulecg_core import Deadline, HammingMaster, Limits, Problem, Schedule, load_registry
from rulecg_core.base.events import Branched, Event
from rulecg_core.generation.stages import Stage
from rulecg_core.proof.branching import branch_and_price
from rulecg_core.solve.run import Run

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "branch-and-price.md"
HEAD = (
    "| data set | D | best | LP bound | whole proof: bound | rules listed | its seconds | branching alone: bound "
    "| nodes | closed | its seconds |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def compare(name: str, problem: Problem, bound: float, seconds: float) -> str:
    registry = load_registry()
    backend = registry.backend("highs")
    limits = Limits(seconds=seconds, threads=2)
    events: list[Event] = []
    whole = run(problem, bound, limits, backend=backend, on_event=events.append)
    stages = Stage.all_of(defaults(registry, "pricer", problem, backend, Schedule()))
    with HammingMaster(problem, [registry.constraint(f"complexity:{bound}")], backend) as master:
        master.add_rules(whole.pool)
        again = Run(master, stages, limits, lambda event: None, np.random.default_rng(0))
        again.take([master.evaluate(whole.best_rules)], "whole proof")
        began = time.perf_counter()
        alone = branch_and_price(again, -np.inf, Deadline.after(seconds))
        spent = time.perf_counter() - began
    branched = ", branched" if any(isinstance(event, Branched) for event in events) else ""
    return (
        f"| {name} | {problem.max_conditions} | {whole.objective:g} | {whole.relaxation or 0:.3f} "
        f"| {whole.lower_bound} ({whole.status}{branched}) "
        f"| {whole.rules_listed} | {whole.seconds:.1f} | {alone.lower_bound:.3f} | {alone.n_nodes} | {alone.closed} "
        f"| {spent:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="data sets; the small ones when none is named")
    parser.add_argument("--complexity", type=float, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    compare("warm-up", problem_of("tic-tac-toe", 3), 10, 60)
    print(HEAD, end="")
    lines = []
    for name in arguments.sets or SETS:
        lines.append(compare(name, problem_of(name, SETS[name]), arguments.complexity, arguments.seconds))
        print(lines[-1], flush=True)
    if not arguments.sets:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(
            f"# Branch and price beside the proof by listing, C = {arguments.complexity:g}\n\n"
            f"Limit {arguments.seconds:g} s each, two threads, HiGHS. Branching starts from the rules and the best "
            "rule set of the whole proof. Made by `python benchmarks/branch_and_price.py`.\n\n"
            + HEAD
            + "\n".join(lines)
            + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
