"""What was said about bounds, by whom, and what refutes it: every bound is compared with every rule, relaxation and
rule set that could."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import define, field, frozen

from ..api.pricing import NEGATIVE, PricingProblem, reduced_costs
from ..data.problem import Problem
from ..data.rules import Rule

NOISE = 1e-6
"""A bound is refuted by what lies below it by more than this share."""


@frozen(eq=False)
class Statement:
    """Somebody's word that no rule set has an objective below a bound."""

    who: str
    """The plugin with its class and distribution."""
    bound: float
    is_trusted: bool
    pricing: PricingProblem | None = None
    """The pricing problem that it rests on, if it does."""
    least_cost: float = -math.inf
    """What was said of it: no rule has a reduced cost below this."""


@define(eq=False)
class Ledger:
    """The statements of a run. Whoever is refuted once is not heard again."""

    refuted: dict[str, str] = field(factory=dict)
    """By who was refuted, the evidence as a sentence."""
    _best: dict[tuple[str, bool], Statement] = field(factory=dict)

    def note(self, statement: Statement) -> None:
        """Take in a statement; of each who says something only the strongest is kept."""
        key = statement.who, statement.is_trusted
        known = self._best.get(key)
        if statement.who not in self.refuted and (known is None or statement.bound > known.bound):
            self._best[key] = statement

    @property
    def bound(self) -> float | None:
        """The strongest bound of those that are trusted."""
        return max((each.bound for each in self._best.values() if each.is_trusted), default=None)

    @property
    def claims(self) -> dict[str, float]:
        """The bounds of those that are not trusted, by who says so."""
        return {each.who: each.bound for each in self._best.values() if not each.is_trusted}

    def compare_with_objective(self, objective: float) -> list[str]:
        """Refute statements by a rule set that was counted; a sentence for each."""
        return [
            self._refute(
                each.who, f"says that no rule set is below {each.bound:.6g}, but one with {objective:.6g} is known"
            )
            for each in list(self._best.values())
            if each.who not in self.refuted and _is_below(objective, each.bound)
        ]

    def compare_with_cost(self, pricing: PricingProblem, cost: float | None) -> list[str]:
        """Refute statements about a pricing problem by a rule that somebody else found for it."""
        return [
            self._refute(
                each.who,
                f"says that no reduced cost is below {each.least_cost:.6g}, but a rule with {cost:.6g} was found",
            )
            for each in list(self._best.values())
            if cost is not None
            and each.pricing is pricing
            and each.who not in self.refuted
            and _is_below(cost - 2 * NEGATIVE, each.least_cost)
        ]

    def compare_with_rules(self, problem: Problem, rules: Sequence[Rule]) -> list[str]:
        """Refute statements by all rules that are known; a sentence for each."""
        told: list[str] = []
        for each in list(self._best.values()):
            if each.pricing is not None and each.who not in self.refuted and rules:
                told += self.compare_with_cost(
                    each.pricing, float(np.min(reduced_costs(problem, each.pricing, rules)))
                )
        return told

    def refute(self, who: str, evidence: str) -> str:
        """Hear nobody of that name again; the sentence to tell."""
        return self._refute(who, evidence)

    def _refute(self, who: str, evidence: str) -> str:
        self.refuted[who] = f"{who} {evidence}: what it says about bounds is left out"
        for key in [key for key in self._best if key[0] == who]:
            del self._best[key]
        return self.refuted[who]


def _is_below(value: float, bound: float) -> bool:
    return value < bound - NOISE * max(1.0, abs(bound) if math.isfinite(bound) else 1.0)
