"""Fair rule sets beside fair rivals: without bounds, along fronts, their size, and rates by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..rivals.jobs import NoOutcome, run_rival
from . import ours, pictures
from .cells import Cell, Key
from .data import FAIR, Fold, dataset
from .experiment import Experiment, Request
from .pages import Page, reasons
from .published import figure
from .summaries import FAIR_NAMES, front_of, side_by_side, summarize

CRITERIA: Mapping[str, str] = {"equality-of-opportunity": "opportunity", "equalized-odds": "odds"}
"""Notions of fairness, and the column that measures them."""
_FIRST = (0.01, 0.1, 1.0)
GRIDS: Mapping[str, Mapping[str, Sequence[float]]] = {
    "adult": {
        "eps 1": _FIRST, "eps 2": (0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 1.0),
        "C 1": (5, 20, 40, 80, 100), "C 2": (5, 15, 20, 30, 40, 50, 60, 80, 100),
    },
    "compas": {
        "eps 1": _FIRST, "eps 2": (0.0, 0.01, 0.05, 0.1, 0.15, 0.2, 1.0),
        "C 1": (5, 15, 30), "C 2": (5, 10, 15, 20, 30),
    },
    "default": {
        "eps 1": _FIRST, "eps 2": (0.0, 0.01, 0.03, 0.05, 0.1, 0.2, 1.0),
        "C 1": (5, 15, 30), "C 2": (5, 10, 15, 20, 30),
    },
}  # fmt: skip
"""The paper's grids of both phases."""
REDUCED: Mapping[str, Sequence[float]] = {
    "eps 1": (0.01, 1.0), "eps 2": (0.01, 0.05, 0.1, 1.0), "C 1": (15,), "C 2": (10, 30),
}  # fmt: skip
"""A few points of them, for any data set."""
TAU = {"adult": 5.0, "compas": 20.0, "default": 0.5}
"""The paper's first price in the convex-concave procedure."""
LENGTHS = {"adult": 2, "compas": 5, "default": 2}
"""The paper's most conditions in a rule of FairCORELS."""


def rival_settings(learner: str, data: str, criterion: str, is_full: bool) -> list[dict[str, Any]]:
    """Parameters along a rival's front: the paper's when full, some of them otherwise."""
    eps: list[float] = np.linspace(0, 0.5, 30).round(4).tolist() if is_full else [0.0, 0.02, 0.1, 0.5]
    depths = np.unique(np.linspace(1, 30, 20).round().astype(int)).tolist() if is_full else [5]
    prices = [0.0001, 0.001, 0.01, 0.1, 1.0, 10.0] if is_full else [0.001]
    if learner == "Zafar":
        return [{"criterion": criterion, "threshold": each, "tau": TAU[data]} for each in eps]
    if learner == "Hardt":
        return [{"criterion": criterion, "eps": each} for each in [*eps, 1.0]]
    if learner == "Hardt (fairlearn)":
        return [{"criterion": criterion}]
    if learner == "FairLearn":
        return [{"criterion": criterion, "eps": each, "max_depth": depth} for depth in depths for each in eps]
    return [
        {"criterion": criterion, "eps": each, "price": price, "max_length": LENGTHS[data]}
        for price in prices
        for each in [*eps, 1.0]
    ]


def free_settings(learner: str, data: str) -> list[dict[str, Any]]:
    """Parameters without any bound on unfairness, to be tuned for accuracy."""
    if learner == "Zafar":
        return [{"criterion": "none"}]
    if learner == "FairLearn":
        return [{"eps": 1.0, "max_depth": depth} for depth in (1, 3, 5, 8)]
    if learner == "FairCORELS":
        return [{"eps": 1.0, "price": price, "max_length": LENGTHS[data]} for price in (0.1, 0.01, 0.001, 0.0001)]
    return [{"eps": 1.0}]


def _measured(fold: Fold, predicted: Any) -> dict[str, float]:
    return fold.accuracies(predicted) | fold.rates(predicted, "train") | fold.rates(predicted, "test")


def unconstrained(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One learner on one outer fold, tuned for accuracy."""
    fold = Fold.of(key["data"], key["fold"], settings["outer folds"])
    if key["learner"] == "rulecg":
        predicted, model = ours.tuned(
            fold, GRIDS[key["data"]]["C 2"], inner_folds=settings["inner folds"], seconds=settings["seconds"],
            binarizer="deciles", threads=settings["threads"],
        )  # fmt: skip
        return [_measured(fold, predicted) | {"complexity": model.rule_set_.complexity}]
    try:
        (outcome,) = run_rival(
            key["learner"], fold.samples(), free_settings(key["learner"], key["data"]),
            inner_folds=settings["inner folds"], seconds=settings["rival seconds"],
        )  # fmt: skip
    except NoOutcome as reason:
        return [{"reason": str(reason)}]
    return [_measured(fold, fold.joined(outcome.train, outcome.test)) | {"complexity": outcome.complexity}]


class Unconstrained(Experiment):
    """Accuracy and unfairness where nothing bounds it, FairCORELS included."""

    name = "unconstrained"
    title = "Accuracy and unfairness without constraints"
    printed = "Tables 'Mean test accuracy and fairness results with no fairness constraints' (main text and appendix)"
    store = "unconstrained"
    sets: ClassVar[Sequence[str]] = FAIR
    learners: ClassVar[Sequence[str]] = ("rulecg", "Zafar", "Hardt", "FairLearn", "FairCORELS")
    measure = staticmethod(unconstrained)
    measures: ClassVar[Mapping[str, str]] = {
        "test": "test accuracy", "test opportunity": "equality of opportunity", "test odds": "equalized odds",
    }  # fmt: skip

    def cells(self, request: Request) -> list[Cell]:
        protocol, made = request.protocol, []
        for name in self.wanted_sets(request):
            n_rows = len(dataset(name).target)
            for learner in self.wanted_learners(request):
                settings: dict[str, Any] = {
                    "outer folds": protocol.outer_folds, "inner folds": protocol.inner_folds,
                    "seconds": protocol.seconds(n_rows), "threads": protocol.threads,
                }  # fmt: skip
                if learner != "rulecg":
                    settings["rival seconds"] = protocol.rival_seconds(n_rows)
                keys = [{"data": name, "learner": learner, "fold": fold} for fold in range(protocol.outer_folds)]
                made += [Cell(key, settings) for key in keys]
        return made

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        pairs = [(name, learner) for name in request.sets or self.sets for learner in self.wanted_learners(request)]
        summary = summarize(lines, self.measures, table="unconstrained", names=FAIR_NAMES, missing=pairs)
        shown = {
            f"{measure}, percent, measured / paper (standard deviation)": side_by_side(summary, measure)
            for measure in self.measures.values()
        }
        page.with_notes(reasons(lines, ["learner", "data"])).write(summary, shown, cells=lines)


class FairCorelsTable(Unconstrained):
    """The appendix's rows of FairCORELS alone; it shares its cells with the whole table."""

    name = "faircorels"
    title = "FairCORELS"
    printed = "Appendix 'Results for Additional Fair Classifiers'"
    learners = ("rulecg", "FairCORELS")


def along_front(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One learner on one outer fold, at every point of its grid."""
    fold = Fold.of(key["data"], key["fold"], settings["outer folds"])
    if key["learner"] == "rulecg":
        bench = ours.Workbench.of(fold, seconds=settings["program seconds"], threads=settings["threads"])
        points = bench.two_phases(
            key["criterion"], settings["grid"], seconds=settings["phase seconds"],
            pricing_seconds=settings["pricing seconds"],
        )  # fmt: skip
        return [
            {"setting": f"eps {eps:g}, C {bound:g}", "eps": eps, "C": bound, "complexity": chosen.complexity}
            | _measured(fold, chosen.predicted)
            for eps, bound, chosen in points
        ]
    parameters = rival_settings(key["learner"], key["data"], key["criterion"], settings["full"])
    try:
        outcomes = run_rival(
            key["learner"], fold.samples(), parameters, inner_folds=0, seconds=settings["rival seconds"],
        )  # fmt: skip
    except NoOutcome as reason:
        return [{"reason": str(reason)}]
    return [
        {"setting": ", ".join(f"{k} {v}" for k, v in each.parameters.items() if k != "criterion")}
        | {"eps": each.parameters.get("eps", each.parameters.get("threshold")), "complexity": each.complexity}
        | _measured(fold, fold.joined(each.train, each.test))
        for each in outcomes
    ]


class FairFronts(Experiment):
    """Accuracy against unfairness for both notions; rule sets by the paper's two phases."""

    name = "fair-fronts"
    title = "Accuracy-fairness fronts"
    printed = "Figures 'Test Accuracy Fairness Frontier' (section Fairness, and appendix with FairCORELS)"
    store = "fair-fronts"
    sets: ClassVar[Sequence[str]] = FAIR
    learners: ClassVar[Sequence[str]] = ("rulecg", "Zafar", "Hardt", "Hardt (fairlearn)", "FairLearn", "FairCORELS")
    criteria: ClassVar[Sequence[str]] = tuple(CRITERIA)
    measure = staticmethod(along_front)

    def grid(self, name: str, is_full: bool) -> Mapping[str, Sequence[float]]:
        """Both phases' bounds for a data set."""
        return GRIDS[name] if is_full else REDUCED

    def cells(self, request: Request) -> list[Cell]:
        protocol, made = request.protocol, []
        is_full = protocol.name == "full"
        for name in self.wanted_sets(request):
            seconds = protocol.rival_seconds(len(dataset(name).target))
            for criterion in self.criteria:
                for learner in self.wanted_learners(request):
                    settings: dict[str, Any] = {"outer folds": protocol.outer_folds, "full": is_full}
                    if learner == "rulecg":
                        settings |= {
                            "grid": {phase: list(values) for phase, values in self.grid(name, is_full).items()},
                            "phase seconds": protocol.phase_seconds, "program seconds": protocol.program_seconds,
                            "pricing seconds": protocol.pricing_seconds, "threads": protocol.threads,
                        }  # fmt: skip
                    else:
                        settings["rival seconds"] = seconds
                    made += [
                        Cell({"data": name, "criterion": criterion, "learner": learner, "fold": fold}, settings)
                        for fold in range(protocol.outer_folds)
                    ]
        return made

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        points = lines[lines["test"].notna()] if "test" in lines else lines.iloc[:0]
        panels, tables = {}, []
        for (name, criterion), part in points.groupby(["data", "criterion"], sort=False):
            gap = f"test {CRITERIA[str(criterion)]}"
            means = pictures.mean_points(part, ["learner", "setting"], [gap, "test", "complexity"])
            means = means.rename(columns={gap: "gap", f"{gap} error": "gap error"})
            panels[f"{name}, {criterion}"] = means
            tables.append(means.assign(data=name, criterion=criterion))
        picture = pictures.fronts(
            panels, page.path(".svg"), cost="gap", value="test", labels=("gap between groups", "test accuracy")
        )
        summary = pd.concat(tables)
        best = pd.concat(
            front_of(part, "gap", "test") for _, part in summary.groupby(["data", "criterion", "learner"], sort=False)
        )[["data", "criterion", "learner", "setting", "gap", "test", "complexity"]]
        note = "The paper prints these fronts as pictures only. Gaps and accuracies are means over the test folds."
        page.with_notes([note], reasons(lines, ["learner", "data"])).write(
            summary, {"Points that no other of the same learner beats": best}, cells=lines, pictures=[picture]
        )


class FairComplexity(FairFronts):
    """How large fair rule sets are, at three bounds on the gap."""

    name = "fair-complexity"
    title = "Complexity of fair rule sets"
    printed = "Table 'Average complexity of rule sets under Equality of Opportunity fairness constraints'"
    store = "fair-complexity"
    learners = ("rulecg",)
    criteria = ("equality-of-opportunity",)

    def grid(self, name: str, is_full: bool) -> Mapping[str, Sequence[float]]:
        return {**super().grid(name, is_full), "eps 2": (0.01, 0.1, 0.5)}

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        rows = []
        for (name, eps), part in lines.groupby(["data", "eps"]):
            # As one would: the bound on complexity with the best mean accuracy.
            best = part.groupby("C")["test"].mean().idxmax()
            own = part.loc[part["C"] == best, "complexity"]
            printed = figure("fair-complexity", str(name), "FairCG", f"complexity at {eps:g}")
            rows.append(
                {"data": name, "eps": eps, "C": best, "complexity": f"{own.mean():.1f} ({own.std(ddof=1):.1f})"}
                | {"paper": "–" if printed is None else str(printed)}
            )
        table = pd.DataFrame(rows)
        page.with_notes(["Standard deviations over the folds in brackets."]).write(table, {"": table}, cells=lines)


class Rates(FairFronts):
    """True positive rates of either group, as the bound on their difference is relaxed."""

    name = "rates"
    title = "True positive rates by group against eps"
    printed = "Figure 'Effect of relaxing the equality of opportunity fairness constraint'"
    store = "rates"
    sets = ("compas",)
    learners = ("rulecg",)
    criteria = ("equality-of-opportunity",)

    def grid(self, name: str, is_full: bool) -> Mapping[str, Sequence[float]]:
        return {**super().grid(name, is_full), "eps 2": (0.0, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3), "C 2": (15,)}

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        columns = [f"{part} tpr {group}" for part in ("train", "test") for group in (1, 2)]
        means = lines.groupby(["data", "eps"])[[*columns, "test"]].mean().reset_index()
        picture = pictures.curves(
            {str(name): part for name, part in means.groupby("data")}, page.path(".svg"), x="eps",
            lines={column: f"{column.replace('tpr', 'rows, group')}" for column in columns},
            labels=("allowed difference", "true positive rate"),
        )  # fmt: skip
        note = "The paper prints this as a picture only. Groups are in the order of their values."
        page.with_notes([note]).write(means, {"Means over the folds": means}, cells=lines, pictures=[picture])
