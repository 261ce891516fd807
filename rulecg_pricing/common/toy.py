"""A toy problem on which pricers run once, so that their kernels are compiled before anybody's clock starts."""

from __future__ import annotations

import numpy as np

from rulecg_core import Pricer, PricingLimits, PricingProblem

_PREPARED: set[type[Pricer]] = set()
"""Kinds of pricers that have run in this process."""


def run_once(pricer: Pricer) -> None:
    """Let the pricer solve (and, if it can, list) the toy problem, the first time it is asked in this process."""
    if type(pricer) in _PREPARED:
        return
    rng = np.random.default_rng(0)
    numbers = rng.random((120, 3))
    thresholds = np.array([0.2, 0.4, 0.6, 0.8])
    below = (numbers[:, :, None] <= thresholds).reshape(120, -1)
    weights = np.where((numbers[:, 0] > 0.5) & (numbers[:, 1] > 0.3), -1.0, 0.6) * rng.random(120)
    problem = PricingProblem(
        X=np.hstack([below, ~below]),
        sample_weights=weights,
        condition_price=0.1,
        constant=0.1,
        max_conditions=3,
        chains=np.repeat(np.arange(6, dtype=np.int64), 4),
    )
    pricer.price(problem, PricingLimits(), rng)
    if pricer.can_list:
        pricer.list_below(problem, -1.0, 100, PricingLimits())
    _PREPARED.add(type(pricer))
