"""A sketch of the rows that a model was learned from: it tells how many rows of another table are among them.

Every row has a hash that depends on its values alone. The sketch keeps the rows with the smallest hashes, at most 4096
different ones, as keyed digests, and how small "small" was. Rows of another table whose hashes are as small are a
random sample of it, and the share of them that the sketch knows estimates the share of all. No order of rows matters,
and rows left out or added change the estimate by no more than their share.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen
from numpy.typing import NDArray

from rulecg_core.base.arrays import AnyArray

from ...analysis.intervals import wilson
from ...inputs.row_order import row_hashes

MOST_DIGESTS = 4096
"""So many rows are kept; a share estimated from as many is uncertain by 1.6 percentage points at most."""
EVERY_ROW = 2**64
"""The threshold of a sketch that knows all rows."""
DIGEST_BYTES = 8
_MISSING = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


@frozen
class Overlap:
    """How many rows of a table are equal to rows that a model was learned from."""

    share: float
    """Share of the table's rows."""
    low: float
    high: float
    """Ends of a 95 % confidence interval of the share; equal to it where every row could be compared."""
    n_compared: int
    """How many different rows were compared."""
    by_chance: float
    """About the share that new rows from the same source would have: where columns are few, rows are equal by chance.
    It is the share of the training rows that occur more than once among them (Good and Turing's estimate)."""
    is_beyond_chance: bool
    """Whether the share is higher than chance explains, at a level of 0.1 %."""

    def __str__(self) -> str:
        error = "" if self.low == self.high else f" (95 % interval {self.low:.1%} to {self.high:.1%})"
        return f"{self.share:.1%}{error}"


@frozen
class RowSketch:
    """Keyed digests of the rows with the smallest hashes."""

    key: str
    """The key of the digests in hexadecimal, a model's own: sketches of different models cannot be compared."""
    below: int
    """Rows whose hash is below this are in the sketch."""
    digests: tuple[str, ...]
    repeated: float
    """Share of the rows that occur more than once."""

    @classmethod
    def of(cls, table: pd.DataFrame, kinds: tuple[str, ...], key: str) -> RowSketch:
        """Sketch the rows of a table.

        Parameters
        ----------
        table : DataFrame
            The rows.
        kinds : tuple of str
            What each column holds: "number", "truth value", "date", "duration" or "category".
        key : str
            32 hexadecimal digits.

        Returns
        -------
        RowSketch
            Digests of at most ``MOST_DIGESTS`` different rows.
        """
        columns = _column_hashes(table, kinds)
        hashes, first, counts = np.unique(_row_hashes(columns), return_index=True, return_counts=True)
        below, repeated = EVERY_ROW, float(counts[counts > 1].sum() / max(1, len(table)))
        if len(hashes) > MOST_DIGESTS:
            # Rounded down, so that the threshold does not tell a row's hash.
            below = int(hashes[MOST_DIGESTS]) >> 32 << 32
            first = first[hashes < np.uint64(below)]
        return cls(key, below, tuple(sorted(_digests(columns[first], key))), repeated)

    def overlap(self, table: pd.DataFrame, kinds: tuple[str, ...]) -> Overlap | None:
        """Estimate how many rows of a table are equal to rows in the sketched one.

        Parameters
        ----------
        table : DataFrame
            The same columns in the same order.
        kinds : tuple of str
            What each column held when the sketch was made.

        Returns
        -------
        Overlap or None
            The share with its error; None when no row of the table happens to be comparable.
        """
        columns = _column_hashes(table, kinds)
        hashes, first, counts = np.unique(_row_hashes(columns), return_index=True, return_counts=True)
        is_compared = np.full(len(first), True) if self.below >= EVERY_ROW else hashes < np.uint64(self.below)
        n_compared = int(is_compared.sum())
        if not n_compared:
            return None
        known = set(self.digests)
        found = np.array([digest in known for digest in _digests(columns[first[is_compared]], self.key)])
        share = float(counts[is_compared][found].sum() / counts[is_compared].sum())
        # Rows are drawn together with their equals: as many independent draws as there are different rows.
        n_found = round(share * n_compared)
        low, high = (share, share) if n_compared == len(first) else wilson(n_found, n_compared)  # type: ignore[misc]
        surely, _ = wilson(n_found, n_compared, confidence=0.998)  # type: ignore[misc]
        return Overlap(share, low, high, n_compared, self.repeated, surely > self.repeated)


def _column_hashes(table: pd.DataFrame, kinds: tuple[str, ...]) -> Hashes:
    """Rows × columns: 64 bits that depend on each value alone, not on how pandas stores it."""
    hashed = np.empty((len(table), len(kinds)), dtype=np.uint64)
    for position, kind in enumerate(kinds):
        column = table.iloc[:, position]
        is_number = kind in ("number", "truth value")
        hashed[:, position] = _number_hashes(column) if is_number else _text_hashes(column)
    return hashed


def _number_hashes(column: pd.Series[Any]) -> Hashes:
    if not pd.api.types.is_numeric_dtype(column.dtype):
        column = pd.to_numeric(column.astype(object), errors="coerce")
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0  # one zero
    return np.where(np.isnan(numbers), _MISSING, np.ascontiguousarray(numbers).view(np.uint64))


def _text_hashes(column: pd.Series[Any]) -> Hashes:
    codes, values = pd.factorize(np.asarray(column.astype(object), dtype=object))
    digests = [hashlib.blake2b(_as_bytes(value), digest_size=8).digest() for value in values]
    of_value: AnyArray = np.frombuffer(b"".join(digests), dtype="<u8")
    return np.append(of_value, _MISSING)[codes]


def _as_bytes(value: Any) -> bytes:
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    return str(value).encode("utf-8", "surrogatepass")


def _row_hashes(columns: Hashes) -> Hashes:
    """One hash per row, with all bits mixed (as splitmix64 does), so that small hashes are a fair sample of rows."""
    hashes = row_hashes(columns)
    for shift, multiplier in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(multiplier)
    return np.asarray(hashes ^ (hashes >> np.uint64(31)))


def _digests(rows: Hashes, key: str) -> list[str]:
    secret = bytes.fromhex(key)
    return [
        hashlib.blake2b(row.astype("<u8").tobytes(), key=secret, digest_size=DIGEST_BYTES).hexdigest() for row in rows
    ]
