"""Names for the kinds of arrays that travel between the parts."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
ByteArray: TypeAlias = NDArray[np.uint8]
AnyArray: TypeAlias = NDArray[Any]


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, locked: frozen objects must not be changed through their arrays."""
    array.flags.writeable = False
    return array
