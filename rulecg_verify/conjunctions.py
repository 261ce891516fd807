"""Every conjunction that prices leave within reach, by enumeration.

Prices are one number for each positive and one for each unit of size. A rule's *loss* is what it costs, plus the price
of its size, minus the prices of the positives it covers. All conjunctions with a loss up to ``reach`` are found, but
for those that another one replaces in every rule set: one that is no longer, covers every positive that it covers, and
costs no more. Numbers are whole; matrix products hold them in float64, whose sums are exact below 2^53.
"""

from collections.abc import Iterator

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


def within_reach(
    samples: Samples, worth: IntArray, costs: IntArray, size_price: int, max_conditions: int, reach: int
) -> Iterator[tuple[IntArray, ByteArray, FloatArray]]:
    """Conditions, covers (packed: positives, then samples with a cost) and losses of all within reach, shortest first.

    ``worth`` are the prices of samples, 0 unless missing them costs something, ``costs`` what covering them costs.
    """
    used = np.concatenate([samples.positives, np.flatnonzero(samples.cover > 0)])
    worth, costs, n = worth[used], costs[used], len(samples.positives)
    largest = int(worth.sum() + costs.sum()) + size_price * (max_conditions + 2) + reach
    if largest >= 2**53:
        raise Refused("The prices are too large for exact sums.")
    # Conditions that keep little come first: they get the most others after them.
    order = np.argsort(worth @ samples.holds[used], kind="stable")
    by_condition = np.packbits(samples.holds[used][:, order].T, axis=1)
    holds = samples.holds[used][:, order].astype(np.float32 if largest < 2**24 else np.float64)
    weighed = holds * np.concatenate([worth[:n], costs[n:]])[:, None].astype(holds.dtype)
    rules, covers = np.zeros((1, 0), dtype=np.int64), np.packbits(np.ones((1, len(used)), dtype=bool), axis=1)
    n_nodes = 0
    for length in range(max_conditions):
        next_rules, next_covers = [], []
        n_nodes += len(rules)
        if n_nodes > MOST_NODES:
            raise Refused(f"The prices leave more than {MOST_NODES} conjunctions to extend.")
        for batch in np.array_split(np.arange(len(rules)), max(1, len(rules) * len(order) // BATCH)):
            # Conditions only join after the last one of a rule; in a batch the last ones are near each other.
            last = rules[batch, -1:] if length else np.full((1, 1), -1)
            first = int(last.min()) + 1
            follows = np.arange(first, len(order)) > last
            covered = np.unpackbits(covers[batch], axis=1, count=len(used)).astype(holds.dtype)
            gains, paid = covered[:, :n] @ weighed[:n, first:], covered[:, n:] @ weighed[n:, first:]
            losses, now = paid - gains + size_price * (length + 2), covered[:, n:] @ costs[n:, None].astype(holds.dtype)
            # A further condition that removes no cost only makes a rule longer and cover less.
            row, column = np.nonzero((losses <= reach) & follows & (paid < now))
            chosen = np.concatenate([rules[batch[row]], column[:, None] + first], axis=1)
            yield order[chosen], covers[batch[row]] & by_condition[column + first], losses[row, column]
            if length + 1 < max_conditions:
                may = follows & (paid < now) & (gains >= size_price * (length + 3) - reach)
                sizes = [size_price * size for size in range(length + 3, max_conditions + 2)]
                within = _worth_extending(np.where(may, gains, 0), paid, np.where(may, now - paid, 0), sizes, reach)
                row, column = np.nonzero(may & within)
                next_rules.append(np.concatenate([rules[batch[row]], column[:, None] + first], axis=1))
                next_covers.append(covers[batch[row]] & by_condition[column + first])
        if not any(map(len, next_rules)):
            return
        rules, covers = _one_per_cover(np.concatenate(next_rules), np.concatenate(next_covers))


def _worth_extending(
    gains: FloatArray, paid: FloatArray, removed: FloatArray, size_prices: list[int], reach: int
) -> BoolArray:
    """Which conditions can be in a rule within reach that has 1, 2, ... further ones, of these prices of the size.

    With q others, the rule gains no more than the weakest of its conditions keeps, g; the others keep at least g, too,
    so they remove no more than the q largest removals among all conditions that keep g. For every g in turn:
    loss >= paid - (q largest removals) - g + price of the size, and loss >= price of the size - g.
    """
    order = np.argsort(-gains, axis=1, kind="stable")
    gain, removal = np.take_along_axis(gains, order, 1), np.take_along_axis(removed, order, 1)
    cost = np.take_along_axis(paid, order, 1)
    kept, largest = np.zeros(gains.shape, dtype=bool), np.zeros_like(gains)
    for size_price in size_prices:
        # The next largest so far: what was displaced before from the places of the larger ones.
        top = np.maximum.accumulate(removal, axis=1)
        removal = np.minimum(removal, np.concatenate([np.zeros_like(top[:, :1]), top[:, :-1]], axis=1))
        largest += top
        least = np.minimum.accumulate((-largest - gain)[:, ::-1], axis=1)[:, ::-1]
        kept |= (cost + least + size_price <= reach) & (size_price - gain <= reach)
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
