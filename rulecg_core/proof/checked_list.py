"""A list that is said to be complete, compared with every rule that is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..api.pricing import Listing, PricingProblem, reduced_costs
from ..data.problem import Problem
from ..data.rules import Rule


class FalseListError(Exception):
    """A list said to be complete lacks a rule that belongs on it."""


def check_listing(
    problem: Problem, pricing: PricingProblem, threshold: float, listing: Listing, known: Sequence[Rule]
) -> None:
    """Compare a list with rules that are known.

    Parameters
    ----------
    problem
        What the rules are rules of.
    pricing
        What was listed for.
    threshold
        Rules with a reduced cost up to this belong on the list, or another with the same cover does.
    listing
        What a pricer listed.
    known
        Rules from anywhere else.

    Raises
    ------
    FalseListError
        When a complete list lacks a known rule that belongs on it, or holds what is no rule of the problem.
    """
    if not isinstance(listing, Listing) or not all(isinstance(rule, Rule) for rule in listing.rules):
        raise FalseListError("list_below() must return a Listing of rules")
    if any(not 0 <= at < problem.n_conditions for rule in listing.rules for at in rule.features):
        raise FalseListError("list_below() returned a rule with a condition that the problem does not have")
    if not listing.complete or not known:
        return
    costs = reduced_costs(problem, pricing, known)
    below = [known[at] for at in np.flatnonzero(costs <= threshold).tolist()]
    listed = set(listing.rules)
    lacking = [rule for rule in below if rule not in listed]
    if not lacking:
        return
    covers = {cover.tobytes() for cover in problem.packed_covers(listing.rules)}
    for rule, cover in zip(lacking, problem.packed_covers(lacking), strict=True):
        if cover.tobytes() not in covers:
            raise FalseListError(
                f"calls its list of all rules with a reduced cost up to {threshold:.6g} complete, but it lacks "
                f"{problem.rule_set([rule]).texts()[0]!r} with {pricing.reduced_cost(rule):.6g}"
            )
