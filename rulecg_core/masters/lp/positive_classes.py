"""Positives that are alike in everything the linear program knows share one row: classes that new rules split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.arrays import BoolArray, FloatArray, IntArray

DIGITS = 12
"""Coefficients per unit of weight that agree in so many digits are the same."""
WORD = 64
"""How many rules are looked at at once."""


class PositiveClasses:
    """A partition of the positives.

    Members of one class have coefficients in proportion to their weights and are covered by the same rules. In the
    linear program they are then missed to the same extent without loss, and may share one variable and one row; its
    dual, divided in proportion to the weights, is a dual of the program with a row for each.
    """

    def __init__(self, weights: FloatArray, coefficients: Sequence[FloatArray], *, merge: bool) -> None:
        """``coefficients`` are those of missed positives in the objective and the rows."""
        self.weights = np.where(weights > 0, weights, 1.0)
        n_positives = len(weights)
        self.of: IntArray = np.arange(n_positives, dtype=np.int64)
        if merge:
            per_weight = np.array(coefficients).reshape(len(coefficients), n_positives) / self.weights
            scale = np.maximum(np.abs(per_weight).max(axis=1, initial=0.0), 1e-300)[:, None]
            self.of, _ = _numbered(np.zeros(n_positives), *np.round(per_weight / scale, DIGITS))
        self._update()

    def _update(self) -> None:
        _, self.representatives = np.unique(self.of, return_index=True)
        self.totals = self.sums(self.weights)

    def __len__(self) -> int:
        return len(self.representatives)

    def sums(self, values: FloatArray) -> FloatArray:
        """One number per class from one per positive."""
        return np.bincount(self.of, values, minlength=int(self.of.max(initial=-1)) + 1).astype(np.float64)

    def divided(self, values: FloatArray) -> FloatArray:
        """One number per positive from one per class, in proportion to the weights."""
        return values[self.of] * (self.weights / self.totals[self.of])

    def refine(self, covers: BoolArray) -> IntArray:
        """Tell members apart that not the same of these rules cover (rules × positives).

        New classes are numbered after the old ones; for each of them the answer is the old class that it was part of.
        """
        n_before = len(self)
        origins = np.arange(n_before)
        for at in range(0, len(covers), WORD):
            origins = np.concatenate([origins, origins[self._refine(covers[at : at + WORD])]])
        return origins[n_before:]

    def _refine(self, covers: BoolArray) -> IntArray:
        n_before = len(self)
        if n_before == len(self.of):
            return np.zeros(0, dtype=np.int64)
        part, n_parts = _numbered(self.of, _words(covers))
        parent = np.empty(n_parts, dtype=np.int64)
        parent[part] = self.of
        # The heaviest part stays what the class was: it is likeliest to keep its place in the basis.
        order = np.lexsort((-np.bincount(part, self.weights, minlength=n_parts), parent))
        is_new = np.ones(n_parts, dtype=bool)
        is_new[np.unique(parent[order], return_index=True)[1]] = False
        number = np.empty(n_parts, dtype=np.int64)
        number[order[~is_new]] = parent[order[~is_new]]
        number[order[is_new]] = n_before + np.arange(n_parts - n_before)
        self.of = number[part]
        self._update()
        return parent[order[is_new]]


def _words(covers: BoolArray) -> IntArray:
    """The covers of up to 64 rules as one whole number per positive."""
    packed = np.zeros((covers.shape[1], WORD // 8), dtype=np.uint8)
    bits = np.packbits(covers, axis=0).T
    packed[:, : bits.shape[1]] = bits
    return packed.view(np.int64).ravel()


def _numbered(*keys: FloatArray | IntArray) -> tuple[IntArray, int]:
    """Numbers from 0 for the distinct combinations of some keys, and how many there are."""
    order = np.lexsort(keys)
    starts = np.zeros(len(order), dtype=bool)
    for key in keys:
        starts[1:] |= key[order[1:]] != key[order[:-1]]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(starts)
    return numbers, int(starts.sum()) + min(1, len(order))
