"""Tables that auditors ask for: impact ratios with the four-fifths rule, predictive values and base rates by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulecg_core import FloatArray

from ..metrics.intervals import two_sided, wilson
from ..metrics.outcomes import FN, FP, TN, TP, Outcomes, rate

if TYPE_CHECKING:
    import pandas as pd

FOUR_FIFTHS = 0.8
"""An impact ratio below this is taken for a sign of adverse impact."""
SMALL_SHARE = 0.02
"""Groups with a smaller share of the rows may be left out of an audit (New York City, Local Law 144)."""
SIGNIFICANT = 0.05
_HEADINGS = {
    "n": "rows",
    "share_of_rows": "of all",
    "selected": "selected",
    "impact_ratio": "impact ratio",
    "p_value": "p-value",
    "finding": "finding",
}


def impact_ratios(y_true: Any, y_pred: Any, *, sensitive_features: Any, pos_label: Any = None) -> pd.DataFrame:
    """Compare every group's selection rate with that of the group selected most.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels; only the predictions count.
    sensitive_features
        One column or several, which are crossed.
    pos_label
        The positive label, where it is neither True nor 1.

    Returns
    -------
    pandas.DataFrame
        For every group: rows, their share, rows selected, ``impact_ratio`` (its selection rate divided by the greatest
        among groups with at least 2 % of the rows), the p-value of Fisher's exact test against that group, and a
        finding in words. Notes on rows of unknown group and on small groups are in ``attrs["notes"]``.

    Examples
    --------
    >>> group = ["a"] * 50 + ["b"] * 50
    >>> table = impact_ratios([1] * 100, [1] * 40 + [0] * 10 + [1] * 10 + [0] * 40, sensitive_features=group)
    >>> print(table.loc["b", "impact_ratio"], table.loc["b", "finding"])
    0.25 below four fifths, significantly
    """
    import pandas as pd

    outcomes = Outcomes.of(y_true, y_pred, sensitive_features=sensitive_features, pos_label=pos_label)
    counts = outcomes.counts()
    rows = counts.sum(axis=1)
    selected = counts[:, [FP, TP]].sum(axis=1)
    rates = rate(counts, "selection_rate")
    shares = rows / rows.sum()
    small = shares < SMALL_SHARE
    most = int(np.argmax(np.where(small & ~small.all(), -1.0, rates)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = rates / rates[most]
    p_values = _p_values(selected, rows, most)
    findings = [
        _finding(place == most, bool(small[place]), float(ratios[place]), p_values[place]) for place in range(len(rows))
    ]
    table = pd.DataFrame(
        {
            "n": rows.astype(np.int64),
            "share_of_rows": shares,
            "selected": selected.astype(np.int64),
            "impact_ratio": ratios,
            "p_value": p_values,
            "finding": findings,
        },
        index=pd.Index(outcomes.names, name="group"),
    )
    table.attrs["notes"] = _notes(outcomes, small)
    table.attrs["caption"] = "Impact ratios and the four-fifths rule"
    table.attrs["columns"] = dict(_HEADINGS)
    return table


def _p_values(selected: FloatArray, rows: FloatArray, most: int) -> list[float]:
    """Fisher's exact test of every group against the one selected most."""
    from scipy.stats import fisher_exact

    split = [[chosen, total - chosen] for chosen, total in zip(selected, rows, strict=True)]
    return [float(fisher_exact([split[most], own]).pvalue) for own in split]


def _finding(is_most: bool, is_small: bool, ratio: float, p_value: float) -> str:
    if is_most:
        return "selected most"
    words = "under 2 % of the rows; " if is_small else ""
    if np.isnan(ratio):
        return words + "nobody is selected"
    if ratio >= FOUR_FIFTHS:
        return words + "at least four fifths"
    return f"{words}below four fifths, {'significantly' if p_value < SIGNIFICANT else 'perhaps by chance'}"


def _notes(outcomes: Outcomes, small: Any) -> tuple[str, ...]:
    unknown = int((~outcomes.labelled).sum())
    notes = ["The p-value is that of Fisher's exact test against the group selected most, one test per group."]
    if unknown:
        words = "1 row is" if unknown == 1 else f"{unknown} rows are"
        notes.append(f"{words} left out because the group is unknown.")
    if small.any():
        notes.append("Groups under 2 % of the rows are shown but are not taken for the group selected most.")
    return tuple(notes)


def predictive_values(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, pos_label: Any = None, confidence: float = 0.95
) -> pd.DataFrame:
    """Tell for every group how often positives occur and how often each prediction is right.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels.
    sensitive_features
        One column or several, which are crossed.
    pos_label
        The positive label, where it is neither True nor 1.
    confidence
        Of the Wilson intervals, each by itself.

    Returns
    -------
    pandas.DataFrame
        Rows, base rate, positive and negative predictive value of every group, with ``…_low`` and ``…_high``.

    Examples
    --------
    >>> table = predictive_values([1, 0, 1, 0], [1, 1, 0, 0], sensitive_features=["a"] * 4)
    >>> table[["base_rate", "positive_predictive_value", "negative_predictive_value"]].loc["a"].tolist()
    [0.5, 0.5, 0.5]
    """
    import pandas as pd

    outcomes = Outcomes.of(y_true, y_pred, sensitive_features=sensitive_features, pos_label=pos_label)
    z = two_sided(confidence)
    counts = outcomes.counts()
    columns: dict[str, Any] = {"n": counts.sum(axis=1).astype(np.int64)}
    for name, counted, among in (
        ("base_rate", [FN, TP], [TN, FP, FN, TP]),
        ("positive_predictive_value", [TP], [FP, TP]),
        ("negative_predictive_value", [TN], [TN, FN]),
    ):
        total: FloatArray = counts[:, among].sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            columns[name] = np.where(total > 0, counts[:, counted].sum(axis=1) / total, np.nan)
        columns[f"{name}_low"], columns[f"{name}_high"] = wilson(columns[name], total, z)
    table = pd.DataFrame(columns, index=pd.Index(outcomes.names, name="group"))
    table.attrs["caption"] = f"Predictive values and base rates with {confidence * 100:g} % intervals"
    return table
