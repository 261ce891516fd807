"""Compiled passes over the rows of the data. Importing this module loads (once: compiles) them, so it is done late."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

_BYTES = types.Array(types.uint8, 2, "C", readonly=True)
_WEIGHTS = types.Array(types.float64, 1, "C", readonly=True)
_INTEGERS = types.Array(types.int64, 1, "C", readonly=True)
_RULES = types.Array(types.int64, 2, "C", readonly=True)


@njit(
    [
        types.void(_BYTES, _WEIGHTS, _RULES, types.Array(number, 3, "C"), types.Array(number, 1, "C"))
        for number in (types.float32, types.float64)
    ],
    nogil=True,
    cache=True,
)
def add_extensions(X: Any, weights: Any, members: Any, sums: Any, row: Any) -> None:
    """Add to ``sums[sign, rule, feature]`` the weights of the rows that the rule covers and that have the feature."""
    n_conditions = X.shape[1]
    for i in range(X.shape[0]):
        if weights[i] == 0.0:
            continue
        sign = 0 if weights[i] < 0.0 else 1
        is_scaled = False
        for rule in range(members.shape[0]):
            covered = True
            for position in range(members.shape[1]):
                if X[i, members[rule, position]] == 0:
                    covered = False
                    break
            if not covered:
                continue
            if not is_scaled:
                for feature in range(n_conditions):
                    row[feature] = X[i, feature] * weights[i]
                is_scaled = True
            for feature in range(n_conditions):
                sums[sign, rule, feature] += row[feature]


@njit(
    types.void(
        _BYTES,
        _WEIGHTS,
        types.boolean,
        types.uint64,
        _INTEGERS,
        _INTEGERS,
        types.Array(types.float64, 1, "C"),
        types.Array(types.uint64, 1, "C"),
    ),
    nogil=True,
    cache=True,
)
def add_covers(
    X: Any, weights: Any, all_rows: Any, first_row: Any, features: Any, starts: Any, sums: Any, keys: Any
) -> None:
    """For each rule add up the weights it covers, and a number that stands for which (weighted or all) rows."""
    for i in range(X.shape[0]):
        if weights[i] == 0.0 and not all_rows:
            continue
        # The splitmix64 generator: a random-looking number per row.
        key = (first_row + np.uint64(i) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        key = key ^ (key >> np.uint64(31))
        for rule in range(starts.shape[0] - 1):
            covered = True
            for position in range(starts[rule], starts[rule + 1]):
                if X[i, features[position]] == 0:
                    covered = False
                    break
            if covered:
                sums[rule] += weights[i]
                keys[rule] += key
