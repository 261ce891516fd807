"""Numbers rounded to multiples of a power of two: their sums are exact, in whatever order they are added up."""

from __future__ import annotations

import math

import numpy as np

from .arrays import FloatArray

FINEST = -32
"""Grids are no finer than two to this: differences between sums are then nothing or well above what kernels ignore."""
DIGITS = 49
"""Binary digits that a sum of absolute values may have on its grid; four more are left for differences of sums."""


def grid_for(total: float) -> float:
    """Choose the spacing of a grid on which sums up to a total are exact.

    Examples
    --------
    >>> grid_for(1000.0) == 2.0**-32
    True
    >>> grid_for(2.0**40) == 2.0**-9
    True
    """
    return 2.0 ** max(FINEST, math.ceil(math.log2(total)) - DIGITS if total > 0 else FINEST)


def nearest(values: FloatArray, grid: float) -> FloatArray:
    """Round to the nearest multiples; halves go to the even one.

    >>> nearest(np.array([0.3, 0.7]), 0.5).tolist()
    [0.5, 0.5]
    """
    return np.asarray(np.rint(values / grid) * grid)


def below(values: FloatArray, grid: float) -> FloatArray:
    """Round down to multiples, so that sums of them bound the sums of the values from below.

    >>> below(np.array([0.3, -0.2]), 0.5).tolist()
    [0.0, -0.5]
    """
    return np.asarray(np.floor(values / grid) * grid)


def is_on(values: FloatArray, grid: float) -> bool:
    """Whether every value is a multiple of the grid's spacing."""
    scaled = values / grid
    return bool(np.array_equal(scaled, np.rint(scaled)))
