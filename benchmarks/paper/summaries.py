"""From the lines of cells to means with errors beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .published import Figure, figure

PAPER_NAMES: Mapping[str, str] = {"rulecg": "CG"}
"""Under which name the paper has a learner, where it is another one."""
FAIR_NAMES: Mapping[str, str] = {"rulecg": "FairCG"}
PERCENT = ("train accuracy", "test accuracy", "equality of opportunity", "equalized odds")
"""What is counted in shares here and printed in percent."""


def summarize(
    lines: pd.DataFrame,
    measures: Mapping[str, str],
    *,
    table: str,
    names: Mapping[str, str] = PAPER_NAMES,
    missing: Sequence[tuple[str, str]] = (),
) -> pd.DataFrame:
    """One line per data set, learner and measure: mean, its error and the number of cells, and the paper's.

    ``measures`` maps columns of the lines to the paper's names of them, ``missing`` are pairs of data set and learner
    that have no cell at all but may have a figure in the paper. The error is of the same kind as the paper's.
    """
    groups = dict(iter(lines.groupby(["data", "learner"], sort=False))) if len(lines) else {}
    found = []
    for data, learner in dict.fromkeys([*groups, *missing]):
        part = groups.get((data, learner))
        for column, measure in measures.items():
            printed = _printed(table, str(data), names.get(str(learner), str(learner)), measure)
            values = np.array([]) if part is None or column not in part else part[column].dropna().to_numpy(dtype=float)
            found.append(
                {
                    "data": data,
                    "learner": learner,
                    "measure": measure,
                    **_mean_and_error(values * (100 if measure in PERCENT else 1), printed),
                    "cells": len(values),
                    "paper mean": math.nan if printed is None else printed.mean,
                    "paper error": math.nan if printed is None or printed.error is None else printed.error,
                }
            )
    return pd.DataFrame(found)


def side_by_side(summary: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Data sets down, learners across: measured, a slash, the paper's; a dash for what is not there."""
    chosen = summary[summary["measure"] == measure]
    texts = [
        f"{_text(line['mean'], line['error'])} / {_text(line['paper mean'], line['paper error'])}"
        for _, line in chosen.iterrows()
    ]
    wide = chosen.assign(text=texts).pivot(index="data", columns="learner", values="text")
    wide = wide.reindex(index=list(dict.fromkeys(chosen["data"])), columns=list(dict.fromkeys(chosen["learner"])))
    return wide.fillna("– / –").reset_index().rename_axis(columns=None)


def verdicts(summary: pd.DataFrame, learner: str = "rulecg") -> pd.DataFrame:
    """Whether a learner reaches the paper's accuracy less one standard error, at no more than its complexity."""
    lines = []
    for data, part in summary[summary["learner"] == learner].groupby("data", sort=False):
        by_measure = part.set_index("measure")
        accuracy, size = by_measure.loc["test accuracy"], by_measure.loc["complexity"]
        if not accuracy["cells"] or math.isnan(accuracy["paper mean"]):
            continue
        floor = accuracy["paper mean"] - accuracy["paper error"]
        above = size["mean"] - size["paper mean"]
        lines.append(
            {
                "data": data,
                "accuracy": f"{accuracy['mean']:.1f}",
                "paper less one error": f"{floor:.1f}",
                "reached": "yes" if accuracy["mean"] >= floor else f"no, {floor - accuracy['mean']:.1f} below",
                "complexity": f"{size['mean']:.1f}",
                "paper's": f"{size['paper mean']:.1f}",
                "within": "yes" if above <= 0 else f"no, {above:.1f} above",
            }
        )
    return pd.DataFrame(lines)


def front_of(points: pd.DataFrame, cost: str, value: str) -> pd.DataFrame:
    """Points that no other one beats in value at no more cost, in the order of cost.

    >>> front_of(pd.DataFrame({"size": [1, 2, 3], "right": [5, 4, 6]}), "size", "right")["size"].tolist()
    [1, 3]
    """
    ordered = points.sort_values([cost, value], ascending=[True, False])
    best = ordered[value].cummax()
    is_new = ordered[value] > best.astype(float).shift(fill_value=-math.inf)
    return ordered[is_new]


def _printed(table: str, data: str, method: str, measure: str) -> Figure | None:
    return figure(table, data, method, measure) or (
        figure("additional", data, method, measure) if table == "accuracy" else None
    )


def _mean_and_error(values: Any, printed: Figure | None) -> dict[str, float]:
    if not len(values):
        return {"mean": math.nan, "error": math.nan}
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    is_deviation = printed is not None and printed.kind == "standard deviation"
    return {"mean": float(np.mean(values)), "error": spread if is_deviation else spread / math.sqrt(len(values))}


def _text(mean: float, error: float) -> str:
    if math.isnan(mean):
        return "–"
    return f"{mean:.1f}" if math.isnan(error) else f"{mean:.1f} ({error:.1f})"
