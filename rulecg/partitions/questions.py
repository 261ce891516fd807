"""What partitions are asked: small values that travel to whoever reads the file, and answer with sums of integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from rulecg_core.base.arrays import IntArray
from rulecg_kernels.partition_sums import add_extension_sums, write_covers, write_rows

from .manifest import Cell, Partition
from .open_partition import OpenPartition, Words, opened

Features: TypeAlias = tuple[int, ...]
"""A rule by the numbers of its conditions."""
EVERYTHING = -1
"""In place of a condition: all rows."""
BLOCK_WORDS = 1024
"""So many words of every condition are looked at together: they stay in a processor's cache."""
ALL_ONES, NO_FLIP = np.uint64(2**64 - 1), np.uint64(0)


@frozen
class Context:
    """The rows that a rule covers and none of some others does."""

    within: Features
    outside: tuple[Features, ...] = ()


def rule_lines(rules: Sequence[Features]) -> NDArray[np.int64]:
    """Rules as lines of one length, ended with -1."""
    width = max((len(rule) for rule in rules), default=0) or 1
    lines = np.full((len(rules), width), -1, dtype=np.int64)
    for line, rule in zip(lines, rules, strict=True):
        line[: len(rule)] = rule
    return lines


@frozen(eq=False)
class Extensions:
    """For every context, every feature and every cell: the weight of the rows in the context that have the feature.

    With ``flipped``, every condition stands for its opposite, as the learner of a CNF sees it.
    """

    contexts: tuple[Context, ...]
    features: tuple[int, ...]
    cells: tuple[Cell, ...]
    flipped: bool = False

    def __call__(self, partition: Partition) -> tuple[IntArray]:
        """Count in one partition."""
        place = {cell: number for number, cell in enumerate(self.cells)}
        shape = (len(self.contexts), len(self.features), len(partition.segments))
        sums = np.zeros(shape, dtype=np.int64)
        with opened(partition) as data:
            self._add(data, sums)
        of_cells = np.zeros((*shape[:2], len(self.cells)), dtype=np.int64)
        for number, segment in enumerate(partition.segments):
            of_cells[:, :, place[segment.cell]] += sums[:, :, number]
        return (of_cells,)

    def _add(self, data: OpenPartition, sums: IntArray) -> None:
        masks_of = _Masks(self.contexts, self.flipped)
        flip = ALL_ONES if self.flipped else NO_FLIP
        features = np.array(self.features, dtype=np.int64)
        bounds = np.array([each.start for each in data.partition.segments] + [data.partition.n_words], dtype=np.int64)
        for start, stop in blocks(data.partition.n_words):
            masks = masks_of.in_block(data.bits, start, stop)
            inside = np.clip(bounds, start, stop) - start
            for digit, plane in enumerate(data.planes[:, start:stop]):
                if plane.any():
                    weighed = masks & plane
                    add_extension_sums(data.bits, features, flip, weighed, start, inside, 1 << digit, sums)


class _Masks:
    """Makes the masks of contexts in one block after the other."""

    def __init__(self, contexts: Sequence[Context], flipped: bool) -> None:
        rules = list(dict.fromkeys(rule for each in contexts for rule in (each.within, *each.outside)))
        place = {rule: number for number, rule in enumerate(rules)}
        self._lines, self._flip = rule_lines(rules), ALL_ONES if flipped else NO_FLIP
        self._within = np.array([place[each.within] for each in contexts], dtype=np.int64)
        # Contexts of one rule set are outside of the same rules: each union is made once.
        unions = list(dict.fromkeys(each.outside for each in contexts))
        self._unions = [np.array([place[rule] for rule in union], dtype=np.int64) for union in unions]
        number = {union: at for at, union in enumerate(unions)}
        self._union_of = np.array([number[each.outside] for each in contexts], dtype=np.int64)

    def in_block(self, bits: Words, start: int, stop: int) -> Words:
        """The masks of all contexts: contexts × words of the block."""
        covers = np.empty((len(self._lines), stop - start), dtype=np.uint64)
        write_covers(bits, self._flip, self._lines, start, covers)
        outside = np.empty((len(self._unions), stop - start), dtype=np.uint64)
        for at, union in enumerate(self._unions):
            outside[at] = ~np.bitwise_or.reduce(covers[union], axis=0) if len(union) else ALL_ONES
        return np.ascontiguousarray(covers[self._within] & outside[self._union_of])


def blocks(n_words: int, size: int = BLOCK_WORDS) -> Iterator[tuple[int, int]]:
    """Where blocks of words begin and end."""
    for start in range(0, n_words, size):
        yield start, min(start + size, n_words)


@frozen
class LeastHashes:
    """The least hashes of what rows hold, at most so many."""

    most: int

    def __call__(self, partition: Partition) -> NDArray[np.uint64]:
        """Look at one partition."""
        with opened(partition) as data:
            return np.array(data.hashes[: self.most])


@frozen(eq=False)
class Lines:
    """Some rows of a partition: what they hold, in which cell they are, and how much they weigh."""

    hashes: NDArray[np.uint64]
    words: NDArray[np.uint64]
    """Rows × words, 64 conditions to a word."""
    cells: IntArray
    weights: IntArray


@frozen(eq=False)
class RowsUpTo:
    """The rows whose hash is at most this; None for all rows."""

    hash: int | None
    cells: tuple[Cell, ...]

    def __call__(self, partition: Partition) -> Lines:
        """Look at one partition."""
        with opened(partition) as data:
            if self.hash is None:
                used = np.bitwise_or.reduce(data.planes, axis=0)
                rows = np.flatnonzero(np.unpackbits(used.view(np.uint8), bitorder="little")).astype(np.int64)
                hashes = np.zeros(len(rows), dtype=np.uint64)
            else:
                some = slice(0, int(np.searchsorted(data.hashes, np.uint64(self.hash), side="right")))
                rows, hashes = np.array(data.rows[some]), np.array(data.hashes[some])
            words = np.empty((len(rows), -(-partition.n_conditions // 64)), dtype=np.uint64)
            write_rows(data.bits, rows, words)
            weights = np.empty((len(rows), -(-partition.n_planes // 64)), dtype=np.uint64)
            write_rows(data.planes, rows, weights)
        return Lines(hashes, words, self._cells_of(partition, rows), weights[:, 0].astype(np.int64))

    def _cells_of(self, partition: Partition, rows: IntArray) -> IntArray:
        place: dict[Any, int] = {cell: number for number, cell in enumerate(self.cells)}
        starts = np.array([segment.start for segment in partition.segments], dtype=np.int64)
        numbers = np.array([place[segment.cell] for segment in partition.segments], dtype=np.int64)
        return numbers[np.searchsorted(starts, rows >> 6, side="right") - 1]
