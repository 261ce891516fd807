"""Whole prices from the relaxation's duals, and every rule that they leave within reach of a better rule set."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ..api.backend import Backend
from ..api.pricing import Pricer, PricingProblem
from ..base.arrays import IntArray
from ..base.errors import SolveError
from ..base.limits import Deadline, PricingLimits
from ..data.rules import Rule
from ..masters.hamming import HammingMaster
from ..masters.size_bounds import Complexity
from .exact_problem import ExactProblem

SCALE = 1024
"""Prices are whole multiples of one over this."""
MOST_LISTED = 1_000_000
MOST_DOMINANCE = 20_000
"""Among so many rules dominance is looked for: every one is compared with all that nothing replaces."""
BLOCK = 512
"""So many rules are compared at a time."""


class NoCertificateError(SolveError):
    """What was proven does not fit into a certificate; the message is a sentence that says why."""


@frozen(eq=False)
class RootPrices:
    """Of positives and of each unit of size; no rule costs less than they pay for it."""

    positives: IntArray
    """In units of one over :data:`SCALE`, in the order of the problem's positives."""
    per_size: int

    def at_most(self, problem: ExactProblem) -> int:
        """What these prices prove about every rule set, in their units."""
        return int(self.positives.sum()) - self.per_size * problem.max_complexity

    def pricing(self, problem: ExactProblem) -> PricingProblem:
        """The pricing problem of these prices: everything in it is a whole number."""
        weights = SCALE * problem.cover
        weights[problem.positives] -= self.positives
        return PricingProblem(
            X=problem.holds,
            sample_weights=weights.astype(np.float64),
            condition_price=float(self.per_size),
            constant=float(self.per_size),
            max_conditions=problem.max_conditions,
        )


@frozen(eq=False)
class PricedList:
    """The rules within reach, those among them that another one replaces, and by which."""

    rules: tuple[Rule, ...]
    dominated: tuple[tuple[Rule, int], ...]


def root_prices(
    problem: ExactProblem, backend: Backend, pricer: Pricer, known: Sequence[Rule], deadline: Deadline
) -> RootPrices:
    """Solve the relaxation over all rules, and round its duals to prices that no rule undercuts.

    Parameters
    ----------
    problem : what the certificate is about
    backend : solves the linear programs
    pricer : finds rules that improve the relaxation
    known : rules to begin with
    deadline : when to end

    Raises
    ------
    NoCertificateError
        When the time is over first.
    """
    limits = PricingLimits(deadline)
    with HammingMaster(problem.learned, [Complexity(problem.max_complexity)], backend) as master:
        master.add_rules([rule for rule in known if rule.features])
        while True:
            relaxation = master.solve_relaxation(deadline)
            if relaxation is None or deadline.passed:
                raise NoCertificateError("No certificate: the time was over before the relaxation was solved again.")
            found = pricer.price(relaxation.pricing, limits, np.random.default_rng(0))
            if not master.add_rules(found.rules):
                break
    return repaired(problem, relaxation.pricing, pricer, limits)


def repaired(problem: ExactProblem, pricing: PricingProblem, pricer: Pricer, limits: PricingLimits) -> RootPrices:
    """Round duals to the grid; where a rule then costs less than they pay for it, size gets dearer."""
    duals = np.round(-pricing.sample_weights[problem.positives] * SCALE).astype(np.int64)
    positives = np.clip(duals, 0, SCALE * problem.miss[problem.positives])
    prices = RootPrices(positives, max(0, math.ceil(pricing.condition_price * SCALE)))
    while True:
        found = pricer.price(prices.pricing(problem), limits, np.random.default_rng(0))
        if found.bound is None:
            raise NoCertificateError("No certificate: the time was over before rounded prices were proven feasible.")
        if found.bound > -0.5:
            return prices
        # Every rule has a size of 2 at least.
        prices = RootPrices(positives, prices.per_size + max(1, math.ceil(-found.bound / 2)))


def priced_list(
    problem: ExactProblem, prices: RootPrices, lister: Pricer, bound: int, deadline: Deadline
) -> PricedList:
    """List the rules that could be in a rule set with a loss below the bound.

    Parameters
    ----------
    problem, prices : what they are about
    lister : a pricer that lists rules
    bound : the claim is that no rule set has a loss below it
    deadline : when to end

    Raises
    ------
    NoCertificateError
        When there are too many, or the time is over first.
    """
    reach = (bound - 1) * SCALE - prices.at_most(problem)
    if reach < 0:
        return PricedList((), ())
    listing = lister.list_below(prices.pricing(problem), reach + 0.5, MOST_LISTED, PricingLimits(deadline))
    if not listing.complete or len(listing.rules) >= MOST_LISTED:
        raise NoCertificateError(
            f"No certificate: more than {len(listing.rules)} rules could still matter, or listing them takes too long."
        )
    rules = [rule for rule in listing.rules if not _has_idle_condition(problem, rule)]
    if len(rules) > MOST_DOMINANCE:
        return PricedList(tuple(rules), ())
    return _with_dominators(problem, rules, deadline)


def _has_idle_condition(problem: ExactProblem, rule: Rule) -> bool:
    """Whether without one of its conditions the rule would cost nothing more: the shorter one replaces it."""
    columns = problem.holds[:, list(rule.features)][problem.cover > 0]
    return not bool((~columns & (columns.sum(axis=1, keepdims=True) == columns.shape[1] - 1)).any(axis=0).all())


def covers_and_costs(problem: ExactProblem, rules: Sequence[Rule]) -> tuple[np.ndarray, IntArray, IntArray]:
    """Rules × positives; what the rules cost; their sizes."""
    covers = np.empty((len(rules), len(problem.positives)), dtype=bool)
    costs = np.empty(len(rules), dtype=np.int64)
    for place, rule in enumerate(rules):
        covered = rule.covers(problem.holds)
        covers[place], costs[place] = covered[problem.positives], problem.cover[covered].sum()
    return covers, costs, np.array([1 + len(rule) for rule in rules], dtype=np.int64)


def _with_dominators(problem: ExactProblem, rules: list[Rule], deadline: Deadline) -> PricedList:
    """Take out rules that a no longer one replaces, which costs less by at least what else the rule covers."""
    covers, costs, sizes = covers_and_costs(problem, rules)
    miss = problem.miss[problem.positives]
    # Sums below 2^24 are exact in single precision, which is twice as quick.
    ones = covers.astype(np.float32 if miss.sum() + costs.max(initial=0) < 2**24 else np.float64)
    weighed = ones * miss.astype(ones.dtype)
    gains = weighed.sum(axis=1)
    # Nobody is dominated by one that comes later in this order, and what dominates a dominator dominates, too.
    order = np.lexsort((np.arange(len(rules)), costs - gains, sizes))
    kept = np.zeros(0, dtype=np.int64)
    dominated: list[tuple[int, int]] = []
    for start in range(0, len(order), BLOCK):
        if deadline.passed:
            raise NoCertificateError("No certificate: the time was over while rules were compared.")
        block = order[start : start + BLOCK]
        before = len(kept)
        candidates = np.concatenate([kept, block])
        lost = gains[block, None] - weighed[block] @ ones[candidates].T
        replaces = costs[candidates] + lost <= costs[block, None]
        stays = np.zeros(len(candidates), dtype=bool)
        stays[:before] = True
        for place, rule in enumerate(block.tolist()):
            by = np.flatnonzero(replaces[place, : before + place] & stays[: before + place])
            stays[before + place] = not len(by)
            if len(by):
                dominated.append((rule, int(candidates[by[0]])))
        kept = candidates[stays]
    place_of = {rule: place for place, rule in enumerate(kept.tolist())}
    return PricedList(
        tuple(rules[at] for at in kept.tolist()), tuple((rules[at], place_of[by]) for at, by in dominated)
    )
