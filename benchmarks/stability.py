"""How much of what is learned stays the same on other rows: the best rule set beside the one that resamples agree on.

    python -m benchmarks.stability [--draws 50] [--sets heart,pima,ilpd,bupa,compas] [--time-limit 2]
        [--results docs/benchmarks/stability.csv] [--output docs/benchmarks/stability.md]

A set is split into three parts at random. Rules are learned from the first and from the second part; the third one is
new to both. Agreement is the Jaccard index of the rows there that the two rule sets predict positive, and of the
conditions that they use. Each draw is a line of the file of results as soon as it is done, and a second start goes on
where the first one ended.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rulecg import RuleSetClassifier
from rulecg.datasets import load

HEAD = ("set", "complexity", "choice", "draw", "limit", "predictions", "conditions", "accuracy", "size")
COMPLEXITIES = (5, 15)
CHOICES = ("best", "stable")


def jaccard(one: set[Any], other: set[Any]) -> float:
    """The share of what either has that both have; 1 where neither has any."""
    return len(one & other) / len(one | other) if one | other else 1.0


def compare(
    table: pd.DataFrame, labels: Any, draw: int, choice: str, complexity: int, limit: float
) -> dict[str, float]:
    """Learn from two parts of a draw and compare on the third."""
    first, second, third = np.array_split(np.random.default_rng(draw).permutation(len(labels)), 3)
    positives, conditions, accuracies, sizes = [], [], [], []
    for part in (first, second):
        classifier = RuleSetClassifier(complexity, time_limit=limit, choice=choice, random_state=draw)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            classifier.fit(table.iloc[part], labels[part])
        predicted = classifier.predict(table.iloc[third])
        positives.append(set(np.flatnonzero(predicted == classifier.classes_[1]).tolist()))
        conditions.append({str(condition) for condition in classifier.rule_set_.conditions})
        accuracies.append(float(np.mean(predicted == labels[third])))
        sizes.append(float(classifier.rule_set_.complexity))
    return {
        "predictions": jaccard(*positives),
        "conditions": jaccard(*conditions),
        "accuracy": float(np.mean(accuracies)),
        "size": float(np.mean(sizes)),
    }


def simulate(sets: list[str], draws: int, limit: float, results: Path) -> None:
    """Compare every draw that the file of results does not have yet."""
    known = set()
    if results.exists():
        with results.open(encoding="utf-8", newline="") as lines:
            known = {tuple(line[name] for name in HEAD[:5]) for line in csv.DictReader(lines)}
    else:
        results.write_text(",".join(HEAD) + "\n", encoding="utf-8")
    for name in sets:
        table, target, _ = load(name)
        labels = np.asarray(target)
        for draw in range(draws):
            for complexity in COMPLEXITIES:
                for choice in CHOICES:
                    key = (name, complexity, choice, draw, limit)
                    if tuple(map(str, key)) not in known:
                        found = compare(table, labels, draw, choice, complexity, limit)
                        with results.open("a", encoding="utf-8", newline="") as lines:
                            csv.DictWriter(lines, HEAD).writerow({**dict(zip(HEAD, key, strict=False)), **found})


def page(results: Path, command: str) -> str:
    """The page with the table."""
    table = pd.read_csv(results)
    lines = [
        "| set | complexity at most | choice | draws | same positives | same conditions | accuracy | complexity |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (name, complexity, choice), rows in table.groupby(["set", "complexity", "choice"], sort=False):
        error = rows["predictions"].std(ddof=1) / np.sqrt(len(rows))
        lines.append(
            f"| {name} | {complexity} | {choice} | {len(rows)} | {rows['predictions'].mean():.3f} ± {error:.3f} | "
            f"{rows['conditions'].mean():.3f} | {rows['accuracy'].mean():.1%} | {rows['size'].mean():.1f} |"
        )
    words = (__doc__ or "").split("\n\n")[2].replace("\n", " ")
    return "\n".join(["# Stability of what is learned", "", words, "", *lines, "", f"Made by `{command}`.", ""])


def main() -> None:
    """Run the comparison and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--sets", default="heart,pima,ilpd,bupa,compas")
    parser.add_argument("--time-limit", type=float, default=2.0)
    parser.add_argument("--results", type=Path, default=Path("docs/benchmarks/stability.csv"))
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/stability.md"))
    arguments = parser.parse_args()
    simulate(arguments.sets.split(","), arguments.draws, arguments.time_limit, arguments.results)
    command = f"python -m benchmarks.stability --draws {arguments.draws} --sets {arguments.sets}"
    command += f" --time-limit {arguments.time_limit:g}"
    arguments.output.write_text(page(arguments.results, command), encoding="utf-8")


if __name__ == "__main__":
    main()
