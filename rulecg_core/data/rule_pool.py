"""The rules generated so far, with their covers as packed bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from ..base.arrays import BoolArray, ByteArray, FloatArray, IntArray
from .bounds.rule_bound import RuleBound, all_allow
from .problem import Problem
from .rules import Rule


class RulePool:
    """Distinct rules in the order they came. A rule that covers the same samples as a known one and is no shorter can
    never be needed, and is not taken in; nor is one that breaks a bound on single rules. Where ``columns_matter``, a
    known rule only stands for others on the same columns."""

    def __init__(
        self, problem: Problem, bounds: Sequence[RuleBound] = (), *, columns_matter: bool = False
    ) -> None:
        self.problem = problem
        self.bounds = tuple(bounds)
        self.columns_matter = columns_matter
        self.rules: list[Rule] = []
        self._lengths: list[float] = []
        self._positions: dict[Rule, int] = {}
        self._shortest: dict[tuple[bytes, frozenset[str]], float] = {}
        self._packed = np.zeros((0, problem.packed_conditions.shape[1]), dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.rules)

    def __contains__(self, rule: Rule) -> bool:
        return rule in self._positions

    @property
    def lengths(self) -> FloatArray:
        return np.array(self._lengths)

    @property
    def packed(self) -> ByteArray:
        """Rules × samples, eight samples to a byte."""
        return self._packed[: len(self.rules)]

    def positions(self, rules: Iterable[Rule]) -> IntArray:
        """Where the rules stand in the pool; each must be there."""
        return np.array([self._positions[rule] for rule in rules], dtype=np.int64)

    def covers(self, positions: IntArray | slice) -> BoolArray:
        """Rules × samples for some rules of the pool."""
        return self.problem.unpack(self.packed[positions])

    def add(self, rules: Sequence[Rule]) -> range:
        """Take in what is new, allowed and not dominated; the positions of the rules taken in."""
        first = len(self.rules)
        fresh = [rule for rule in dict.fromkeys(rules) if rule not in self._positions]
        packed = self.problem.packed_covers(fresh)
        allowed = all_allow(self.bounds, packed, self.problem.lengths(fresh))
        kept = []
        for position in np.flatnonzero(allowed).tolist():
            rule = fresh[position]
            length = self.problem.length(rule)
            columns = self.problem.columns_of([rule]) if self.columns_matter else frozenset()
            key = (blake2b(packed[position].tobytes(), digest_size=16).digest(), columns)
            if length >= self._shortest.get(key, np.inf):
                continue
            self._shortest[key] = length
            self._positions[rule] = len(self.rules)
            self.rules.append(rule)
            self._lengths.append(length)
            kept.append(position)
        self._append(packed[kept])
        return range(first, len(self.rules))

    def _append(self, packed: ByteArray) -> None:
        needed = len(self.rules)
        if needed > len(self._packed):
            grown = np.zeros((max(needed, 2 * len(self._packed), 64), packed.shape[1]), dtype=np.uint8)
            grown[: len(self._packed)] = self._packed
            self._packed = grown
        self._packed[needed - len(packed) : needed] = packed
