"""Texts that stand for a missing value, such as a question mark."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pandas as pd


def without_texts(table: pd.DataFrame, na_values: Collection[str]) -> pd.DataFrame:
    """Make texts such as "?" missing; a column of which only numbers are left is one of numbers.

    Parameters
    ----------
    table
        The rows.
    na_values
        The texts that stand for a missing value.

    Returns
    -------
    pandas.DataFrame
        The table, with other columns where such texts were found.

    Examples
    --------
    >>> without_texts(pd.DataFrame({"age": ["31", "?"], "job": ["?", "cook"]}), ["?"])["age"].tolist()
    [31.0, nan]
    """
    changed: dict[str, Any] = {}
    for name in table.columns if na_values else ():
        column = table[name]
        if not (column.dtype == object or isinstance(column.dtype, (pd.StringDtype, pd.CategoricalDtype))):
            continue
        found = column.isin(list(na_values)).to_numpy(dtype=bool, na_value=False)
        if found.any():
            left = column.mask(found)
            numbers = pd.to_numeric(left.astype(object), errors="coerce")
            changed[name] = left if (numbers.isna() & left.notna()).any() else numbers
    if not changed:
        return table
    shallow = table.copy(deep=False)
    for name, column in changed.items():
        shallow[name] = column
    return shallow
