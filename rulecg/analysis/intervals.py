"""Confidence intervals for shares."""

from __future__ import annotations


def wilson(count: int, total: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Compute Wilson's score interval of a share.

    Parameters
    ----------
    count : int
        How many of them.
    total : int
        Of how many.
    confidence : float
        How often such intervals hold the true share.

    Returns
    -------
    tuple of two floats, or None
        Both ends; None when there is nothing to be a share of.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if total <= 0:
        return None
    # scipy takes a while to import, and predicting needs no intervals.
    from scipy.stats import binomtest

    interval = binomtest(int(count), int(total)).proportion_ci(confidence, method="wilson")
    return float(interval.low), float(interval.high)
