"""Exact order statistics of a number column of any length: histograms of prefixes, finer with every pass.

The first pass counts the distinct values as long as there are few, and how many values begin with which 16 bits. Each
further pass looks closer at the intervals in which wanted ranks lie, until their distinct values are few enough to be
counted. What is found depends on the values alone, not on their order or on how they are cut into blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from rulecg_core.base.arrays import AnyArray, IntArray

FEW = 1 << 16
"""Up to so many distinct values of a column, or of an interval, are simply counted."""
FIRST_BITS, MORE_BITS = 16, 12
_SIGN = np.uint64(1 << 63)

Keys = NDArray[np.uint64]


def keys_of(values: AnyArray) -> Keys:
    """Give numbers as unsigned integers in the same order.

    >>> keys = keys_of(np.array([-1.5, -0.0, 0.0, 2.0]))
    >>> bool(np.all(np.diff(keys.astype(float)) >= 0)), values_of(keys, False).tolist()
    (True, [-1.5, 0.0, 0.0, 2.0])
    """
    if values.dtype.kind in "iu":
        return values.astype(np.int64).view(np.uint64) ^ _SIGN
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    return np.where(bits >= _SIGN, ~bits, bits | _SIGN)


def values_of(keys: Keys, is_whole: bool) -> AnyArray:
    """Give back the numbers that keys stand for."""
    if is_whole:
        return (keys ^ _SIGN).view(np.int64)
    return np.where(keys >= _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


@define(eq=False)
class _Interval:
    """All keys from ``low`` on that share their first bits with it."""

    low: int
    width: int
    """How many bits they do not share."""
    before: int
    """How many values are below the interval."""
    count: int
    counts: IntArray | None = field(init=False, default=None)
    """How many values have which next bits; None where the distinct keys are collected."""
    keys: Keys = field(init=False, factory=lambda: np.zeros(0, dtype=np.uint64))
    times: IntArray = field(init=False, factory=lambda: np.zeros(0, dtype=np.int64))

    def begin(self) -> None:
        # The narrowest intervals have few distinct keys, however many values there are.
        if self.count > FEW and self.width > MORE_BITS:
            self.counts = np.zeros(1 << min(MORE_BITS, self.width), dtype=np.int64)

    def add(self, keys: Keys) -> None:
        inside = keys[(keys - np.uint64(self.low)) >> np.uint64(self.width) == 0] if self.width < 64 else keys
        if not len(inside):
            return
        if self.counts is None:
            self.keys, self.times = _merged(self.keys, self.times, inside)
            return
        shift = np.uint64(self.width - min(MORE_BITS, self.width))
        self.counts += np.bincount(
            ((inside - np.uint64(self.low)) >> shift).astype(np.int64), minlength=len(self.counts)
        )


@define(eq=False)
class NumberSummary:
    """What is known about a column of numbers after some passes; ``is_whole`` where all are whole numbers.

    >>> summary = NumberSummary(True)
    >>> summary.add(np.array([3, 1, 3]))
    >>> values, counts = summary.condensed()
    >>> values.tolist(), counts.tolist()
    ([1, 3], [1, 2])
    """

    is_whole: bool
    count: int = 0
    is_first_pass: bool = True
    _keys: Keys | None = field(init=False, factory=lambda: np.zeros(0, dtype=np.uint64))
    _times: IntArray = field(init=False, factory=lambda: np.zeros(0, dtype=np.int64))
    _prefixes: IntArray = field(init=False, factory=lambda: np.zeros(1 << FIRST_BITS, dtype=np.int64))
    _known: list[_Interval] = field(init=False, factory=list)
    _pending: list[_Interval] = field(init=False, factory=list)

    def add(self, values: AnyArray) -> None:
        """Take in values of the first pass, without missing ones."""
        keys = keys_of(values)
        self.count += len(keys)
        if self._keys is not None:
            self._keys, self._times = _merged(self._keys, self._times, keys)
            if len(self._keys) > FEW:
                self._keys = None
        self._prefixes += np.bincount((keys >> np.uint64(64 - FIRST_BITS)).astype(np.int64), minlength=1 << FIRST_BITS)

    @property
    def is_exact(self) -> bool:
        """Whether every distinct value is known."""
        return self._keys is not None

    def want(self, ranks: Iterable[int], points: Sequence[float] = ()) -> bool:
        """Ask for the values at some ranks, the next larger one of each, and those around some points.

        Returns
        -------
        Whether another pass is needed: :meth:`look` at all values again, then ask again.
        """
        self.is_first_pass = False
        if self.is_exact:
            return False
        self._pending = []
        asked = set(ranks) | {0, self.count - 1}
        keys = keys_of(np.array(points, dtype=np.int64 if self.is_whole else np.float64))
        asked |= {self._count_below(int(key)) for key in keys.tolist()}
        found = [self._at(rank) for rank in sorted(asked)]
        if all(found):
            # The next larger value of each is another rank.
            found = [self._at(after) for after in sorted(self._after(rank) for rank in asked) if after < self.count]
        return bool(self._pending)

    def look(self, values: AnyArray) -> None:
        """Take in values of a further pass."""
        keys = keys_of(values)
        for interval in self._pending:
            interval.add(keys)

    def passed(self) -> None:
        """Note that a further pass has seen all values."""
        self._known += self._pending
        self._pending = []

    def condensed(self) -> tuple[AnyArray, IntArray]:
        """Give distinct values and how often each occurs; values between those asked for stand for their neighbours."""
        if self._keys is not None:
            return values_of(self._keys, self.is_whole), self._times
        leaves = sorted((each for each in self._known if each.counts is None), key=lambda each: each.low)
        keys: list[Keys] = []
        times: list[IntArray] = []
        seen = 0
        for leaf in leaves:
            if leaf.before > seen:
                keys.append(keys[-1][-1:] + np.uint64(1))
                times.append(np.array([leaf.before - seen]))
            keys.append(leaf.keys)
            times.append(leaf.times)
            seen = leaf.before + leaf.count
        return values_of(np.concatenate(keys), self.is_whole), np.concatenate(times)

    def _at(self, rank: int) -> bool:
        """Whether the value at a rank is known; else what has to be looked at is noted."""
        low, width, before, counts = 0, 64, 0, self._prefixes
        known = {(each.low, each.width): each for each in self._known}
        while True:
            sums = np.cumsum(counts)
            place = int(np.searchsorted(sums, rank - before, side="right"))
            width -= len(counts).bit_length() - 1
            low += place << width
            before += int(sums[place] - counts[place])
            interval = known.get((low, width))
            if interval is None:
                if all((each.low, each.width) != (low, width) for each in self._pending):
                    self._pending.append(_Interval(low, width, before, int(counts[place])))
                    self._pending[-1].begin()
                return False
            if interval.counts is None:
                return True
            counts = interval.counts

    def _leaf(self, rank: int) -> _Interval:
        return next(
            each for each in self._known if each.counts is None and each.before <= rank < each.before + each.count
        )

    def _after(self, rank: int) -> int:
        """The rank of the next larger value than that at a rank."""
        leaf = self._leaf(rank)
        upto = leaf.before + np.cumsum(leaf.times)
        return int(upto[np.searchsorted(upto, rank, side="right")])

    def _count_below(self, key: int) -> int:
        """A rank in the interval of a key, as far as intervals are known."""
        low, width, before, counts = 0, 64, 0, self._prefixes
        known = {(each.low, each.width): each for each in self._known}
        while True:
            width -= len(counts).bit_length() - 1
            place = (key - low) >> width
            before += int(counts[:place].sum())
            low += place << width
            interval = known.get((low, width))
            if interval is None or interval.counts is None:
                return min(before, self.count - 1)
            counts = interval.counts


def _merged(keys: Keys, times: IntArray, more: Keys) -> tuple[Keys, IntArray]:
    """Distinct keys and how often each occurs, with further keys taken in."""
    new, counts = np.unique(more, return_counts=True)
    if not len(keys):
        return new, counts.astype(np.int64)
    both, place = np.unique(np.concatenate([keys, new]), return_inverse=True)
    total = np.zeros(len(both), dtype=np.int64)
    np.add.at(total, place.reshape(-1), np.concatenate([times, counts]))
    return both, total
