"""Which positives the rules of a list cover, packed eight and sixty-four at a time.

A list has a hundred thousand rules, each looked at again and again with other duals: packed, their covers stay in the
processor's caches. No matrix products: a linear algebra library that shares its cores with others waits more than it
works on so many small ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ..base.arrays import AnyArray, BoolArray, ByteArray, FloatArray, IntArray

CAN_COUNT_BITS = hasattr(np, "bitwise_count")
"""NumPy counts bits from version 2 on."""
CHUNK = 2_000
"""With how many rules others are compared at a time: more would not stay in the caches."""
MOST_PLANES = 20
"""Weights with more binary digits are treated as if they were not whole."""


class ListedCovers:
    """The covers of rules over positives with weights."""

    def __init__(self, covers: Iterable[BoolArray], weights: FloatArray) -> None:
        """``covers`` are rules × positives, some rules at a time."""
        self.weights = weights
        self._by_bits = CAN_COUNT_BITS and _are_whole(weights)
        self._columns, self._scales = _planes(weights) if self._by_bits else (np.zeros(0, dtype=np.int64), [])
        packed = [np.packbits(some, axis=1) for some in covers]
        n_bytes = -(-len(weights) // 8)
        self.bytes: ByteArray = np.concatenate([*packed, np.zeros((0, n_bytes), dtype=np.uint8)])
        words = [self._words(np.unpackbits(some, axis=1, count=len(weights)).view(np.bool_)) for some in packed]
        self.words: AnyArray = np.concatenate([*words, np.zeros((0, len(self._scales)), dtype=np.uint64)])

    def __len__(self) -> int:
        return len(self.bytes)

    def of(self, which: IntArray | int) -> BoolArray:
        """The covers of some rules, or of one."""
        return np.unpackbits(self.bytes[which], axis=-1, count=len(self.weights)).view(np.bool_)

    def by_byte(self, which: IntArray) -> ByteArray:
        """The covers of some rules in the form that :func:`sums` wants."""
        return np.ascontiguousarray(self.bytes[which].T)

    def gains(self, which: IntArray, is_open: BoolArray) -> FloatArray:
        """For each of some rules, the weight of the open positives that it covers."""
        if not self._by_bits:
            return sums(self.by_byte(which), np.where(is_open, self.weights, 0.0))
        counts = np.bitwise_count(self.words[which] & self._words(is_open[None]))
        return np.asarray(counts @ np.array(self._scales, dtype=np.float64).reshape(-1))

    def overlaps(self, one: IntArray, other: IntArray, is_open: BoolArray) -> AnyArray:
        """Rules × other rules: the weight of the open positives that both cover."""
        if not self._by_bits:
            weights = np.where(is_open, self.weights, 0.0).astype(np.float32)
            return np.asarray((self.of(one) * weights) @ self.of(other).T.astype(np.float32))
        left = self.words[one] & self._words(is_open[None])
        used = [at for at in range(len(self._scales)) if left[:, at].any()]
        total = np.zeros((len(one), len(other)), dtype=np.uint16 if self.weights.sum() < 2**16 else np.uint32)
        for start in range(0, len(other), CHUNK):
            columns = slice(start, start + CHUNK)
            right = np.ascontiguousarray(self.words[other[columns]].T)
            for at in used:
                counts = np.bitwise_count(left[:, at, None] & right[at])
                scale = self._scales[at]
                total[:, columns] += counts if scale == 1 else counts * total.dtype.type(scale)
        return total

    def _words(self, covers: BoolArray) -> AnyArray:
        """The positives' binary digits in words, each of one digit only."""
        padded = np.concatenate([covers, np.zeros((len(covers), 1), dtype=bool)], axis=1)
        packed = np.packbits(padded[:, self._columns], axis=1)
        return np.ascontiguousarray(packed).view(np.uint64).reshape(len(covers), len(self._scales))


def sums(by_byte: ByteArray, weights: FloatArray) -> FloatArray:
    """For each rule, the sum of the weights of the positives that it covers, through tables of all sums of eight."""
    n_bytes, n_rules = by_byte.shape
    padded = np.zeros(8 * n_bytes)
    padded[: len(weights)] = weights
    # The first of eight positives is the highest bit.
    by_bit = padded.reshape(n_bytes, 8)[:, ::-1]
    tables = np.zeros((n_bytes, 256))
    for bit in range(8):
        tables[:, 1 << bit : 2 << bit] = tables[:, : 1 << bit] + by_bit[:, bit, None]
    total, part = np.zeros(n_rules), np.empty(n_rules)
    for at in np.flatnonzero(by_bit.any(axis=1)):
        # Every byte is within the table: the mode only spares the check.
        tables[at].take(by_byte[at], out=part, mode="clip")
        total += part
    return total


def _are_whole(weights: FloatArray) -> bool:
    return bool(np.all(weights == np.round(weights)) and np.all(weights >= 0) and weights.sum() < 2**MOST_PLANES)


def _planes(weights: FloatArray) -> tuple[IntArray, list[int]]:
    """For each binary digit of the weights the positives that have it, filled up to whole words with a number that
    stands for none; and for every word the value of its digit."""
    whole = weights.astype(np.int64)
    columns: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    scales: list[int] = []
    for digit in range(int(whole.max(initial=0)).bit_length()):
        members = np.flatnonzero(whole >> digit & 1)
        n_words = math.ceil(len(members) / 64)
        columns.append(np.concatenate([members, np.full(64 * n_words - len(members), len(weights))]))
        scales += [1 << digit] * n_words
    return np.concatenate(columns), scales
