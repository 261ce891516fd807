"""How fast the search for rule sets is by itself: steps of its walks and the loss over time, on one and two threads.

    RULECG_DATA=... python benchmarks/search.py [--seconds 10] [--sets magic ...]
                                                [--output docs/benchmarks/search.md]

No relaxation, no pricing: walks from nothing, decile conditions, at most five conditions per rule.
"""

from __future__ import annotations

import argparse
import platform
import time
from pathlib import Path

import numpy as np
from attrs import frozen
from time_to_quality import problem_of

from rulecg.datasets import load
from rulecg_core import Deadline, HammingMaster, Problem, Registry, View, load_registry
from rulecg_search.counted_search import CountedSearch
from rulecg_search.heuristic import LocalSearch

SETS = ("adult", "magic", "bank-mkt", "default", "musk")
MOMENTS = (1.0, 2.0, 5.0)
STEPS = 10
"""Steps that each walk makes before walks exchange what they met."""


@frozen
class Speed:
    n_steps: int
    losses: list[tuple[float, float]]

    def loss_after(self, seconds: float) -> float:
        return next(loss for moment, loss in reversed(self.losses) if moment <= seconds or moment == self.losses[0][0])


def measure(registry: Registry, problem: Problem, complexity: int, threads: int, seconds: float) -> Speed:
    """Walk until the time is over."""
    master = HammingMaster(problem, [registry.constraint(f"complexity:{complexity}")], registry.backend())
    walks = CountedSearch(View(master, is_large=True), LocalSearch(), count_once=False).walks
    rng = np.random.default_rng(0)
    began, deadline = time.perf_counter(), Deadline.after(seconds)
    n_steps, losses = 0, [(0.0, master.evaluate(()).objective)]
    while not deadline.passed:
        met = walks.leg(STEPS, threads, deadline, rng)
        n_steps += STEPS * threads
        losses.append((time.perf_counter() - began, min([losses[-1][1], *(found.objective for found in met)])))
    return Speed(n_steps, losses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--complexity", type=int, default=80)
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/search.md"))
    settings = parser.parse_args()
    seconds = settings.seconds
    moments = [moment for moment in MOMENTS if moment < seconds] + [seconds]
    registry = load_registry()
    LocalSearch().prepare()
    lines = [
        "# The search by itself",
        "",
        f"Made by `python benchmarks/search.py --seconds {seconds:g}`: Python {platform.python_version()},",
        f"{platform.machine()}, C = {settings.complexity}, decile conditions, at most five conditions per rule. Walks",
        "from nothing, without relaxations or pricing. A step is a detour and a descent to a local optimum of all",
        "changes of single conditions ([how it works](../explanation/search.md)). Hamming loss after so many seconds.",
        "",
        "| data | distinct rows | conditions | threads | steps per second | "
        + " | ".join(f"{moment:g} s" for moment in moments)
        + " |",
        "|---|--:|--:|--:|--:|" + "--:|" * len(moments),
    ]
    for name in settings.sets:
        problem = problem_of(load(name))
        for threads in (1, 2):
            speed = measure(registry, problem, settings.complexity, threads, seconds)
            lines.append(
                f"| {name} | {problem.n_samples} | {problem.n_conditions} | {threads} | "
                f"{speed.n_steps / seconds:.0f} | "
                + " | ".join(f"{speed.loss_after(moment):.0f}" for moment in moments)
                + " |"
            )
            print(lines[-1], flush=True)
    settings.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
