"""A bound over all rules on all rows: rules are enumerated length by length, and each is priced by sums of integers.

The duals of the relaxation over some rules give every pattern of rows a price. Prices are rounded down to a grid, so
that what is computed from them is never above the truth. Rules whose optimistic price is least are looked into first;
when the work runs out, the optimistic prices of the others still bound what is in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import PricingProblem, Rule, total_of
from rulecg_core.base.arrays import IntArray
from rulecg_kernels.partition_sums import add_extension_sums, write_covers, write_reordered

from .manifest import Cell, Partition
from .open_partition import OpenPartition, Words, opened
from .patterns import Counted, Signatures, signatures_in
from .questions import ALL_ONES, NO_FLIP, Features, blocks, rule_lines
from .samples import PartitionedSamples

GRID = 2**20
"""Prices of rows are multiples of one over this."""
BASES_AT_ONCE = 1024
_WORDS = 1 << 12
FOUND = 20
"""So many of the cheapest rules are told."""


@frozen(eq=False)
class Prices:
    """What covering a row costs, by its cell and its pattern, in grains; rows of one price are a class."""

    rules: tuple[Features, ...]
    """The rules that make the patterns."""
    cells: tuple[Cell, ...]
    starts: IntArray
    """Where the patterns of each cell begin."""
    signatures: Signatures
    classes: IntArray
    """The class of every pattern; -1 where rows cost nothing."""
    values: IntArray
    """The price of every class."""
    flipped: bool = False

    @classmethod
    def of(
        cls, samples: PartitionedSamples, counted: Counted, rules: Sequence[Rule], pricing: PricingProblem, weights: Any
    ) -> Prices:
        """Round the prices of patterns down; ``weights`` are those of the patterns in the pricing problem."""
        per_row = np.floor(pricing.sample_weights / weights * GRID).astype(np.int64)
        values, classes = np.unique(per_row, return_inverse=True)
        classes = np.where(per_row == 0, -1, classes.reshape(-1))
        starts = np.searchsorted(counted.cells, np.arange(len(samples.manifest.cells) + 1))
        used = tuple(rule.features for rule in rules[: counted.n_rules])
        flipped = samples.logic == "cnf"
        return cls(used, samples.manifest.cells, starts, counted.signatures, classes, values, flipped)

    def classes_in(self, data: OpenPartition, words: tuple[int, int]) -> IntArray:
        """The class of every row of some words."""
        signatures = signatures_in(data, rule_lines(self.rules), self.flipped, words)
        place: dict[Any, int] = {cell: number for number, cell in enumerate(self.cells)}
        classes = np.full(len(signatures), -1, dtype=np.int64)
        for segment in data.partition.segments:
            low, high = max(segment.start, words[0]), min(segment.stop, words[1])
            if low >= high:
                continue
            own = slice(64 * (low - words[0]), 64 * (high - words[0]))
            cell = place[segment.cell]
            known = slice(int(self.starts[cell]), int(self.starts[cell + 1]))
            # Bits after a cell's last row have patterns that may be unknown; they weigh nothing.
            at = np.searchsorted(self.signatures[known], signatures[own])
            at = np.minimum(at, known.stop - known.start - 1)
            classes[own] = self.classes[known][at]
        return classes


@frozen(eq=False)
class PricedExtensions:
    """For every base and every feature: what rows with all of them cost, and what those of negative price cost."""

    prices: Prices
    bases: tuple[Features, ...]
    features: tuple[int, ...]

    def __call__(self, partition: Partition) -> tuple[IntArray, IntArray]:
        """Add up in one partition."""
        values = self.prices.values
        sums = np.zeros((len(self.bases), len(self.features), len(values)), dtype=np.int64)
        with opened(partition) as data:
            for words in blocks(partition.n_words, _WORDS):
                self._add(data, words, sums)
        return sums @ values, sums @ np.minimum(values, 0)

    def _add(self, data: OpenPartition, words: tuple[int, int], sums: IntArray) -> None:
        classes = self.prices.classes_in(data, words)
        order, bounds = _by_class(classes, len(self.prices.values))
        if not len(order):
            return
        bits, planes = (_reordered(each, words[0], order) for each in (data.bits, data.planes))
        flip = ALL_ONES if self.prices.flipped else NO_FLIP
        covers = np.empty((len(self.bases), bits.shape[1]), dtype=np.uint64)
        write_covers(bits, flip, rule_lines(self.bases), 0, covers)
        features = np.array(self.features, dtype=np.int64)
        for start, stop in blocks(bits.shape[1], 256):
            inside = np.clip(bounds, start, stop) - start
            for digit, plane in enumerate(planes[:, start:stop]):
                if plane.any():
                    weighed = covers[:, start:stop] & plane
                    add_extension_sums(bits, features, flip, weighed, start, inside, 1 << digit, sums)


def _by_class(classes: IntArray, n_classes: int) -> tuple[IntArray, IntArray]:
    """The rows of each class together, each class from a word of its own on; and where classes begin."""
    rows = np.argsort(classes, kind="stable")
    rows = rows[classes[rows] >= 0]
    sizes = np.bincount(classes[rows], minlength=n_classes)
    words = -(-sizes // 64)
    bounds = np.concatenate([[0], np.cumsum(words)]).astype(np.int64)
    order = np.full(64 * int(bounds[-1]), -1, dtype=np.int64)
    own = classes[rows]
    order[np.arange(len(rows)) - (np.cumsum(sizes) - sizes)[own] + 64 * bounds[own]] = rows
    return order, bounds


def _reordered(lines: Words, start: int, order: IntArray) -> Words:
    made = np.empty((len(lines), len(order) // 64), dtype=np.uint64)
    write_reordered(lines, start, order, made)
    return made


@frozen(eq=False)
class PricingBound:
    """No rule has a reduced cost below ``value``; ``rules`` are the cheapest that were met, ``work`` what it took."""

    value: float
    rules: tuple[Rule, ...]
    is_complete: bool
    work: float
    """Words of rows that were weighed."""


@frozen(eq=False)
class Enumeration:
    """Enumerates rules on all rows.

    Parameters
    ----------
    samples : PartitionedSamples
        The rows.
    max_conditions : int
        The most conditions of a rule.
    work : float
        The most words to be weighed: rules × conditions × rows / 64.
    """

    samples: PartitionedSamples
    max_conditions: int
    work: float

    def bound(self, prices: Prices, pricing: PricingProblem, unit: float, enough: float) -> PricingBound:
        """Bound the reduced costs of all rules with conditions; those above ``-enough`` need not be looked into."""
        if pricing.condition_price < 0:
            return PricingBound(-math.inf, (), False, 0.0)
        n_words = sum(partition.n_words for partition in self.samples.manifest.partitions)
        chains = self._chains()
        frontier: list[Features] = [()]
        least, left, found = math.inf, self.work, dict[Features, float]()
        is_complete = True
        for length in range(1, self.max_conditions + 1):
            made: list[tuple[float, Features]] = []
            for bases, features in self._chunks(frontier):
                left -= len(bases) * len(features) * n_words
                question = PricedExtensions(prices, bases, features)
                covered, negative = total_of(self.samples.engine, question, self.samples.manifest.partitions)
                fixed = pricing.condition_price * length + pricing.constant
                costs, hopes = (sums / GRID / unit + fixed for sums in (covered, negative))
                usable = _usable(bases, features, chains)
                least = min(least, float(costs[usable].min(initial=math.inf)))
                for base, at in np.argwhere(usable & (costs < 0)):
                    rule = (*bases[base], features[at])
                    found[rule] = float(costs[base, at])
                found = dict(sorted(found.items(), key=lambda each: (each[1], each[0]))[:FOUND])
                if length < self.max_conditions:
                    # A further condition costs at least nothing, and keeps at best what has a negative price.
                    hopes = hopes + pricing.condition_price
                    # Once something cheaper is met, what cannot be cheaper still need not be looked into.
                    deep = usable & (hopes < min(-enough, least))
                    least = min(least, float(hopes[usable & ~deep].min(initial=math.inf)))
                    made += [(float(hopes[b, f]), (*bases[b], features[f])) for b, f in np.argwhere(deep)]
            made.sort()
            affordable = self._affordable([rule for _, rule in made], left / n_words)
            if len(made) > affordable:
                # What is not looked into is bounded by the best that can be hoped for.
                least, is_complete = min(least, made[affordable][0]), False
                made = made[:affordable]
            frontier = [rule for _, rule in made]
            if not frontier:
                break
        return PricingBound(least, tuple(map(Rule, found)), is_complete, self.work - left)

    def _affordable(self, bases: Sequence[Features], left: float) -> int:
        """How many bases can be extended by all conditions after their last one, with so many sums."""
        allowed = np.array(self.samples.allowed)
        last = np.array([base[-1] for base in bases], dtype=np.int64)
        sums = len(allowed) - np.searchsorted(allowed, last, side="right")
        return int(np.searchsorted(np.cumsum(sums), left, side="right"))

    def _chains(self) -> dict[int, Any]:
        conditions = self.samples.manifest.conditions
        return {at: conditions[at].chain or at for at in self.samples.allowed}

    def _chunks(self, frontier: list[Features]) -> list[tuple[tuple[Features, ...], tuple[int, ...]]]:
        """Bases with the features that come after their last one; those that end alike together."""
        ordered = sorted(frontier, key=lambda rule: (-1 if not rule else rule[-1], rule))
        chunks = []
        for start in range(0, len(ordered), BASES_AT_ONCE):
            bases = tuple(ordered[start : start + BASES_AT_ONCE])
            first = bases[0][-1] if bases[0] else -1
            features = tuple(at for at in self.samples.allowed if at > first)
            if features:
                chunks.append((bases, features))
        return chunks


def _usable(bases: Sequence[Features], features: Sequence[int], chains: dict[int, Any]) -> Any:
    """Which features come after a base's last one and are not nested with any of it."""
    usable = np.array([[feature > (base[-1] if base else -1) for feature in features] for base in bases])
    for row, base in zip(usable, bases, strict=True):
        own = {chains[at] for at in base}
        if own:
            row &= [chains[feature] not in own for feature in features]
    return usable

