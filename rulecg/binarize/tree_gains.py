"""Where small boosted trees would cut the columns of a table: which thresholds tell the classes apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray

from ..inputs.row_order import row_hashes

TREES, DEPTH = 60, 3
"""How many trees, and how many questions each asks on the way to a leaf."""
LEARNING_RATE = 0.25
SMOOTHING = 1.0
"""Added to the curvature of every leaf, so that leaves with few rows promise little."""
MOST_ROWS = 60_000
"""Of larger tables a part is looked at: rows chosen by what they hold, so that their order does not matter."""

MOST_ENTRIES = 60_000
"""How many codes are counted at once: few enough to stay in the cache."""

Codes = NDArray[np.uint8]


def cut_gains(
    codes: Codes, sizes: Sequence[int], classes: IntArray, weights: FloatArray, n_classes: int
) -> list[FloatArray]:
    """Grow small boosted trees and sum what cutting each column after each of its codes gained.

    Gains are of the logistic loss; with several classes, of each class against the rest. Equal rows are merged first:
    a weight of 2 is the same as the row twice, to the last bit.

    Parameters
    ----------
    codes : array of uint8, rows × columns
        Small whole numbers; to cut after code k is to ask whether the code is at most k.
    sizes : sequence of int
        Codes of column j are below ``sizes[j]``.
    classes : int array
        The class of every row.
    weights : float array
        The weight of every row.
    n_classes : int
        How many classes there are.

    Returns
    -------
    list of float arrays
        For every column the gain of each cut.
    """
    codes, classes, weights = _merged(codes, classes, weights)
    gains = [np.zeros(max(0, size - 1)) for size in sizes]
    for positive in [1] if n_classes == 2 else range(n_classes):
        _boost(codes, sizes, classes == positive, weights, gains)
    return gains


def _merged(codes: Codes, classes: IntArray, weights: FloatArray) -> tuple[Codes, IntArray, FloatArray]:
    """Distinct rows in an order of their own with their weight; of too many, those with the smallest hashes."""
    rows = np.column_stack([codes, classes.astype(np.uint8)])
    hashes = _hashes(rows)
    distinct, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    # Different rows with one hash would be merged wrongly: so unlikely that a threshold or two may suffer from it.
    merged = np.bincount(inverse.reshape(-1), weights, minlength=len(distinct)).astype(np.float64)[:MOST_ROWS]
    first = first[:MOST_ROWS]
    return codes[first], classes[first], merged


def _hashes(rows: Codes) -> NDArray[np.uint64]:
    padded = np.zeros((len(rows), -(-rows.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : rows.shape[1]] = rows
    return row_hashes(padded.view(np.uint64))


@frozen(eq=False)
class _Bins:
    """The codes of all columns laid side by side, so that one count serves many columns."""

    codes: Codes
    """Columns × rows."""
    starts: IntArray
    """Where each column's bins begin in the row of all bins."""
    sizes: IntArray

    @classmethod
    def of(cls, codes: Codes, sizes: Sequence[int]) -> _Bins:
        widths = np.asarray(sizes, dtype=np.int64)
        return cls(np.ascontiguousarray(codes.T), np.cumsum(widths) - widths, widths)

    def sums(self, nodes: IntArray, n_nodes: int, values: Sequence[FloatArray]) -> list[FloatArray]:
        """For each of some values per row: nodes × bins, the sum over the node's rows with at most the bin's code."""
        n_columns, n_rows = self.codes.shape
        width = int(self.sizes.sum())
        at_once = max(1, MOST_ENTRIES // n_rows)
        found = [np.empty((n_nodes, width)) for _ in values]
        for first in range(0, n_columns, at_once):
            some = slice(first, first + at_once)
            starts, sizes = self.starts[some] - self.starts[first], self.sizes[some]
            bins = int(sizes.sum())
            keys = (self.codes[some] + (nodes * bins + starts[:, None])).ravel()
            for into, value in zip(found, values, strict=True):
                counted = np.bincount(keys, np.tile(value, len(sizes)), minlength=n_nodes * bins)
                running = counted.reshape(n_nodes, bins).cumsum(axis=1)
                before = np.concatenate([np.zeros((n_nodes, 1)), running], axis=1)[:, starts]
                place = int(self.starts[first])
                into[:, place : place + bins] = running - np.repeat(before, sizes, axis=1)
        return found


def _boost(
    codes: Codes, sizes: Sequence[int], is_positive: BoolArray, weights: FloatArray, gains: list[FloatArray]
) -> None:
    """Newton boosting with trees grown level by level on histograms; adds to the gains."""
    share = float(weights[is_positive].sum() / weights.sum())
    if not 0 < share < 1:
        return
    bins = _Bins.of(codes, sizes)
    scores = np.full(len(codes), np.log(share / (1 - share)))
    for _ in range(TREES):
        chances = 1 / (1 + np.exp(-scores))
        slopes = weights * (chances - is_positive)
        curvatures = weights * chances * (1 - chances)
        nodes = np.zeros(len(codes), dtype=np.int64)
        for level in range(DEPTH):
            nodes = _split(bins, nodes, 2**level, slopes, curvatures, gains)
        steps = np.bincount(nodes, slopes, minlength=2**DEPTH) / (
            np.bincount(nodes, curvatures, minlength=2**DEPTH) + SMOOTHING
        )
        scores -= LEARNING_RATE * steps[nodes]


def _split(
    bins: _Bins, nodes: IntArray, n_nodes: int, slopes: FloatArray, curvatures: FloatArray, gains: list[FloatArray]
) -> IntArray:
    """Cut every node where that gains most; the nodes of the next level, 2k and 2k + 1 for the halves of node k."""
    below, curved = bins.sums(nodes, n_nodes, [slopes, curvatures])
    total = np.bincount(nodes, slopes, minlength=n_nodes)[:, None]
    total_curved = np.bincount(nodes, curvatures, minlength=n_nodes)[:, None]
    gained = (
        below**2 / (curved + SMOOTHING)
        + (total - below) ** 2 / (np.maximum(total_curved - curved, 0.0) + SMOOTHING)
        - total**2 / (total_curved + SMOOTHING)
    )
    # After a column's last code there is nothing to cut off.
    gained[:, bins.starts + bins.sizes - 1] = 0.0
    # The first of those that are equal but for rounding.
    best = gained.max(axis=1, keepdims=True)
    places = np.argmax(gained >= best * (1 - 1e-9), axis=1)
    columns = np.searchsorted(bins.starts, places, side="right") - 1
    halves = np.zeros(len(nodes), dtype=np.int64)
    for node in np.flatnonzero(best[:, 0] > 1e-9):
        column = int(columns[node])
        cut = int(places[node] - bins.starts[column])
        gains[column][cut] += float(best[node, 0])
        members = np.flatnonzero(nodes == node)
        halves[members] = bins.codes[column, members] > cut
    return 2 * nodes + halves
