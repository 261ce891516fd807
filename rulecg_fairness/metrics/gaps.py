"""Rates by group and gaps between groups, with their uncertainty.

Names and arguments follow ``fairlearn.metrics``: ``metric(y_true, y_pred, *, sensitive_features, sample_weight=None)``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rulecg_core import FloatArray

from .intervals import checked_confidence, two_sided, wilson
from .outcomes import RATES, Outcomes, rate

if TYPE_CHECKING:
    import pandas as pd

GAPS: dict[str, tuple[str, ...]] = {
    "demographic_parity_difference": ("selection_rate",),
    "demographic_parity_ratio": ("selection_rate",),
    "equal_opportunity_difference": ("true_positive_rate",),
    "false_positive_rate_difference": ("false_positive_rate",),
    "equalized_odds_difference": ("true_positive_rate", "false_positive_rate"),
    "accuracy_difference": ("accuracy",),
}
"""Each gap and the rates it compares: the largest difference of any of them, or the smallest ratio."""

DRAWS_AT_ONCE = 2**22
"""How many bootstrap counts are held in memory at a time."""


def group_table(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """For every group its size, its positives, and its rates with Wilson intervals (``…_low``, ``…_high``).

    With sample weights the rates are weighted and the intervals use the effective number of rows. A rate without any
    row to be a share of is NaN. ``table.attrs["rows_without_group"]`` counts rows with a missing label.

    >>> table = group_table([1, 0, 1, 0], [1, 0, 0, 0], sensitive_features=["a", "a", "b", "b"])
    >>> table[["n", "positives", "true_positive_rate"]].to_dict("index")
    {'a': {'n': 2, 'positives': 1, 'true_positive_rate': 1.0}, 'b': {'n': 2, 'positives': 1, 'true_positive_rate': 0.0}}
    """
    import pandas as pd

    outcomes = Outcomes.of(
        y_true, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight, pos_label=pos_label
    )
    z = two_sided(confidence)
    counts = outcomes.counts()
    rows = outcomes.counts(np.ones(len(outcomes.y_true))).astype(np.int64)
    squares = outcomes.counts(outcomes.weights**2)
    columns: dict[str, Any] = {"n": rows.sum(axis=1), "positives": rows[:, 2:].sum(axis=1)}
    if sample_weight is not None:
        columns["weight"] = counts.sum(axis=1)
    for name, (_, among) in RATES.items():
        cells = list(among)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Kish's effective sample size; the number of rows when all weigh the same.
            effective = counts[:, cells].sum(axis=1) ** 2 / squares[:, cells].sum(axis=1)
        columns[name] = rate(counts, name)
        columns[f"{name}_low"], columns[f"{name}_high"] = wilson(columns[name], effective, z)
    table = pd.DataFrame(columns, index=pd.Index(outcomes.names, name="group"))
    table.attrs["rows_without_group"] = int((~outcomes.labelled).sum())
    return table


def gaps(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    n_bootstrap: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> pd.DataFrame:
    """Every gap between groups with a bootstrap percentile interval and the two groups it lies between.

    Rows are drawn with replacement. ``undefined`` is the share of draws in which a group had nothing to be a share of;
    ``left_out`` names the groups that lack a rate in the data itself. A gap cannot be negative, so close to 0 the
    interval lies above the observed gap's own uncertainty: use
    :func:`~rulecg_fairness.audits.verdict.held_out_verdict` to decide about a bound.
    """
    import pandas as pd

    outcomes = Outcomes.of(
        y_true, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight, pos_label=pos_label
    )
    tail = (1 - checked_confidence(confidence)) / 2
    draws: dict[str, list[FloatArray]] = {name: [] for name in GAPS} if n_bootstrap else {}
    for counts in _bootstrap(outcomes, n_bootstrap, np.random.default_rng(random_state)):
        for name, drawn_so_far in draws.items():
            drawn_so_far.append(_gap(counts, name, strict=True))
    observed = outcomes.counts()
    table: dict[str, dict[str, Any]] = {}
    for name, rates in GAPS.items():
        worst = max(rates, key=lambda r: _spread(rate(observed, r)))
        values = rate(observed, worst)
        defined = ~np.isnan(values)
        drawn = np.concatenate(draws[name]) if draws else np.array([np.nan])
        usable = drawn[~np.isnan(drawn)]
        table[name] = {
            "gap": float(_gap(observed, name)),
            "low": float(np.quantile(usable, tail)) if len(usable) else np.nan,
            "high": float(np.quantile(usable, 1 - tail)) if len(usable) else np.nan,
            "highest": outcomes.names[int(np.nanargmax(values))] if defined.any() else "",
            "lowest": outcomes.names[int(np.nanargmin(values))] if defined.any() else "",
            "undefined": 1 - len(usable) / len(drawn) if draws else np.nan,
            "left_out": ", ".join(n for n, d in zip(outcomes.names, defined, strict=True) if not d),
        }
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("metric")


def demographic_parity_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None
) -> float:
    """The largest difference between two groups' selection rates."""
    return _one("demographic_parity_difference", y_true, y_pred, sensitive_features, sample_weight)


def demographic_parity_ratio(y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None) -> float:
    """The smallest group's selection rate as a share of the largest; the four-fifths rule asks for 0.8."""
    return _one("demographic_parity_ratio", y_true, y_pred, sensitive_features, sample_weight)


def equal_opportunity_difference(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None
) -> float:
    """The largest difference between two groups' true positive rates."""
    return _one("equal_opportunity_difference", y_true, y_pred, sensitive_features, sample_weight)


def equalized_odds_difference(y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None) -> float:
    """The larger of the greatest differences in true and in false positive rates."""
    return _one("equalized_odds_difference", y_true, y_pred, sensitive_features, sample_weight)


def _one(name: str, y_true: Any, y_pred: Any, sensitive_features: Any, sample_weight: Any) -> float:
    outcomes = Outcomes.of(y_true, y_pred, sensitive_features=sensitive_features, sample_weight=sample_weight)
    counts = outcomes.counts()
    for rate_name in GAPS[name]:
        lacking = [outcomes.names[i] for i in np.flatnonzero(np.isnan(rate(counts, rate_name)))]
        if lacking:
            warnings.warn(f"{name} leaves out groups without a {rate_name}: {', '.join(lacking)}", stacklevel=3)
    return float(_gap(counts, name))


def _gap(counts: FloatArray, name: str, strict: bool = False) -> FloatArray:
    """The gap from counts (… × groups × 4), over groups that have the rate; ``strict`` makes it NaN if one lacks it."""
    of_rates = []
    for rate_name in GAPS[name]:
        values = rate(counts, rate_name)
        gap = _ratio(values) if name.endswith("_ratio") else _spread(values)
        of_rates.append(np.where(np.isnan(values).any(axis=-1), np.nan, gap) if strict else gap)
    return np.asarray(np.max(of_rates, axis=0))


def _spread(values: FloatArray) -> FloatArray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # all NaN: the gap is NaN
        return np.asarray(np.nanmax(values, axis=-1) - np.nanmin(values, axis=-1))


def _ratio(values: FloatArray) -> FloatArray:
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmin(values, axis=-1) / np.nanmax(values, axis=-1))


def _bootstrap(outcomes: Outcomes, n_draws: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draws × groups × 4: counts of resampled rows. Rows that are equal in all that counts are drawn together."""
    cell = outcomes.group_of * 4 + 2 * outcomes.y_true + outcomes.y_pred
    kinds, size = np.unique(np.column_stack([cell, outcomes.weights]), axis=0, return_counts=True)
    n_cells = 4 * len(outcomes.names)
    spread = np.zeros((len(kinds), n_cells))
    spread[np.arange(len(kinds)), kinds[:, 0].astype(np.int64)] = kinds[:, 1]
    at_once = max(1, DRAWS_AT_ONCE // len(kinds))
    for start in range(0, n_draws, at_once):
        drawn = rng.multinomial(size.sum(), size / size.sum(), size=min(at_once, n_draws - start))
        yield (drawn @ spread).reshape(len(drawn), -1, 4)
