"""Rates by group and gaps between groups, with their uncertainty.

Names and arguments follow ``fairlearn.metrics``: ``metric(y_true, y_pred, *, sensitive_features, sample_weight=None)``.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from rulecg_core import FloatArray

from .intervals import all_pairs, checked_confidence, differences, ratios, two_sided, wilson
from .outcomes import RATE_WORDS, RATES, Outcomes, effective_sizes, rate

if TYPE_CHECKING:
    import pandas as pd


@frozen
class Gap:
    """What a gap is: the largest difference of any of some rates between two groups, or the smallest ratio."""

    rates: tuple[str, ...]
    is_ratio: bool = False

    def value(self, counts: FloatArray) -> FloatArray:
        """Compute the gap from counts (… × groups × 4), over the groups that have the rate; NaN without any."""
        return np.asarray(np.max([self._of_rate(rate(counts, name)) for name in self.rates], axis=0))

    def between(self, counts: FloatArray) -> tuple[str, int, int] | None:
        """Name the rate that the gap (groups × 4) is of, and number the groups with the highest and lowest value."""
        found = {name: rate(counts, name) for name in self.rates}
        spreads = {name: _spread(values) for name, values in found.items() if not np.isnan(values).all()}
        if not spreads:
            return None
        widest = max(spreads, key=lambda name: float(spreads[name]))
        return widest, int(np.nanargmax(found[widest])), int(np.nanargmin(found[widest]))

    def interval(
        self, counts: FloatArray, squares: FloatArray | None = None, confidence: float = 0.95
    ) -> tuple[FloatArray, FloatArray]:
        """Compute a confidence interval of the gap in the population.

        All pairs of groups get intervals that hold together; the largest difference then lies between the largest of
        their lower ends and the largest of their upper ends.

        Parameters
        ----------
        counts
            … × groups × 4: the weight of rows by label and prediction.
        squares
            The sums of squared weights alike; None when every row has weight 1.
        confidence
            The chance that the interval holds the gap.

        Returns
        -------
        low, high
            The ends, for the groups that have the rate; NaN where fewer than two have it.
        """
        lows, highs = [], []
        for name in self.rates:
            shares = rate(counts, name)
            sizes = effective_sizes(counts, squares, name)
            z = all_pairs(confidence, shares.shape[-1], len(self.rates))
            low, high = (ratios if self.is_ratio else differences)(shares, sizes, z)
            own = np.eye(shares.shape[-1], dtype=bool)
            combine = _least if self.is_ratio else _most
            lows.append(combine(np.where(own, np.nan, low)))
            highs.append(combine(np.where(own, np.nan, high)))
        most = np.minimum(np.max(highs, axis=0), 1.0)
        return np.maximum(np.max(lows, axis=0), 0.0), most

    def _of_rate(self, values: FloatArray) -> FloatArray:
        return _ratio(values) if self.is_ratio else _spread(values)


GAPS: dict[str, Gap] = {
    "demographic_parity_difference": Gap(("selection_rate",)),
    "demographic_parity_ratio": Gap(("selection_rate",), is_ratio=True),
    "equal_opportunity_difference": Gap(("true_positive_rate",)),
    "false_positive_rate_difference": Gap(("false_positive_rate",)),
    "equalized_odds_difference": Gap(("true_positive_rate", "false_positive_rate")),
    "accuracy_difference": Gap(("accuracy",)),
}
"""Every gap by the name that ``fairlearn.metrics`` gives it, or would give it."""


def group_table(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Make a table of every group's size, positives and rates.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels, one per row.
    sensitive_features
        One or several columns; several make the groups of their combinations.
    sample_weight
        What each row counts; with weights the intervals use the effective number of rows.
    pos_label
        The label that counts as positive, unless labels are 0 and 1 or booleans.
    confidence
        Of each interval by itself.

    Returns
    -------
    pandas.DataFrame
        One line per group: ``n``, ``positives``, and each rate with its Wilson interval (``…_low``, ``…_high``). A rate
        without any row to be a share of is NaN. ``table.attrs["rows_without_group"]`` counts rows with a missing label.

    Raises
    ------
    ConfigurationError
        When columns do not fit together, or no row has a group.

    Examples
    --------
    >>> table = group_table([1, 0, 1, 0], [1, 0, 0, 0], sensitive_features=["a", "a", "b", "b"])
    >>> table[["n", "positives", "true_positive_rate"]].to_dict("index")
    {'a': {'n': 2, 'positives': 1, 'true_positive_rate': 1.0}, 'b': {'n': 2, 'positives': 1, 'true_positive_rate': 0.0}}
    """
    import pandas as pd

    outcomes = Outcomes.of(
        y_true, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight, pos_label=pos_label
    )
    z = two_sided(confidence)
    counts, squares = outcomes.counts(), outcomes.counts(outcomes.weights**2)
    rows = outcomes.counts(np.ones(len(outcomes.y_true))).astype(np.int64)
    columns: dict[str, Any] = {"n": rows.sum(axis=1), "positives": rows[:, 2:].sum(axis=1)}
    if sample_weight is not None:
        columns["weight"] = counts.sum(axis=1)
    for name in RATES:
        columns[name] = rate(counts, name)
        sizes = effective_sizes(counts, squares, name)
        columns[f"{name}_low"], columns[f"{name}_high"] = wilson(columns[name], sizes, z)
    table = pd.DataFrame(columns, index=pd.Index(outcomes.names, name="group"))
    table.attrs["rows_without_group"] = int((~outcomes.labelled).sum())
    table.attrs["columns"] = {"n": "rows", "positives": "positives", "weight": "weight", **RATE_WORDS}
    table.attrs["caption"] = f"Rates with {confidence * 100:g} % intervals"
    table.attrs["notes"] = _on_rows_without_group(table.attrs["rows_without_group"])
    return table


def gaps(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Make a table of every gap between groups, with an interval and the two groups it lies between.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels, one per row.
    sensitive_features
        One or several columns; several make the groups of their combinations.
    sample_weight
        What each row counts; with weights the intervals use the effective number of rows.
    pos_label
        The label that counts as positive, unless labels are 0 and 1 or booleans.
    confidence
        Of each gap's interval by itself, over all its pairs of groups together.

    Returns
    -------
    pandas.DataFrame
        One line per gap: ``gap``, ``low``, ``high``, the groups with the ``highest`` and the ``lowest`` rate, and in
        ``left_out`` the groups that lack a rate, which the gap and its interval do not speak of. To decide about a
        bound, ask :func:`~rulecg_fairness.audits.verdict.held_out_verdict`.

    Raises
    ------
    ConfigurationError
        When columns do not fit together, or no row has a group.

    Examples
    --------
    >>> table = gaps([1] * 20, [1] * 15 + [0] * 5, sensitive_features=["a"] * 10 + ["b"] * 10)
    >>> table.loc["equal_opportunity_difference", ["gap", "highest", "lowest"]].to_dict()
    {'gap': 0.5, 'highest': 'a', 'lowest': 'b'}
    """
    import pandas as pd

    outcomes = Outcomes.of(
        y_true, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight, pos_label=pos_label
    )
    checked_confidence(confidence)
    table = {name: _gap_line(gap, outcomes, confidence) for name, gap in GAPS.items()}
    found = pd.DataFrame.from_dict(table, orient="index").rename_axis("metric")
    found.attrs["columns"] = {
        "gap": "value",
        "low": f"{confidence * 100:g} % interval",
        "highest": "highest",
        "lowest": "lowest",
        **({"left_out": "left out"} if found["left_out"].any() else {}),
    }
    found.attrs["caption"] = "Gaps between groups; each interval holds for all pairs of groups together"
    return found


def _gap_line(gap: Gap, outcomes: Outcomes, confidence: float) -> dict[str, Any]:
    """One line of the table of gaps."""
    counts = outcomes.counts()
    lacking = np.any([np.isnan(rate(counts, of_rate)) for of_rate in gap.rates], axis=0)
    low, high = gap.interval(counts, outcomes.counts(outcomes.weights**2), confidence)
    between = gap.between(counts)
    return {
        "gap": float(gap.value(counts)),
        "low": float(low),
        "high": float(high),
        "highest": "" if between is None else outcomes.names[between[1]],
        "lowest": "" if between is None else outcomes.names[between[2]],
        "left_out": ", ".join(outcomes.names[group] for group in np.flatnonzero(lacking)),
    }


def _on_rows_without_group(without: int) -> tuple[str, ...]:
    counted = "1 row belongs" if without == 1 else f"{without} rows belong"
    return (f"{counted} to no group because a value is missing.",) if without else ()


def demographic_parity_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None
) -> float:
    """Compute the largest difference between two groups' selection rates.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels (0 and 1, or booleans), one per row.
    sensitive_features
        One or several columns; several make the groups of their combinations.
    sample_weight
        What each row counts.

    Returns
    -------
    float
        From 0 (alike) to 1. Groups without the rate are left out with a warning.

    Raises
    ------
    ConfigurationError
        When columns do not fit together, or no row has a group.

    Examples
    --------
    >>> demographic_parity_difference([1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 1, 0], sensitive_features=list("aaabbb"))
    0.3333333333333333
    """
    return _one("demographic_parity_difference", y_true, y_pred, sensitive_features, sample_weight)


def demographic_parity_ratio(y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None) -> float:
    """Compute the smallest group's selection rate as a share of the largest.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels (0 and 1, or booleans), one per row.
    sensitive_features
        One or several columns; several make the groups of their combinations.
    sample_weight
        What each row counts.

    Returns
    -------
    float
        From 0 to 1 (alike); the four-fifths rule asks for 0.8. Groups without the rate are left out with a warning.

    Raises
    ------
    ConfigurationError
        When columns do not fit together, or no row has a group.

    Examples
    --------
    >>> demographic_parity_ratio([1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 1, 0], sensitive_features=list("aaabbb"))
    0.5
    """
    return _one("demographic_parity_ratio", y_true, y_pred, sensitive_features, sample_weight)


def equal_opportunity_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None
) -> float:
    """Compute the largest difference between two groups' true positive rates.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels (0 and 1, or booleans), one per row.
    sensitive_features
        One or several columns; several make the groups of their combinations.
    sample_weight
        What each row counts.

    Returns
    -------
    float
        From 0 (alike) to 1. Groups without the rate are left out with a warning.

    Raises
    ------
    ConfigurationError
        When columns do not fit together, or no row has a group.

    Examples
    --------
    >>> equal_opportunity_difference([1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 1, 0], sensitive_features=list("aaabbb"))
    0.5
    """
    return _one("equal_opportunity_difference", y_true, y_pred, sensitive_features, sample_weight)


def equalized_odds_difference(y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None) -> float:
    """Compute the larger of the greatest differences in true and in false positive rates.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels (0 and 1, or booleans), one per row.
    sensitive_features
        One or several columns; several make the groups of their combinations.
    sample_weight
        What each row counts.

    Returns
    -------
    float
        From 0 (alike) to 1. Groups without the rate are left out with a warning.

    Raises
    ------
    ConfigurationError
        When columns do not fit together, or no row has a group.

    Examples
    --------
    >>> equalized_odds_difference([1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 1, 0], sensitive_features=list("aaabbb"))
    0.5
    """
    return _one("equalized_odds_difference", y_true, y_pred, sensitive_features, sample_weight)


def _one(name: str, y_true: Any, y_pred: Any, sensitive_features: Any, sample_weight: Any) -> float:
    outcomes = Outcomes.of(y_true, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight)
    counts = outcomes.counts()
    for rate_name in GAPS[name].rates:
        lacking = [outcomes.names[i] for i in np.flatnonzero(np.isnan(rate(counts, rate_name)))]
        if lacking:
            warnings.warn(f"{name} leaves out groups without a {rate_name}: {', '.join(lacking)}", stacklevel=3)
    return float(GAPS[name].value(counts))


def _most(values: FloatArray) -> FloatArray:
    """The largest over the last two axes, NaN where there is none."""
    unknown = np.isnan(values)
    return np.where(unknown.all(axis=(-2, -1)), np.nan, np.where(unknown, -np.inf, values).max(axis=(-2, -1)))


def _least(values: FloatArray) -> FloatArray:
    return -_most(-values)


def _spread(values: FloatArray) -> FloatArray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # all NaN: the gap is NaN
        return np.asarray(np.nanmax(values, axis=-1) - np.nanmin(values, axis=-1))


def _ratio(values: FloatArray) -> FloatArray:
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmin(values, axis=-1) / np.nanmax(values, axis=-1))
