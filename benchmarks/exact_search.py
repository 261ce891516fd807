"""The exact search on the pricing problems that real runs gave it: proofs and listings, one thread and two.

    RULECG_DATA=... python benchmarks/exact_search.py [heart:20:5 ...] [--threads 2] [--seconds 60]

Every run is ``data set : complexity : most conditions``. Of each run the first, the middle and the last problem given
to the exact search are searched again, and the listing that the run's proof asked for, if any. The columns: the least
reduced cost, seconds on one thread and on several, and how much faster several are. The compiler runs before the
clock starts.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from attrs import frozen
from composed import run as run_composed

from rulecg import Binarizer
from rulecg.datasets import load
from rulecg_core import (
    Deadline,
    Limits,
    Listing,
    Pricer,
    PricingLimits,
    PricingProblem,
    PricingResult,
    Problem,
    load_registry,
)

RUNS = (
    "transfusion:20:5", "banknote:20:5", "heart:20:5", "bupa:20:5", "compas:20:5", "tic-tac-toe:20:5", "pima:20:5",
    "ilpd:10:5", "ilpd:20:5", "wdbc:10:4", "ionosphere:10:4", "wdbc:10:5", "ionosphere:10:5",
)


@frozen(eq=False)
class Asked:
    """One call of the exact search: a listing when there is a threshold."""

    problem: PricingProblem
    threshold: float | None = None
    most: int = 0

    def answer(self, pricer: Pricer, limits: PricingLimits) -> str:
        if self.threshold is None:
            result = pricer.price(self.problem, limits, np.random.default_rng(0))
            return "none" if result.bound is None else f"{result.bound:.6g} ({result.stop})"
        listing = pricer.list_below(self.problem, self.threshold, self.most, limits)
        return f"{len(listing.rules)} rules up to {self.threshold:.3g} ({listing.stop})"


class Recorder(Pricer):
    """Passes every call on and remembers it."""

    can_list = True

    def __init__(self, pricer: Pricer) -> None:
        self.pricer = pricer
        self.priced: list[Asked] = []
        self.listed: list[Asked] = []

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        self.priced.append(Asked(problem))
        return self.pricer.price(problem, limits, rng)

    def list_below(self, problem: PricingProblem, threshold: float, most: int, limits: PricingLimits) -> Listing:
        self.listed.append(Asked(problem, threshold, most))
        return self.pricer.list_below(problem, threshold, most, limits)


def record(name: str, complexity: float, max_conditions: int, seconds: float, threads: int) -> list[tuple[str, Asked]]:
    """What a run asked of the exact search: the first, the middle and the last problem, and the last listing."""
    registry = load_registry()
    data = load(name)
    binarizer = Binarizer().fit(data.data)
    problem = Problem.from_arrays(
        binarizer.transform(data.data), data.target, conditions=binarizer.conditions_, max_conditions=max_conditions
    )
    backend = registry.backend()
    recorder = Recorder(registry.pricer("exact-search", backend))
    pricers = [("beam", registry.pricer("beam", backend)), ("exact-search", recorder)]
    run_composed(problem, complexity, Limits(seconds=seconds, threads=threads), pricers=pricers)
    moments = {"first": 0, "middle": len(recorder.priced) // 2, "last": len(recorder.priced) - 1}
    asked = [(moment, recorder.priced[place]) for moment, place in moments.items() if recorder.priced]
    return asked + [("listing", listed) for listed in recorder.listed[-1:]]


def timed(asked: Asked, pricer: Pricer, seconds: float, threads: int) -> tuple[str, float]:
    began = time.perf_counter()
    answer = asked.answer(pricer, PricingLimits(deadline=Deadline.after(seconds), threads=threads))
    return answer, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", default=RUNS, help="data set:complexity:most conditions")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of a run and of every search")
    arguments = parser.parse_args()
    registry = load_registry()
    pricer = registry.pricer("exact-search", registry.backend())
    trifle = PricingProblem(np.eye(3, dtype=bool), np.ones(3), 1.0, 1.0, 2)
    pricer.price(trifle, PricingLimits(), np.random.default_rng(0))
    several = arguments.threads
    print(f"| run | samples × conditions | problem | answer | 1 thread (s) | {several} threads (s) | ratio |")
    print("|---|---|---|---|---|---|---|")
    for run in arguments.runs:
        name, complexity, conditions = run.split(":")
        for moment, asked in record(name, float(complexity), int(conditions), arguments.seconds, several):
            answer, alone = timed(asked, pricer, arguments.seconds, 1)
            _, together = timed(asked, pricer, arguments.seconds, several)
            shape = f"{asked.problem.n_samples} × {asked.problem.n_conditions}"
            print(
                f"| {run} | {shape} | {moment} | {answer} | {alone:.3f} | {together:.3f} | {alone / together:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
