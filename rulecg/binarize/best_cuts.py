"""Cut points beside quantiles: one that tells the classes apart far better, and those that somebody names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from rulecg_core import ConfigurationError, UnknownNameError
from rulecg_core.base.arrays import AnyArray, FloatArray, IntArray

from .thresholds import shortest_between

CutPoints: TypeAlias = Mapping[str, Iterable[float]]
"""For columns by name, the numbers at which to cut them."""


def best_cuts(values: AnyArray, classes: IntArray, weights: FloatArray, known: Iterable[float] = ()) -> list[float]:
    """Find for every class the threshold of a column that tells it from the rest best, where that is worth a threshold.

    It is when it separates the class perfectly, or when its deviance is less than that of every known threshold by
    twice the logarithm of the number of rows (twice what the Bayesian information criterion asks of a parameter, since
    the best of many cuts always gains something).

    Parameters
    ----------
    values : array of numbers
        The column, without missing values.
    classes : int array
        The class of every row.
    weights : float array
        The weight of every row.
    known : iterable of numbers
        Thresholds that the column has already.

    Returns
    -------
    list of numbers
        Ascending, at most one for each class; with two classes at most one.

    Examples
    --------
    >>> best_cuts(np.array([1.0, 2.0, 3.0, 9.0]), np.array([0, 0, 0, 1]), np.ones(4))
    [3.0]
    """
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return []
    total: FloatArray = np.cumsum(np.bincount(place, weights, minlength=len(distinct))).astype(np.float64)
    known_cuts = np.searchsorted(distinct, list(known), side="right") - 1
    known_cuts = known_cuts[(known_cuts >= 0) & (known_cuts < len(distinct) - 1)]
    found: dict[int, float] = {}
    present = np.unique(classes)
    for one in present[1:] if len(present) == 2 else present:
        of_class: FloatArray = np.cumsum(
            np.bincount(place, weights * (classes == one), minlength=len(distinct))
        ).astype(np.float64)
        low, low_class = total[:-1], of_class[:-1]
        # Rounded, so that sums in another order choose the same cut.
        deviance = np.round(_deviance(low_class, low) + _deviance(of_class[-1] - low_class, total[-1] - low), 9)
        cut = int(np.argmin(deviance))
        least_known = float(deviance[known_cuts].min(initial=math.inf))
        if deviance[cut] == 0 or least_known - deviance[cut] >= 2 * math.log(len(values)):
            found[cut] = shortest_between(distinct[cut].item(), distinct[cut + 1].item())
    return [found[cut] for cut in sorted(found)]


def _deviance(of_class: FloatArray, total: FloatArray) -> FloatArray:
    """Minus twice the log-likelihood of rows of which a share is of the class."""
    share = np.clip(of_class / total, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(p > 0, p * np.log(p), 0.0) for p in (share, 1 - share)]
    return np.asarray(-2 * total * (parts[0] + parts[1]), dtype=np.float64)


def checked_cut_points(cut_points: Any, numeric: Iterable[str], known: Iterable[str]) -> dict[str, list[float]]:
    """Check cut points that somebody names.

    Parameters
    ----------
    cut_points : mapping from column to numbers, or None
        What was given.
    numeric : iterable of str
        The columns that hold numbers.
    known : iterable of str
        All columns.

    Returns
    -------
    dict from column to list of numbers
        The cut points, ascending and each once; empty for None.

    Raises
    ------
    ConfigurationError
        When a column is unknown or holds no numbers, or a cut point is no finite number.

    Examples
    --------
    >>> checked_cut_points({"age": [65, 18]}, ["age"], ["age", "job"])
    {'age': [18, 65]}
    """
    if cut_points is None:
        return {}
    if not isinstance(cut_points, Mapping):
        raise ConfigurationError(f"cut_points must be like {{'age': [18, 25, 65]}}, not {cut_points!r}.")
    numeric, known = list(numeric), list(known)
    checked: dict[str, list[float]] = {}
    for column, points in cut_points.items():
        name = str(column)
        if name not in known:
            raise UnknownNameError("column", name, known)
        if name not in numeric:
            raise ConfigurationError(f"cut_points name {name!r}, which holds no numbers: only numbers can be cut.")
        listed = list(points) if isinstance(points, Iterable) and not isinstance(points, str) else [points]
        for point in listed:
            if isinstance(point, bool) or not isinstance(point, Real) or not math.isfinite(point):
                raise ConfigurationError(f"cut_points of {name!r} must be finite numbers, not {point!r}.")
        checked[name] = sorted(set(listed))
    return checked


def united(thresholds: Iterable[float], more: Iterable[float], values: AnyArray) -> list[float]:
    """Put thresholds and further ones together; of those that split the values alike, the further one stays.

    Parameters
    ----------
    thresholds, more : iterables of numbers
        Where a column is cut, and where it is to be cut, too.
    values : array of numbers
        The column, without missing values.

    Returns
    -------
    list of numbers
        Ascending; none leaves all values on one side.

    Examples
    --------
    >>> united([2.5, 4.0], [2.0, 9.0], np.array([1.0, 3.0, 5.0]))
    [2.0, 4.0]
    """
    distinct = np.unique(values)
    by_place = {
        int(np.searchsorted(distinct, threshold, side="right")): threshold for threshold in (*thresholds, *more)
    }
    return [by_place[place] for place in sorted(by_place) if 0 < place < len(distinct)]
