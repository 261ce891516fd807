"""Counting bits in packed arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BITS_IN_BYTE = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def bit_count(packed: NDArray[np.uint8]) -> int:
    """How many bits are set."""
    return int(_BITS_IN_BYTE[packed].sum(dtype=np.int64))


def population(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """How many bits are set in each word."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words))
    in_bytes = _BITS_IN_BYTE[np.ascontiguousarray(words).view(np.uint8)]
    return np.asarray(in_bytes.reshape(*words.shape, 8).sum(axis=-1, dtype=np.uint8))
