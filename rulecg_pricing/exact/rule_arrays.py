"""Many rules as one array of features, padded with -1; which of them cover the same samples."""

from __future__ import annotations

import math

import numpy as np
from attrs import define

from rulecg_core import AnyArray, BoolArray, Derived, FloatArray, IntArray, PricingProblem, Rule


def as_rules(rules: IntArray) -> tuple[Rule, ...]:
    return tuple(Rule(feature for feature in features if feature >= 0) for features in rules.tolist())


def _words(bits: BoolArray) -> AnyArray:
    """The bits of every row, 64 to a word."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)


packed_rows = Derived(_words)
"""64 conditions of a sample to a word, made once for all pricing problems over the same samples."""
packed_columns = Derived(lambda X: _words(X.T))
"""64 samples of a condition to a word."""


def _lengths(problem: PricingProblem, rules: IntArray) -> FloatArray:
    return np.asarray(np.append(problem.condition_costs, 0.0)[rules].sum(axis=1))


def distinct(problem: PricingProblem, rules: IntArray, values: FloatArray) -> IntArray:
    """The rules in order of value, length and features, without those whose cover an earlier one has."""
    from .covers import all_as_first, hash_covers

    features = tuple(rules[:, position] for position in range(rules.shape[1] - 1, -1, -1))
    order = np.lexsort((*features, (rules >= 0).sum(axis=1), np.round(values, 9)))
    if len(order) == 0:
        return order
    columns = packed_columns(problem.X)
    sorted_rules = np.ascontiguousarray(rules[order])
    hashes = np.empty(len(order), dtype=np.uint64)
    hash_covers(columns, sorted_rules, hashes)
    used = _used_columns(problem, sorted_rules)
    hashes ^= used
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    if not all_as_first(columns, sorted_rules, first[inverse.reshape(-1)].astype(np.int64)):
        # Different covers with the same hash, once in a lifetime: compare the covers themselves.
        covers = np.concatenate([_covers(columns, sorted_rules), used[:, None]], axis=1)
        _, first = np.unique(covers, axis=0, return_index=True)
    return np.asarray(order[np.sort(first)])


def _used_columns(problem: PricingProblem, rules: IntArray) -> AnyArray:
    """For every rule a number that stands for the columns of the table it uses; 0 where that does not matter."""
    if problem.columns is None:
        return np.zeros(len(rules), dtype=np.uint64)
    numbers = np.random.default_rng(0).integers(1, 2**63, size=problem.n_conditions, dtype=np.uint64)
    columns = np.sort(np.where(rules >= 0, problem.columns[rules], -1), axis=1)
    is_first = (columns >= 0) & (np.diff(columns, axis=1, prepend=-1) != 0)
    return np.where(is_first, numbers[columns], np.uint64(0)).sum(axis=1, dtype=np.uint64)


def _covers(columns: AnyArray, rules: IntArray) -> AnyArray:
    """Rules × words: the samples that each rule covers."""
    covers = columns[rules[:, 0]]
    for features in rules.T[1:]:
        covers[features >= 0] &= columns[features[features >= 0]]
    return covers


@define(eq=False)
class Part:
    """What the search below one condition of the root (or of the root itself) gave."""

    values: FloatArray
    rules: IntArray
    open_bound: float = math.inf
    """No rule that the part left out has a lower reduced cost: infinite when it left out none of interest."""
    full: bool = False

    def add(self, values: FloatArray, rules: IntArray) -> None:
        self.values = np.concatenate([self.values, values])
        self.rules = np.concatenate([self.rules, rules])

    def condense(self, problem: PricingProblem) -> None:
        """Drop rules whose cover a shorter one has."""
        self.keep(distinct(problem, self.rules, _lengths(problem, self.rules)))

    def keep(self, chosen: IntArray) -> None:
        self.values, self.rules = self.values[chosen], self.rules[chosen]
