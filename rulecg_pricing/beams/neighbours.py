"""Rules one condition away from those that the relaxation is made of: what a beam from nothing no longer finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np
from attrs import field, frozen

from rulecg_core import NEGATIVE, FloatArray, Pricer, PricingLimits, PricingProblem, PricingResult, Rule, Stop

from ..common.chains import exclusive_numbers
from ..common.options import whole_number
from ..common.passes import bounded, cover_sums, extend, negative_rules
from ..common.toy import run_once

Features = tuple[int, ...]

ENOUGH = 2
"""The search goes no further once it has found so many times as many rules as are wanted: of those that cover the same
samples only one counts."""


@frozen
class Neighbours(Pricer):
    """Exchange, drop or add one condition of rules in use, and go on from the best found: never claims a bound.

    Parameters
    ----------
    steps : int
        How many conditions away from a rule in use the search goes.
    stems : int
        How many stems (a rule without one of its conditions, or the whole rule) one step looks at, drawn at random
        from more.
    per_stem : int
        How many rules with the same stem are looked at more closely.

    Raises
    ------
    ConfigurationError
        When a number is no whole number of at least 1.

    Examples
    --------
    >>> Neighbours(steps=1)
    Neighbours(steps=1, stems=400, per_stem=3)
    """

    counts_work: ClassVar[bool] = True

    steps: int = field(default=3, validator=whole_number)
    stems: int = field(default=400, validator=whole_number)
    per_stem: int = field(default=3, validator=whole_number)

    def prepare(self) -> None:
        """Load, or compile once, what the search runs on."""
        run_once(self)

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        """Look at rules one condition away from ``problem.in_use``, then at those next to the best of them.

        Parameters
        ----------
        problem : PricingProblem
            What is to be priced.
        limits : PricingLimits
            Deadline, threads and number of rules.
        rng : numpy.random.Generator
            Draws stems where there are too many.

        Returns
        -------
        PricingResult
            Rules with negative reduced cost, best first, without a bound.
        """
        starts: list[Features] = [rule.features for rule in problem.in_use] or [()]
        found: dict[Features, float] = {}
        seen: set[Features] = set()
        stop = Stop.COMPLETED
        for _ in range(self.steps):
            stems = sorted({stem for start in starts for stem in _stems(start, problem.max_conditions)} - seen)
            drawn = [stems[at] for at in rng.permutation(len(stems))[: self.stems]]
            seen.update(drawn)
            extended = self._extended(problem, drawn, limits)
            if extended is None:
                stop = Stop.TIME_LIMIT
                break
            candidates = extended | _as_they_are(problem, drawn)
            new = {rule: value for rule, value in candidates.items() if value < NEGATIVE and rule not in found}
            found.update(new)
            starts = sorted(new, key=lambda rule: (new[rule], rule))[: limits.max_rules]
            if not starts or len(found) >= ENOUGH * limits.max_rules:
                break
        best = sorted(found, key=lambda rule: (found[rule], rule))[: 4 * limits.max_rules]
        return PricingResult(negative_rules(problem, [Rule(rule) for rule in best])[: limits.max_rules], None, stop)

    def _extended(
        self, problem: PricingProblem, stems: Iterable[Features], limits: PricingLimits
    ) -> dict[Features, float] | None:
        """The best rules of a stem and one more feature, for each stem, with their values; None when time runs out."""
        prices, numbers = problem.condition_prices, exclusive_numbers(problem)
        found: dict[Features, float] = {}
        by_length: dict[int, list[Features]] = {}
        for stem in stems:
            by_length.setdefault(len(stem), []).append(stem)
        for length, alike in by_length.items():
            members = np.array(alike, dtype=np.int64).reshape(len(alike), length)
            extensions = extend(problem, members, limits)
            if extensions is None:
                return None
            values: FloatArray = extensions.covered + prices + (prices[members].sum(axis=1) + problem.constant)[:, None]
            for position in range(length):
                # A feature does not come twice, nor do two nested ones.
                values[numbers[members[:, position]][:, None] == numbers] = np.inf
            if problem.bounds:
                keeping = bounded(problem, members, limits)
                if keeping is None:
                    return None
                values[~keeping[0]] = np.inf
            most = min(self.per_stem, problem.n_conditions)
            best = np.argpartition(values, most - 1, axis=1)[:, :most]
            for stem, features, line in zip(alike, best.tolist(), values, strict=True):
                for feature in (each for each in features if line[each] < np.inf):
                    found.setdefault(tuple(sorted((*stem, feature))), float(line[feature]))
        return found


def _as_they_are(problem: PricingProblem, stems: Iterable[Features]) -> dict[Features, float]:
    """The stems themselves: rules with a condition less."""
    rules = [stem for stem in stems if stem]
    covered, _ = cover_sums(problem, rules, all_rows=False)
    prices = problem.condition_prices
    return {
        rule: float(sum_ + prices[list(rule)].sum() + problem.constant)
        for rule, sum_ in zip(rules, covered, strict=True)
    }


def _stems(rule: Features, max_conditions: int) -> Iterator[Features]:
    """The rule without one of its conditions, and the whole rule, if there is room for one more."""
    if len(rule) <= max_conditions:
        for left_out in range(len(rule)):
            yield (*rule[:left_out], *rule[left_out + 1 :])
    if len(rule) < max_conditions:
        yield rule
