"""Sensitive columns by name, and groups made of numbers: ``sex``, ``age > 25``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rulecg_core import ConfigurationError, UnknownNameError
from rulecg_core.data.conditions import as_numbers, is_missing

_CUT = re.compile(r"(.+?)\s*(<=|>)\s*(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)")


def column_of(name: str, columns: Sequence[str] | pd.Index[Any] | None = None) -> str:
    """Give the column that a sensitive name is about: ``age`` for ``age > 25``.

    Examples
    --------
    >>> column_of("age > 25"), column_of("sex")
    ('age', 'sex')
    """
    found = _CUT.fullmatch(name) if columns is None or name not in columns else None
    return name if found is None else found[1]


def listed(names: Sequence[str] | str | None) -> tuple[str, ...]:
    """Give several names, one, or none as a tuple.

    Examples
    --------
    >>> listed("sex"), listed(["sex", "age > 25"]), listed(None)
    (('sex',), ('sex', 'age > 25'), ())
    """
    return () if names is None else (names,) if isinstance(names, str) else tuple(map(str, names))


def can_be_found(name: str, table: pd.DataFrame) -> bool:
    """Whether a table has the column that a sensitive name is about."""
    return name in table or column_of(name) in table


def sensitive_columns(table: pd.DataFrame, names: Sequence[str] | str) -> pd.DataFrame:
    """Take sensitive columns out of a table, with groups of numbers where a name cuts them.

    Parameters
    ----------
    table : DataFrame
        The table.
    names : str or sequence of str
        Columns, or comparisons of a column of numbers such as ``"age > 25"``, which make two groups.

    Returns
    -------
    DataFrame
        One column for each name, called by it.

    Raises
    ------
    ConfigurationError
        When a column to cut holds no numbers; UnknownNameError, one of its kind, when there is no such column.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30], "sex": ["female", "male"]})
    >>> sensitive_columns(table, ["sex", "age > 25"]).to_dict("list")
    {'sex': ['female', 'male'], 'age > 25': ['age <= 25', 'age > 25']}
    """
    return pd.DataFrame({name: _column(table, name) for name in listed(names)}, index=table.index)


def _column(table: pd.DataFrame, name: str) -> Any:
    if name in table:
        return table[name]
    found = _CUT.fullmatch(name)
    if found is None or found[1] not in table:
        raise UnknownNameError("column", name if found is None else found[1], table.columns)
    column, number = found[1], found[3]
    try:
        values, threshold = as_numbers(table[column], column), float(number)
    except (ConfigurationError, ValueError):
        raise ConfigurationError(
            f"{name!r} cuts {column!r} at a number, but it holds none: name the column itself."
        ) from None
    high = f"{column} > {number}"
    low = f"{column} <= {number}"
    groups = np.where(values > threshold, high, low).astype(object)
    groups[is_missing(values)] = None
    return groups
