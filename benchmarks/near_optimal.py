"""How many rule sets are about as good as the best one: counts, proofs, what all have in common, how far gaps move.

    RULECG_DATA=... python benchmarks/near_optimal.py            # writes docs/benchmarks/near-optimal.md
    RULECG_DATA=... python benchmarks/near_optimal.py compas     # one data set, prints

With C = 6 the counts are checked against plain enumeration, which shares nothing with the search but the table of
conditions: every rule, every cover once, every set of covers that fits.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from rulecg import RuleSetClassifier, near_optimal
from rulecg.analysis.near_optimal import NearOptimalSets
from rulecg.datasets import load
from rulecg_core import Problem

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "near-optimal.md"
TASKS = {
    "tic-tac-toe": [(10, None, 0.01), (10, 10, None), (32, 0, None), (32, 2, None)],
    "compas": [(10, None, 0.01), (10, None, 0.03), (10, None, 0.1), (20, None, 0.005)],
    "heart": [(10, None, 0.01), (10, 2, None), (10, 4, None), (20, 1, None)],
    "transfusion": [(10, None, 0.01), (10, 5, None), (10, 12, None), (10, 20, None), (20, 2, None)],
}
CHECKED = {"compas": [10, 40], "transfusion": [3, 10], "tic-tac-toe": [20, 40]}
"""Tolerances in errors, at C = 6, whose counts plain enumeration checks."""


def found(name: str, complexity: float, errors: float | None, share: float | None, seconds: float) -> NearOptimalSets:
    data, target, sensitive = load(name)
    classifier = RuleSetClassifier(complexity, binarizer="deciles", time_limit=seconds).fit(data, target)
    return near_optimal(
        classifier, data, target, within=share, within_errors=errors, sensitive_features=sensitive, time_limit=seconds
    )


def plain_count(problem: Problem, complexity: int, threshold: float) -> int:
    """Families within the threshold, by looking at every one; for C = 6, where three rules have one condition each."""
    X, y, weights = problem.X, problem.y, problem.weights
    shortest: dict[bytes, int] = {}
    for length in range(1, min(problem.max_conditions, complexity - 1) + 1):
        for features in combinations(range(X.shape[1]), length):
            shortest.setdefault(np.packbits(X[:, list(features)].all(axis=1)).tobytes(), length)
    covers = np.array([np.unpackbits(np.frombuffer(key, np.uint8), count=len(y)) for key in shortest], dtype=bool)
    lengths = np.array(list(shortest.values()))
    values, base = covers @ np.where(y, -weights, weights), float(weights[y].sum())
    positives = covers[:, y].astype(np.float32)
    gains = positives * weights[y].astype(np.float32)
    single = np.flatnonzero(lengths == 1)
    count = int(base <= threshold) + int(((base + values <= threshold) & covers.any(axis=1)).sum())
    for at in range(len(covers)):
        fits = np.flatnonzero(lengths[:at] + lengths[at] + 2 <= complexity)
        objectives = base + values[fits] + values[at] + positives[fits] @ gains[at]
        for other in fits[objectives <= threshold + 1e-6]:
            count += bool((covers[at] & ~covers[other]).any() and (covers[other] & ~covers[at]).any())
    for chosen in combinations(single, 3):
        once = covers[list(chosen)].sum(axis=0)
        objective = base + values[list(chosen)].sum() + float(weights[y] @ np.maximum(once[y] - 1, 0))
        count += bool(objective <= threshold and all((covers[at] & (once == 1)).any() for at in chosen))
    return count


def line(name: str, complexity: float, errors: float | None, share: float | None, seconds: float) -> str:
    began = time.perf_counter()
    sets = found(name, complexity, errors, share, seconds)
    took = time.perf_counter() - began
    estimate = sets.families.estimate
    number = f"{len(sets):,}" if sets.complete else f"at least {len(sets):,}"
    if estimate is not None:
        number += f", estimated {estimate.count:,.0f} ± {estimate.standard_error:,.0f}"
    always, measured = sets.always(), sets.disagreement()
    texts = sets.table(1_000)["texts"]
    gaps = "; ".join(f"{gap} {a:.3f}–{b:.3f}" for gap, a, b in sets.gap_ranges().itertuples(index=False))
    cells = [
        name,
        f"{complexity:g}",
        f"{share:.1%}" if share is not None else f"{errors:g} errors",
        f"{sets.best:g}",
        "proven complete" if sets.complete else sets.why,
        number,
        f"{len(sets.families.table):,}",
        f"{texts.min():g} to {texts.max():g}" if len(texts) else "",
        f"{len(always['columns'])} columns, {len(always['conditions'])} conditions",
        f"{measured['ambiguity']:.1%}, {measured['discrepancy']:.1%}",
        gaps,
        f"{took:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = (
    "| data set | C | tolerance | best | list | families | rules listed | texts of a family | in every one "
    "| ambiguity, discrepancy | gaps, least to most | s |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def checked(name: str, seconds: float) -> list[str]:
    """Counts at C = 6 beside those of plain enumeration."""
    lines = []
    for errors in CHECKED[name]:
        sets = found(name, 6, errors, None, seconds)
        assert sets.complete
        began = time.perf_counter()
        plain = plain_count(sets.goal.problem, 6, sets.threshold)
        took = time.perf_counter() - began
        assert plain == len(sets.families), (name, errors, plain, len(sets.families))
        lines.append(f"| {name} | {errors} errors | {len(sets.families):,} | {plain:,} | {took:.1f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="data sets; all four when none is named")
    parser.add_argument("--seconds", type=float, default=40.0, help="time limit of the fit, and again of the list (40)")
    arguments = parser.parse_args()
    names = arguments.sets or list(TASKS)
    lines, checks = [], []
    for name in names:
        for complexity, errors, share in TASKS[name]:
            lines.append(line(name, complexity, errors, share, arguments.seconds))
            print(lines[-1], flush=True)
        if name in CHECKED:
            checks += checked(name, arguments.seconds)
            print("\n".join(checks), flush=True)
    text = [
        "# Rule sets about as good as the best one",
        "",
        "Made by `benchmarks/near_optimal.py`: number columns cut at deciles, at most five conditions in a rule, the",
        f"Hamming loss, at most {arguments.seconds:g} s for the best rule set and again for the list, on two cores",
        "that had much other work to do. A *family* is all rule sets whose rules cover the same rows; none has a rule",
        "that others make needless. *Texts* are how many rule sets a family stands for (the thousand best families):",
        "without a condition too many, and within the bound on size. *Ambiguity* is the share of rows that some family",
        "decides otherwise than the best one does, *discrepancy* the largest share that one family does.",
        "",
        HEAD,
        *lines,
        "",
        "At C = 6 the same counts by plain enumeration of every set of covers:",
        "",
        "| data set | tolerance | families | plain enumeration | s for that |",
        "|---|---|---|---|---|",
        *checks,
        "",
        "![The page that `rulecg near-optimal` writes, on compas](../images/near-optimal.png)",
    ]
    if not arguments.sets:
        PAGE.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
