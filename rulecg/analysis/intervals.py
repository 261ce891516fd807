"""Confidence intervals for shares."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(count: float, total: float, confidence: float = 0.95) -> tuple[float, float] | None:
    """Wilson's score interval of a share; None when there is nothing to be a share of.

    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if total <= 0:
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = count / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))
