"""Features as bits, with the samples sorted so that whole ranges of bits have the same coefficients.

Weighted sums over the samples that some conjunction covers then are population counts: no multiplications, no floats
per sample, and memory of one bit per sample and feature.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from rulecg_core import BoolArray, FloatArray, IntArray, LinearForm, Problem, bit_count, population

Words = NDArray[np.uint64]

MANY_KINDS = 256
"""With more kinds of coefficients than this, and more than one for 256 samples, similar ones are taken for equal."""

LIKENESS_BITS, LIKENESS_SAMPLES = 16, 1 << 18
"""By how many features samples are put in order; and up to how many samples: beyond that, fetching them in another
order takes longer than it saves."""

FEW_WORDS = 64
"""So few words of 64 samples are not worth choosing among: samples are chosen one by one."""


DIGITS, COVERS = 53, 8
"""Binary digits of a number, and how many of them are left to samples that several rules cover."""


@frozen(eq=False)
class SampleBits:
    """A range holds samples with the same coefficients in all forms. A form adds up ``values`` over the samples that a
    rule covers; in some ranges every rule counts (``always``), in the others only while no other rule covers."""

    features: Words
    """Features × words."""
    starts: IntArray
    """The first word of each range."""
    values: FloatArray
    """Forms × ranges: what covering one sample of the range adds to the form."""
    filled: Words
    """The bits that stand for samples; the rest of each range's last word is empty."""
    always: Words
    """The bits of ranges in which every cover counts."""
    empty: FloatArray
    """The forms' values for the empty rule set."""
    forms: tuple[LinearForm, ...]
    n_chains: int
    exact: bool
    """Whether equal coefficients are really equal."""

    @classmethod
    def of(cls, problem: Problem, forms: Sequence[LinearForm], *, count_once: bool = False) -> SampleBits:
        """Lay out the samples that any form looks at; in true counts (``count_once``) a sample counts once."""
        cover, zeta = (np.zeros((len(forms), problem.n_samples)) for _ in range(2))
        for at, form in enumerate(forms):
            if form.cover is not None:
                cover[at] = form.cover
            if form.missed is not None:
                zeta[at] = -form.missed
        parts = [(cover + zeta, False)] if count_once else [(cover, True), (zeta, False)]
        samples, values, always, starts, exact = [], [], [], [], True
        likeness = _likeness(problem)
        n_words = 0
        for coefficients, every_cover_counts in parts:
            used = np.flatnonzero(np.any(coefficients != 0, axis=0))
            if not len(used):
                continue
            kinds, kind_of, is_exact = _kinds(coefficients[:, used])
            exact &= is_exact
            order = np.lexsort((likeness[used], kind_of))
            sizes = np.bincount(kind_of, minlength=kinds.shape[1])
            for kind, members in enumerate(np.split(used[order], np.cumsum(sizes)[:-1])):
                starts.append(n_words)
                values.append(kinds[:, kind])
                padded = np.full(-len(members) % 64 + len(members), -1, dtype=np.int64)
                padded[: len(members)] = members
                samples.append(padded)
                always.append(every_cover_counts)
                n_words += len(padded) // 64
        laid_out = np.concatenate([*samples, np.zeros(0, dtype=np.int64)])
        filled = laid_out >= 0
        laid_out = np.maximum(laid_out, 0)
        words = [len(part) // 64 for part in samples]
        every = np.repeat(np.array(always, dtype=bool), words)
        features = np.empty((problem.n_conditions, n_words), dtype=np.uint64)
        for feature in range(problem.n_conditions):
            features[feature] = _as_words(problem.X[:, feature][laid_out] & filled)
        return cls(
            features=features,
            starts=np.array(starts, dtype=np.int64),
            values=np.array(values, dtype=np.float64).reshape(len(starts), len(forms)).T,
            filled=_as_words(filled),
            always=np.where(every, ~np.uint64(0), np.uint64(0)),
            empty=np.array([form.const - line.sum() for form, line in zip(forms, zeta, strict=True)]),
            forms=tuple(forms),
            n_chains=int(problem.chains.max(initial=-1)) + 1,
            exact=exact,
        )

    @property
    def per_length(self) -> FloatArray:
        return np.array([form.length for form in self.forms])

    @property
    def per_rule(self) -> FloatArray:
        return np.array([form.rule for form in self.forms])

    def covers(self, features: Sequence[int]) -> Words:
        """The samples that have all these features."""
        return np.asarray(np.bitwise_and.reduce(self.features[list(features)], axis=0))

    def sampled(self, share: float, price: float, rng: np.random.Generator) -> SampleBits:
        """A random share of the samples, counted so much more; what covering adds to the first form, the objective, is
        multiplied by the price."""
        if len(self.filled) < FEW_WORDS:
            marked = _as_words(rng.random(64 * len(self.filled)) < share)
            return evolve(
                self,
                features=self.features & marked,
                values=_priced(self.values / share, price),
                filled=self.filled & marked,
                exact=False,
            )
        # Whole words, so that the rest need not be looked at.
        sizes = np.diff(np.append(self.starts, len(self.filled)))
        ranges = np.repeat(np.arange(len(self.starts)), sizes)
        words = np.flatnonzero(rng.random(len(self.filled)) < share)
        kept, starts = np.unique(ranges[words], return_index=True)
        return evolve(
            self,
            features=np.ascontiguousarray(self.features[:, words]),
            starts=starts.astype(np.int64),
            values=_priced(self.values[:, kept] / share, price),
            filled=self.filled[words],
            always=self.always[words],
            exact=False,
        )

    def sums(self, words: Words) -> FloatArray:
        """Lines × forms: values added up over the marked samples of each line."""
        if not len(self.starts):
            return np.zeros((len(words), len(self.forms)))
        counts = np.add.reduceat(population(words), self.starts, axis=1, dtype=np.int64)
        return np.einsum("lr,fr->lf", counts.astype(np.float64), self.values)

    def summable(self) -> tuple[FloatArray, FloatArray]:
        """Values, and those of the empty rule set, rounded to what adds up without any rounding, in whatever order.

        Where large and small values meet, as with very unequal costs, a sum would otherwise depend on its order, and
        a descent would take that for progress for ever. Whole numbers stay as they are."""
        magnitude = np.abs(self.empty)
        if len(self.starts):
            counts = np.add.reduceat(population(self.filled[np.newaxis]), self.starts, axis=1, dtype=np.int64)
            magnitude = magnitude + np.abs(self.values) @ np.maximum(counts[0], 1)
        steps = np.exp2(np.ceil(np.log2(np.maximum(magnitude, np.finfo(np.float64).tiny))) + COVERS - DIGITS)
        return np.round(self.values / steps[:, np.newaxis]) * steps[:, np.newaxis], np.round(self.empty / steps) * steps


def _likeness(problem: Problem) -> IntArray:
    """A number for every sample, the same or close for samples that few rules tell apart: its bits are the features
    that say most about the label, one of each chain. In this order many words hold nothing of what a rule covers."""
    likeness = np.zeros(problem.n_samples, dtype=np.int64)
    if problem.n_samples > LIKENESS_SAMPLES:
        return likeness
    positive = np.packbits(problem.y)
    n_positive = max(1, bit_count(positive))
    n_negative = max(1, problem.n_samples - n_positive)
    says = np.empty(problem.n_conditions)
    for feature, packed in enumerate(problem.packed_conditions):
        among_positive = bit_count(packed & positive)
        says[feature] = abs(among_positive / n_positive - (bit_count(packed) - among_positive) / n_negative)
    order = np.argsort(-says, kind="stable")
    _, firsts = np.unique(problem.chains[order], return_index=True)
    for feature in order[np.sort(firsts)[:LIKENESS_BITS]]:
        likeness = 2 * likeness + problem.X[:, feature]
    return likeness


def _kinds(coefficients: FloatArray) -> tuple[FloatArray, IntArray, bool]:
    """The distinct columns, which of them each column is, and whether that is exact."""
    digits: int | None = None
    while True:
        rounded = coefficients if digits is None else _significant(coefficients, digits)
        kind_of = np.zeros(coefficients.shape[1], dtype=np.int64)
        for line in rounded[np.any(rounded != 0, axis=1)]:
            distinct, of_line = np.unique(line, return_inverse=True)
            _, kind_of = np.unique(kind_of * len(distinct) + of_line.reshape(-1), return_inverse=True)
            kind_of = kind_of.reshape(-1).astype(np.int64)
        n_kinds = int(kind_of.max(initial=-1)) + 1
        if n_kinds <= max(MANY_KINDS, len(kind_of) // 256) or digits == 1:
            break
        digits = 3 if digits is None else digits - 1
    sizes = np.bincount(kind_of, minlength=n_kinds)
    kinds = np.array([np.bincount(kind_of, line, minlength=n_kinds) for line in coefficients]) / np.maximum(sizes, 1)
    return kinds.reshape(len(coefficients), n_kinds), kind_of, digits is None


def _significant(values: FloatArray, digits: int) -> FloatArray:
    size = np.floor(np.log10(np.where(values == 0, 1.0, np.abs(values))))
    unit = 10.0 ** (size - digits + 1)
    return np.asarray(np.round(values / unit) * unit)


def _priced(values: FloatArray, price: float) -> FloatArray:
    priced = values.copy()
    priced[0] *= np.where(priced[0] > 0, price, 1.0)
    return priced


def _as_words(bits: BoolArray) -> Words:
    return np.packbits(bits).view(np.uint64)
