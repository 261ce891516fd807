"""One partition in the making: rows come in as conditions, equal ones are merged, and a file of packed bits is left."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from rulecg_core.base.arrays import BoolArray, IntArray
from rulecg_core.base.bits import number_equal_lines

from ..inputs.row_order import row_hashes
from ..partitions.manifest import Cell, Partition, Segment

MOST_SKETCHED = 1 << 18
"""So many rows with the least hashes are listed in the file: what samples of the rows are drawn from."""
LAID_OUT = 1 << 16
"""So many rows are turned from lines of conditions into words at a time."""


@define(eq=False)
class PartitionWriter:
    """Collects rows, packed, until they are written.

    Parameters
    ----------
    n_conditions : int
        How many conditions there are.
    """

    n_conditions: int
    _lines: list[NDArray[np.uint8]] = field(init=False, factory=list)
    _labels: list[BoolArray] = field(init=False, factory=list)
    _groups: list[NDArray[np.int32]] = field(init=False, factory=list)
    _weights: list[IntArray] = field(init=False, factory=list)
    n_rows: int = field(init=False, default=0)

    def add(self, features: BoolArray, labels: BoolArray, groups: NDArray[np.int32], weights: IntArray) -> None:
        """Take in rows: which conditions hold, labels, groups by number and weights."""
        self._lines.append(np.packbits(np.ascontiguousarray(features), axis=1, bitorder="little"))
        self._labels.append(labels)
        self._groups.append(groups)
        self._weights.append(weights)
        self.n_rows += len(labels)

    def write(self, path: Path) -> Partition:
        """Merge equal rows and write them; afterwards the writer is empty."""
        lines, labels = np.concatenate(self._lines), np.concatenate(self._labels)
        groups, weights = np.concatenate(self._groups), np.concatenate(self._weights)
        n_rows = self.n_rows
        self._lines, self._labels, self._groups, self._weights, self.n_rows = [], [], [], [], 0
        whole = _whole_lines(lines, labels, groups)
        del lines
        first, inverse = number_equal_lines(whole.view(np.uint8).reshape(len(labels), -1))
        merged = np.zeros(len(first), dtype=np.int64)
        np.add.at(merged, inverse, weights)
        whole, labels, groups = whole[first], labels[first], groups[first]
        hashes = row_hashes(whole)
        codes, cell_of = np.unique(np.column_stack([labels, groups]), axis=0, return_inverse=True)
        cell_of = cell_of.reshape(-1)
        digits = np.ceil(np.log2(merged + 1)).astype(np.int64)
        # Heavy rows stand together, so that the higher digits of weights fill few words.
        order = np.lexsort((hashes, -digits, cell_of))
        return _write(path, n_rows, self.n_conditions, _Rows(whole, merged, hashes, codes, cell_of, order))


@define(eq=False)
class _Rows:
    """Merged rows, and the order in which they are to stand within their cells."""

    whole: NDArray[np.uint64]
    weights: IntArray
    hashes: NDArray[np.uint64]
    codes: NDArray[np.int32]
    """Label and groups of every cell."""
    cell_of: IntArray
    order: IntArray


def _whole_lines(lines: NDArray[np.uint8], labels: BoolArray, groups: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Rows as lines of words: conditions in whole words, then a word for the label and one for each group."""
    n_rows, width = lines.shape
    n_words = -(-width // 8)
    whole = np.zeros((n_rows, n_words + 1 + groups.shape[1]), dtype=np.uint64)
    whole[:, :n_words].view(np.uint8)[:, :width] = lines
    whole[:, n_words] = labels
    whole[:, n_words + 1 :] = groups.astype(np.int64).view(np.uint64)
    return whole


def _write(path: Path, n_rows: int, n_conditions: int, rows: _Rows) -> Partition:
    sizes = np.bincount(rows.cell_of, minlength=len(rows.codes))
    words = -(-sizes // 64)
    ends = np.cumsum(words)
    starts = ends - words
    n_words, n_planes = int(ends[-1]), int(rows.weights.max()).bit_length()
    # Where every row stands: cells begin with a word of their own.
    ranked = rows.cell_of[rows.order]
    place = np.empty(len(rows.order), dtype=np.int64)
    place[rows.order] = np.arange(len(rows.order)) - (np.cumsum(sizes) - sizes)[ranked] + 64 * starts[ranked]
    at_place = np.full(64 * n_words, -1, dtype=np.int64)
    at_place[place] = np.arange(len(place))
    bits = np.zeros((n_conditions, n_words), dtype=np.uint64)
    planes = np.zeros((n_planes, n_words), dtype=np.uint64)
    n_condition_words = -(-n_conditions // 64)
    digits = np.arange(n_planes, dtype=np.int64)
    for start in range(0, len(at_place), LAID_OUT):
        found = at_place[start : start + LAID_OUT]
        lines = np.where((found >= 0)[:, None], rows.whole[found, :n_condition_words], np.uint64(0))
        held = np.unpackbits(lines.view(np.uint8), axis=1, count=n_conditions, bitorder="little")
        some = slice(start // 64, (start + len(found)) // 64)
        bits[:, some] = np.packbits(np.ascontiguousarray(held.T), axis=1, bitorder="little").view(np.uint64)
        weights = np.where(found >= 0, rows.weights[found], 0)
        held = ((weights >> digits[:, None]) & 1).astype(np.uint8)
        planes[:, some] = np.packbits(held, axis=1, bitorder="little").view(np.uint64)
    n_sketched = min(MOST_SKETCHED, len(rows.hashes))
    least = np.argsort(rows.hashes, kind="stable")[:n_sketched]
    digest = hashlib.sha256()
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("wb") as stream:
        for part in (bits, planes, rows.hashes[least], place[least]):
            piece = np.ascontiguousarray(part).view(np.uint8).data
            digest.update(piece)
            stream.write(piece)
    os.replace(unfinished, path)
    totals = np.zeros(len(rows.codes), dtype=np.int64)
    np.add.at(totals, rows.cell_of, rows.weights)
    cells = [Cell(bool(code[0]), tuple(int(group) for group in code[1:])) for code in rows.codes]
    segments = tuple(
        Segment(cell, int(start), int(end), int(size), int(total))
        for cell, start, end, size, total in zip(cells, starts, ends, sizes, totals, strict=True)
    )
    return Partition(
        path=str(path.absolute()),
        n_rows=n_rows,
        n_samples=len(rows.weights),
        n_conditions=n_conditions,
        n_words=n_words,
        n_planes=n_planes,
        n_sketched=n_sketched,
        segments=segments,
        sha256=digest.hexdigest(),
    )
