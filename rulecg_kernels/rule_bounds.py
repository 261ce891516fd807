"""Bounds on single rules for compiled searches: does a rule keep them, and can one that has its conditions?"""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rulecg_core import BoolArray, Derived, FloatArray, IntArray, RuleBound

from .compiler import F1, F2, I1, INT, U2, compiled, lowest_bit, popcount, record

NO_SAMPLES = np.zeros((0, 0), dtype=np.uint64)


class Limits(NamedTuple):
    """Numbers that must be at least something for every rule: two for a bound with two sides.

    Samples are sorted so that a word of 64 of them seldom holds different coefficients."""

    columns: Any
    """Conditions × words of 64 samples."""
    values: Any
    """Sides × samples, padded to whole words: what covering each adds."""
    is_uniform: Any
    """For every word 1 where its samples have equal values on all sides."""
    lengths: Any
    """What each condition adds to the length of a rule."""
    per_length: Any
    least: Any
    """Sides: what the value must be at least."""


LIMITS = record(Limits, U2, F2, I1, F1, F1, F1)

_known: Derived[dict[tuple[int, ...], tuple[Sequence[RuleBound], Limits]]] = Derived(lambda X: {})


def limits_of(X: BoolArray, lengths: FloatArray, bounds: Sequence[RuleBound]) -> Limits:
    """Lay out bounds for compiled searches; made once for the same bounds and samples.

    Parameters
    ----------
    X : samples × conditions
    lengths : what each condition adds to the length of a rule
    bounds : the bounds; without any, the record is empty and costs nothing to look at

    Returns
    -------
    Limits
        What :func:`keeps` takes.
    """
    made = _known(X)
    key = tuple(map(id, bounds))
    if key not in made:
        made[key] = (bounds, _laid_out(X, lengths, bounds))
    return made[key][1]


def _laid_out(X: BoolArray, lengths: FloatArray, bounds: Sequence[RuleBound]) -> Limits:
    sides = [side for bound in bounds for side in bound.floors()]
    n_samples = len(X) if sides else 0
    values = np.zeros((len(sides), n_samples))
    for line, (form, _) in zip(values, sides, strict=True):
        if form.cover is not None:
            line[:] = form.cover
    order = np.lexsort(values) if sides else np.zeros(0, dtype=np.int64)
    n_words = -(-n_samples // 64)
    padded = np.zeros((len(sides), 64 * n_words))
    padded[:, :n_samples] = values[:, order]
    # The last word is filled up with bits that are never set: their value does not matter.
    padded[:, n_samples:] = padded[:, n_samples - 1 : n_samples] if n_samples else 0.0
    by_word = padded.reshape(len(sides), n_words, 64)
    return Limits(
        columns=_words(X, order, n_words) if n_words else NO_SAMPLES,
        values=padded,
        is_uniform=(by_word == by_word[:, :, :1]).all(axis=(0, 2)).astype(np.int64),
        lengths=np.array(lengths, dtype=np.float64),
        per_length=np.array([form.length for form, _ in sides], dtype=np.float64),
        least=np.array([least - form.rule for form, least in sides], dtype=np.float64),
    )


def _words(X: BoolArray, order: IntArray, n_words: int) -> Any:
    words = np.zeros((X.shape[1], n_words), dtype=np.uint64)
    for condition in range(X.shape[1]):
        bits = np.zeros(64 * n_words, dtype=bool)
        bits[: len(order)] = X[order, condition]
        words[condition] = np.packbits(bits, bitorder="little").view("<u8")
    return words


@compiled(LIMITS, I1, INT, INT)
def keeps(limits, rule, n, hopeful):
    """Whether the first n conditions make a rule that keeps every bound; if ``hopeful``, whether some rule that has
    them may: further conditions only take samples away, so what counts against it may go."""
    columns, values = limits.columns, limits.values
    length = 0.0
    for at in range(n):
        length += limits.lengths[rule[at]]
    for side in range(limits.least.shape[0]):
        total = limits.per_length[side] * length
        for word in range(columns.shape[1]):
            bits = columns[rule[0], word]
            for at in range(1, n):
                bits &= columns[rule[at], word]
            if bits == np.uint64(0):
                continue
            if limits.is_uniform[word]:
                value = values[side, 64 * word]
                if hopeful == 0 or value > 0.0:
                    total += value * np.float64(np.int64(popcount(bits)))
                continue
            while bits != np.uint64(0):
                value = values[side, 64 * word + np.int64(lowest_bit(bits))]
                if hopeful == 0 or value > 0.0:
                    total += value
                bits &= bits - np.uint64(1)
        if total < limits.least[side]:
            return False
    return True


@compiled(LIMITS, I1, INT, INT, outer=True)
def which_keep(limits, rule, n, hopeful):
    """The same, for Python."""
    return keeps(limits, rule, n, hopeful)
