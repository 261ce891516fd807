"""What the linear program needs to know of the pool's rules, and which of them take part in it at the moment.

Rules that were of no use for long are put aside: they leave the program and come back when they price in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.arrays import BoolArray, ByteArray, FloatArray, IntArray
from ...base.bits import covered_sums
from ...data.linear_form import LinearForm
from ...data.rule_pool import RulePool

PATIENCE = 6
"""So many solves in a row with a positive reduced cost make a rule one to put aside."""
LEAST, SHARE = 400, 0.5
"""Rules are put aside together, once they are at least so many and so large a share of the columns: the program is
then built anew, smaller, and loses its basis."""
POSITIVE, PRICES_IN = 1e-6, -1e-7
"""Reduced costs above the one count as positive; below the other a rule comes back."""
RULES_AT_ONCE, ENTRIES_AT_ONCE = 64, 50_000_000
"""Covers are unpacked for so many rules at once, and for so many rules × samples."""


class PoolColumns:
    """The pool's rules as columns: coefficients, which positives they cover, and whether they take part."""

    def __init__(self, forms: Sequence[LinearForm], positives: IntArray, n_samples: int) -> None:
        self._forms = forms
        self._positives = positives
        self._n_samples = n_samples
        self._room: ByteArray = np.zeros((0, -(-len(positives) // 8)), dtype=np.uint8)
        self.coefficients = np.zeros((0, len(forms)))
        """Rules × forms."""
        self.inside: BoolArray = np.zeros(0, dtype=bool)
        self._idle: IntArray = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.inside)

    def extend(self, pool: RulePool) -> None:
        """Take in the pool's new rules."""
        new = np.arange(len(self), len(pool))
        lengths = pool.lengths
        if len(pool) > len(self._room):
            room = np.zeros((max(len(pool), 2 * len(self._room)), self._room.shape[1]), dtype=np.uint8)
            room[: len(self)] = self._bits
            self._room = room
        for some in self.chunks(new):
            covers = pool.covers(some)
            coefficients = [form.coefficients(covers, lengths[some]) for form in self._forms]
            self.coefficients = np.concatenate([self.coefficients, np.stack(coefficients, axis=1)])
            self._room[some] = np.packbits(covers[:, self._positives], axis=1)
        self.inside = np.concatenate([self.inside, np.ones(len(new), dtype=bool)])
        self._idle = np.concatenate([self._idle, np.zeros(len(new), dtype=np.int64)])

    @property
    def _bits(self) -> ByteArray:
        """Rules × positives, eight positives to a byte."""
        return self._room[: len(self)]

    def chunks(self, positions: IntArray) -> list[IntArray]:
        """Some rules at a time, so that unpacked covers stay small."""
        step = int(np.clip(ENTRIES_AT_ONCE // max(1, self._n_samples), 1, RULES_AT_ONCE))
        return [positions[at : at + step] for at in range(0, len(positions), step)]

    def covers(self, which: IntArray) -> BoolArray:
        """Rules × positives for some rules."""
        return np.unpackbits(self._bits[which], axis=1, count=len(self._positives)).view(np.bool_)

    def covers_at(self, which: IntArray, positives: IntArray) -> ByteArray:
        """Rules × some positives, 1 where covered."""
        bytes_of = self._bits[np.ix_(which, positives >> 3)]
        return np.asarray((bytes_of >> (7 - (positives & 7)).astype(np.uint8)) & 1)

    def covered_sums(self, values: FloatArray) -> FloatArray:
        """For every rule, the sum of the values of the positives it covers."""
        return covered_sums(self._bits, values)

    # Taking part ----------------------------------------------------------------------------------------------------

    def returning(self, costs: FloatArray) -> IntArray:
        """The rules aside that price in, by the reduced costs of all rules; they take part from now on."""
        returning = np.flatnonzero(~self.inside & (costs < PRICES_IN))
        self.inside[returning] = True
        self._idle[returning] = 0
        return returning

    def watch(self, costs: FloatArray) -> None:
        """Count another solve with these reduced costs."""
        self._idle = np.where(costs > POSITIVE, self._idle + 1, 0)

    def put_aside(self) -> bool:
        """Put the idle rules aside, if they are many; whether that was so."""
        idle = self.inside & (self._idle >= PATIENCE)
        n_idle = np.count_nonzero(idle)
        if n_idle < max(LEAST, SHARE * np.count_nonzero(self.inside)):
            return False
        self.inside[idle] = False
        return True
