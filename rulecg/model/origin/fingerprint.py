"""What data a model was learned from: columns, types, number of rows, and how to recognise them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from .row_sketch import Overlap, RowSketch


@frozen
class Fingerprint:
    """Columns with their types, the number of rows, a hash of the whole table, and a sketch of its rows.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [30, 40, 50, 60], "job": ["nurse", "cook", "cook", "nurse"]})
    >>> fingerprint = Fingerprint.of(table)
    >>> print(fingerprint.overlap(table.sample(3, random_state=0)), fingerprint.overlap(table.assign(age=1)))
    100.0% 0.0%
    """

    columns: tuple[tuple[str, str], ...]
    """Name and type ("number", "truth value", "date", "duration" or "category") of every input column."""
    n_rows: int
    sha256: str
    """A hash of all values in their order."""
    sketch: RowSketch | None = None
    """Recognises single rows; None when none was wanted."""

    @classmethod
    def of(cls, table: pd.DataFrame, *, row_sketch: bool = True) -> Fingerprint:
        """Take the fingerprint of a table.

        Parameters
        ----------
        table : DataFrame
            The rows that a model was learned from.
        row_sketch : bool
            Whether to keep a sketch of the rows. Without it nobody can tell whether other rows are among them.

        Returns
        -------
        Fingerprint
            Equal tables have equal ones.
        """
        digest = hashlib.sha256()
        columns = []
        for position, name in enumerate(map(str, table.columns)):
            kind, parts = _contents(table.iloc[:, position])
            columns.append((name, kind))
            for part in (name.encode("utf-8", "surrogatepass"), kind.encode(), *parts):
                digest.update(len(part).to_bytes(8, "little"))
                digest.update(part)
        whole = digest.hexdigest()
        # The key follows from the whole table: nobody can prepare digests for it, and equal models have equal files.
        key = hashlib.sha256(f"row sketch {whole}".encode()).hexdigest()[:32]
        sketch = RowSketch.of(table, tuple(kind for _, kind in columns), key) if row_sketch else None
        return cls(tuple(columns), len(table), whole, sketch)

    def overlap(self, table: pd.DataFrame) -> Overlap | None:
        """Estimate how many rows of a table are equal to rows that the model was learned from.

        Parameters
        ----------
        table : DataFrame
            Any table; further columns do not matter.

        Returns
        -------
        Overlap or None
            The share of its rows with its error; None when there is no sketch, a column is not there, or no row happens
            to be comparable.
        """
        names = [name for name, _ in self.columns]
        own = table.set_axis([str(name) for name in table.columns], axis=1)
        if self.sketch is None or not len(table) or not set(names) <= set(own.columns):
            return None
        return self.sketch.overlap(own[names], tuple(kind for _, kind in self.columns))


def _contents(column: pd.Series[Any]) -> tuple[str, list[bytes]]:
    """Bytes that depend on the values alone, not on how pandas stores them."""
    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype):
        kind = "truth value"
    elif pd.api.types.is_numeric_dtype(dtype):
        kind = "number"
    else:
        is_length = pd.api.types.is_timedelta64_dtype(dtype)
        named = "date" if pd.api.types.is_datetime64_any_dtype(dtype) else "duration" if is_length else "category"
        codes, values = pd.factorize(np.asarray(column.astype(object), dtype=object))
        text = json.dumps([str(value) for value in values])
        return named, [codes.astype("<i8").tobytes(), text.encode()]
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = np.where(np.isnan(numbers), np.nan, numbers + 0.0)  # one NaN, one zero
    return kind, [numbers.astype("<f8").tobytes()]
