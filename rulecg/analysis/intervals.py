"""Confidence intervals for shares."""

from __future__ import annotations


def wilson(count: int, total: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Compute Wilson's score interval of a share.

    Parameters
    ----------
    count
        How many rows are of the kind.
    total
        How many rows there are.
    confidence
        The chance that the interval holds the true share.

    Returns
    -------
    tuple of float, or None
        The ends of the interval; None when there is nothing to be a share of.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if total <= 0:
        return None
    from scipy.stats import binomtest  # a second to import, and only wanted by reports

    found = binomtest(int(count), int(total)).proportion_ci(confidence, method="wilson")
    return float(found.low), float(found.high)
