"""Confidence intervals for shares and for weighted sums of shares."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from rulecg_core import ConfigurationError, FloatArray


def checked_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ConfigurationError(f"confidence must be between 0 and 1, such as 0.95, not {confidence!r}.")
    return confidence


def two_sided(confidence: float) -> float:
    """How many standard errors a two-sided interval reaches."""
    return NormalDist().inv_cdf(1 - (1 - checked_confidence(confidence)) / 2)


def one_sided(confidence: float, comparisons: int) -> float:
    """How many standard errors a one-sided bound reaches when all of several bounds are to hold together.

    Bonferroni's correction: the chance of error is shared out evenly.
    """
    return NormalDist().inv_cdf(1 - (1 - checked_confidence(confidence)) / max(comparisons, 1))


def wilson(share: FloatArray, size: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval of observed shares of samples of the given sizes; NaN where a sample is empty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (share + z * z / (2 * size)) / (1 + z * z / size)
        half = z / (1 + z * z / size) * np.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    # Rounding must not push the observed share out of its own interval, nor the interval out of [0, 1].
    low, high = np.minimum(centre - half, share), np.maximum(centre + half, share)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def combine(factors: FloatArray, shares: FloatArray, sizes: FloatArray, z: float) -> tuple[float, float]:
    """Lower and upper bound of ``factors @ shares`` for independent shares, from their Wilson intervals.

    For a difference of two shares this is Newcombe's hybrid score interval.
    """
    low, high = wilson(shares, sizes, z)
    down, up = np.where(factors > 0, shares - low, high - shares), np.where(factors > 0, high - shares, shares - low)
    value = float(factors @ shares)
    return (
        value - float(np.sqrt(np.sum((factors * down) ** 2))),
        value + float(np.sqrt(np.sum((factors * up) ** 2))),
    )
