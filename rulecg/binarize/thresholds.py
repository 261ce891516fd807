"""Where to cut a numeric column: quantiles of rows or of values, written with as few digits as the data allow."""

from __future__ import annotations

import math
import sys
from decimal import Decimal

import numpy as np

from rulecg_core.base.arrays import AnyArray, FloatArray

_LARGEST = sys.float_info.max


def quantile_thresholds(
    values: AnyArray, weights: FloatArray | None, n_quantiles: int, include_minimum: bool
) -> list[float]:
    """Find thresholds t such that ``values <= t`` splits the values as their quantiles do.

    Quantiles are those of ``numpy.quantile`` (linear), where whole-number weights count as repeated values and other
    weights are first scaled to sum to the number of values. No threshold leaves all values on one side.

    Parameters
    ----------
    values : array of floats, or of whole numbers beyond 2^53
        The values of a column.
    weights : float array or None
        The weight of every value.
    n_quantiles : int
        Into how many parts.
    include_minimum : bool
        Whether the lowest value is a threshold, too.

    Returns
    -------
    list of numbers
        Ascending, all different; whole numbers where the values are.

    Examples
    --------
    >>> quantile_thresholds(np.array([1.0, 2.0, 3.0, 4.0]), None, 2, include_minimum=False)
    [2.0]
    """
    distinct, inverse = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return []
    if len(distinct) == 2:
        return [shortest_between(distinct[0].item(), distinct[1].item())]
    cumulative = np.cumsum(np.bincount(inverse, weights, minlength=len(distinct)))
    if weights is not None and np.any(weights != np.round(weights)):
        cumulative *= len(values) / cumulative[-1]
    last_position = cumulative[-1] - 1
    parts = np.arange(0 if include_minimum else 1, n_quantiles)
    # Multiplied before divided: whole numbers stay exact, so a quantile that is a data value is found as one.
    positions = np.floor_divide(last_position * parts, n_quantiles)
    fractions = last_position * parts / n_quantiles - positions
    below = np.searchsorted(cumulative, positions, side="right")
    above = np.minimum(np.searchsorted(cumulative, positions + 1, side="right"), len(distinct) - 1)
    thresholds: dict[int, float] = {}
    for index, next_index, fraction in zip(below, above, fractions, strict=True):
        if index < len(distinct) - 1 and int(index) not in thresholds:
            low, high = distinct[index].item(), distinct[index + 1].item()
            step = distinct[next_index].item() - low
            near = low + float(fraction) * step if math.isfinite(step) else low
            thresholds[int(index)] = shortest_between(low, high, near)
    return [thresholds[index] for index in sorted(thresholds)]


def distinct_thresholds(values: AnyArray, n_parts: int, include_minimum: bool) -> list[float]:
    """Find thresholds that cut the *distinct* values into equally many, however many rows share a value.

    >>> distinct_thresholds(np.array([0.0] * 90 + [1, 2, 3, 4, 5]), 3, include_minimum=False)
    [1.0, 3.0]
    """
    return quantile_thresholds(np.unique(values), None, n_parts, include_minimum)


def heaviest_cuts(gains: FloatArray, most: int) -> list[int]:
    """Choose at most so many positions, spread evenly over the gains: where gains are large, cuts lie close together.

    Square roots are spread, so that one dominant cut leaves others to the finer differences.

    >>> heaviest_cuts(np.array([0.0, 9.0, 0.0, 1.0, 1.0]), 2)
    [1, 3]
    """
    used = np.flatnonzero(gains > 0)
    if len(used) <= most:
        return used.tolist()
    mass = np.cumsum(np.sqrt(gains[used]))
    levels = (np.arange(most) + 0.5) / most * mass[-1]
    return np.unique(used[np.searchsorted(mass, levels)]).tolist()


def shortest_between(low: float, high: float, near: float | None = None) -> float:
    """Find the number t with ``low <= t < high`` that takes the fewest digits to write.

    Where both ends are numbers of single precision, t rounded to single precision lies between them, too: databases
    compare such columns in single precision.

    Parameters
    ----------
    low, high : numbers
        The ends; whole numbers of type int stay whole, however large.
    near : float or None
        Of several, the nearest to this one is taken; None for ``low``.

    Returns
    -------
    float or int
        The number.

    Examples
    --------
    >>> shortest_between(28.0, 35.0), shortest_between(0.12345, 0.12399), shortest_between(3.0, 4.0)
    (30.0, 0.1235, 3.0)
    >>> shortest_between(2**53, 2**53 + 9)
    9007199254741000
    """
    if isinstance(low, int):
        return _shortest_whole(low, int(high), near)
    low, high = _finite_interval(low, high)
    if low <= 0 < high:
        return 0.0
    # As printed, not as stored: 0.01 is stored a little above 0.01, and is still the shortest way to write it.
    exact_low, exact_high = Decimal(repr(low)), Decimal(repr(high))
    wanted = Decimal(near) if near is not None and math.isfinite(near) else exact_low
    wanted = min(max(wanted, exact_low), exact_high)
    for exponent in range(max(exact_low.adjusted(), exact_high.adjusted()) + 1, -400, -1):
        unit = Decimal(1).scaleb(exponent)
        # Multiples of the unit in [low, high); `first` and `last` count them from zero.
        first = math.ceil(exact_low / unit)
        last = math.ceil(exact_high / unit) - 1
        if first <= last:
            chosen = float(min(max(round(wanted / unit), first), last) * unit)
            # Decimal division rounds and the float nearest to a decimal can be `high` itself: look before trusting.
            if low <= chosen < high and _splits_in_single_precision(low, chosen, high):
                return chosen
            break
    return low


def _splits_in_single_precision(low: float, chosen: float, high: float) -> bool:
    with np.errstate(over="ignore"):
        rounded = np.array([low, chosen, high]).astype(np.float32).astype(np.float64)
    return bool(rounded[0] != low or rounded[2] != high or low <= rounded[1] < high)


def _shortest_whole(low: int, high: int, near: float | None) -> int:
    """The whole number in ``low <= t < high`` with the most zeros at its end."""
    wanted = min(max(low if near is None else round(near), low), high - 1)
    for exponent in range(len(str(max(abs(low), abs(high)))), -1, -1):
        unit = 10**exponent
        first, last = -(-low // unit), (high - 1) // unit
        if first <= last:
            return min(max(round(wanted / unit) if unit > 1 else wanted, first), last) * unit
    return low


def _finite_interval(low: float, high: float) -> tuple[float, float]:
    if math.isinf(low) and math.isinf(high):
        return -1.0, 1.0
    if math.isinf(low):
        return max(high - max(1.0, abs(high)), -_LARGEST), high
    if math.isinf(high):
        return low, min(low + max(1.0, abs(low)), _LARGEST)
    return low, high
