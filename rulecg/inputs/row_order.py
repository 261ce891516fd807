"""An order of rows that depends on what they hold and not on how the table was sorted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulecg_core.base.arrays import AnyArray, BoolArray, IntArray


def canonical_order(features: BoolArray, *codes: AnyArray) -> IntArray:
    """Sort rows by a hash of their contents: shuffled or repeated rows then lead to the same rules.

    Sorting 64-bit numbers is many times faster than sorting whole rows; equal hashes of different rows, should they
    ever occur, keep the order in which they came.

    Parameters
    ----------
    features
        Rows × conditions.
    *codes
        Whole numbers per row that belong to its contents, such as labels.

    Returns
    -------
    int array
        Positions of the rows in their new order.

    Examples
    --------
    >>> rows = np.array([[True, False], [False, True], [True, False]])
    >>> rows[canonical_order(rows)].tolist() == rows[::-1][canonical_order(rows[::-1])].tolist()
    True
    """
    n_rows = len(features)
    parts = [np.packbits(features, axis=1)]
    for code in codes:
        as_bytes = np.ascontiguousarray(code.astype(np.int64)).reshape(n_rows, -1)
        parts.append(as_bytes.view(np.uint8))
    width = sum(part.shape[1] for part in parts)
    key = np.zeros((n_rows, -(-width // 8) * 8), dtype=np.uint8)
    np.concatenate(parts, axis=1, out=key[:, :width])
    return np.argsort(row_hashes(key.view(np.uint64)), kind="stable")


def row_hashes(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash every row of a matrix of 64-bit words: equal rows have equal hashes, others hardly ever.

    Parameters
    ----------
    words : array of uint64, rows × words
        What the rows hold.

    Returns
    -------
    array of uint64
        One hash per row, the same on every machine.

    Examples
    --------
    >>> first, second, third = row_hashes(np.array([[1, 2], [2, 1], [1, 2]], dtype=np.uint64))
    >>> bool(first == third), bool(first == second)
    (True, False)
    """
    multipliers = np.random.default_rng(0).integers(1, 2**63, size=words.shape[1], dtype=np.uint64) * 2 + 1
    hashes = np.zeros(len(words), dtype=np.uint64)
    for column, multiplier in zip(words.T, multipliers, strict=True):
        hashes = (hashes ^ column) * multiplier
        hashes ^= hashes >> np.uint64(31)
    return hashes
