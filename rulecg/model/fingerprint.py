"""What data a model was learned from: columns, types, rows, and a hash that tells whether a table is the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen


@frozen
class Fingerprint:
    """Columns with their types, the number of rows, and a hash of the values in order."""

    columns: tuple[tuple[str, str], ...]
    """Name and type ("number", "truth value" or "category") of every input column."""
    n_rows: int
    sha256: str

    @classmethod
    def of(cls, table: pd.DataFrame) -> Fingerprint:
        digest = hashlib.sha256()
        columns = []
        for position, name in enumerate(map(str, table.columns)):
            column = table.iloc[:, position]
            kind, parts = _contents(column)
            columns.append((name, kind))
            for part in (name.encode("utf-8", "surrogatepass"), kind.encode(), *parts):
                digest.update(len(part).to_bytes(8, "little"))
                digest.update(part)
        return cls(tuple(columns), len(table), digest.hexdigest())


def _contents(column: pd.Series[Any]) -> tuple[str, list[bytes]]:
    """Bytes that depend on the values alone, not on how pandas stores them."""
    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype):
        kind = "truth value"
    elif pd.api.types.is_numeric_dtype(dtype):
        kind = "number"
    else:
        codes, values = pd.factorize(np.asarray(column.astype(object), dtype=object))
        text = json.dumps([str(value) for value in values])
        return "category", [codes.astype("<i8").tobytes(), text.encode()]
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = np.where(np.isnan(numbers), np.nan, numbers + 0.0)  # one NaN, one zero
    return kind, [numbers.astype("<f8").tobytes()]
