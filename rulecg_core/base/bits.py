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


BYTES_AT_ONCE = 64
"""So many bytes of bits, and the table of their sums, fit into a processor's cache."""


def covered_sums(packed: NDArray[np.uint8], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the values of the set bits of every line: one look into a table for eight of them.

    Parameters
    ----------
    packed : lines × bytes, eight entries to a byte as ``np.packbits`` makes them
    values : one number per entry

    Returns
    -------
    One sum per line.

    >>> covered_sums(np.packbits([[1, 0, 1], [0, 0, 0]], axis=1), np.array([1.0, 2.0, 4.0])).tolist()
    [5.0, 0.0]
    """
    n_bytes = packed.shape[1]
    padded = np.zeros(8 * n_bytes)
    padded[: len(values)] = values
    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).T.astype(np.float64)
    sums = np.zeros(len(packed))
    for at in range(0, n_bytes, BYTES_AT_ONCE):
        # Not `@`: on a busy machine the threads of BLAS wait for each other a hundred times longer than this takes.
        table = np.einsum("ij,jk->ik", padded[8 * at : 8 * (at + BYTES_AT_ONCE)].reshape(-1, 8), patterns)
        places = packed[:, at : at + BYTES_AT_ONCE] + 256 * np.arange(len(table), dtype=np.intp)
        sums += table.ravel().take(places).sum(axis=1)
    return sums


def number_equal_lines(lines: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct lines of bytes in order of first appearance.

    Returns
    -------
    The first line of every class of equal lines, and for every line the number of its class.

    >>> first, number = number_equal_lines(np.array([[1, 2], [3, 4], [1, 2]], dtype=np.uint8))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    words = as_words(lines)
    # Sorting 64-bit hashes is many times faster than sorting whole lines; the check below makes the result exact.
    _, first, number = np.unique(line_hashes(words), return_index=True, return_inverse=True)
    if not np.array_equal(words, words[first][number]):
        _, first, number = np.unique(words, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order].astype(np.int64), rank[number.reshape(-1)].astype(np.int64)


def as_words(lines: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Pad lines of bytes with zeros to whole 64-bit words."""
    n_lines, width = lines.shape
    padded = np.zeros((n_lines, max(1, -(-width // 8)) * 8), dtype=np.uint8)
    padded[:, :width] = lines
    return padded.view(np.uint64)


def line_hashes(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash every line of words to one number that depends on its contents alone; equal hashes are possible."""
    multipliers = np.random.default_rng(0).integers(1, 2**63, size=words.shape[1], dtype=np.uint64) * 2 + 1
    hashes = np.zeros(len(words), dtype=np.uint64)
    for column, multiplier in zip(words.T, multipliers, strict=True):
        hashes ^= (column * multiplier) ^ (column >> np.uint64(29))
        hashes *= np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(32)
    return hashes
