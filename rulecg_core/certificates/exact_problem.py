"""A size-only problem in whole numbers, its samples in an order that does not depend on that of the rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from attrs import evolve, frozen

from ..base.arrays import BoolArray, ByteArray, IntArray
from ..base.errors import ConfigurationError
from ..data.problem import Problem

LARGEST = 2**40
"""Stakes that add up to more than this are not taken: sums of prices must stay exact."""


@frozen(eq=False, slots=False)
class ExactProblem:
    """Cover samples by an OR of ANDs: each costs something when missed, or for each rule that covers it.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.array([True, True, False])
    >>> problem = ExactProblem.of(np.array([[1, 0], [1, 0], [0, 1]], dtype=bool), labels * 5, ~labels * 1, 2, 4)
    >>> problem.miss.tolist(), problem.cover.tolist(), problem.keys.shape
    ([0, 10], [1, 0], (3, 2))
    """

    holds: BoolArray
    """Samples × conditions, as the learner of an OR of ANDs sees them."""
    miss: IntArray
    """What missing each sample costs."""
    cover: IntArray
    """What each rule that covers it costs."""
    keys: ByteArray
    """For every original row, what tells its sample from others: packed conditions, and whether it is to be covered."""
    max_conditions: int
    max_complexity: int

    @classmethod
    def of(
        cls, holds: BoolArray, miss: IntArray, cover: IntArray, max_conditions: int, max_complexity: int
    ) -> ExactProblem:
        """Merge equal rows into samples, in the order of their patterns.

        Parameters
        ----------
        holds : rows × conditions
        miss, cover : what missing and covering each row costs, of which one is 0
        max_conditions : most conditions in one rule
        max_complexity : most rules and conditions together

        Raises
        ------
        ConfigurationError
            When the stakes are too large for exact sums.
        """
        if float(miss.sum(dtype=np.float64) + cover.sum(dtype=np.float64)) > LARGEST:
            raise ConfigurationError(f"A certificate takes stakes that add up to at most {LARGEST}: use a larger unit.")
        keys = np.concatenate([np.packbits(holds, axis=1), (miss > cover)[:, None].astype(np.uint8)], axis=1)
        lines = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).ravel()
        _, first, inverse = np.unique(lines, return_index=True, return_inverse=True)
        sums = [np.zeros(len(first), dtype=np.int64) for _ in range(2)]
        for total, costs in zip(sums, (miss, cover), strict=True):
            np.add.at(total, inverse.ravel(), costs)
        return cls(np.ascontiguousarray(holds[first]), sums[0], sums[1], keys, max_conditions, max_complexity)

    @cached_property
    def positives(self) -> IntArray:
        """The samples that cost something when missed."""
        return np.flatnonzero(self.miss > 0).astype(np.int64)

    @cached_property
    def learned(self) -> Problem:
        """The same for column generation: samples as they are, each weighing what is at stake."""
        weights = np.maximum(self.miss, self.cover)
        problem = Problem.from_arrays(
            self.holds, self.miss > 0, weights=np.maximum(weights, 0), max_conditions=self.max_conditions, merge=False
        )
        # Whole numbers stay whole in any unit; a power of two other than 1 only scales what solvers see.
        return problem if problem.unit == 1 else evolve(problem, weights=weights.astype(np.float64), unit=1.0)
