"""Every conjunction that prices leave within reach, by enumeration.

Prices are one number for each positive and one for each unit of size. A rule's *loss* is what it costs, plus the price
of its size, minus the prices of the positives it covers. All conjunctions with a loss up to ``reach`` are found, but for
those that another one replaces in every rule set: one that is no longer, covers every positive that it covers, and
costs no more. Numbers are whole; matrix products hold them in float64, whose sums are exact below 2^53.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .certificate_file import IntArray, Refused
from .table import BoolArray, Samples

FloatArray = NDArray[np.float64]
ByteArray = NDArray[np.uint8]
BATCH = 2_000_000
"""Conjunctions times conditions that are weighed at a time."""
MOST_NODES = 30_000_000
"""Prices that leave more conjunctions to extend are refused."""


@dataclass(frozen=True)
class Found:
    """Some conjunctions within reach, of equal length."""

    conditions: IntArray
    covers: ByteArray
    """Conjunctions × samples that cost anything, packed."""
    losses: FloatArray


@dataclass(frozen=True)
class Prices:
    """What a conjunction's loss is made of."""

    positives: IntArray
    """Of every sample; 0 where it costs nothing when missed."""
    costs: IntArray
    per_size: int
    max_conditions: int
    reach: int


def within_reach(samples: Samples, prices: Prices) -> Iterator[Found]:
    """All conjunctions with a loss of at most the reach, shortest first, one for each that others do not replace."""
    used = np.flatnonzero((samples.miss > 0) | (samples.cover > 0))
    worth, costs = prices.positives[used].astype(np.float64), prices.costs[used].astype(np.float64)
    if worth.sum() + costs.sum() + prices.per_size * 100 + abs(prices.reach) >= 2**53:
        raise Refused("The prices are too large for exact sums.")
    # Conditions that keep little come first: they get the most others after them.
    order = np.argsort(worth @ samples.holds[used], kind="stable")
    holds = samples.holds[used][:, order].astype(np.float64)
    by_condition = np.packbits(samples.holds[used][:, order].T, axis=1)
    weighed = np.concatenate([worth[:, None] * holds, costs[:, None] * holds], axis=1)
    rules, covers = np.zeros((1, 0), dtype=np.int64), np.packbits(np.ones((1, len(used)), dtype=bool), axis=1)
    n_nodes = 0
    for length in range(prices.max_conditions):
        next_rules, next_covers = [], []
        n_nodes += len(rules)
        if n_nodes > MOST_NODES:
            raise Refused(f"The prices leave more than {MOST_NODES} conjunctions to extend.")
        for batch in np.array_split(np.arange(len(rules)), max(1, len(rules) * len(order) // BATCH)):
            covered = np.unpackbits(covers[batch], axis=1, count=len(used)).astype(np.float64)
            gains, paid = np.split(covered @ weighed, 2, axis=1)
            removed = (covered @ costs)[:, None] - paid
            # A further condition that removes no cost only makes a rule longer and cover less.
            may = (removed > 0) & (gains >= prices.per_size * (length + 2) - prices.reach)
            if length:
                may &= np.arange(len(order)) > rules[batch, -1:]
            losses = paid - gains + prices.per_size * (length + 2)
            row, column = np.nonzero(may & (losses <= prices.reach))
            chosen = np.concatenate([rules[batch[row]], column[:, None]], axis=1)
            yield Found(order[chosen], covers[batch[row]] & by_condition[column], losses[row, column])
            if length + 1 < prices.max_conditions:
                within = _worth_extending(np.where(may, gains, 0.0), paid, np.where(may, removed, 0.0), length, prices)
                row, column = np.nonzero(may & within)
                next_rules.append(np.concatenate([rules[batch[row]], column[:, None]], axis=1))
                next_covers.append(covers[batch[row]] & by_condition[column])
        if not next_rules:
            return
        rules, covers = _one_per_cover(np.concatenate(next_rules), np.concatenate(next_covers))


def _worth_extending(
    gains: FloatArray, paid: FloatArray, removed: FloatArray, length: int, prices: Prices
) -> BoolArray:
    """Which conditions can be in a rule within reach that has further ones besides.

    With q others, the rule gains no more than the weakest of its conditions keeps, g; the others keep at least g, too,
    so they remove no more than the q largest removals among all conditions that keep g. For every g in turn:
    loss >= paid - (q largest removals) - g + price of the size, and loss >= price of the size - g.
    """
    order = np.argsort(-gains, axis=1, kind="stable")
    gain, removal = np.take_along_axis(gains, order, 1), np.take_along_axis(removed, order, 1)
    cost = np.take_along_axis(paid, order, 1)
    kept, largest = np.zeros(gains.shape, dtype=bool), np.zeros(gains.shape)
    for others in range(1, prices.max_conditions - length):
        # The next largest so far: what was displaced before from the places of the larger ones.
        top = np.maximum.accumulate(removal, axis=1)
        removal = np.minimum(removal, np.concatenate([np.zeros((len(top), 1)), top[:, :-1]], axis=1))
        largest += top
        least = np.minimum.accumulate((-largest - gain)[:, ::-1], axis=1)[:, ::-1]
        size_price = prices.per_size * (length + 2 + others)
        kept |= (cost + least + size_price <= prices.reach) & (size_price - gain <= prices.reach)
    extended = np.zeros(gains.shape, dtype=bool)
    np.put_along_axis(extended, order, kept, 1)
    return extended


def _one_per_cover(rules: IntArray, covers: ByteArray) -> tuple[IntArray, ByteArray]:
    """Of conjunctions of one length that cover alike, the one whose last condition comes first (then the one before,
    ...): whatever may extend another one may extend it, and the result covers alike and comes first in the same way."""
    first_come = np.lexsort(rules.T)
    rules, covers = rules[first_come], covers[first_come]
    lines = np.ascontiguousarray(covers).view(np.dtype((np.void, covers.shape[1]))).ravel()
    kept = np.sort(np.unique(lines, return_index=True)[1])
    return rules[kept], covers[kept]
