"""The same pricing problems, taken from real runs, through every registered pricer, in one table.

    RULECG_DATA=... python benchmarks/pricers.py [--quick] [--seconds 10] [--output docs/benchmarks/pricers.md]

An early problem is the master's first; a late one is the first on which the wide beam finds nothing more (or the last
within the time given to the run). Times are given beside their ratio to the exact search, so that tables from
different machines can be compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import frozen
from composed import run

from rulecg.binarize.binarizer import Binarizer
from rulecg.datasets import load
from rulecg_core import (
    Deadline,
    Limits,
    Pricer,
    PricingLimits,
    PricingProblem,
    PricingResult,
    Problem,
    Registry,
    Schedule,
    Stop,
    load_registry,
)

SMALL = ("tic-tac-toe", "transfusion", "heart", "pima")
MEDIUM = ("compas", "magic", "adult")
QUICK = ("transfusion", "heart")
REFERENCE = "exact-search"


@frozen(eq=False)
class Instance:
    """One pricing problem and where it comes from."""

    name: str
    moment: str
    problem: PricingProblem


@frozen(eq=False)
class Measured:
    """What one pricer did with one instance."""

    instance: Instance
    pricer: str
    seconds: float
    best: float | None
    n_rules: int
    bound: float | None
    stop: Stop


class Recorder(Pricer):
    """Passes every call on and remembers the problems it saw."""

    def __init__(self, pricer: Pricer) -> None:
        self.pricer = pricer
        self.problems: list[PricingProblem] = []

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        self.problems.append(problem)
        return self.pricer.price(problem, limits, rng)


def instances(name: str, registry: Registry, bound: float, seconds: float) -> list[Instance]:
    """The first and the last pricing problem of a run with the beam pricers."""
    data = load(name)
    binarizer = Binarizer()
    X = binarizer.fit_transform(data.data)
    problem = Problem.from_arrays(X, np.asarray(data.target), conditions=binarizer.conditions_)
    backend = registry.backend()
    recorder = Recorder(registry.pricer("beam", backend))
    pricers = [("beam", recorder), ("wide-beam", registry.pricer("wide-beam", backend))]
    schedule = Schedule().with_settings({"generation": {"share": 0.9}})
    run(problem, bound, Limits(seconds=seconds), pricers=pricers, schedule=schedule)
    label = f"{name} ({problem.n_samples} × {problem.n_conditions})"
    return [Instance(label, "early", recorder.problems[0]), Instance(label, "late", recorder.problems[-1])]


def all_pricers(registry: Registry) -> dict[str, Pricer]:
    """Every registered pricer; those that need a solver, with every solver there is."""
    backends = [name for name in registry.names("backend") if registry.entry("backend", name).availability.available]
    pricers: dict[str, Pricer] = {}
    for name in registry.names("pricer"):
        if registry.entry("pricer", name).needs_backend:
            for backend in backends:
                pricers[f"{name} ({backend})"] = registry.pricer(name, registry.backend(backend))
        else:
            pricers[name] = registry.pricer(name, registry.backend())
    return pricers


def measure(instance: Instance, name: str, pricer: Pricer, seconds: float, threads: int) -> Measured:
    limits = PricingLimits(Deadline.after(seconds), threads=threads)
    began = time.perf_counter()
    answer = pricer.price(instance.problem, limits, np.random.default_rng(0))
    took = time.perf_counter() - began
    best = instance.problem.reduced_cost(answer.rules[0]) if answer.rules else None
    return Measured(instance, name, took, best, len(answer.rules), answer.bound, answer.stop)


def table(measured: Sequence[Measured]) -> str:
    """Markdown, one row per instance and pricer."""
    lines = [
        f"| problem | moment | pricer | seconds | × {REFERENCE} | best reduced cost | rules | bound | stop |",
        "|---|---|---|---:|---:|---:|---:|---:|---|",
    ]
    reference = {(m.instance.name, m.instance.moment): m.seconds for m in measured if m.pricer == REFERENCE}
    for m in measured:
        base = reference.get((m.instance.name, m.instance.moment))
        ratio = "" if base is None else f"{m.seconds / base:.2g}"
        lines.append(
            f"| {m.instance.name} | {m.instance.moment} | {m.pricer} | {m.seconds:.3f} | {ratio} | {_number(m.best)} "
            f"| {m.n_rules} | {_number(m.bound)} | {m.stop} |"
        )
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two small data sets, a few seconds per pricer, no file")
    parser.add_argument("--sets", nargs="+", default=[*SMALL, *MEDIUM], help="data sets")
    parser.add_argument("--seconds", type=float, default=10.0, help="limit for one call of one pricer")
    parser.add_argument("--complexity", type=float, default=20.0, help="the bound C of the runs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/pricers.md"))
    options = parser.parse_args()
    names = QUICK if options.quick else options.sets
    seconds = min(options.seconds, 3.0) if options.quick else options.seconds
    registry = load_registry()
    pricers = all_pricers(registry)
    measured: list[Measured] = []
    for name in names:
        for instance in instances(name, registry, options.complexity, seconds=5.0 if options.quick else 60.0):
            for pricer_name, pricer in pricers.items():
                if not any(m.pricer == pricer_name for m in measured):
                    measure(instance, pricer_name, pricer, 0.1, options.threads)  # compiles and loads what it needs
                measured.append(measure(instance, pricer_name, pricer, seconds, options.threads))
                last = measured[-1]
                print(f"{instance.name} {instance.moment} {pricer_name}: {last.seconds:.3f} s, {_number(last.best)}")
    text = table(measured)
    print(text)
    if not options.quick:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(
            f"# Pricers side by side\n\nMade by `benchmarks/pricers.py`: decile conditions, at most 5 conditions in a "
            f"rule, C={options.complexity:g}, {options.threads} thread(s), {seconds:g} s per call. A bound is proven "
            f"for the problem; none is claimed by heuristics. Best reduced cost \"none\": no rule below 0 was "
            f"found.\n\n{text}\n"
        )


if __name__ == "__main__":
    main()
