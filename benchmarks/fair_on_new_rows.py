"""Do bounds with a confidence hold on new rows? Draws of training rows from populations that are known.

    python -m benchmarks.fair_on_new_rows [--draws 200] [--sets compas,adult,default] [--time-limit 3]
        [--results docs/benchmarks/fair-on-new-rows.csv] [--output docs/benchmarks/fair-on-new-rows.md]

The rows of a set are the population; training rows are drawn from it with replacement, so that gap and accuracy on new
rows are known exactly. Every draw is learned from with the bound as it is and with ``confidence=0.9``. Each fit is a
line of the file of results as soon as it is done, and a second start goes on where the first one ended.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from rulecg import RuleSetClassifier
from rulecg.datasets import load
from rulecg_core import UnconfirmedError, load_registry
from rulecg_core.data.problem import Problem

CONFIDENCE = 0.9
COMPLEXITY = 15
HEAD = ("set", "rows", "constraint", "bound", "variant", "draw", "limit", "status", "gap", "accuracy", "seconds")


@frozen
class Case:
    """A population, how many rows are drawn from it, and what is bounded."""

    name: str
    rows: int
    constraint: str
    bound: float

    def text(self, variant: str) -> str:
        """The constraint as a user writes it."""
        return f"{self.constraint}:{self.bound}" + ("" if variant == "plain" else f",confidence={CONFIDENCE}")


CASES = (
    Case("compas", 3_000, "equality-of-opportunity", 0.1),
    Case("compas", 3_000, "equalized-odds", 0.1),
    Case("adult", 20_000, "equality-of-opportunity", 0.1),
    Case("default", 20_000, "equality-of-opportunity", 0.05),
)
VARIANTS = ("plain", "confidence")


@frozen(eq=False)
class Population:
    """All rows of a set."""

    table: pd.DataFrame
    labels: np.ndarray[Any, Any]
    sensitive: pd.DataFrame

    @classmethod
    def of(cls, name: str) -> Population:
        table, target, sensitive = load(name)
        return cls(table, np.asarray(target).astype(bool), sensitive)

    def learn(self, case: Case, variant: str, draw: int, limit: float) -> dict[str, Any]:
        """Learn from one draw of the rows; the gap and the accuracy on the whole population."""
        rows = np.random.default_rng(draw).integers(0, len(self.labels), case.rows)
        classifier = RuleSetClassifier(
            COMPLEXITY,
            constraints=[case.text(variant)],
            time_limit=limit,
            binarizer="deciles",
            random_state=draw,
            forbid=[name for name in self.sensitive.columns if name in self.table],
        )
        began = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                classifier.fit(self.table.iloc[rows], self.labels[rows], sensitive_features=self.sensitive.iloc[rows])
        except UnconfirmedError:
            return {"status": "no solution found", "seconds": time.perf_counter() - began}
        seconds = time.perf_counter() - began
        predicted = np.asarray(classifier.predict(self.table), dtype=bool)
        problem = Problem.from_arrays(predicted[:, None], self.labels, sensitive_groups=self.sensitive)
        measured = load_registry().constraint(case.text("plain")).measure(problem, problem.X[:, 0])
        accuracy = float(np.mean(predicted == self.labels))
        return {"status": "returned", "gap": max(measured.values()), "accuracy": accuracy, "seconds": seconds}


def simulate(cases: list[Case], draws: int, limit: float, results: Path) -> None:
    """Learn from every draw that the file of results does not have yet."""
    known = set()
    if results.exists():
        with results.open(encoding="utf-8", newline="") as lines:
            known = {tuple(line[name] for name in HEAD[:7]) for line in csv.DictReader(lines)}
    else:
        results.write_text(",".join(HEAD) + "\n", encoding="utf-8")
    populations: dict[str, Population] = {}
    for draw in range(draws):
        for case in cases:
            for variant in VARIANTS:
                key = (case.name, case.rows, case.constraint, case.bound, variant, draw, limit)
                if tuple(map(str, key)) in known:
                    continue
                if case.name not in populations:
                    populations[case.name] = Population.of(case.name)
                found = populations[case.name].learn(case, variant, draw, limit)
                with results.open("a", encoding="utf-8", newline="") as lines:
                    csv.DictWriter(lines, HEAD).writerow({**dict(zip(HEAD, key, strict=False)), **found})


def summary(results: Path) -> list[str]:
    """A line for every case and variant."""
    table = pd.read_csv(results)
    lines = [
        "| set | rows | bound | learned with | draws | returned | break the bound | mean gap | accuracy | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (name, rows, constraint, bound), case in table.groupby(["set", "rows", "constraint", "bound"], sort=False):
        for variant, fits in case.groupby("variant", sort=False):
            back = fits[fits["status"] == "returned"]
            broken = int((back["gap"] > bound + 1e-9).sum())
            error = np.sqrt((1 - CONFIDENCE) * CONFIDENCE / max(len(back), 1))
            allowed = f"; {1 - CONFIDENCE + 2 * error:.0%} is two standard errors above 10 %" if len(back) else ""
            share = f"{broken} of {len(back)}" + (allowed if variant != "plain" else "")
            lines.append(
                f"| {name} | {rows} | {constraint}:{bound} | {variant} | {len(fits)} | {len(back) / len(fits):.0%} | "
                f"{share} | {back['gap'].mean():.3f} | {back['accuracy'].mean():.1%} | {fits['seconds'].mean():.1f} |"
            )
    return lines


def page(results: Path, command: str) -> str:
    """The page with the table."""
    words = (__doc__ or "").split("\n\n")[2].replace("\n", " ")
    return "\n".join(
        [
            "# Bounds with a confidence on new rows",
            "",
            f"{words}",
            "",
            *summary(results),
            "",
            f"*No solution found* is counted apart: it is the answer where the rows kept aside (half of them) do not "
            f"confirm the bound with {CONFIDENCE:.0%} confidence. Rule sets have a complexity of at most {COMPLEXITY} "
            "and may not use the sensitive column.",
            "",
            f"Made by `{command}`.",
            "",
        ]
    )


def main() -> None:
    """Run the simulation and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--sets", default="compas,adult,default")
    parser.add_argument("--time-limit", type=float, default=3.0)
    parser.add_argument("--results", type=Path, default=Path("docs/benchmarks/fair-on-new-rows.csv"))
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/fair-on-new-rows.md"))
    arguments = parser.parse_args()
    wanted = arguments.sets.split(",")
    simulate([case for case in CASES if case.name in wanted], arguments.draws, arguments.time_limit, arguments.results)
    command = f"python -m benchmarks.fair_on_new_rows --draws {arguments.draws} --time-limit {arguments.time_limit:g}"
    arguments.output.write_text(page(arguments.results, command), encoding="utf-8")


if __name__ == "__main__":
    main()
