"""How often the interval of the expected accuracy holds the accuracy on new rows, by simulation.

    RULECG_DATA=... python -m benchmarks.expected_coverage [--sets magic compas default adult] [--draws 50] [--rows 300]
                                                           [--minutes 9] [--record expected-coverage.csv]

Each draw takes so many rows to learn from at random, with the default settings; other rows of the set, up to 10 000,
say how right the rule set is. Draws are written to the record at once and not made again; at the end a table is shown.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from rulecg import RuleSetClassifier
from rulecg.analysis.intervals import wilson

from .paper.data import dataset

FIELDS = ("data", "rows", "draw", "expected", "low", "high", "accuracy", "training", "majority", "complexity")
MOST_NEW = 10_000


def measure(name: str, n_rows: int, draw: int) -> dict[str, object]:
    """One draw of rows to learn from."""
    data = dataset(name)
    target = np.asarray(data.target, dtype=bool)
    order = np.random.default_rng(draw).permutation(len(target))
    train, new = order[:n_rows], order[n_rows : n_rows + MOST_NEW]
    model = RuleSetClassifier(time_limit=240.0, random_state=draw).fit(data.data.iloc[train], target[train])
    expected = model.result_.expected
    assert expected is not None
    return {
        "data": name, "rows": n_rows, "draw": draw,
        "expected": round(expected.accuracy.value, 4), "low": round(expected.accuracy.low, 4),
        "high": round(expected.accuracy.high, 4),
        "accuracy": round(float(model.score(data.data.iloc[new], target[new])), 4),
        "training": round(float(model.score(data.data.iloc[train], target[train])), 4),
        "majority": round(float(np.mean(target[new] == (target[train].mean() > 0.5))), 4),
        "complexity": model.rule_set_.complexity,
    }  # fmt: skip


def table(record: pd.DataFrame) -> str:
    """One line for each set: means, and how often the interval held."""
    lines = [
        "| data | rows | draws | expected | new rows | training rows | majority | interval held | 95 % interval |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for (name, rows), part in record.groupby(["data", "rows"], sort=False):
        held = int(((part["low"] <= part["accuracy"]) & (part["accuracy"] <= part["high"])).sum())
        low, high = wilson(held, len(part)) or (0.0, 1.0)
        means = [f"{100 * part[what].mean():.1f}" for what in ("expected", "accuracy", "training", "majority")]
        lines.append(
            f"| {name} | {rows} | {len(part)} | {' | '.join(means)} | {held} of {len(part)} | {low:.0%} to {high:.0%} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["magic", "compas", "default", "adult"])
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no further draw after so long")
    parser.add_argument("--record", type=Path, default=Path("docs/benchmarks/expected-coverage.csv"))
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    began = time.monotonic()
    known = set()
    if settings.record.exists():
        done = pd.read_csv(settings.record)
        known = set(zip(done["data"], done["rows"], done["draw"], strict=True))
    for draw in range(settings.draws):
        for name in settings.sets:
            if (name, settings.rows, draw) in known or time.monotonic() - began > 60 * settings.minutes:
                continue
            line = measure(name, settings.rows, draw)
            is_new = not settings.record.exists()
            with settings.record.open("a", newline="") as stream:
                writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
                if is_new:
                    writer.writeheader()
                writer.writerow(line)
    print(table(pd.read_csv(settings.record)))


if __name__ == "__main__":
    main()
