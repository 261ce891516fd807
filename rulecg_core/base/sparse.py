"""Sparse matrices as three arrays, the form every solver takes in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from .arrays import FloatArray, lock


@frozen(eq=False)
class SparseVectors:
    """Vectors stored one after the other: vector v has ``values[starts[v]:starts[v + 1]]`` at ``indices[...]``.

    Rows of a matrix (CSR) and columns of a matrix (CSC) are both stored so; which one is meant, the user says.
    """

    starts: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: FloatArray

    def __attrs_post_init__(self) -> None:
        # Solvers are given them: what one spoilt would be another program.
        lock(self, "starts", "indices", "values")

    @classmethod
    def empty(cls, n_vectors: int) -> SparseVectors:
        return cls(np.zeros(n_vectors + 1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def from_dense(cls, vectors: NDArray[Any], *, offset: int = 0) -> SparseVectors:
        """From a dense array of vectors × entries; indices are shifted by the offset."""
        which, indices = np.nonzero(vectors)
        starts = np.zeros(len(vectors) + 1, np.int64)
        np.cumsum(np.bincount(which, minlength=len(vectors)), out=starts[1:])
        return cls(starts, indices.astype(np.int64) + offset, vectors[which, indices].astype(np.float64))

    @classmethod
    def stack(cls, blocks: list[SparseVectors]) -> SparseVectors:
        """The blocks' vectors one after the other."""
        shifts = np.cumsum([0] + [len(block.values) for block in blocks])
        starts = [block.starts[:-1] + shift for block, shift in zip(blocks, shifts[:-1], strict=True)]
        return cls(
            np.concatenate([*starts, shifts[-1:]]).astype(np.int64),
            np.concatenate([block.indices for block in blocks] or [np.zeros(0, np.int64)]),
            np.concatenate([block.values for block in blocks] or [np.zeros(0)]),
        )

    def join(self, other: SparseVectors) -> SparseVectors:
        """Vector by vector, the entries of both (their indices must not overlap)."""
        which = np.concatenate([self.owners(), other.owners()])
        order = np.argsort(which, kind="stable")
        return SparseVectors(
            self.starts + other.starts,
            np.concatenate([self.indices, other.indices])[order],
            np.concatenate([self.values, other.values])[order],
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    def owners(self) -> NDArray[np.int64]:
        """For every stored entry, the number of the vector it belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def transposed(self, n_entries: int) -> SparseVectors:
        """Rows become columns and columns become rows; ``n_entries`` is how many vectors the result has."""
        order = np.argsort(self.indices, kind="stable")
        starts = np.zeros(n_entries + 1, np.int64)
        np.cumsum(np.bincount(self.indices, minlength=n_entries), out=starts[1:])
        return SparseVectors(starts, self.owners()[order], self.values[order])

    def to_dense(self, n_entries: int) -> FloatArray:
        dense = np.zeros((len(self), n_entries))
        np.add.at(dense, (self.owners(), self.indices), self.values)
        return dense

    def dot(self, x: FloatArray) -> FloatArray:
        """Each vector's product with x."""
        return np.bincount(self.owners(), self.values * x[self.indices], minlength=len(self)).astype(np.float64)
