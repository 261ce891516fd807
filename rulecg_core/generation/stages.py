"""Pricing in stages: cheap pricers first, dearer ones only when the cheaper ones find nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, field, frozen

from ..api.master import Master
from ..api.pricing import NEGATIVE, Pricer, PricingProblem, PricingResult
from ..base.arrays import FloatArray
from ..base.limits import PricingLimits
from ..base.status import Stop
from ..data.problem import Problem
from ..data.rules import Rule
from .smoothing import Smoothing

DEFAULT_STAGES = ("beam", "neighbours", "wide-beam", "random-beam", "exact-search")
"""Names of the pricers that make a good default, in order."""
FOR_LARGE_DATA = frozenset({"neighbours", "wide-beam", "random-beam"})
"""Those of them that only large data needs: elsewhere exact search is quicker, and misses nothing."""


def default_stages(problem: Problem) -> tuple[str, ...]:
    """Names of the pricers that make a good default for a problem, in order."""
    return tuple(name for name in DEFAULT_STAGES if problem.is_large or name not in FOR_LARGE_DATA)


@frozen
class Stage:
    """A pricer and the name it goes by in events."""

    name: str
    pricer: Pricer = field(repr=False)

    @classmethod
    def all_of(cls, pricers: Sequence[Pricer | tuple[str, Pricer]]) -> tuple[Stage, ...]:
        """Stages from pricers with or without names."""
        return tuple(
            cls(*pricer) if isinstance(pricer, tuple) else cls(type(pricer).__name__, pricer) for pricer in pricers
        )


@frozen(eq=False)
class Priced:
    """What one call of one stage brought, re-evaluated by the core on the full data."""

    rules: tuple[Rule, ...]
    """New rules with negative reduced cost, best first."""
    best: float | None
    bound: float | None
    stop: Stop
    notes: tuple[str, ...] = ()


def price(
    stage: Stage,
    master: Master,
    problem: PricingProblem,
    limits: PricingLimits,
    rng: np.random.Generator,
    smoothing: Smoothing | None = None,
) -> Priced:
    """Call the stage's pricer and keep only what is new and truly negative.

    With ``smoothing`` it is first called on smoothed duals; when nothing found there holds for the true ones, on these.
    """
    if smoothing is not None and smoothing.has_begun:
        found = stage.pricer.price(smoothing.smoothed(problem), limits, rng)
        # A bound for the smoothed duals says nothing about the true ones.
        priced = _judged(stage, master, problem, evolve(found, bound=None))
        if priced.rules or limits.deadline.passed:
            return priced
    if smoothing is not None:
        smoothing.begin(problem)
    return _judged(stage, master, problem, stage.pricer.price(problem, limits, rng))


def _judged(stage: Stage, master: Master, problem: PricingProblem, result: PricingResult) -> Priced:
    """Re-evaluate what the pricer found on the full data."""
    notes = list(result.notes)
    candidates = [rule for rule in dict.fromkeys(result.rules) if 1 <= len(rule) <= problem.max_conditions]
    if len(candidates) < len(set(result.rules)):
        notes.append(f"{stage.name} returned rules with no or too many conditions; they were left out")
    if not candidates:
        return Priced((), None, result.bound, result.stop, tuple(notes))
    costs = reduced_costs(master, problem, candidates)
    negative = costs < NEGATIVE
    known = np.array([rule in master.pool for rule in candidates])
    if np.any(negative & known):
        notes.append(
            f"{stage.name} returned a rule that is already in the master with reduced cost "
            f"{costs[negative & known].min():.3g}; it was left out"
        )
    kept = np.flatnonzero(negative & ~known)
    kept = kept[np.argsort(costs[kept], kind="stable")]
    best = float(costs[kept[0]]) if len(kept) else None
    return Priced(tuple(candidates[at] for at in kept), best, result.bound, result.stop, tuple(notes))


def reduced_costs(master: Master, problem: PricingProblem, rules: Sequence[Rule]) -> FloatArray:
    """Reduced costs of rules on the full data."""
    costs = np.empty(len(rules))
    step = max(1, 50_000_000 // max(1, master.problem.n_samples))
    for at in range(0, len(rules), step):
        some = rules[at : at + step]
        lengths = master.problem.lengths(some)
        covered = master.problem.covers(some) @ problem.sample_weights
        costs[at : at + step] = covered + problem.condition_price * lengths + problem.constant
    return costs


def add_lacking(master: Master, rules: Sequence[Rule], most: int) -> int:
    """Of some rules the master takes in those that its relaxation lacks most; how many."""
    costs = reduced_costs(master, master.pricing_problem(), rules)
    lacking = np.argsort(costs, kind="stable")[:most]
    return master.add_rules([rules[at] for at in lacking if costs[at] < NEGATIVE])
