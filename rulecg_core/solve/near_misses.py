"""Rules that nearly entered the relaxation: under bounds on samples, the best rule sets are often made of them."""

from __future__ import annotations

from ..api.pricing import Pricer, PricingProblem
from ..base.limits import PricingLimits
from ..data.rules import Rule

MOST = 500
"""With many more rules to combine, the search found less in the same time."""
HALVINGS = 8


def nearby_rules(
    lister: Pricer, pricing: PricingProblem, reach: float, limits: PricingLimits
) -> tuple[Rule, ...]:
    """The rules with the least reduced cost, up to a share of the reach that leaves no more than :data:`MOST`."""
    for _ in range(HALVINGS):
        listing = lister.list_below(pricing, reach, MOST, limits)
        if listing.complete:
            return listing.rules
        if limits.deadline.passed:
            break
        reach /= 2
    return ()
