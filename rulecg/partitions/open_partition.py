"""Partition files, memory-mapped one at a time and checked before anybody believes them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import IntArray

from .manifest import Partition

Words = NDArray[np.uint64]
_BLOCK = 1 << 24
"""So many bytes of a file are hashed at a time."""


@define
class Residence:
    """How many partitions are open in this process, and how many were at most at the same time."""

    now: int = 0
    peak: int = 0
    _lock: Any = field(factory=threading.Lock, repr=False)

    def change(self, by: int) -> None:
        """Count one more, or one less."""
        with self._lock:
            self.now += by
            self.peak = max(self.peak, self.now)


RESIDENCE = Residence()
_checked: dict[str, tuple[str, int, int]] = {}
"""Files that were found to be what their manifest says: checksum, size and time of the last change."""


@frozen(eq=False)
class OpenPartition:
    """The arrays of an open partition file; they may not be used after it is closed."""

    partition: Partition
    bits: Words
    """Conditions × words: bit i of word k is about row 64 k + i."""
    planes: Words
    """Binary digits of the rows' weights, the lowest first: digits × words. Bits without a row are 0 in all."""
    hashes: Words
    """The least hashes of what rows hold, ascending."""
    rows: IntArray
    """The rows that have them."""


@contextmanager
def opened(partition: Partition) -> Iterator[OpenPartition]:
    """Map a partition file into memory while the context lasts.

    Raises
    ------
    ConfigurationError
        When the file is not there, or not what was packed.
    """
    _check(partition)
    RESIDENCE.change(+1)
    try:
        words: Any = np.memmap(partition.path, dtype=np.uint64, mode="r")
        n_bits, n_planes = partition.n_conditions * partition.n_words, partition.n_planes * partition.n_words
        parts = np.split(np.asarray(words), np.cumsum([n_bits, n_planes, partition.n_sketched]))
        yield OpenPartition(
            partition,
            parts[0].reshape(partition.n_conditions, partition.n_words),
            parts[1].reshape(partition.n_planes, partition.n_words),
            parts[2],
            parts[3].view(np.int64),
        )
    finally:
        RESIDENCE.change(-1)


def _check(partition: Partition) -> None:
    """Compare the file with its checksum, once for each process and state of the file."""
    path = Path(partition.path)
    try:
        found = path.stat()
        state = (partition.sha256, found.st_size, found.st_mtime_ns)
        if _checked.get(partition.path) == state:
            return
        digest = hashlib.sha256()
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise ConfigurationError(
            f"Cannot read the partition {path}: {error.strerror or error}. It must be where every worker can read it."
        ) from None
    if found.st_size != partition.n_bytes or digest.hexdigest() != partition.sha256:
        raise ConfigurationError(
            f"The partition {path} is not what was packed: its checksum differs from the manifest's. Pack the data "
            "again, or bring the file back from a copy."
        )
    _checked[partition.path] = state
