"""A solved linear relaxation of a master: a value that nothing changes afterwards."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from ..base.arrays import FloatArray
from ..data.rules import Rule
from .pricing import PricingProblem


@frozen(eq=False)
class Relaxation:
    """What one solve of the relaxation over the rules so far said.

    Everything in it is about the same program at the same moment: weights, duals, pricing problem and bound.
    """

    value: float
    """The relaxation's objective; while it is infeasible, the share of the shortfall that is left."""
    feasible: bool
    """False while some rows can only be satisfied by artificial columns."""
    weights: FloatArray = field(repr=False)
    """Weights of the pool's first rules; rules that came later were not in it."""
    pricing: PricingProblem = field(repr=False)
    row_duals: Mapping[str, float] = field(repr=False)
    """Objective per unit of the bound of every constraint row."""
    dual_value: float | None = None
    """What the duals prove while no rule has a negative reduced cost: no rule set is below it. None when they prove
    nothing, as while the relaxation is infeasible."""
    cover_duals: FloatArray | None = field(default=None, repr=False)
    """The duals of "the sample is covered or missed", one per sample and at least 0, for masters that come from
    elsewhere: from these and ``row_duals`` the core computes pricing problem and bound itself, so that a proof need not
    rest on the master's word. None keeps what the master computed."""
    max_rules: float = 0.0
    """How many rules a rule set has at most: each may lower the bound by what its reduced cost is below 0."""
    size_share: float = 1.0
    """Below 1 while bounds on size were tightened to that share: nothing is then proven about the master."""
    shortfalls: Mapping[str, float] = field(factory=dict, repr=False)
    """While infeasible: the rows that hold each other back, and by how much each still misses its bound."""

    @property
    def in_use(self) -> tuple[Rule, ...]:
        """The rules with weight."""
        return self.pricing.in_use

    def pricing_problem(self) -> PricingProblem:
        """The pricing problem for the duals."""
        return self.pricing

    def lower_bound(self, pricing_bound: float) -> float | None:
        """Bound the objective over *all* rules, given a proven bound on all reduced costs.

        Parameters
        ----------
        pricing_bound : no rule has a reduced cost below this

        Returns
        -------
        A lower bound that holds for every rule set over all rules; None when the duals prove nothing.
        """
        if self.dual_value is None:
            return None
        return self.dual_value + (pricing_bound * self.max_rules if pricing_bound < 0 else 0.0)

    def conflict(self) -> dict[str, float]:
        """While infeasible: the rows in conflict, and by how much each misses its bound."""
        return dict(self.shortfalls)
