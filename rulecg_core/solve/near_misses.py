"""Rules that nearly entered the relaxation: under bounds on samples, the best rule sets are often made of them."""

from __future__ import annotations

from ..api.pricing import Pricer, PricingProblem
from ..base.limits import PricingLimits
from ..data.rules import Rule


def near_misses(
    lister: Pricer, pricing: PricingProblem, reach: float, limits: PricingLimits, halvings: int
) -> tuple[Rule, ...]:
    """List the rules with the least reduced cost.

    Parameters
    ----------
    lister : a pricer that can list rules
    pricing : the pricing problem of a proven relaxation
    reach : up to which reduced cost; halved while that gives more than ``limits.max_rules`` rules
    limits : how many rules at most, and until when
    halvings : how often the reach is halved before giving up
    """
    for _ in range(halvings):
        listing = lister.list_below(pricing, reach, limits.max_rules, limits)
        if listing.complete:
            return listing.rules
        if limits.deadline.passed:
            break
        reach /= 2
    return ()
