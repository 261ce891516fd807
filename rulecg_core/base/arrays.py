"""Names for the kinds of arrays that travel between the parts, checks of those that users give, and numbers rounded to
multiples of a power of two: their sums are exact, in whatever order they are added up."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import ConfigurationError

BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
ByteArray: TypeAlias = NDArray[np.uint8]
AnyArray: TypeAlias = NDArray[Any]

FINEST = -32
"""Grids are no finer than two to this: differences between sums are then nothing or well above what kernels ignore."""
DIGITS = 49
"""Binary digits that a sum of absolute values may have on its grid; four more are left for differences of sums."""


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, locked: frozen objects must not be changed through their arrays."""
    array.flags.writeable = False
    return array


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """A view of the array that cannot be written to; whoever owns the array still can."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def lock(owner: object, *names: str) -> None:
    """Replace arrays of a frozen object by views that cannot be written to; what is None or no array stays."""
    for name in names:
        array = getattr(owner, name)
        if isinstance(array, np.ndarray):
            # Frozen classes set attributes through object.__setattr__.
            object.__setattr__(owner, name, locked(array))


def checked_samples(X: Any, y: Any, weights: Any) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Make arrays of a boolean table, labels and weights (1 each when None), or say what is wrong with them."""
    X = _as_bool(X, "X")
    if X.ndim != 2:
        raise ConfigurationError(f"X must be a table with rows and features, not an array of shape {X.shape}.")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ConfigurationError(f"X has {X.shape[0]} rows and {X.shape[1]} features: at least one of each is needed.")
    y = _as_bool(y, "y")
    if y.shape != (X.shape[0],):
        raise ConfigurationError(f"y has shape {y.shape} but X has {X.shape[0]} rows: give one label per row.")
    if weights is None:
        return X, y, np.ones(len(y))
    weights = np.array(weights, dtype=np.float64)
    if weights.shape != y.shape:
        raise ConfigurationError(f"weights has shape {weights.shape} but X has {X.shape[0]} rows.")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ConfigurationError("Sample weights must be finite and at least 0.")
    if not np.any(weights > 0):
        raise ConfigurationError("All sample weights are 0: there is nothing to learn from.")
    return X, y, weights


def _as_bool(array: Any, name: str) -> BoolArray:
    array = np.asarray(array)
    if array.dtype == np.bool_:
        return array
    if array.dtype.kind not in "iuf" or not np.all((array == 0) | (array == 1)):
        raise ConfigurationError(f"{name} must hold only 0 and 1 (or booleans); binarize the data first.")
    return array.astype(bool)


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
