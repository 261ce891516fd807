"""Pricing in stages: cheap pricers first, dearer ones only when the cheaper ones find nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve, field, frozen

from ..api.master import Master
from ..api.pricing import NEGATIVE, Pricer, PricingProblem, PricingResult, reduced_costs
from ..api.provenance import describe, distribution_of, fault_of
from ..base.errors import PluginError, RulecgError
from ..base.limits import PricingLimits
from ..base.status import Stop
from ..data.rules import Rule
from .smoothing import Smoothing


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

    Parameters
    ----------
    stage : whose pricer is called
    master : whose pool says what is new
    problem : the pricing problem of the relaxation's own duals
    limits, rng : passed on to the pricer
    smoothing : if given, the pricer is first called on smoothed duals; when nothing found there holds for the own
        ones, on these

    Raises
    ------
    PluginError
        When the pricer fails or returns something else than it should; it names the pricer.
    """
    if smoothing is not None and smoothing.has_begun:
        # A bound for the smoothed duals says nothing about the true ones.
        found = evolve(_called(stage, smoothing.smoothed(problem), limits, rng), bound=None)
        priced = _judged(stage, master, problem, found)
        if priced.rules or limits.deadline.passed:
            return priced
    if smoothing is not None:
        smoothing.begin(problem)
    return _judged(stage, master, problem, _called(stage, problem, limits, rng))


def _called(
    stage: Stage, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator
) -> PricingResult:
    """The pricer's answer, as far as it is one."""

    def checked() -> PricingResult:
        result = stage.pricer.price(problem, limits, rng)
        if not isinstance(result, PricingResult):
            raise TypeError(f"price() must return a PricingResult, not {result!r}")
        if not all(isinstance(rule, Rule) for rule in result.rules):
            raise TypeError("price() must return rules of the class Rule")
        if any(not 0 <= at < problem.n_conditions for rule in result.rules for at in rule.features):
            raise ValueError("price() returned a rule with a condition that the problem does not have")
        if result.bound is not None and not np.isfinite(result.bound):
            raise ValueError(f"price() must return a finite bound or None, not {result.bound!r}")
        return result

    return guarded(stage, checked)


def guarded(stage: Stage, call: Callable[[], PricingResult]) -> PricingResult:
    """Call a stranger's code; whatever goes wrong is said with the pricer's name."""
    try:
        return call()
    except RulecgError:
        raise
    except Exception as error:
        message = fault_of("pricer", stage.name, stage.pricer, error)
        raise PluginError(f"{message[0].upper()}{message[1:]}.", distribution_of(stage.pricer)) from error


def _judged(stage: Stage, master: Master, problem: PricingProblem, result: PricingResult) -> Priced:
    """Re-evaluate what the pricer found on the full data."""
    notes = list(result.notes)
    candidates = [rule for rule in dict.fromkeys(result.rules) if 1 <= len(rule) <= problem.max_conditions]
    if len(candidates) < len(set(result.rules)):
        notes.append(f"{_who(stage)} returned rules with no or too many conditions; they were left out")
    if problem.bounds and candidates:
        allowed = master.goal.allowed(candidates)
        if len(allowed) < len(candidates):
            notes.append(f"{_who(stage)} returned rules that break a bound on single rules; they were left out")
        candidates = allowed
    if not candidates:
        return Priced((), None, result.bound, result.stop, tuple(notes))
    costs = reduced_costs(master.problem, problem, candidates)
    if result.bound is not None and costs.min() < result.bound + 2 * NEGATIVE * max(1.0, abs(result.bound)):
        notes.append(
            f"{_who(stage)} says that no reduced cost is below {result.bound:.6g}, but its own rule has "
            f"{costs.min():.6g}: its bound is left out"
        )
        result = evolve(result, bound=None)
    negative = costs < NEGATIVE
    known = np.array([rule in master.pool for rule in candidates])
    if np.any(negative & known):
        notes.append(
            f"{_who(stage)} returned a rule that is already in the master with reduced cost "
            f"{costs[negative & known].min():.3g}; it was left out"
        )
    kept = np.flatnonzero(negative & ~known)
    kept = kept[np.argsort(costs[kept], kind="stable")]
    best = float(costs[kept[0]]) if len(kept) else None
    return Priced(tuple(candidates[at] for at in kept), best, result.bound, result.stop, tuple(notes))


def _who(stage: Stage) -> str:
    return f"the pricer {describe(stage.name, stage.pricer)}"
