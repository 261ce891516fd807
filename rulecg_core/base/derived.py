"""What is made from an array and kept as long as the array lives."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

Made = TypeVar("Made")


class Derived(Generic[Made]):
    """A function of one array whose results are kept as long as the array lives, made once for each.

    The array must not change: results are found by which array it is, not by what it holds.

    Parameters
    ----------
    make : callable
        Makes the result from the array.

    Examples
    --------
    >>> import numpy as np
    >>> packed = Derived(lambda bits: np.packbits(bits, axis=1))
    >>> bits = np.eye(8, dtype=bool)
    >>> packed(bits) is packed(bits)
    True
    >>> len(packed)
    1
    >>> del bits
    >>> len(packed)
    0
    """

    def __init__(self, make: Callable[[NDArray[Any]], Made]) -> None:
        self._make = make
        self._made: dict[int, tuple[weakref.ref[NDArray[Any]], Made]] = {}
        # Entries are forgotten whenever arrays are freed, even in the middle of a look-up on the same thread.
        self._lock = threading.RLock()

    def __call__(self, array: NDArray[Any]) -> Made:
        """The result for an array, made now if it is the first time."""
        key = id(array)
        with self._lock:
            known = self._made.get(key)
            if known is not None and known[0]() is array:
                return known[1]
        made = self._make(array)
        with self._lock:
            self._made[key] = (weakref.ref(array, lambda reference: self._forget(key, reference)), made)
        return made

    def __len__(self) -> int:
        return len(self._made)

    def _forget(self, key: int, reference: weakref.ref[NDArray[Any]]) -> None:
        with self._lock:
            # Another array may live in the same place by now.
            if key in self._made and self._made[key][0] is reference:
                del self._made[key]
