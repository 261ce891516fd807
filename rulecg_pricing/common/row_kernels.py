"""Compiled passes over the rows of the data, which may be read-only."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from rulecg_kernels import Kernel
from rulecg_kernels.compiler import F1, U1, U, compiled

_BYTES = types.Array(types.uint8, 2, "C", readonly=True)
_WEIGHTS = types.Array(types.float64, 1, "C", readonly=True)
_INTEGERS = types.Array(types.int64, 1, "C", readonly=True)
_RULES = types.Array(types.int64, 2, "C", readonly=True)


def _add_extensions(X, weights, members, sums, row):
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


def _in_precision(number: Any) -> Kernel:
    return compiled(_BYTES, _WEIGHTS, _RULES, number[:, :, ::1], number[::1], outer=True)(_add_extensions)


add_extensions = _in_precision(types.float64)
add_extensions_single = _in_precision(types.float32)
"""The same in single precision."""


# Eight parameters: the rules are two arrays, and with what is added up they differ from block to block of rows.
@compiled(_BYTES, _WEIGHTS, types.boolean, U, _INTEGERS, _INTEGERS, F1, U1, outer=True)
def add_covers(X, weights, all_rows, first_row, features, starts, sums, keys):
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
