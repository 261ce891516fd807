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
from .table import Samples

BATCH = 2_000_000
"""Conjunctions times conditions that are weighed at a time."""
MOST = 10_000_000
"""Prices that leave more conjunctions of one length to extend are refused."""


def within_reach(
    samples: Samples, prices: IntArray, costs: IntArray, size_price: int, max_conditions: int, reach: int
) -> Iterator[tuple[IntArray, NDArray[np.uint8], NDArray[np.float64]]]:
    """Conditions, covers (packed) and losses of all within reach, shortest first.

    ``prices`` are those of the positives, ``costs`` what covering each of the other samples costs.
    """
    n, n_samples = len(prices), len(samples.miss)
    largest = int(prices.sum() + costs.sum()) + size_price * (max_conditions + 2) + reach
    if largest >= 2**53:
        raise Refused("The prices are too large for exact sums.")
    # Conditions that keep little come first: they get the most others after them.
    order = np.argsort(prices @ samples.holds[:n], kind="stable")
    by_condition = np.packbits(samples.holds[:, order].T, axis=1)
    holds = samples.holds[:, order].astype(np.float32 if largest < 2**24 else np.float64)
    weights = np.concatenate([prices, costs]).astype(holds.dtype)
    weighed = holds * weights[:, None]
    rules, covers = np.zeros((1, 0), dtype=np.int64), np.packbits(np.ones((1, n_samples), dtype=bool), axis=1)
    for length in range(max_conditions):
        next_rules, next_covers = [], []
        if len(rules) > MOST:
            raise Refused(f"The prices leave more than {MOST} conjunctions of {length} conditions to extend.")
        for batch in np.array_split(np.arange(len(rules)), max(1, len(rules) * len(order) // BATCH)):
            # Conditions only join after the last one of a rule; in a batch the last ones are near each other.
            last = rules[batch, -1:] if length else np.full((1, 1), -1)
            first = int(last.min()) + 1
            follows = np.arange(first, len(order)) > last
            covered = np.unpackbits(covers[batch], axis=1, count=n_samples).astype(holds.dtype)
            gains, paid = covered[:, :n] @ weighed[:n, first:], covered[:, n:] @ weighed[n:, first:]
            losses, now = paid - gains + size_price * (length + 2), covered[:, n:] @ weights[n:, None]
            # A further condition that removes no cost only makes a rule longer and cover less.
            row, column = np.nonzero((losses <= reach) & follows & (paid < now))
            chosen = np.concatenate([rules[batch[row]], column[:, None] + first], axis=1)
            yield order[chosen], covers[batch[row]] & by_condition[column + first], losses[row, column]
            if length + 1 < max_conditions:
                # With q others, no more than now is gained, and no more cost removed than by the q largest removals.
                may = follows & (paid < now) & (gains >= size_price * (length + 3) - reach)
                removed = -np.sort(np.where(may, paid - now, 0), axis=1)[:, : max_conditions - length - 1]
                least = (
                    size_price * np.arange(1, removed.shape[1] + 1) - removed.cumsum(axis=1, dtype=np.float64)
                ).min(axis=1)
                row, column = np.nonzero(may & (losses + least[:, None] <= reach))
                next_rules.append(np.concatenate([rules[batch[row]], column[:, None] + first], axis=1))
                next_covers.append(covers[batch[row]] & by_condition[column + first])
        if not any(map(len, next_rules)):
            return
        rules, covers = _one_per_cover(np.concatenate(next_rules), np.concatenate(next_covers))


def _one_per_cover(rules: IntArray, covers: NDArray[np.uint8]) -> tuple[IntArray, NDArray[np.uint8]]:
    """Of conjunctions of one length that cover alike, the one whose last condition comes first (then the one before,
    ...): whatever may extend another one may extend it, and the result covers alike and comes first in the same way."""
    first_come = np.lexsort(rules.T)
    rules, covers = rules[first_come], covers[first_come]
    lines = np.ascontiguousarray(covers).view(np.dtype((np.void, covers.shape[1]))).ravel()
    kept = np.sort(np.unique(lines, return_index=True)[1])
    return rules[kept], covers[kept]
