"""Hamming loss beside 0-1 loss over one pool of rules, Pool Select, and the proxy of equalized odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from . import ours, pictures
from .cells import Cell, Key
from .data import FAIR, LARGE, SMALL, Fold
from .experiment import Experiment, Request
from .pages import Page, reasons
from .summaries import side_by_side, summarize

MASTERS: Mapping[str, str] = {"Hamming": "hamming", "0-1": "01:formulation=aggregated"}
EPS = 0.025
"""Of the fair rows."""
BOUNDS: Mapping[str, tuple[float, ...]] = {"full": (5, 10, 15, 20, 30, 45, 60), "reduced": (10, 25)}
TUNING_FOLDS: Mapping[str, int] = {"full": 5, "reduced": 2}
GAPS = (0.0, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2)
_MEASURES = {"seconds": "seconds", "train": "train accuracy", "test": "test accuracy"}


def over_leaves(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One random split: C is chosen by inner folds, then both integer programs are solved over one pool of leaves."""
    fold = Fold.split(key["data"], key["split"])
    constraints = [f"equality-of-opportunity:{EPS}"] if key["fair"] else []
    bounds, loss = settings["bounds"], MASTERS[key["learner"]]
    parts = [fold.part(settings["folds"], number) for number in range(settings["folds"])]
    scores = dict.fromkeys(bounds, 0.0)
    for part in parts if len(bounds) > 1 else []:
        bench = _bench(part, settings)
        leaves = bench.leaves()
        for bound in bounds:
            found = bench.choose(leaves, bound, loss, constraints)
            scores[bound] += 0.0 if found is None else part.accuracies(found.predicted)["test"]
    chosen = max(bounds, key=lambda bound: (scores[bound], -bound))
    bench = _bench(fold, settings)
    found = bench.choose(bench.leaves(), chosen, loss, constraints)
    if found is None:
        return [{"reason": f"no rule set of the pool keeps the bound at C = {chosen}"}]
    return [fold.accuracies(found.predicted) | {"seconds": found.seconds, "complexity": found.complexity, "C": chosen}]


def _bench(fold: Fold, settings: Mapping[str, Any]) -> ours.Workbench:
    return ours.Workbench.of(fold, seconds=settings["seconds"], threads=settings["threads"])


class Hamming(Experiment):
    """Solution times and accuracies of both losses over random splits; the fair rows under a bound of 0.025."""

    name = "hamming"
    title = "Hamming loss against 0-1 loss"
    printed = "Tables 'Performance of Hamming loss vs. 0-1 loss' and the violin plots"
    store = "hamming"
    sets = tuple(name for name in (*SMALL, *LARGE) if name != "bupa")
    learners = tuple(MASTERS)
    measure = staticmethod(over_leaves)

    def cells(self, request: Request) -> list[Cell]:
        protocol = request.protocol
        settings = {
            "bounds": list(BOUNDS.get(protocol.name, BOUNDS["reduced"])),
            "folds": TUNING_FOLDS.get(protocol.name, 2),
            "seconds": protocol.program_seconds,
            "threads": protocol.threads,
        }
        fair = [name for name in request.sets or FAIR if name in FAIR]
        pairs = [(name, False) for name in self.wanted_sets(request) if name in self.sets]
        return [
            Cell({"data": name, "fair": is_fair, "learner": learner, "split": split}, settings)
            for name, is_fair in [*pairs, *((name, True) for name in fair)]
            for split in range(protocol.splits)
            for learner in self.wanted_learners(request)
        ]

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        parts = []
        for is_fair, table in ((False, "hamming"), (True, "hamming-fair")):
            own = lines[lines["fair"] == is_fair] if len(lines) else lines
            if len(own):
                parts.append(summarize(own, _MEASURES, table=table, names={}).assign(fair=is_fair))
        summary = pd.concat(parts)
        shown: dict[str, pd.DataFrame] = {}
        for is_fair, heading in ((False, ""), (True, f", equality of opportunity within {EPS}")):
            own = summary[summary["fair"] == is_fair]
            if len(own):
                shown |= {
                    f"{measure}{heading}, measured / paper (standard deviation)": side_by_side(own, measure)
                    for measure in _MEASURES.values()
                }
        free = lines[~lines["fair"].astype(bool)]
        pictured = [pictures.violins(free, page.path(".svg"))] if "train" in free and len(free) else []
        page.with_notes(reasons(lines, ["learner", "data"]), self.absent_sets(request)).write(
            summary, shown, cells=lines, pictures=pictured
        )


def selected(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One fold: the rule set of least Hamming loss, and the one of fewest errors that was met."""
    fold = Fold.of(key["data"], key["fold"], settings["outer folds"])
    bench = _bench(fold, settings)
    result = bench.generate(key["C"], seconds=settings["seconds"], pricing_seconds=settings["pricing seconds"])
    if result is None:
        return [{"reason": "no rule set"}]
    chosen = {"Hamming": result.best_rules, "0-1": result.rules}
    return [
        {"learner": name, "complexity": bench.problem.rule_set(rules).complexity}
        | fold.accuracies(bench.predict(rules))
        for name, rules in chosen.items()
    ]


class PoolSelect(Experiment):
    """What choosing by errors among the rule sets met brings."""

    name = "pool-select"
    title = "Pool Select"
    printed = "Table 'Effect of selecting a final rule set from the solution pool' (appendix)"
    store = "pool-select"
    sets = (*SMALL, *LARGE)
    measure = staticmethod(selected)

    def cells(self, request: Request) -> list[Cell]:
        protocol = request.protocol
        settings = {
            "outer folds": protocol.outer_folds, "seconds": protocol.path_seconds, "threads": protocol.threads,
            "pricing seconds": protocol.pricing_seconds,
        }  # fmt: skip
        bounds = (5, 10, 20) if protocol.name == "full" else (10,)
        return [
            Cell({"data": name, "C": bound, "fold": fold}, settings)
            for name in self.wanted_sets(request)
            for bound in bounds
            for fold in range(protocol.outer_folds)
        ]

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        measured = lines[lines["test"].notna()]
        means = measured.groupby(["data", "learner", "C"])["test"].mean().reset_index()
        best = means.loc[means.groupby(["data", "learner"])["test"].idxmax(), ["data", "learner", "C"]]
        summary = summarize(
            measured.merge(best), {"train": "train accuracy", "test": "test accuracy"}, table=self.name, names={}
        )
        shown = {
            f"{measure}, measured / paper (standard deviation)": side_by_side(summary, measure)
            for measure in ("train accuracy", "test accuracy")
        }
        note = "As in the paper, the figures of the bound on complexity with the best mean test accuracy are shown."
        page.with_notes([note], self.absent_sets(request)).write(summary, shown, cells=lines)


def gap(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One split: allowed and true gap of equalized odds for every eps, by proxy and exactly."""
    fold = Fold.split(key["data"], key["split"])
    bench = _bench(fold, settings)
    leaves = bench.leaves()
    lines: list[dict[str, Any]] = []
    for eps in GAPS:
        found = bench.choose(leaves, settings["C"], MASTERS[key["learner"]], [f"equalized-odds:{eps}"])
        if found is not None:
            rates = fold.rates(found.predicted, "train") | fold.rates(found.predicted, "test")
            lines.append({"eps": eps, "complexity": found.complexity} | fold.accuracies(found.predicted) | rates)
    return lines


class ProxyGap(Experiment):
    """The gap that is allowed against the true one on training and test rows."""

    name = "proxy-gap"
    title = "True against allowed gap, by the Hamming proxy and exactly"
    printed = "Figure 'Generalization of equalized odds constraint'"
    store = "proxy-gap"
    sets = FAIR
    learners = tuple(MASTERS)
    measure = staticmethod(gap)

    def cells(self, request: Request) -> list[Cell]:
        protocol = request.protocol
        settings = {"seconds": protocol.program_seconds, "threads": protocol.threads, "C": 15}
        return [
            Cell({"data": name, "learner": learner, "split": split}, settings)
            for name in self.wanted_sets(request)
            for split in range(protocol.splits)
            for learner in self.wanted_learners(request)
        ]

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        columns = ["train odds", "test odds", "train", "test"]
        means = lines.groupby(["data", "learner", "eps"], sort=False)[columns].mean().reset_index()
        panels = {
            f"{name}, {learner}": part for (name, learner), part in means.groupby(["data", "learner"], sort=False)
        }
        picture = pictures.curves(
            panels, page.path(".svg"), x="eps", lines={"train odds": "training rows", "test odds": "test rows"},
            labels=("allowed gap", "true gap"), diagonal=True,
        )  # fmt: skip
        note = "The paper prints this as a picture only."
        page.with_notes([note]).write(means, {"Means over the splits": means}, cells=lines, pictures=[picture])
