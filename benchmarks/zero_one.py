"""Hamming loss beside 0-1 loss, as in the paper's table: solution time, training and held-out accuracy.

    RULECG_DATA=... python benchmarks/zero_one.py [SETS] [--seconds 5] [--output docs/benchmarks/zero-one.md]

The first table repeats the paper's experiment: one pool of rules per fold, the leaves of random forests, and nothing
but the integer program over it, once for each loss and formulation. The second table is what users get: whole fits
with column generation and local search. Accuracies are means over stratified folds, shuffled with seed 0, with the
standard deviation in brackets.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen
from sklearn.model_selection import StratifiedKFold

from rulecg import Binarizer, RuleSetClassifier
from rulecg.datasets import load
from rulecg.estimators.forest_start import forest_leaves
from rulecg_core import Deadline, IntegerLimits, Problem, Registry, load_registry

SETS = ("heart", "ilpd", "ionosphere", "pima", "tic-tac-toe", "transfusion", "banknote", "wdbc", "compas")
MODELS = {
    "Hamming": "hamming",
    "0-1, aggregated": "01:formulation=aggregated",
    "0-1, disaggregated": "01:formulation=disaggregated",
}
LOSSES = {"Hamming": "hamming", "0-1": "01"}


@frozen(eq=False)
class Fold:
    """Training and held-out rows."""

    data: pd.DataFrame
    target: np.ndarray[Any, Any]
    train: np.ndarray[Any, Any]
    test: np.ndarray[Any, Any]

    @classmethod
    def all_of(cls, name: str, n_folds: int) -> Iterator[Fold]:
        data, target, _ = load(name)
        labels = np.asarray(target)
        for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(data, labels):
            yield cls(data, labels, train, test)


@frozen(eq=False)
class Outcome:
    """One loss on one fold."""

    seconds: float
    train: float
    test: float
    gap: float | None
    """Proven, relative to the objective; None without a bound."""


def over_leaves(fold: Fold, size: float, limit: float, threads: int, registry: Registry) -> dict[str, Outcome]:
    """The integer programs over one pool of forest leaves."""
    binarizer = Binarizer().fit(fold.data.iloc[fold.train])
    features = binarizer.transform(fold.data)
    problem = Problem.from_arrays(
        features[fold.train], fold.target[fold.train], conditions=binarizer.conditions_, max_conditions=5
    )
    leaves = forest_leaves(problem)
    backend = registry.backend()
    outcomes = {}
    for title, loss in MODELS.items():
        master = registry.master(loss)(problem, [registry.constraint(f"complexity:{size}")], backend)
        master.add_rules(leaves)
        began = time.perf_counter()
        found = master.solve_integer(IntegerLimits(Deadline.after(limit), threads))
        seconds = time.perf_counter() - began
        # The integer program may not have found anything in time: no rules then, as a user would have it.
        candidates = [*found.candidates, master.evaluate(())]
        best = min(candidates, key=lambda candidate: (candidate.objective, candidate.complexity))
        predicted = problem.rule_set(best.rules).predict(fold.data)
        gap = None if found.bound is None else max(0.0, 1 - found.bound / max(best.objective, 1e-9))
        if master.goal.step == 1 and gap is not None and found.bound is not None:
            gap = gap if best.objective - np.ceil(found.bound - 1e-6) > 0 else 0.0
        outcomes[title] = _outcome(fold, predicted, seconds, gap)
    return outcomes


def whole_fits(fold: Fold, size: float, limit: float, threads: int, registry: Registry) -> dict[str, Outcome]:
    """Fits as users run them."""
    outcomes = {}
    for title, loss in LOSSES.items():
        classifier = RuleSetClassifier(max_complexity=size, loss=loss, time_limit=limit, n_jobs=threads)
        began = time.perf_counter()
        classifier.fit(fold.data.iloc[fold.train], fold.target[fold.train])
        seconds = time.perf_counter() - began
        outcomes[title] = _outcome(fold, classifier.predict(fold.data), seconds, classifier.result_.gap)
    return outcomes


def _outcome(fold: Fold, predicted: np.ndarray[Any, Any], seconds: float, gap: float | None) -> Outcome:
    right = np.asarray(predicted) == fold.target
    return Outcome(seconds, float(right[fold.train].mean()), float(right[fold.test].mean()), gap)


Experiment = Callable[[Fold, float, float, int, Registry], dict[str, Outcome]]


def table(
    experiment: Experiment, titles: Sequence[str], sets: Sequence[str], limit: float, arguments: argparse.Namespace
) -> list[str]:
    """One line per data set and bound on complexity."""
    registry = load_registry()
    parts = ("seconds", "training", "held-out", "proven")
    lines = [
        "| data set | C | " + " | ".join(f"{part}: {title}" for part in parts for title in titles) + " |",
        "|---|---|" + "---|" * (len(parts) * len(titles)),
    ]
    for name in sets:
        for size in arguments.complexities:
            folds = [
                experiment(fold, size, limit, arguments.threads, registry)
                for fold in Fold.all_of(name, arguments.folds)
            ]
            cells = [name, f"{size:g}"]
            cells += [f"{np.mean([fold[title].seconds for fold in folds]):.2f}" for title in titles]
            for part in ("train", "test"):
                for title in titles:
                    values = [100 * getattr(fold[title], part) for fold in folds]
                    cells.append(f"{np.mean(values):.1f} ({np.std(values):.1f})")
            for title in titles:
                proven = sum(fold[title].gap == 0 for fold in folds)
                cells.append(f"{proven} of {len(folds)}")
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return lines


def page(arguments: argparse.Namespace, leaves: list[str], fits: list[str]) -> str:
    return "\n".join(
        [
            "# Hamming loss beside 0-1 loss",
            "",
            f"Made by `benchmarks/zero_one.py`: decile conditions, at most 5 conditions in a rule, {arguments.folds} "
            f"stratified folds (shuffled, seed 0), {arguments.program_seconds:g} s for every program and "
            f"{arguments.seconds:g} s for every fit, "
            f"{arguments.threads} thread(s). Accuracies in percent, mean and standard deviation over the folds; "
            "*proven* is for how many folds the loss was proven least. [Which loss](../explanation/losses.md) says "
            "when to take which.",
            "",
            "## The integer program alone, as in the paper's table",
            "",
            "One pool of rules per fold, the leaves of random forests; no column generation, no local search. Proofs "
            "are over that pool.",
            "",
            *leaves,
            "",
            "## Whole fits",
            "",
            "Column generation, local search and the integer program. Proofs are over all rules.",
            "",
            *fits,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list(SETS), help="data sets; the small ones when none is named")
    parser.add_argument("--complexities", type=float, nargs="*", default=[10, 20])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0, help="limit of every fit")
    parser.add_argument("--program-seconds", type=float, default=5.0, help="limit of every integer program")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path, help="where to write the page")
    arguments = parser.parse_args()
    # The kernels are compiled before any clock starts.
    warm_up = next(Fold.all_of("tic-tac-toe", 2))
    whole_fits(warm_up, 6, 1.0, arguments.threads, load_registry())
    leaves = table(over_leaves, tuple(MODELS), arguments.sets, arguments.program_seconds, arguments)
    fits = table(whole_fits, tuple(LOSSES), arguments.sets, arguments.seconds, arguments)
    if arguments.output is not None:
        arguments.output.write_text(page(arguments, leaves, fits), encoding="utf-8")


if __name__ == "__main__":
    main()
