"""Accuracy and true gaps of fair rule sets beside fairlearn and STreeD, out of fold, as a table and as fronts.

    RULECG_DATA=... python benchmarks/fairness.py [--sets compas] [--seconds 10] [--output docs/benchmarks/fairness.md]

Rule sets have decile conditions, as in the paper. Predictions of all folds are pooled before rates are counted. Needs
fairlearn; STreeD (pystreed) takes part where it is installed, for equality of opportunity.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from rulecg import RuleSetClassifier
from rulecg.binarize.binarizer import Binarizer
from rulecg.datasets import load
from rulecg_fairness import gaps

DATA = {"compas": 20, "adult": 30, "default": 30}
"""Data sets and the bound on complexity of the rule sets."""
EPS = (0.01, 0.025, 0.05, 0.1)
CRITERIA = {"equalized-odds": "equalized_odds_difference", "equality-of-opportunity": "equal_opportunity_difference"}
TREE_DEPTH = 4


@frozen(eq=False)
class Task:
    """A data set with its sensitive column, which models may use or not."""

    name: str
    data: pd.DataFrame
    target: np.ndarray[Any, Any]
    groups: pd.Series[Any]
    allowed: bool

    @property
    def inputs(self) -> pd.DataFrame:
        return self.data if self.allowed else self.data.drop(columns=[self.groups.name])


@frozen(eq=False)
class Fold:
    """Training and test rows of one fold, also as conditions for models that need numbers."""

    task: Task
    train: np.ndarray[Any, Any]
    test: np.ndarray[Any, Any]

    def binary(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        binarizer = Binarizer().fit(self.task.inputs.iloc[self.train])
        parts = (self.task.inputs.iloc[rows] for rows in (self.train, self.test))
        train, test = (binarizer.transform(part).astype(np.int32) for part in parts)
        return train, test


Method = Callable[[Fold, str, float | None], tuple[Any, Any]]
"""From a fold, a criterion and a bound to predictions for its training and its test rows."""


@cache
def rule_sets(seconds: float) -> Method:
    unconstrained: dict[tuple[str, bool, int], tuple[Any, Any]] = {}

    def predict(fold: Fold, criterion: str, eps: float | None) -> tuple[Any, Any]:
        """Without a bound, the criterion does not matter: such a rule set is learned once."""
        key = (fold.task.name, fold.task.allowed, int(fold.test[0]))
        if eps is not None:
            return learn(fold, criterion, eps)
        if key not in unconstrained:
            unconstrained[key] = learn(fold, criterion, eps)
        return unconstrained[key]

    def learn(fold: Fold, criterion: str, eps: float | None) -> tuple[Any, Any]:
        task = fold.task
        classifier = RuleSetClassifier(
            max_complexity=DATA[task.name],
            constraints=[] if eps is None else [f"{criterion}:{eps}"],
            forbid=[] if task.allowed else [task.groups.name],
            binarizer="deciles",
            time_limit=seconds,
        )
        classifier.fit(
            task.data.iloc[fold.train], task.target[fold.train], sensitive_features=task.groups.iloc[fold.train]
        )
        return tuple(classifier.predict(task.data.iloc[rows]) for rows in (fold.train, fold.test))  # type: ignore[return-value]

    return predict


def exponentiated_gradient(fold: Fold, criterion: str, eps: float | None) -> tuple[Any, Any]:
    from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient, TruePositiveRateParity

    parity = EqualizedOdds if criterion == "equalized-odds" else TruePositiveRateParity
    train, test = fold.binary()
    model = ExponentiatedGradient(
        DecisionTreeClassifier(max_depth=TREE_DEPTH, random_state=0), parity(difference_bound=eps), max_iter=30
    )
    model.fit(
        train, fold.task.target[fold.train].astype(int), sensitive_features=fold.task.groups.iloc[fold.train].to_numpy()
    )
    return tuple(np.asarray(model.predict(part, random_state=0)).astype(bool) for part in (train, test))  # type: ignore[return-value]


def threshold_optimizer(fold: Fold, criterion: str, eps: float | None) -> tuple[Any, Any]:
    from fairlearn.postprocessing import ThresholdOptimizer

    train, test = fold.binary()
    constraint = "equalized_odds" if criterion == "equalized-odds" else "true_positive_rate_parity"
    model = ThresholdOptimizer(
        estimator=DecisionTreeClassifier(max_depth=TREE_DEPTH, random_state=0),
        constraints=constraint,
        predict_method="predict_proba",
    )
    groups = [fold.task.groups.iloc[rows].to_numpy() for rows in (fold.train, fold.test)]
    model.fit(train, fold.task.target[fold.train].astype(int), sensitive_features=groups[0])
    return tuple(  # type: ignore[return-value]
        np.asarray(model.predict(part, sensitive_features=group, random_state=0)).astype(bool)
        for part, group in zip((train, test), groups, strict=True)
    )


def streed(seconds: float) -> Method:
    def predict(fold: Fold, criterion: str, eps: float | None) -> tuple[Any, Any]:
        from pystreed import STreeDGroupFairnessClassifier

        group = (fold.task.groups == fold.task.groups.iloc[0]).to_numpy().astype(np.int32)
        parts = [
            np.column_stack([group[rows], part])
            for rows, part in zip((fold.train, fold.test), fold.binary(), strict=True)
        ]
        model = STreeDGroupFairnessClassifier(
            "equality-of-opportunity", discrimination_limit=eps, max_depth=3, time_limit=seconds
        )
        model.fit(parts[0], fold.task.target[fold.train].astype(np.int32))
        return tuple(np.asarray(model.predict(part)).astype(bool) for part in parts)  # type: ignore[return-value]

    return predict


def methods(task: Task, criterion: str, eps: float | None, seconds: float) -> Iterator[tuple[str, Method]]:
    yield "rulecg", rule_sets(seconds)
    if eps is None:
        return
    yield "fairlearn, exponentiated gradient", exponentiated_gradient
    if task.allowed and eps == min(EPS):
        yield "fairlearn, threshold optimizer (no bound)", threshold_optimizer
    if task.allowed and criterion == "equality-of-opportunity" and importlib.util.find_spec("pystreed"):
        yield "STreeD, depth 3", streed(seconds)


def gap(criterion: str, y_true: Any, y_pred: Any, groups: Any) -> float:
    table = gaps(y_true, y_pred, sensitive_features=groups)
    return float(table.loc[CRITERIA[criterion], "gap"])


def measure(
    task: Task, criterion: str, eps: float | None, name: str, method: Method, n_folds: int
) -> dict[str, Any]:
    """Pooled out-of-fold accuracy and gap, and the largest gap on any fold's training rows."""
    y_pred = np.zeros(len(task.target), dtype=bool)
    training_gaps, began = [], time.perf_counter()
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(task.data, task.target):
        on_train, on_test = method(Fold(task, train, test), criterion, eps)
        y_pred[test] = on_test
        training_gaps.append(gap(criterion, task.target[train], on_train, task.groups.iloc[train]))
    return {
        "data": task.name,
        "criterion": criterion,
        "sensitive column": "allowed" if task.allowed else "forbidden",
        "eps": "none" if eps is None else f"{eps:g}",
        "method": name,
        "accuracy": float((y_pred == task.target).mean()),
        "gap": gap(criterion, task.target, y_pred, task.groups),
        "largest training gap": max(training_gaps),
        "folds": n_folds,
        "seconds per fold": (time.perf_counter() - began) / n_folds,
    }


def training_figures(seconds: float) -> pd.DataFrame:
    """compas on all rows, race allowed, C = 20: what the optimisation itself reaches."""
    data, target, sensitive = load("compas")
    assert isinstance(data, pd.DataFrame)
    assert isinstance(sensitive, pd.DataFrame)
    race, both = sensitive, data[["African_American", "Female"]]
    cases: Sequence[tuple[str, list[str], Any]] = [
        ("none", [], race),
        ("equalized odds 0.05", ["equalized-odds:0.05"], race),
        ("equalized odds 0.01", ["equalized-odds:0.01"], race),
        ("equalized odds 0.1, race × sex", ["equalized-odds:0.1"], both),
    ]
    lines = []
    for name, constraints, groups in cases:
        classifier = RuleSetClassifier(
            max_complexity=20, constraints=constraints, binarizer="deciles", time_limit=seconds
        )
        classifier.fit(data, target, sensitive_features=groups)
        y_pred, result = classifier.predict(data), classifier.result_
        lines.append(
            {
                "bound": name,
                "Hamming loss": result.objective,
                "lower bound": result.lower_bound,
                "status": result.status,
                "accuracy": float((y_pred == np.asarray(target)).mean()),
                "true gap": gap("equalized-odds", np.asarray(target), y_pred, groups),
                "seconds": result.seconds,
            }
        )
        print(lines[-1], flush=True)
    return pd.DataFrame(lines)


def plot(table: pd.DataFrame, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = list(table.groupby("data", sort=False))
    kinds = list(table.groupby(["criterion", "sensitive column"]).groups)
    figure, axes = plt.subplots(len(rows), len(kinds), figsize=(3.6 * len(kinds), 3.2 * len(rows)), squeeze=False)
    for line, (name, of_data) in zip(axes, rows, strict=True):
        for ax, (criterion, column) in zip(line, kinds, strict=True):
            shown = of_data[(of_data["criterion"] == criterion) & (of_data["sensitive column"] == column)]
            for (method, points), style in zip(shown.groupby("method", sort=False), "os^D", strict=False):
                points = points.sort_values("gap")
                ax.plot(points["gap"], points["accuracy"], marker=style, markersize=4, linewidth=1, label=method)
            ax.set_title(f"{name}: {criterion}\nsensitive column {column}", fontsize=8)
            ax.tick_params(labelsize=7)
        line[0].set_ylabel("accuracy, out of fold", fontsize=8)
    for ax in axes[-1]:
        ax.set_xlabel("true gap, out of fold", fontsize=8)
    handles = {label: handle for ax in axes.flat for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncol=4, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)


def markdown(table: pd.DataFrame) -> str:
    def show(value: Any) -> str:
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    head = [" | ".join(table.columns), " | ".join("---" for _ in table.columns)]
    lines = [" | ".join(map(show, row)) for row in table.itertuples(index=False)]
    return "\n".join(f"| {line} |" for line in [*head, *lines])


def resumed(path: Path | None) -> list[dict[str, Any]]:
    """What an earlier run has already measured."""
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def out_of_fold(arguments: argparse.Namespace) -> pd.DataFrame:
    """Every method on every task; measured lines are kept in a file, so that a run can go on where it ended."""
    lines = resumed(arguments.results)
    keys = ("data", "criterion", "sensitive column", "eps", "method")
    known = {tuple(line[key] for key in keys) for line in lines}
    for name in arguments.sets:
        data, target, sensitive = load(name)
        assert isinstance(data, pd.DataFrame)
        assert isinstance(sensitive, pd.DataFrame)
        n_folds = arguments.folds
        for allowed in (True, False):
            task = Task(name, data, np.asarray(target), sensitive.iloc[:, 0], allowed)
            for criterion in CRITERIA:
                for eps in (None, *arguments.eps):
                    for method_name, method in methods(task, criterion, eps, arguments.seconds):
                        where = "allowed" if allowed else "forbidden"
                        shown = "none" if eps is None else f"{eps:g}"
                        if (name, criterion, where, shown, method_name) in known:
                            continue
                        lines.append(measure(task, criterion, eps, method_name, method, n_folds))
                        print(lines[-1], flush=True)
                        if arguments.results is not None:
                            with arguments.results.open("a", encoding="utf-8") as file:
                                file.write(json.dumps(lines[-1]) + "\n")
    return pd.DataFrame(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sets", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--eps", nargs="+", type=float, default=list(EPS))
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of one fit (10)")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--training-seconds", type=float, default=29.0, help="time limit of a fit to all rows (29)")
    parser.add_argument("--results", type=Path, help="JSON lines; what is already there is not measured again")
    parser.add_argument("--output", type=Path, help="a Markdown file; the plot is written beside it")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    table = out_of_fold(arguments)
    training = training_figures(arguments.training_seconds)
    text = (
        f"{__doc__}\n## Out of fold ({arguments.seconds:g} s per fit)\n\n{markdown(table)}\n\n"
        f"## compas, all rows, race allowed, complexity at most 20\n\n{markdown(training)}\n"
    )
    if arguments.output is None:
        print(text)
        return
    picture = arguments.output.with_suffix(".png")
    plot(table, picture)
    first, _, rest = text.partition("\n\n")
    head = f"# Fair rule sets beside other fair models\n\n{first}\n\n![fronts]({picture.name})\n\n"
    arguments.output.write_text(head + rest, encoding="utf-8")


if __name__ == "__main__":
    main()
