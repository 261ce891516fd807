"""Confidence intervals for shares, and for sums, differences and ratios of shares.

Wilson's score interval stays written out here. ``scipy.stats.binomtest`` gives it for one sample of whole rows at a
time; weighted rows have an effective number that is no whole number, and tables hold many groups. Tests compare every
formula with ``statsmodels``.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from rulecg_core import ConfigurationError, FloatArray


def checked_confidence(confidence: float) -> float:
    """Return the confidence if it lies between 0 and 1, and refuse it otherwise."""
    if not 0 < confidence < 1:
        raise ConfigurationError(f"confidence must be between 0 and 1, such as 0.95, not {confidence!r}.")
    return float(confidence)


def two_sided(confidence: float) -> float:
    """Say how many standard errors a two-sided interval reaches."""
    return NormalDist().inv_cdf(1 - (1 - checked_confidence(confidence)) / 2)


def one_sided(confidence: float, comparisons: int = 1) -> float:
    """Say how many standard errors a one-sided bound reaches when several bounds are to hold together.

    Bonferroni's correction: the chance of error is shared out evenly.
    """
    return NormalDist().inv_cdf(1 - (1 - checked_confidence(confidence)) / max(comparisons, 1))


def all_pairs(confidence: float, n_groups: int, n_rates: int = 1) -> float:
    """Say how many standard errors intervals of differences between groups reach when all pairs are to hold together.

    Tukey's studentised range, which is what the largest of all pairwise differences follows; sharing the chance of
    error out over the pairs would be wider. Several rates of disjoint rows are independent, so the levels multiply.

    Parameters
    ----------
    confidence
        The chance that all intervals hold together.
    n_groups
        How many groups are compared, each with each.
    n_rates
        How many rates are compared, on disjoint rows.

    Returns
    -------
    float
        The number of standard errors; for two groups and one rate that of a two-sided interval.

    Examples
    --------
    >>> round(all_pairs(0.95, 2), 3), round(all_pairs(0.95, 4), 3)
    (1.96, 2.569)
    """
    from scipy.stats import studentized_range  # a second to import, and only wanted here

    level = checked_confidence(confidence) ** (1 / n_rates)
    return float(studentized_range.ppf(level, max(n_groups, 2), np.inf)) / 2**0.5


def wilson(share: FloatArray, size: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Compute Wilson's score interval of observed shares.

    Parameters
    ----------
    share
        The observed shares.
    size
        The number of rows that each is a share of; of weighted rows the effective number.
    z
        How many standard errors the interval reaches.

    Returns
    -------
    low, high
        The ends of the intervals; NaN where there is no row.

    Examples
    --------
    >>> low, high = wilson(np.array([0.8]), np.array([10.0]), two_sided(0.95))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.49], [0.943])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (share + z * z / (2 * size)) / (1 + z * z / size)
        half = z / (1 + z * z / size) * np.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    # Rounding must not push the observed share out of its own interval, nor the interval out of [0, 1].
    low, high = np.minimum(centre - half, share), np.maximum(centre + half, share)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def combine(factors: FloatArray, shares: FloatArray, sizes: FloatArray, z: float) -> tuple[float, float]:
    """Bound ``factors @ shares`` of independent shares from below and above, from their Wilson intervals.

    For a difference of two shares this is Newcombe's hybrid score interval.
    """
    low, high = wilson(shares, sizes, z)
    down, up = np.where(factors > 0, shares - low, high - shares), np.where(factors > 0, high - shares, shares - low)
    value = float(factors @ shares)
    return (
        value - float(np.sqrt(np.sum((factors * down) ** 2))),
        value + float(np.sqrt(np.sum((factors * up) ** 2))),
    )


def differences(shares: FloatArray, sizes: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Compute Newcombe's interval of the difference of every ordered pair of shares.

    Parameters
    ----------
    shares
        … × groups: observed shares; axes before the last are computed side by side.
    sizes
        … × groups: how many rows each is a share of.
    z
        How many standard errors the intervals reach.

    Returns
    -------
    low, high
        … × groups × groups: the ends for the first group's share minus the second's.
    """
    low, high = wilson(shares, sizes, z)
    one, other = shares[..., :, None], shares[..., None, :]
    below, above = (shares - low) ** 2, (high - shares) ** 2
    return (
        one - other - np.sqrt(below[..., :, None] + above[..., None, :]),
        one - other + np.sqrt(above[..., :, None] + below[..., None, :]),
    )


def ratios(shares: FloatArray, sizes: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Compute the interval of the ratio of every ordered pair of shares that belongs to Newcombe's of the difference.

    A ratio r is in it when 0 is in the interval of ``share − r × other share`` (Donner and Zou's method of variance
    estimates recovery). Without a row selected in the second group there is no upper end.

    Parameters
    ----------
    shares
        … × groups: observed shares; axes before the last are computed side by side.
    sizes
        … × groups: how many rows each is a share of.
    z
        How many standard errors the intervals reach.

    Returns
    -------
    low, high
        … × groups × groups: the ends for the first group's share divided by the second's.
    """
    low, high = wilson(shares, sizes, z)
    product = shares[..., :, None] * shares[..., None, :]
    # Squared, both ends are roots of a quadratic equation; this form of them stands a leading coefficient of 0.
    from_low, from_high = low * (2 * shares - low), high * (2 * shares - high)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.sqrt(np.maximum(product**2 - from_low[..., :, None] * from_high[..., None, :], 0.0))
        least = from_low[..., :, None] / (product + reach)
        reach = np.sqrt(np.maximum(product**2 - from_high[..., :, None] * from_low[..., None, :], 0.0))
        most = (product + reach) / from_low[..., None, :]
    unknown = np.isnan(shares[..., :, None] + shares[..., None, :])
    return (
        np.where(unknown, np.nan, np.where(from_low[..., :, None] > 0, least, 0.0)),
        np.where(unknown, np.nan, np.where(from_low[..., None, :] > 0, most, np.inf)),
    )
