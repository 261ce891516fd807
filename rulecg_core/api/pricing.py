"""The pricing problem: find the conjunction with the least reduced cost. It knows nothing of constraints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from attrs import evolve, field, frozen

from ..base.arrays import BoolArray, FloatArray, IntArray, grid_for, is_on, lock
from ..base.bits import covered_sums
from ..base.limits import PricingLimits
from ..base.status import Stop
from ..data.bounds.rule_bound import RuleBound, all_allow
from ..data.problem import Problem
from ..data.rules import Rule

PACKED_BYTES = 50_000_000
"""Covers of many rules are made for as many at a time as fit into so many bytes."""

NEGATIVE = -1e-6
"""A reduced cost counts as negative only below this: above it, solvers' duals are noise."""


@frozen(eq=False)
class PricingProblem:
    """Minimise ``sample_weights @ covers_k + Σ_{j in k} condition_prices[j] + constant`` over conjunctions k
    with 1 to ``max_conditions`` features that keep every bound on single rules."""

    X: BoolArray
    sample_weights: FloatArray
    """One number per sample, of any sign: what covering the sample costs."""
    condition_price: float
    constant: float
    max_conditions: int
    condition_costs: FloatArray = field(default=None)
    """What each feature adds to a rule's length: 1 unless given."""
    chains: IntArray = field(default=None)
    """Features with the same number are nested: two of them in one rule are never better than one."""
    in_use: tuple[Rule, ...] = ()
    """Rules that the relaxation is made of, if any: good ones are often near them."""
    grid: float = 0.0
    """Of what power of two weights and prices are meant to be multiples; 0 when of none. Whether they are says
    :attr:`is_exact`."""
    bounds: tuple[RuleBound, ...] = ()
    """What every rule must keep. A pricer may prune by them; rules that break one are left out by the core."""
    columns: IntArray | None = None
    """Where it matters on which columns of the table a rule's conditions are, the column of each feature: rules with
    equal covers on different columns then both count in a list. None where it does not matter."""

    def __attrs_post_init__(self) -> None:
        # Frozen classes set derived defaults through object.__setattr__.
        if self.condition_costs is None:
            object.__setattr__(self, "condition_costs", np.ones(self.X.shape[1]))
        if self.chains is None:
            object.__setattr__(self, "chains", np.arange(self.X.shape[1], dtype=np.int64))
        # Pricers are given views that they cannot write to: what one spoilt, the next would price.
        lock(self, "X", "sample_weights", "condition_costs", "chains", "columns")

    @property
    def n_samples(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_conditions(self) -> int:
        return int(self.X.shape[1])

    @property
    def condition_prices(self) -> FloatArray:
        """What adding each feature to a rule costs, whatever it covers."""
        return self.condition_price * self.condition_costs

    @property
    def is_exact(self) -> bool:
        """Whether all weights and prices are multiples of the grid and so few that sums of them, in any order, and
        differences of such sums are exact."""
        if self.grid <= 0:
            return False
        prices = self.condition_prices
        numbers = (self.sample_weights, prices, np.array([self.constant]))
        longest = np.sort(np.abs(prices))[-self.max_conditions :].sum()
        total = float(np.abs(self.sample_weights).sum() + longest + abs(self.constant))
        return grid_for(total) <= self.grid and all(is_on(values, self.grid) for values in numbers)

    def reduced_cost(self, rule: Rule) -> float:
        """The reduced cost of one rule, from its conditions and the full data."""
        features = list(rule.features)
        covered = float(self.sample_weights[rule.covers(self.X)].sum())
        return covered + self.condition_price * float(self.condition_costs[features].sum()) + self.constant

    def keeps_bounds(self, rules: Sequence[Rule]) -> BoolArray:
        """Which rules keep every bound on single rules, from their conditions and the full data."""
        allowed = np.ones(len(rules), dtype=bool)
        for at, rule in enumerate(rules if self.bounds else ()):
            length = float(self.condition_costs[list(rule.features)].sum())
            allowed[at] = all_allow(self.bounds, np.packbits(rule.covers(self.X))[None], np.array([length]))[0]
        return allowed

    def optimistic_bound(self, covered: BoolArray, features: Sequence[int]) -> float:
        """No rule that contains the features (and so covers at most ``covered``) has a lower reduced cost.

        The best that can happen is that every further condition removes exactly the samples with positive weight.
        (The paper's test sums over positives only, which is wrong once rows make other weights negative.)
        """
        prices = self.condition_prices
        kept = float(np.minimum(self.sample_weights[covered], 0.0).sum())
        gains = np.sort(np.minimum(np.delete(prices, list(features)), 0.0))
        free = gains[: max(0, self.max_conditions - len(features))].sum()
        return kept + float(prices[list(features)].sum()) + self.constant + float(free)

    def restrict(self, rows: IntArray | BoolArray, features: IntArray | BoolArray) -> PricingProblem:
        """The same problem on some rows and features: rules must be mapped back by the caller."""
        return evolve(
            self,
            X=np.ascontiguousarray(self.X[rows][:, features]),
            sample_weights=self.sample_weights[rows],
            condition_costs=self.condition_costs[features],
            chains=self.chains[features],
            in_use=(),
            bounds=tuple(bound.on(rows) for bound in self.bounds),
            columns=None if self.columns is None else self.columns[features],
        )


@frozen(eq=False)
class PricingResult:
    """Rules that a pricer found. ``bound`` is a proven lower bound on the least reduced cost over all rules of the
    problem it was given, or None: heuristics and subsamples never claim one."""

    rules: tuple[Rule, ...]
    bound: float | None = None
    stop: Stop = Stop.COMPLETED
    notes: tuple[str, ...] = ()


@frozen(eq=False)
class Listing:
    """Rules with reduced cost at most a threshold. ``complete`` only when none was left out, except rules that cover
    exactly the same samples as a listed one, are no shorter and, where the problem tells columns apart, use all of its
    columns."""

    rules: tuple[Rule, ...]
    complete: bool
    stop: Stop = Stop.COMPLETED


class Pricer(ABC):
    """Finds rules with negative reduced cost."""

    counts_work: ClassVar[bool] = False
    """Whether the answer depends on nothing but the problem, the limits and the seed as long as no deadline passes, and
    deadlines are looked at after bounded work: what a repeatable run needs."""
    can_list: ClassVar[bool] = False
    """Whether :meth:`list_below` is there: the door to proofs over all rules."""

    def prepare(self) -> None:
        """Load or compile what the first call would otherwise wait for; called before anybody's clock starts."""
        return

    @abstractmethod
    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        """Up to ``limits.max_rules`` distinct rules, best first; the core re-prices them on the full data."""

    def list_below(
        self, problem: PricingProblem, threshold: float, most: int, limits: PricingLimits
    ) -> Listing:
        """Every rule with reduced cost at most the threshold, unless there are more than ``most``."""
        raise NotImplementedError(f"{type(self).__name__} cannot list rules")


def reduced_costs(problem: Problem, pricing: PricingProblem, rules: Sequence[Rule]) -> FloatArray:
    """Compute the reduced costs of rules on the full data.

    Parameters
    ----------
    problem : the problem that the pricing problem is of
    pricing : what covering each sample, each condition and each rule cost
    rules : any rules over the problem's conditions

    Returns
    -------
    One number per rule, as :meth:`PricingProblem.reduced_cost` gives it.
    """
    costs = np.empty(len(rules))
    step = max(1, PACKED_BYTES // max(1, problem.packed_conditions.shape[1]))
    for at in range(0, len(rules), step):
        some = rules[at : at + step]
        covered = covered_sums(problem.packed_covers(some), pricing.sample_weights)
        costs[at : at + step] = covered + pricing.condition_price * problem.lengths(some) + pricing.constant
    return costs
