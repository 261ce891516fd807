"""Beam search over conjunctions: the paper's "Pricing Heuristic", and wider and randomised variants of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from attrs import field, frozen

from rulecg_core import (
    NEGATIVE,
    AnyArray,
    BoolArray,
    ConfigurationError,
    FloatArray,
    IntArray,
    Pricer,
    PricingLimits,
    PricingProblem,
    PricingResult,
    Rule,
    Stop,
)

from ..common.chains import exclusive_numbers
from ..common.passes import Extensions, bounded, cover_sums, extend, negative_rules
from ..common.toy import run_once


def _as_widths(widths: Any) -> tuple[int, ...]:
    """Widths from a number, from numbers, or from text such as ``50/20/6``."""
    if isinstance(widths, str):
        widths = widths.split("/")
    try:
        return tuple(int(width) for width in (widths if isinstance(widths, Iterable) else [widths]))
    except (TypeError, ValueError):
        raise ConfigurationError(f"Beam widths are whole numbers such as 50/20/6, not {widths!r}.") from None


def _counts(instance: object, attribute: Any, value: tuple[int, ...]) -> None:
    if not value or min(value) < 1:
        raise ConfigurationError(f"{attribute.name} must hold whole numbers of at least 1, not {value!r}.")


def _as_shares(shares: Any) -> tuple[float, ...]:
    return tuple(float(share) for share in (shares if isinstance(shares, Iterable) else [shares]))


def _shares(instance: object, attribute: Any, value: tuple[float, ...]) -> None:
    if not value:
        raise ConfigurationError(f"{attribute.name} needs at least one number between 0 and 1.")
    for share in value:
        _share(instance, attribute, share)


def _share(instance: object, attribute: Any, value: float) -> None:
    if not 0 <= value <= 1:
        raise ConfigurationError(f"{attribute.name} must be between 0 and 1, not {value!r}.")


def _not_negative(instance: object, attribute: Any, value: float) -> None:
    if not 0 <= value < np.inf:
        raise ConfigurationError(f"{attribute.name} must be a finite number of at least 0, not {value!r}.")


@frozen(eq=False)
class _Beam:
    """The rules of one level, all of the same length."""

    members: IntArray
    """Rules × their features."""
    allowed: BoolArray
    """Rules × all features: those not ruled out for the rule and for everything that extends it."""
    negative: FloatArray
    """Sum of the negative weights that each rule covers; not a number for the empty rule, which is none."""
    positive: FloatArray
    price: FloatArray
    """What each rule's conditions cost."""


@frozen
class BeamSearch(Pricer):
    """Beam search, widths 50, 20, 6, 6, 5: fast, never claims a bound.

    Parameters
    ----------
    widths : tuple of int, or text such as "50/20/6"
        How many rules of each length are extended; longer rules use the last width.
    same_start : tuple of int, or text
        At most so many returned rules share their first condition, their first two, and so on.
    foresight : float or tuple of float
        How much of a short rule's positive weights further conditions are expected to take away when rules are chosen
        for extension. 0 compares rules as they are (the paper's way); 1 counts positive weights by the share of
        conditions already used, so that rules that cover much are kept. With several numbers, each has its say in
        turn: on real problems two ways to look at rules lead further than one with the same width.
    feature_share : float
        Share of the conditions, drawn anew for each call, that rules may use.
    noise : float
        Rules are chosen for extension by their value plus noise of this share of the values' spread.

    Raises
    ------
    ConfigurationError
        When a number is out of its range.

    Examples
    --------
    >>> BeamSearch(widths="20/5").widths
    (20, 5)
    """

    counts_work: ClassVar[bool] = True

    widths: tuple[int, ...] = field(default=(50, 20, 6, 6, 5), converter=_as_widths, validator=_counts)
    same_start: tuple[int, ...] = field(default=(12, 6, 4, 3), converter=_as_widths, validator=_counts)
    foresight: tuple[float, ...] = field(default=(0.0, 0.5), converter=_as_shares, validator=_shares)
    feature_share: float = field(default=1.0, validator=_share)
    noise: float = field(default=0.0, validator=_not_negative)

    def prepare(self) -> None:
        """Load, or compile once, what the search runs on."""
        run_once(self)

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        """Extend the best rules of each length by one condition, up to the longest.

        Parameters
        ----------
        problem : PricingProblem
            What is to be priced.
        limits : PricingLimits
            Deadline, threads and number of rules.
        rng : numpy.random.Generator
            Draws conditions and noise; not used by the plain beam.

        Returns
        -------
        PricingResult
            Rules with negative reduced cost, best first, without a bound.
        """
        prices = problem.condition_prices
        # What further conditions can at best bring by their price alone: nothing, unless prices are negative.
        gains = np.concatenate([[0.0], np.cumsum(np.sort(np.minimum(prices, 0.0)))])
        beam = _Beam(
            members=np.empty((1, 0), dtype=np.int64),
            allowed=self._draw_features(problem.n_conditions, rng)[None, :],
            negative=np.array([np.nan]),
            positive=np.array([np.nan]),
            price=np.zeros(1),
        )
        found: dict[tuple[int, ...], float] = {}
        stop = Stop.COMPLETED
        for length in range(1, min(problem.max_conditions, problem.n_conditions) + 1):
            if not beam.allowed.any():
                break
            extensions = extend(problem, beam.members, limits)
            if extensions is None:
                stop = Stop.TIME_LIMIT
                break
            price = beam.price[:, None] + prices + problem.constant
            further = gains[min(problem.max_conditions - length, problem.n_conditions)]
            allowed = beam.allowed & (extensions.negative + price + further < NEGATIVE)
            keeping = bounded(problem, beam.members, limits) if problem.bounds else None
            if problem.bounds and keeping is None:
                stop = Stop.TIME_LIMIT
                break
            if keeping is not None:
                allowed &= keeping[1]
            values = extensions.covered + price
            values[~allowed | _idle(extensions, beam, prices)] = np.inf
            good = values < 0 if keeping is None else (values < 0) & keeping[0]
            for row, column in _least(np.where(good, values, np.inf), 4 * limits.max_rules):
                rule = tuple(sorted([*beam.members[row].tolist(), int(column)]))
                found.setdefault(rule, float(values[row, column]))
            if length < problem.max_conditions:
                width = self.widths[min(length, len(self.widths)) - 1]
                used = length / problem.max_conditions
                orders = [
                    _least(self._blurred(values - foresight * (1 - used) * extensions.positive, rng), 200 + 4 * width)
                    for foresight in self.foresight
                ]
                order = _in_turn(orders)
                chosen = _distinct(problem, beam, extensions, order, width)
                beam = _next(problem, beam, extensions, allowed, chosen)
        return PricingResult(self._diverse(problem, found, limits.max_rules), None, stop)

    def _draw_features(self, n_conditions: int, rng: np.random.Generator) -> BoolArray:
        drawn = np.ones(n_conditions, dtype=bool)
        if self.feature_share < 1:
            drawn[rng.permutation(n_conditions)[max(1, round(self.feature_share * n_conditions)) :]] = False
        return drawn

    def _blurred(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        finite = values[np.isfinite(values)]
        if not self.noise or not len(finite):
            return values
        return values + rng.normal(0.0, self.noise * float(finite.std()), values.shape)

    def _diverse(
        self, problem: PricingProblem, found: dict[tuple[int, ...], float], most: int
    ) -> tuple[Rule, ...]:
        """The best rules, with a limit on how many start alike; values are summed again before they are believed."""
        starts: Counter[tuple[int, ...]] = Counter()
        chosen: list[Rule] = []
        for features in sorted(found, key=lambda features: (found[features], features)):
            prefixes = [features[: length + 1] for length in range(min(len(features) - 1, len(self.same_start)))]
            if any(starts[prefix] >= self.same_start[len(prefix) - 1] for prefix in prefixes):
                continue
            starts.update(prefixes)
            chosen.append(Rule(features))
            if len(chosen) == 2 * most:
                break
        return negative_rules(problem, chosen)[:most]


@frozen
class WideBeam(BeamSearch):
    """Beam search, six times wider: for when the narrow beam finds no more."""

    widths: tuple[int, ...] = field(default=(300, 200, 100, 60, 40), converter=_as_widths, validator=_counts)


@frozen
class RandomBeam(WideBeam):
    """Wide beam search over random features with noisy choices: other rules on each call."""

    foresight: tuple[float, ...] = field(default=(0.5,), converter=_as_shares, validator=_shares)
    feature_share: float = field(default=0.8, validator=_share)
    noise: float = field(default=0.3, validator=_not_negative)


def _least(values: FloatArray, most: int) -> IntArray:
    """Positions (row, column) of the least finite values, in order."""
    flat = values.ravel()
    kept = np.sort(np.argpartition(flat, most)[:most]) if most < len(flat) else np.arange(len(flat))
    kept = kept[np.isfinite(flat[kept])]
    kept = kept[np.argsort(flat[kept], kind="stable")]
    return np.column_stack(np.unravel_index(kept, values.shape))


def _in_turn(orders: list[IntArray]) -> IntArray:
    """The first of each, the second of each, and so on."""
    ranks = np.concatenate([np.arange(len(order)) for order in orders])
    return np.concatenate(orders)[np.argsort(ranks, kind="stable")]


def _idle(extensions: Extensions, beam: _Beam, prices: FloatArray) -> BoolArray:
    """Features that take nothing away from the rule: it stays as it is, only longer."""
    lost = (extensions.negative - beam.negative[:, None]) + (beam.positive[:, None] - extensions.positive)
    scale = 1e-6 * (extensions.positive - extensions.negative)
    return np.asarray((lost <= scale) & (prices >= 0))


def _distinct(
    problem: PricingProblem, beam: _Beam, extensions: Extensions, order: IntArray, width: int
) -> IntArray:
    """The first rules of the order that differ in the samples they cover: copies would crowd out other rules."""
    members = np.sort(np.column_stack([beam.members[order[:, 0]], order[:, 1]]), axis=1)
    first = _first_of_each(members)
    order, members = order[first], members[first]
    # Only rules with equal sums can cover the same samples; for most, that settles it without a look at the data.
    sums = np.column_stack([part[order[:, 0], order[:, 1]] for part in (extensions.negative, extensions.positive)])
    _, kinds, sizes = np.unique(np.round(sums, 4), axis=0, return_inverse=True, return_counts=True)
    doubtful = np.flatnonzero(sizes[kinds.reshape(-1)] > 1)
    keys = np.arange(len(order), dtype=np.uint64)
    keys[doubtful] = cover_sums(problem, members[doubtful].tolist(), all_rows=False)[1]
    return order[_first_of_each(keys)[:width]]


def _first_of_each(entries: AnyArray) -> IntArray:
    """Positions of the first of equal entries, in their order."""
    return np.sort(np.unique(entries, axis=0, return_index=True)[1])


def _next(
    problem: PricingProblem, beam: _Beam, extensions: Extensions, allowed: BoolArray, chosen: IntArray
) -> _Beam:
    """The chosen rules (parent, added feature) with the features that may still extend them."""
    parents, added = chosen.T
    inherited = allowed[parents]
    # A feature does not come twice, nor do two nested ones.
    numbers = exclusive_numbers(problem)
    inherited[numbers[added][:, None] == numbers] = False
    return _Beam(
        members=np.column_stack([beam.members[parents], added]),
        allowed=inherited,
        negative=extensions.negative[parents, added],
        positive=extensions.positive[parents, added],
        price=beam.price[parents] + problem.condition_prices[added],
    )
