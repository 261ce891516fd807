"""Exact pricing by a compiled branch and bound over conjunctions, and the listing of all rules below a threshold."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import frozen

from rulecg_core import NEGATIVE, Listing, Pricer, PricingLimits, PricingProblem, PricingResult, Stop

from ..common.toy import run_once
from .rule_arrays import as_rules, distinct
from .search import Search

KEPT = 8
"""So many times the rules asked for are kept during a search: some will turn out to cover the same samples."""
UNPROVEN = 10_000
"""How many rules a listing returns at most when it is not complete."""


@frozen(eq=False)
class ExactSearch(Pricer):
    """Finds the rule with the least reduced cost and proves it, by depth-first branch and bound on all cores.

    Examples
    --------
    >>> import numpy as np
    >>> from rulecg_core import PricingLimits, PricingProblem
    >>> X = np.array([[1, 0], [1, 1], [0, 1]], dtype=bool)
    >>> problem = PricingProblem(X, np.array([-1.0, -1.0, 3.0]), 0.25, 0.25, max_conditions=2)
    >>> found = ExactSearch().price(problem, PricingLimits(), np.random.default_rng(0))
    >>> found.rules, round(found.bound, 6)
    ((Rule(features=(0,)),), -1.5)
    """

    can_list: ClassVar[bool] = True
    counts_work: ClassVar[bool] = True

    def prepare(self) -> None:
        """Load, or compile once, what the search runs on."""
        from rulecg_kernels import rule_bounds

        from . import bits, covers, pruning, search_kernel, weighing

        run_once(self)
        for kernel in (
            bits.pack_samples, bits.weigh_range, pruning.arrange, pruning.promising, weighing.weigh_rows,
            search_kernel.search, covers.hash_covers, covers.all_as_first, rule_bounds.which_keep,
        ):  # fmt: skip
            kernel.load()

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        """Find the best rules and prove that none is better.

        Parameters
        ----------
        problem : PricingProblem
            What is to be priced.
        limits : PricingLimits
            Deadline, threads and number of rules. The answer does not depend on the number of threads.
        rng : numpy.random.Generator
            Not used: nothing is drawn.

        Returns
        -------
        PricingResult
            Rules with negative reduced cost, best first; the bound is the least reduced cost, or lower when the
            deadline came first.
        """
        search = Search(problem, cut=NEGATIVE, listing=False, keep=KEPT * limits.max_rules, limits=limits)
        search.run()
        found = search.found
        chosen = distinct(problem, found.rules, found.values)[: limits.max_rules]
        rules = as_rules(found.rules[chosen])
        # The search's own sums may be off by a trifle: the bound lies below what the rule really costs.
        bound = min([search.bound, *(problem.reduced_cost(rule) - search.slack for rule in rules[:1])])
        return PricingResult(rules, bound, search.stop)

    def list_below(
        self, problem: PricingProblem, threshold: float, most: int, limits: PricingLimits
    ) -> Listing:
        """List the rules with reduced cost at most a threshold, the shortest of those with equal covers.

        Parameters
        ----------
        problem : PricingProblem
            What is to be priced.
        threshold : float
            The largest reduced cost of a listed rule.
        most : int
            How many rules are listed at most.
        limits : PricingLimits
            Deadline and threads.

        Returns
        -------
        Listing
            The rules, best first, and whether they are all.
        """
        search = Search(problem, cut=threshold, listing=True, keep=most, limits=limits)
        search.run()
        part = search.found
        if search.stop is not Stop.COMPLETED:
            # Nobody waits beyond a deadline for a list that proves nothing.
            part.keep(np.argsort(part.values, kind="stable")[: min(most, UNPROVEN)])
        part.condense(problem)
        part.keep(np.lexsort((np.arange(len(part.values)), np.round(part.values, 9)))[:most])
        return Listing(as_rules(part.rules), search.stop is Stop.COMPLETED, search.stop)
