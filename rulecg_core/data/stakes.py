"""What is at stake with every sample: what missing it and what covering it cost.

The paper's loss is the special case in which missing a positive and covering a negative cost 1 each. Costs of errors,
weights of classes and labels softened by a teacher's probabilities are other stakes; nothing else in a fit changes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from attrs import evolve, frozen

from ..base.arrays import BoolArray, FloatArray, IntArray, read_only
from ..base.errors import ConfigurationError

TYPICAL = (1e-2, 1e6)
"""Sample weights whose median lies between these are taken as they are."""
FINEST = 2.0**40
"""By how many times the largest weight may exceed the least before the least are rounded."""
GRAINS = 1024
"""Costs of a sample of weight 1 that are not whole are rounded to a multiple of one over this."""


@frozen(eq=False)
class Stakes:
    """For every sample, what predicting it negative (missing it) and positive (covering it) cost.

    Parameters
    ----------
    miss, cover : arrays of numbers of at least 0, one per sample
        The two costs, sample weights included.
    unit : float
        Every cost is a whole multiple of this; 0 when no such number is known. Proofs round bounds up to multiples.
    meaning : str
        What the sum of the costs is called in results and certificates.

    Raises
    ------
    ConfigurationError
        When costs are negative, not finite, or not one of each kind per sample.

    Examples
    --------
    >>> stakes = Stakes.from_labels([True, False], fn=5)
    >>> stakes.miss.tolist(), stakes.cover.tolist()
    ([5.0, 0.0], [0.0, 1.0])
    >>> Stakes.softened([True, False], [0.75, 0.75], label_weight=0.5).net.tolist()
    [0.75, -0.25]
    """

    miss: FloatArray
    cover: FloatArray
    unit: float = 0.0
    meaning: str = "errors"

    def __attrs_post_init__(self) -> None:
        for name, costs in (("miss", self.miss), ("cover", self.cover)):
            if np.ndim(costs) != 1 or not np.all(np.isfinite(costs)) or np.any(costs < 0):
                raise ConfigurationError(f"Stakes need one finite number of at least 0 per sample as {name} costs.")
        if len(self.miss) != len(self.cover):
            raise ConfigurationError(f"Stakes have {len(self.miss)} miss costs but {len(self.cover)} cover costs.")

    @classmethod
    def from_labels(
        cls, labels: Any, weights: Any = None, *, fp: float = 1.0, fn: float = 1.0, meaning: str | None = None
    ) -> Stakes:
        """Let every sample cost its weight times ``fn`` when it is positive and missed, ``fp`` when it is negative and
        covered.

        Parameters
        ----------
        labels : array of booleans
        weights : how much each sample counts; None for 1 each
        fp, fn : what a false positive and a false negative cost
        meaning : what the sum is called; None says "errors" or "weighted cost"
        """
        truth = np.asarray(labels, dtype=bool)
        return cls._expected(truth.astype(np.float64), weights, (fp, fn), meaning or _meaning(fp, fn))

    @classmethod
    def softened(  # two costs beside what defines the softened labels
        cls,
        labels: Any,
        probabilities: Any,
        label_weight: float,
        weights: Any = None,
        *,
        fp: float = 1.0,
        fn: float = 1.0,
        meaning: str | None = None,
    ) -> Stakes:
        """Let every sample cost what a teacher expects: with ``q = label_weight * label + (1 - label_weight) * p``,
        missing costs ``fn * q`` and covering ``fp * (1 - q)``.

        With equal costs a sample is to be covered if q is above 1/2, and weighs ``abs(2 q - 1)``.

        Parameters
        ----------
        labels : array of booleans
        probabilities : for every sample, the teacher's probability of the positive label
        label_weight : from 0 (the teacher alone) to 1 (the labels alone)
        weights, fp, fn, meaning : as for :meth:`from_labels`

        Raises
        ------
        ConfigurationError
            When a probability or the label weight is not between 0 and 1.
        """
        truth = np.asarray(labels, dtype=bool)
        p = np.asarray(probabilities, dtype=np.float64)
        if p.shape != truth.shape:
            raise ConfigurationError(f"A teacher gives one probability per row: got {p.shape} for {truth.shape}.")
        if not np.all((p >= 0) & (p <= 1)):
            raise ConfigurationError("A teacher's probabilities must lie between 0 and 1.")
        if not 0 <= label_weight <= 1:
            raise ConfigurationError(f"label_weight must lie between 0 and 1, not {label_weight!r}.")
        q = label_weight * truth + (1.0 - label_weight) * p
        return cls._expected(q, weights, (fp, fn), meaning or f"{_meaning(fp, fn)} expected by the teacher")

    @classmethod
    def _expected(cls, q: FloatArray, weights: Any, costs: tuple[float, float], meaning: str) -> Stakes:
        """Costs when each sample is positive with probability q, per unit of weight rounded to whole grains."""
        fp, fn = (float(cost) for cost in costs)
        if not (math.isfinite(fp) and math.isfinite(fn) and min(fp, fn) >= 0 and max(fp, fn) > 0):
            raise ConfigurationError(
                f"Costs of errors must be finite, at least 0 and not both 0: got fp={fp:g}, fn={fn:g}."
            )
        return cls.rounded(fn * q, fp * (1.0 - q), weights, meaning=meaning, least=min(c for c in (fp, fn) if c > 0))

    @classmethod
    def rounded(cls, miss: FloatArray, cover: FloatArray, weights: Any, *, meaning: str, least: float = 1.0) -> Stakes:
        """Make stakes from the costs of samples of weight 1, rounded to multiples of a power of two.

        Parameters
        ----------
        miss, cover : the costs of each sample, if its weight were 1
        weights : how much each sample counts; None for 1 each
        meaning : what the sum of the costs is called
        least : costs of this size keep three digits

        Examples
        --------
        >>> Stakes.rounded(np.array([1 / 3]), np.array([0.0]), None, meaning="cost").miss * 1024
        array([341.])
        """
        counts = np.ones(len(miss)) if weights is None else np.asarray(weights, dtype=np.float64)
        if counts.shape != np.shape(miss):
            raise ConfigurationError(f"Stakes need one weight per sample: got {counts.shape} for {np.shape(miss)}.")
        grain = 1.0
        if not (_is_whole(miss) and _is_whole(cover)):
            # A power of two, so that multiples and their sums are exact.
            grain = 2.0 ** math.floor(math.log2(min(least, 1.0))) / GRAINS
            miss, cover = np.round(miss / grain) * grain, np.round(cover / grain) * grain
        return cls(
            read_only(miss * counts), read_only(cover * counts), grain if _is_whole(counts) else 0.0, meaning
        )

    @property
    def net(self) -> FloatArray:
        """What missing costs more than covering: positive where a sample is to be covered."""
        return self.miss - self.cover

    @property
    def unavoidable(self) -> float:
        """The sum of the smaller costs: what any predictions cost."""
        return float(np.minimum(self.miss, self.cover).sum())

    def swapped(self) -> Stakes:
        """Make the stakes of a learner that covers what is to be predicted negative."""
        return evolve(self, miss=self.cover, cover=self.miss)

    def take(self, rows: IntArray) -> Stakes:
        """Make the stakes of some rows, in their order."""
        return evolve(self, miss=self.miss[rows], cover=self.cover[rows])

    def merged(self, sample_of: IntArray, n_samples: int) -> Stakes:
        """Add up the stakes of rows that become one sample; ``sample_of`` says which."""
        miss, cover = (np.bincount(sample_of, costs, minlength=n_samples) for costs in (self.miss, self.cover))
        return evolve(self, miss=miss.astype(np.float64), cover=cover.astype(np.float64))

    def in_units_of(self, unit: float) -> Stakes:
        """Make the same stakes counted in a unit, a power of two."""
        return evolve(
            self, miss=read_only(self.miss / unit), cover=read_only(self.cover / unit), unit=self.unit / unit
        )

    def __len__(self) -> int:
        return len(self.miss)

    def cost_of(self, covered: BoolArray) -> float:
        """Add up what predictions cost, each sample counted once."""
        return float(np.where(covered, self.cover, self.miss).sum())


def _meaning(fp: float, fn: float) -> str:
    return "errors" if fp == fn == 1 else "weighted cost"


def _is_whole(values: FloatArray) -> bool:
    return bool(np.all(values == np.round(values)))


def to_cover(truth: BoolArray, stakes: Stakes | None) -> BoolArray:
    """The samples that cost more when missed; where both cost the same, those that are truly to be covered."""
    if stakes is None:
        return truth
    if len(stakes) != len(truth):
        raise ConfigurationError(f"Stakes were given for {len(stakes)} rows, but the data has {len(truth)}.")
    net = stakes.net
    return np.where(net == 0, truth, net > 0)


def in_units(weights: FloatArray, at_stake: FloatArray) -> tuple[FloatArray, float]:
    """Weights in a unit in which what is typically at stake is near 1, as multiples of a fraction of the largest, and
    the unit.

    Powers of two change no digit. Weights below a trillionth of the largest are rounded to 0 or that: a solver could
    not tell them from its own rounding.
    """
    positive = weights[weights > 0]
    staked = at_stake[at_stake > 0]
    typical = float(np.median(staked if len(staked) else positive))
    unit = 1.0 if TYPICAL[0] <= typical <= TYPICAL[1] else 2.0 ** math.floor(math.log2(typical))
    weights = weights / unit
    largest = float(weights.max())
    if largest <= FINEST * float(positive.min()) / unit:
        return weights, unit
    grain = 2.0 ** math.floor(math.log2(largest / FINEST))
    return np.round(weights / grain) * grain, unit
