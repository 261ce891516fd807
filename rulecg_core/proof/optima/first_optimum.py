"""Which of all optima is shown: the first by errors, complexity and text, whichever was met."""

from __future__ import annotations

from attrs import frozen

from ...api.master import Master
from ...api.pricing import Pricer
from ...data.goal import Candidate, Goal
from ..certificate import Certificate
from .equal_covers import TooManyRulesError, first_with_equal_cover
from .near_optimal import EnumerationBudget, near_optimal_sets
from .tie_order import first_of, in_order

MOST_TIED = 2_000
"""Of more optima than this with equal errors and size no text is made."""


@frozen(eq=False)
class FirstOptimum:
    """The first of all rule sets of optimal objective."""

    candidate: Candidate
    optima: int
    """How many there are, one shortest rule for each cover."""


def first_optimum(
    master: Master, certificate: Certificate, lister: Pricer, optimum: float, budget: EnumerationBudget
) -> FirstOptimum | None:
    """Enumerate the optima and find the first of them in the order of ties.

    Parameters
    ----------
    master
        Its goal judges rule sets.
    certificate
        The relaxation that was proven over all rules.
    lister
        A trusted pricer that can list rules.
    optimum
        The objective that was proven to be the least.
    budget
        When to give up.

    Returns
    -------
    FirstOptimum or None
        The rule set, each rule the first of those with its cover; None when there are too many to look at.
    """
    found = near_optimal_sets(master, certificate, lister, optimum, budget)
    if not found.complete or not found.candidates:
        return None
    problem = master.problem
    # Sets that tie in errors and size are told apart by their text, so that each cover needs its own rule to show.
    fewest = min((each.errors, each.complexity) for each in found.candidates)
    near = 1e-9 * max(1.0, float(problem.weights.sum()))
    tied = [
        each for each in found.candidates if each.errors <= fewest[0] + near and each.complexity <= fewest[1] + 1e-9
    ]
    if len(tied) > MOST_TIED:
        return None
    try:
        shown = [with_first_rules(master.goal, each) for each in tied]
    except TooManyRulesError:
        return None
    return FirstOptimum(first_of(problem, shown), len(found.candidates))


def with_first_rules(goal: Goal, candidate: Candidate) -> Candidate:
    """The same predictions, each rule the first of those with its cover, in the order of ties."""
    if not goal.prefers_short_rules:
        # Another rule with the same cover may then be worse.
        return candidate
    problem = goal.problem
    rules = {first_with_equal_cover(problem, rule) for rule in candidate.rules}
    return goal.evaluate(in_order(problem, rules))
