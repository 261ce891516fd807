"""Which pairs of listed rules have to be tried: those that fit together and whose losses are within reach."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..base.arrays import FloatArray, IntArray

MOST_KINDS = 12
"""With more sizes than this, rules are not told apart by size."""
PAIR_ROWS = 128
"""How many rules are tried with their partners in one matrix product."""


def n_pairs(losses: FloatArray, reach: float) -> int:
    """How many pairs lose no more than is in reach, roughly."""
    return int(np.searchsorted(losses, reach - losses, side="right").sum()) // 2


def fitting_pairs(
    sizes: FloatArray, limits: FloatArray, losses: FloatArray, reach: float
) -> Iterator[tuple[IntArray, IntArray]]:
    """Blocks of rules and of partners for them, by position: every pair that fits and is in reach is in one of them.

    ``sizes`` are rows × rules, ``losses`` ascend. Rules are grouped by size, so that two long ones, of which there are
    most, are not tried where only one has room.
    """
    kinds, which = np.unique(sizes.sum(axis=0), return_inverse=True)
    if len(kinds) > MOST_KINDS:
        which = np.zeros(len(losses), dtype=np.int64)
    groups = [np.flatnonzero(which == kind) for kind in range(which.max(initial=-1) + 1)]
    least = [sizes[:, group].min(axis=1) for group in groups]
    for at, group in enumerate(groups):
        for other_at, other in enumerate(groups[: at + 1]):
            if np.all(least[at] + least[other_at] <= limits):
                yield from _blocks(group, other, losses, reach)


def _blocks(group: IntArray, other: IntArray, losses: FloatArray, reach: float) -> Iterator[tuple[IntArray, IntArray]]:
    if len(other) > len(group):
        group, other = other, group
    ends = np.searchsorted(losses[group], reach - losses[other], side="right")
    for at in range(0, len(other), PAIR_ROWS):
        # Within one group a pair need not be tried both ways.
        first, last = at if group is other else 0, int(ends[at])
        if last <= first:
            return
        yield other[at : at + PAIR_ROWS], group[first:last]
