"""Features in an order in which only the first ones need be counted: what the others hold is what those do not."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from rulecg_core import IntArray, Problem

KEY_BYTES = 64
"""By how many bytes candidates for a pair are found."""


@frozen(eq=False)
class ConditionOrder:
    """First one feature of every pair, then those without a twin, then the other one of every pair, in the same
    order: a column at most a value and above it are such twins, or a category and its negation."""

    features: IntArray
    places: IntArray
    """Where each feature is."""
    n_counted: int
    """How many features there are without the second ones of pairs."""

    @classmethod
    def of(cls, problem: Problem) -> ConditionOrder:
        packed = problem.packed_conditions
        every = np.packbits(np.ones(problem.n_samples, dtype=bool))
        waiting: dict[bytes, list[int]] = {}
        firsts: list[int] = []
        seconds: list[int] = []
        for feature, line in enumerate(packed):
            inverse = every & ~line
            alike = waiting.get(inverse[:KEY_BYTES].tobytes(), ())
            twin = next((other for other in alike if np.array_equal(packed[other], inverse)), None)
            if twin is None:
                waiting.setdefault(line[:KEY_BYTES].tobytes(), []).append(feature)
            else:
                waiting[packed[twin][:KEY_BYTES].tobytes()].remove(twin)
                firsts.append(twin)
                seconds.append(feature)
        alone = sorted(feature for features in waiting.values() for feature in features)
        features = np.array([*firsts, *alone, *seconds], dtype=np.int64)
        places = np.empty_like(features)
        places[features] = np.arange(len(features))
        return cls(features, places, len(firsts) + len(alone))
