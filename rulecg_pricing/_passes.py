"""Passes over the data in blocks of rows: no copy of the matrix is ever made, whatever its size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import PricingProblem, Rule
from rulecg_core.arrays import BoolArray, FloatArray, IntArray
from rulecg_core.limits import Deadline

BLOCK_ENTRIES = 2_000_000
"""Entries of one block, over all features or all rules, whichever are more."""
EXACT_ENTRIES = 4_000_000
"""Up to this size sums are made in double precision; above, only rules that are returned are summed again in it."""


@frozen(eq=False)
class Extensions:
    """For every rule and every feature, the weights that are left once the feature is added to the rule."""

    negative: FloatArray
    """Sum of the negative weights of the samples still covered."""
    positive: FloatArray

    @property
    def covered(self) -> FloatArray:
        """Sum of all weights of the samples still covered."""
        return self.negative + self.positive


def _blocks(problem: PricingProblem, width: int) -> Iterator[slice]:
    n_rows = max(256, BLOCK_ENTRIES // max(1, width))
    for start in range(0, problem.n_samples, n_rows):
        yield slice(start, min(start + n_rows, problem.n_samples))


def _covers(X: BoolArray, members: IntArray) -> BoolArray:
    """Rules × rows, for rules that all have the same number of features."""
    covered = np.ones((len(members), len(X)), dtype=bool)
    used, positions = np.unique(members, return_inverse=True)
    columns = np.ascontiguousarray(X[:, used].T)
    for position in positions.reshape(members.shape).T:
        covered &= columns[position]
    return covered


def extend(problem: PricingProblem, members: IntArray, features: IntArray, deadline: Deadline) -> Extensions | None:
    """Price every rule (a row of ``members``) with every feature added; None when time runs out.

    One matrix product per block and sign: rows are split by the sign of their weight, so that the optimistic bound
    costs nothing extra, and rows without weight or outside all rules are left out.
    """
    dtype: Any = np.float64 if problem.X.size <= EXACT_ENTRIES else np.float32
    sums = np.zeros((2, len(members), len(features)))
    all_features = len(features) == problem.n_features
    for block in _blocks(problem, max(len(members), problem.n_features)):
        if deadline.passed:
            return None
        weights = problem.sample_weights[block]
        for sign, of_sign in enumerate((weights < 0, weights > 0)):
            X, signed = problem.X[block][of_sign], weights[of_sign]
            covered = _covers(X, members)
            reached = covered.any(axis=0)
            if 5 * np.count_nonzero(reached) < 4 * len(reached):
                X, signed, covered = X[reached], signed[reached], covered[:, reached]
            kept = X if all_features else X[:, features]
            sums[sign] += np.multiply(covered, signed, dtype=dtype) @ kept.astype(dtype)
    return Extensions(sums[0], sums[1])


def same_cover_keys(problem: PricingProblem, members: IntArray) -> list[int]:
    """One number per rule, equal for rules that cover the same samples among those that have a weight."""
    keys = [0] * len(members)
    for block in _blocks(problem, max(len(members), problem.n_features)):
        covered = np.packbits(_covers(problem.X[block][problem.sample_weights[block] != 0], members), axis=1)
        keys = [hash((key, row.tobytes())) for key, row in zip(keys, covered, strict=True)]
    return keys


def reduced_costs(problem: PricingProblem, rules: Sequence[Rule]) -> FloatArray:
    """The rules' reduced costs in double precision, in one pass over the data."""
    used = np.array(sorted({feature for rule in rules for feature in rule}), dtype=np.int64)
    positions = [np.searchsorted(used, rule.features) for rule in rules]
    prices = problem.condition_prices
    costs = np.array([prices[list(rule.features)].sum() for rule in rules]) + problem.constant
    for block in _blocks(problem, max(len(used), problem.n_features)):
        columns = np.ascontiguousarray(problem.X[block][:, used].T)
        weights = problem.sample_weights[block]
        costs += np.array([weights[columns[position].all(axis=0)].sum() for position in positions])
    return costs
