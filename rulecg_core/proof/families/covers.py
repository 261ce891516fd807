"""Covers of listed rules, and what families of them are worth: counted exactly, many families at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from ...base.arrays import AnyArray, BoolArray, ByteArray, FloatArray, IntArray
from ...data.goal import Goal
from ...data.rules import Rule
from ..listed_covers import sums


@frozen(eq=False)
class CoverTable:
    """One rule for every cover, with what the rule costs and which samples it covers."""

    rules: tuple[Rule, ...]
    words: AnyArray = field(repr=False)
    """Rules × words: the samples that each rule covers, sixty-four to a word."""
    costs: FloatArray
    """What each rule adds to the objective by itself."""
    lengths: FloatArray
    missed: FloatArray
    """What missing each sample costs."""
    const: float

    @classmethod
    def of(cls, goal: Goal, rules: Sequence[Rule]) -> CoverTable:
        """Keep one rule for every cover, the one that costs least; of those the shortest, then the first by features.

        Parameters
        ----------
        goal : what rule sets are judged by
        rules : rules with conditions, in any order

        Returns
        -------
        The covers of the rules, each once.
        """
        problem, objective = goal.problem, goal.objective
        lengths = problem.lengths(rules)
        words = _words(problem.packed_covers(rules)) if len(rules) else np.zeros((0, 1), dtype=np.uint64)
        order = np.array(sorted(range(len(rules)), key=lambda at: (lengths[at], rules[at])), dtype=np.int64)
        first: dict[bytes, int] = {}
        for at in order.tolist():
            first.setdefault(words[at].tobytes(), at)
        kept = np.array(list(first.values()), dtype=np.int64)
        missed = np.zeros(problem.n_samples) if objective.missed is None else objective.missed
        cover = np.zeros(problem.n_samples) if objective.cover is None else objective.cover
        costs = sums(_by_byte(words[kept]), cover) + objective.length * lengths[kept] + objective.rule
        return cls(tuple(rules[at] for at in kept), words[kept], costs, lengths[kept], missed, objective.const)

    def __len__(self) -> int:
        return len(self.rules)

    def covered(self, families: IntArray) -> AnyArray:
        """Families × words: the samples that any rule of each family covers."""
        return np.bitwise_or.reduce(self.words[families], axis=1)

    def objectives(self, families: IntArray) -> FloatArray:
        """The objective of each family, a row of positions of its rules."""
        gains = sums(_by_byte(self.covered(families)), self.missed)
        return np.asarray(self.const + self.costs[families].sum(axis=1) + float(self.missed.sum()) - gains)

    def weighed(self, families: IntArray, weights: FloatArray) -> FloatArray:
        """For each family the weight of the samples that it covers; weights may have any sign."""
        return sums(_by_byte(self.covered(families)), weights)

    def predictions(self, families: IntArray, n_samples: int) -> BoolArray:
        """Families × samples: whether the family covers the sample."""
        packed = np.ascontiguousarray(self.covered(families)).view(np.uint8)
        return np.unpackbits(packed, axis=1, count=n_samples).view(np.bool_)

    def none_is_redundant(self, families: IntArray) -> BoolArray:
        """For each family whether every rule covers a sample that no other one does."""
        once = np.zeros((len(families), self.words.shape[1]), dtype=np.uint64)
        more = np.zeros_like(once)
        for place in range(families.shape[1]):
            own = self.words[families[:, place]]
            more |= once & own
            once |= own
        only_once = once & ~more
        keeps = np.ones(len(families), dtype=bool)
        for place in range(families.shape[1]):
            keeps &= (self.words[families[:, place]] & only_once).any(axis=1)
        return keeps


def _words(packed: ByteArray) -> AnyArray:
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def _by_byte(words: AnyArray) -> ByteArray:
    """Words in the form that :func:`sums` wants: bytes × families."""
    return np.ascontiguousarray(np.ascontiguousarray(words).view(np.uint8).T)
