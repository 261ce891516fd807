"""Means with errors beside the paper's."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from benchmarks.paper.nested import tuning_notes
from benchmarks.paper.published import figure
from benchmarks.paper.summaries import side_by_side, summarize, verdicts

MEASURES = {"test": "test accuracy", "complexity": "complexity"}


def _lines(tests: list[float], sizes: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"data": "heart", "learner": "rulecg", "test": tests, "complexity": sizes})


def test_means_stand_beside_the_printed_ones() -> None:
    """The mean in percent with its standard error, and the paper's figure for column generation."""
    summary = summarize(_lines([0.80, 0.84], [9, 11]), MEASURES, table="accuracy")
    first = summary.iloc[0]
    assert first["mean"] == pytest.approx(82)
    assert first["error"] == pytest.approx(2)
    assert (first["paper mean"], first["paper error"]) == (78.9, 2.4)
    assert side_by_side(summary, "test accuracy")["rulecg"].tolist() == ["82.0 (2.0) / 78.9 (2.4)"]


def test_what_was_not_measured_keeps_its_published_figure() -> None:
    """A rival that cannot be had stands in the table with the paper's number alone."""
    summary = summarize(_lines([0.8], [9]), MEASURES, table="accuracy", missing=[("heart", "BRS")])
    assert side_by_side(summary, "test accuracy")["BRS"].tolist() == ["– / 78.9 (2.4)"]


def test_deviations_are_compared_with_deviations() -> None:
    """Where the paper prints standard deviations, so do we."""
    lines = _lines([0.80, 0.84], [9, 11]).assign(learner="Hamming")
    summary = summarize(lines, {"test": "test accuracy"}, table="hamming", names={})
    assert summary["error"].iloc[0] == pytest.approx(2 * math.sqrt(2))


@pytest.mark.parametrize(
    ("test", "size", "reached", "within"),
    [(0.77, 11, "yes", "yes"), (0.70, 11, "no, 6.5 below", "yes"), (0.80, 15, "yes", "no, 3.7 above")],
)
def test_falling_behind_is_said(test: float, size: float, reached: str, within: str) -> None:
    """Less than the paper's accuracy less one error, or more than its complexity, is named with the difference."""
    table = verdicts(summarize(_lines([test, test], [size, size]), MEASURES, table="accuracy"))
    assert table[["reached", "within"]].iloc[0].tolist() == [reached, within]


def test_printed_figures_are_those_of_the_paper() -> None:
    """Spot checks of the committed table, one for each kind of error."""
    printed = figure("accuracy", "tic-tac-toe", "CG", "complexity")
    assert printed is not None
    assert (printed.mean, printed.error, printed.kind) == (32.0, 0.0, "standard error")
    fair = figure("unconstrained", "compas", "FairCORELS", "equalized odds")
    assert fair is not None
    assert (fair.mean, fair.error, fair.kind) == (14.8, 13.1, "standard deviation")
    assert figure("accuracy", "heart", "CG", "weight") is None


def test_a_rival_whose_tuning_was_cut_short_is_named() -> None:
    """A rival that did not compare all its candidates, or does not say, is told; one that did is not."""
    lines = pd.DataFrame(
        {"data": "heart", "learner": ["CART", "CART", "LR", "RF"], "test": 0.8, "tried": [7, 3, 5, float("nan")]}
    )
    (note,) = tuning_notes(lines)
    assert "CART: its time ended before all 7 candidates in 1 of 2 cells" in note
    assert "RF: 1 of 1 cells do not say" in note
    assert "LR" not in note
