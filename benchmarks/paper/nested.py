"""Accuracy and complexity under nested cross-validation: ours, the paper's rivals, and today's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..rivals import rival
from ..rivals.jobs import NoOutcome, candidates, run_rival
from . import ours
from .cells import Cell, Key
from .data import LARGE, SMALL, Fold, dataset
from .experiment import Experiment, Request
from .pages import Page, reasons
from .summaries import side_by_side, summarize, verdicts

OURS: Mapping[str, str] = {"rulecg": "deciles", "rulecg (auto)": "auto"}
"""rulecg with the paper's conditions, and with those it chooses itself."""
MEASURES = {"test": "test accuracy", "complexity": "complexity"}


def measure(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Tune and fit one learner on one outer fold."""
    fold = Fold.of(key["data"], key["fold"], settings["outer folds"])
    if key["learner"] in OURS:
        predicted, model = ours.tuned(
            fold,
            ours.SMALL_BOUNDS if key["data"] in SMALL else ours.LARGE_BOUNDS,
            inner_folds=settings["inner folds"],
            seconds=settings["seconds"],
            binarizer=OURS[key["learner"]],
            threads=settings["threads"],
        )
        chosen = {"complexity": model.rule_set_.complexity, "chosen": str(model.best_complexity_)}
        return [fold.accuracies(predicted) | chosen]
    try:
        (outcome,) = run_rival(
            key["learner"],
            fold.samples(),
            candidates(rival(key["learner"]).grid),
            inner_folds=settings["inner folds"],
            seconds=settings["rival seconds"],
        )
    except NoOutcome as reason:
        return [{"reason": str(reason)}]
    accuracies = fold.accuracies(fold.joined(outcome.train, outcome.test))
    found = {"complexity": outcome.complexity, "chosen": str(outcome.parameters), "tried": outcome.tried}
    return [accuracies | found]


def tuning_notes(lines: pd.DataFrame) -> list[str]:
    """For which rivals the time ended before all candidates were compared: they are tuned less well than they could be.

    Candidates come simplest first, so a rival that ran out of time looks simpler, and often worse, than it is.
    """
    told = []
    rivals = lines[~lines["learner"].isin(list(OURS)) & lines["test"].notna()] if "test" in lines else lines.iloc[:0]
    for learner, part in rivals.groupby("learner", sort=False):
        n_candidates = len(candidates(rival(str(learner)).grid))
        if n_candidates < 2:
            continue
        tried = part["tried"] if "tried" in part else pd.Series(float("nan"), index=part.index)
        cut, unknown = int((tried < n_candidates).sum()), int(tried.isna().sum())
        if cut:
            where = f"in {cut} of {len(part)} cells"
            told.append(f"* {learner}: its time ended before all {n_candidates} candidates {where}.")
        if unknown:
            told.append(f"* {learner}: {unknown} of {len(part)} cells do not say how many candidates were compared.")
    head = "Tuning of rivals ends after half their time, with the simplest candidates compared first:"
    return ["\n".join([head, "", *told])] if told else []


class _Nested(Experiment):
    """Learners on the outer folds of data sets; the tables differ in learners only and share their cells."""

    store = "nested"
    sets = (*SMALL, *LARGE)
    measure = staticmethod(measure)

    def cells(self, request: Request) -> list[Cell]:
        protocol, made = request.protocol, []
        for name in self.wanted_sets(request):
            n_rows = len(dataset(name).target)
            for learner in self.wanted_learners(request):
                settings: dict[str, Any] = {
                    "outer folds": protocol.outer_folds,
                    "inner folds": protocol.inner_folds,
                    "seconds": protocol.seconds(n_rows),
                    "threads": protocol.threads,
                }
                if learner not in OURS:
                    settings["rival seconds"] = protocol.rival_seconds(n_rows)
                made += [
                    Cell({"data": name, "learner": learner, "fold": fold}, settings)
                    for fold in range(protocol.outer_folds)
                ]
        return made

    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        pairs = [(name, learner) for name in request.sets or self.sets for learner in self.wanted_learners(request)]
        summary = summarize(lines, MEASURES, table="accuracy", missing=pairs)
        shown = {
            "Test accuracy in percent, measured / paper (standard error)": side_by_side(summary, "test accuracy"),
            "Complexity (rules + conditions), measured / paper": side_by_side(summary, "complexity"),
        }
        if "rulecg" in self.wanted_learners(request):
            shown["rulecg with decile conditions against the paper's column generation"] = verdicts(summary)
        page = page.with_notes(tuning_notes(lines), reasons(lines, ["learner", "data"]), self.absent_sets(request))
        page.write(summary, shown, cells=lines)


class Accuracy(_Nested):
    """The main tables."""

    name = "accuracy"
    title = "Accuracy and complexity"
    printed = "Tables 'Mean test accuracy' and 'Mean complexity' (section Classification)"
    learners = ("rulecg", "rulecg (auto)", "BRS", "AM", "BCD", "RIPPER", "CART", "RF")


class Additional(_Nested):
    """The appendix's tables with IDS, logistic regression and support vector machines."""

    name = "additional"
    title = "Accuracy of further classifiers"
    printed = "Tables of the appendix 'Results for Additional Classifiers'"
    learners = ("rulecg", "IDS", "LR", "SVM")


class Today(_Nested):
    """Learners that came after the paper or that it leaves out."""

    name = "today"
    title = "Beside what a user would pick today"
    printed = "not in the paper"
    learners = (
        "rulecg", "rulecg (auto)", "BooleanRuleCG", "RUG", "FIGS", "STreeD", "GOSDT", "FOLD-R++",
        "RIPPER (wittgenstein)",
    )  # fmt: skip
