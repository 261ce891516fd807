"""Supervised thresholds: those at which small trees, taken together, tell the classes apart best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from rulecg_core.base.arrays import AnyArray, FloatArray, IntArray
from rulecg_core.data.conditions import exact_numbers, is_missing

from ..inputs.table import Kind, plain
from .thresholds import distinct_thresholds, heaviest_cuts, quantile_thresholds, shortest_between
from .tree_gains import Codes, cut_gains

ROW_QUANTILES, VALUE_QUANTILES = 64, 32
"""Trees may cut a column with many values at this many quantiles of its rows, and of its distinct values."""
MOST_CODES = 250
MOST_IN_ALL = 600
"""About how many thresholds all columns get together; where there would be more, columns get them by their gains."""
BY_ROWS = (3, 16)
"""Without a number given, a column gets an eighth of the square root of the number of rows, but no fewer and no more:
fine cuts of few rows fit their noise."""
LEAST = 3
"""A column gets about this many thresholds (its quartiles) however little it gains."""


@frozen(eq=False)
class _Coded:
    """A column as small whole numbers that keep its order; categories are ordered by the classes they come with."""

    codes: Codes
    size: int
    thresholds: tuple[float, ...] = ()
    """For numbers: a value is at most ``thresholds[k]`` when its code is at most k. Missing values have a last code."""
    quartiles: tuple[float, ...] = ()


def tree_thresholds(
    table: pd.DataFrame, kinds: Mapping[str, Kind], classes: IntArray, weights: FloatArray, most: int | None
) -> dict[str, list[float]]:
    """Find thresholds for every numeric column where boosted trees on all columns cut and gain.

    Whole-number weights count as repeated rows; other weights are first scaled to sum to the number of rows.

    Parameters
    ----------
    table : DataFrame
        The rows.
    kinds : mapping from name to kind
        What each column holds.
    classes : int array
        The class of every row.
    weights : float array
        The weight of every row.
    most : int or None
        At most so many thresholds for a column; None for a number that grows with the rows.

    Returns
    -------
    dict from name to list of numbers
        The thresholds, ascending.
    """
    if np.any(weights != np.round(weights)):
        weights = weights * (len(weights) / weights.sum())
    if most is None:
        most = int(np.clip(round(float(np.sqrt(weights.sum())) / 8), *BY_ROWS))
    coded = {name: _coded(table[name], name, kind, classes, weights) for name, kind in kinds.items()}
    numeric = [name for name, column in coded.items() if len(column.thresholds) > 1]
    chosen = {name: list(column.thresholds) for name, column in coded.items()}
    if not numeric:
        return chosen
    codes = np.column_stack([column.codes for column in coded.values()])
    n_classes = int(classes.max()) + 1
    gains = cut_gains(codes, [column.size for column in coded.values()], classes, weights, n_classes)
    gain_of = {name: gain[: len(coded[name].thresholds)] for name, gain in zip(coded, gains, strict=True)}
    shares = {name: float(np.sqrt(gain_of[name]).sum()) for name in numeric}
    total = sum(shares.values())
    for name in numeric:
        allowed = most
        if len(numeric) * most > MOST_IN_ALL and total > 0:
            allowed = min(most, max(LEAST, round(MOST_IN_ALL * shares[name] / total)))
        cuts = heaviest_cuts(gain_of[name], allowed)
        chosen[name] = [coded[name].thresholds[cut] for cut in cuts] or list(coded[name].quartiles)
    return chosen


def _coded(column: pd.Series[Any], name: str, kind: Kind, classes: IntArray, weights: FloatArray) -> _Coded:
    missing = is_missing(column)
    if kind != "number":
        codes, n_codes = _ordered_categories(column, missing, classes, weights)
        return _Coded(np.where(missing, n_codes, codes).astype(np.uint8), n_codes + int(missing.any()))
    # Sorting is what takes time on many rows: once, then everything is about the distinct values.
    distinct, inverse = np.unique(exact_numbers(column, name, ~missing), return_inverse=True)
    totals = np.bincount(inverse, weights[~missing], minlength=len(distinct)).astype(np.float64)
    thresholds = _fine_thresholds(distinct, totals)
    coded: Codes = np.full(len(column), len(thresholds) + 1, dtype=np.uint8)
    coded[~missing] = np.searchsorted(thresholds, distinct, side="left")[inverse]
    quartiles = quantile_thresholds(distinct, totals, 4, include_minimum=False)
    return _Coded(coded, len(thresholds) + 1 + int(missing.any()), tuple(thresholds), tuple(quartiles))


def _fine_thresholds(distinct: AnyArray, totals: FloatArray) -> list[float]:
    """Between all values of a column with few; else at quantiles of rows and of values, each split once."""
    if len(distinct) <= ROW_QUANTILES + VALUE_QUANTILES:
        pairs = zip(distinct[:-1].tolist(), distinct[1:].tolist(), strict=True)
        return [shortest_between(low, high) for low, high in pairs]
    found = quantile_thresholds(distinct, totals, ROW_QUANTILES, include_minimum=True)
    found += distinct_thresholds(distinct, VALUE_QUANTILES, include_minimum=True)
    by_place = dict(zip(np.searchsorted(distinct, found, side="right").tolist(), found, strict=True))
    return [by_place[place] for place in sorted(by_place)]


def _ordered_categories(
    column: pd.Series[Any], missing: Any, classes: IntArray, weights: FloatArray
) -> tuple[IntArray, int]:
    """Categories numbered by the mean class of their rows; beyond the most codes the last ones share one."""
    codes, found = pd.factorize(np.asarray(column, dtype=object), sort=False)
    known = ~missing & (codes >= 0)
    totals = np.bincount(codes[known], weights[known], minlength=len(found))
    means = np.bincount(codes[known], weights[known] * classes[known], minlength=len(found)) / np.maximum(totals, 1e-12)
    # By name where means tie, so that the order of rows does not matter.
    order = sorted(range(len(found)), key=lambda at: (round(float(means[at]), 12), str(plain(found[at]))))
    rank = np.empty(len(found) + 1, dtype=np.int64)
    rank[order] = np.minimum(np.arange(len(found)), MOST_CODES - 1)
    rank[-1] = 0
    return rank[codes], min(len(found), MOST_CODES)
