"""Which features are kept apart: nested ones, as long as a condition does not earn something by itself."""

from __future__ import annotations

import numpy as np

from rulecg_core import IntArray, PricingProblem


def exclusive_numbers(problem: PricingProblem) -> IntArray:
    """Features with the same number never share a best rule.

    Of two nested features in one rule the looser is idle, so the rule without it is no worse, unless the master pays
    for conditions: a feature with a negative price is in a class of its own.
    """
    numbers = np.unique(problem.chains, return_inverse=True)[1].reshape(-1)
    paid = problem.condition_prices < 0
    numbers[paid] = numbers.max(initial=0) + 1 + np.arange(np.count_nonzero(paid))
    return numbers.astype(np.int64)
