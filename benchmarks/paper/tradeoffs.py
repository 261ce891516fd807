"""Accuracy against simplicity: a front for every learner that can trade one for the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..rivals.jobs import NoOutcome, run_rival
from . import ours, pictures
from .cells import Cell, Key
from .data import LARGE, SMALL, Fold, dataset
from .experiment import Experiment, Request
from .pages import Page, reasons
from .summaries import front_of

GRIDS: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "AM": ("theta", (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)),
    "BCD": ("theta", (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001)),
    "BRS": ("kappa", (0.001, 0.1, 1.0, 10.0, 1000.0)),
    "CART": ("min_samples_leaf", (200, 100, 50, 25, 10, 5, 2)),
}
"""What each rival varies; the paper does not list its values, only kappa's ends."""


def measure(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All points of one learner on one fold."""
    fold = Fold.of(key["data"], key["fold"], settings["outer folds"])
    if key["learner"] == "rulecg":
        bounds = ours.SMALL_BOUNDS if key["data"] in SMALL else ours.LARGE_BOUNDS
        found = ours.front(fold, bounds, seconds=settings["seconds"], threads=settings["threads"])
        return [
            {"setting": bound, "complexity": model.rule_set_.complexity} | fold.accuracies(model.predict(fold.data))
            for bound, model in found
        ]
    parameter, values = GRIDS[key["learner"]]
    try:
        outcomes = run_rival(
            key["learner"], fold.samples(), [{parameter: value} for value in values], inner_folds=0,
            seconds=settings["rival seconds"],
        )  # fmt: skip
    except NoOutcome as reason:
        return [{"reason": str(reason)}]
    return [
        {"setting": value, "complexity": outcome.complexity}
        | fold.accuracies(fold.joined(outcome.train, outcome.test))
        for value, outcome in zip(values, outcomes, strict=True)
    ]


class Fronts(Experiment):
    """Complexity against test accuracy on every data set."""

    name = "fronts"
    title = "Accuracy-simplicity fronts"
    printed = "Figures 'Rule complexity-test accuracy trade-offs' (section Classification and appendix)"
    store = "fronts"
    sets = (*SMALL, *LARGE)
    learners = ("rulecg", "BRS", "AM", "BCD", "CART")
    measure = staticmethod(measure)

    def cells(self, request: Request) -> list[Cell]:
        protocol, made = request.protocol, []
        for name in self.wanted_sets(request):
            n_rows = len(dataset(name).target)
            factor = protocol.seconds(n_rows) / protocol.path_seconds
            for learner in self.wanted_learners(request):
                settings: dict[str, Any] = {"outer folds": protocol.outer_folds, "threads": protocol.threads}
                if learner == "rulecg":
                    settings["seconds"] = factor * protocol.front_seconds
                else:
                    settings["rival seconds"] = protocol.rival_seconds(n_rows)
                keys = [{"data": name, "learner": learner, "fold": fold} for fold in range(protocol.outer_folds)]
                made += [Cell(key, settings) for key in keys]
        return made

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        points = lines[lines["test"].notna()] if "test" in lines else lines.iloc[:0]
        means = pictures.mean_points(points, ["data", "learner", "setting"], ["complexity", "test"])
        picture = pictures.fronts(
            {str(name): part for name, part in means.groupby("data", sort=False)},
            page.path(".svg"), cost="complexity", value="test", labels=("rules + conditions", "test accuracy"),
        )  # fmt: skip
        best = pd.concat(
            [front_of(part, "complexity", "test") for _, part in means.groupby(["data", "learner"], sort=False)]
            or [means]
        )
        shown = best.assign(
            complexity=best["complexity"].map("{:.1f}".format) + best["complexity error"].map(" ({:.1f})".format),
            test=(100 * best["test"]).map("{:.1f}".format) + (100 * best["test error"]).map(" ({:.1f})".format),
        )[["data", "learner", "setting", "complexity", "test"]]
        note = "The paper prints these fronts as pictures only. Standard errors in brackets, accuracies in percent."
        page.with_notes([note], reasons(lines, ["learner", "data"]), self.absent_sets(request)).write(
            means, {"Points that no other of the same learner beats": shown}, cells=lines, pictures=[picture]
        )
