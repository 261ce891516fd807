"""Tables and columns of other libraries (polars, Arrow, DuckDB, …), through narwhals: names kept, few copies.

Inside rulecg a table is a pandas DataFrame. Numbers come in without a copy where the other library stores them as numpy
does; texts come in as codes of their distinct values; of lazy tables only the columns that are asked for are computed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from rulecg_core import ConfigurationError


class ColumnTypeError(ConfigurationError, TypeError):
    """A column holds values that rules cannot compare."""


def plain_table(X: Any, columns: Sequence[str] | None = None) -> Any:
    """Give a table of another library as a pandas DataFrame; everything else is given back as it is.

    Parameters
    ----------
    X
        A table: polars, Arrow, a DuckDB relation, a lazy one, or whatever narwhals knows. pandas DataFrames, arrays,
        dicts and lists stay what they are.
    columns : sequence of str or None
        Of a table of another library only these columns, as far as they are there; None for all.

    Returns
    -------
    pandas.DataFrame or what was given
        The same columns under the same names.

    Raises
    ------
    ConfigurationError
        When a column holds lists, structures or other values that rules cannot compare.

    Examples
    --------
    >>> import pyarrow
    >>> table = pyarrow.table({"age": [31, 45], "job": ["cook", None]})
    >>> plain_table(table, columns=["age"]).to_dict("list")
    {'age': [31, 45]}
    """
    frame = _frame(X)
    if frame is None:
        return X
    if columns is not None:
        there = frame.collect_schema().names()
        frame = frame.select([name for name in there if name in set(columns)])
    if isinstance(frame, nw.LazyFrame):
        frame = _collected(frame)
    return pd.DataFrame({name: _column(frame[name], name) for name in frame.columns}, copy=False)


def header(X: Any) -> Any:
    """Give the names of a table's columns as a DataFrame without rows, where it is a table of another library.

    >>> import pyarrow
    >>> list(header(pyarrow.table({"age": [31]})).columns)
    ['age']
    """
    frame = _frame(X)
    return X if frame is None else pd.DataFrame(columns=frame.collect_schema().names())


def plain_column(values: Any) -> Any:
    """Give a column of another library, or a table of such columns, as pandas has them; all else as it is.

    >>> import pyarrow
    >>> plain_column(pyarrow.chunked_array([[1, 0], [1]])).tolist()
    [1, 0, 1]
    """
    if _is_pandas_or_plain(values):
        return values
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(values, arrow.Array):
        values = arrow.chunked_array([values])
    found = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(found, nw.Series):
        return pd.Series(_column(found, found.name), name=found.name or None, copy=False)
    return plain_table(values)


def _is_pandas_or_plain(values: Any) -> bool:
    return values is None or isinstance(
        values, (pd.DataFrame, pd.Series, pd.Index, np.ndarray, list, tuple, dict, str)
    )


def _frame(X: Any) -> Any:
    if _is_pandas_or_plain(X):
        return None
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(X, arrow.RecordBatch):
        X = arrow.Table.from_batches([X])
    found = nw.from_native(X, pass_through=True)
    return found if isinstance(found, (nw.DataFrame, nw.LazyFrame)) else None


def _collected(frame: Any) -> Any:
    if frame.implementation.is_polars():
        return frame.collect()
    try:
        return frame.collect("pyarrow")
    except ImportError:
        raise ConfigurationError(
            f"Reading a table of {frame.implementation.name.lower()} needs pyarrow: pip install pyarrow."
        ) from None


def _column(series: Any, name: str) -> Any:
    """One column in the form in which the rest of rulecg knows it."""
    dtype = series.dtype
    missing = series.is_null().to_numpy() if series.null_count() else None
    if dtype.is_decimal():
        return series.cast(nw.Float64).to_numpy()
    if dtype.is_float() or (dtype.is_integer() and missing is None):
        return series.to_numpy()
    if dtype.is_integer():
        return pd.arrays.IntegerArray(np.array(series.fill_null(0).to_numpy()), missing)  # type: ignore[arg-type]
    if dtype == nw.Boolean:
        if missing is None:
            return series.to_numpy()
        return pd.arrays.BooleanArray(np.array(series.fill_null(False).to_numpy(), dtype=bool), missing)
    if dtype == nw.Date:
        return series.cast(nw.Datetime("us")).to_numpy()
    if dtype == nw.Datetime:
        if dtype.time_zone is None:
            return series.to_numpy()
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
        return pd.Series(moments, copy=False).dt.tz_localize("UTC")
    if dtype == nw.Duration:
        return series.to_numpy()
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _texts(series, missing)
    values = series.to_list()
    if str(getattr(series.to_native(), "type", "")) == "month_day_nano_interval":
        # What DuckDB calls an interval; its months have 30 days.
        lengths = [None if v is None else (v[0] * 30 + v[1]) * 86_400_000_000 + v[2] // 1000 for v in values]
        return np.array([np.timedelta64("NaT") if v is None else v for v in lengths], dtype="m8[us]")
    if dtype == nw.Object or series.null_count() == len(series):
        held = np.empty(len(series), dtype=object)
        held[:] = values
        return held
    raise ColumnTypeError(
        f"Column {name!r} holds values of type {dtype}, which rules cannot compare: turn it into numbers, text or "
        "truth values, or drop it."
    )


def _texts(series: Any, missing: Any) -> Any:
    """Texts as codes of their distinct values, in the order of the categories where they have one."""
    levels = _levels(series)
    is_ordered = levels is not None
    texts = series.cast(nw.String)
    if levels is None:
        levels = sorted(texts.drop_nulls().unique().to_list())
    if not levels:
        return np.full(len(series), None, dtype=object)
    codes = texts.fill_null(levels[0]).replace_strict(levels, list(range(len(levels))), return_dtype=nw.Int32)
    positions = np.array(codes.to_numpy())
    if missing is not None:
        positions[missing] = -1
    return pd.Categorical.from_codes(positions, categories=pd.Index(levels), ordered=is_ordered)


def _levels(series: Any) -> list[str] | None:
    """The categories from lowest to highest, where the column's type says that they have an order."""
    if series.dtype == nw.Enum:
        return list(series.dtype.categories)
    native = series.to_native()
    if getattr(getattr(native, "type", None), "ordered", False):
        return [str(level) for level in native.unify_dictionaries().chunk(0).dictionary.to_pylist()]
    return None
