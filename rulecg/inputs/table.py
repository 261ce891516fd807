"""Tables as the front door takes them in: DataFrames with named columns, whatever they came in as."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array

from rulecg_core import ConfigurationError, Scale
from rulecg_core.base.arrays import AnyArray

from .dataframes import ColumnTypeError as ColumnTypeError
from .dataframes import plain_table

Kind: TypeAlias = Literal["number", "category", "boolean"]

_KINDS: dict[str, Kind] = {
    "string": "category",
    "boolean": "boolean",
    "integer": "number",
    "floating": "number",
    "mixed-integer-float": "number",
    "decimal": "number",
    "empty": "number",
}


def as_frame(X: Any) -> pd.DataFrame:
    """Give any table as a DataFrame whose columns have text for names, without a copy where that can be.

    Parameters
    ----------
    X
        The table: of pandas, polars, Arrow, DuckDB and the like, an array or a list of rows. Columns of arrays and
        lists are called x0, x1, … as elsewhere in scikit-learn.

    Returns
    -------
    pandas.DataFrame
        The same values under names that rules can use.

    Raises
    ------
    ConfigurationError
        When the table is empty, not two-dimensional, or has two columns of one name.

    Examples
    --------
    >>> as_frame([[1, "a"], [2, "b"]]).to_dict("list")
    {'x0': [1, 2], 'x1': ['a', 'b']}
    """
    X = plain_table(X)
    if isinstance(X, pd.DataFrame):
        _check_shape(X.shape)
        names = [str(name) for name in X.columns]
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise ConfigurationError(f"Two columns are called {twice!r}: rename one, so that rules can name it.")
        return X.set_axis(names, axis=1)
    array = _as_array(X)
    return pd.DataFrame(array, columns=[f"x{position}" for position in range(array.shape[1])], copy=False)


def _as_array(X: Any) -> AnyArray:
    if isinstance(X, (list, tuple)):
        # numpy would turn rows of numbers and words into words alone.
        plain = np.asarray(X)
        X = plain if plain.dtype.kind in "biufc" else np.asarray(X, dtype=object)
    array: AnyArray = check_array(X, dtype=None, ensure_all_finite=False, accept_sparse=False)
    return array


def _check_shape(shape: tuple[int, int]) -> None:
    for count, what in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ConfigurationError(
                f"The table is empty: found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
            )


def column_kind(column: Any, name: str) -> Kind:
    """Say whether a column holds numbers, categories or truth values.

    Parameters
    ----------
    column
        A column of a DataFrame.
    name
        What to call it in errors.

    Returns
    -------
    str
        ``"number"``, ``"category"`` or ``"boolean"``.

    Raises
    ------
    ColumnTypeError
        When rules cannot compare such values, as with lists; the message says what to turn them into.

    Examples
    --------
    >>> column_kind(pd.Series(["a", None]), "letter"), column_kind(pd.Series([1.5, 2.0]), "size")
    ('category', 'number')
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        _check_categories(dtype.categories, name)
        return "category"
    if pd.api.types.is_bool_dtype(dtype):
        return "boolean"
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        return "number"
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred in _KINDS:
        if _KINDS[inferred] == "number":
            _check_magnitude(column, name)
        return _KINDS[inferred]
    if inferred in ("time", "period"):
        there = f"X[{name!r}]"
        advice = (
            f"{there}.map(lambda t: t.hour + t.minute / 60, na_action='ignore')" if inferred == "time"
            else f"pd.PeriodIndex({there}).to_timestamp()"
        )
        raise ColumnTypeError(
            f"Column {name!r} holds {inferred}s, which rules cannot compare. Turn it into a number or a date first, "
            f"for example {advice}, or drop it."
        )
    examples = ", ".join(repr(value) for value in _examples(column))
    raise ColumnTypeError(
        f"Column {name!r} holds values of different or unknown types ({examples}): argument must be a string or a "
        f"number in every row. Turn it into text with X[{name!r}].astype(str), or into numbers with pd.to_numeric."
    )


def column_scale(column: pd.Series[Any]) -> Scale | None:
    """Find the scale of a column of dates, durations or ordered categories.

    Parameters
    ----------
    column
        A column of a DataFrame.

    Returns
    -------
    Scale or None
        What its values stand for; None for plain numbers, truth values and categories without an order. Ordered
        categories that are numbers are compared as numbers, or as categories where their order is another one.

    Examples
    --------
    >>> column_scale(pd.Series(pd.Categorical(["B"], categories=["A", "B"], ordered=True)))
    Scale(kind='order', levels=('A', 'B'))
    >>> column_scale(pd.Series(pd.to_datetime(["2024-01-01 12:30"]))).kind, column_scale(pd.Series([1.5]))
    ('datetime', None)
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        is_text = pd.api.types.infer_dtype(dtype.categories, skipna=True) == "string"
        return Scale("order", tuple(map(str, dtype.categories))) if dtype.ordered and is_text else None
    if pd.api.types.is_datetime64_any_dtype(dtype):
        if getattr(dtype, "tz", None) is None and bool((column.dropna().dt.normalize() == column.dropna()).all()):
            return Scale("date")
        return Scale("datetime")
    if pd.api.types.is_timedelta64_dtype(dtype):
        return Scale("duration")
    if dtype.kind != "O":
        return None
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred in ("date", "datetime"):
        return Scale(inferred)  # type: ignore[arg-type]
    return Scale("duration") if inferred.startswith("timedelta") else None


def _check_magnitude(column: Any, name: str) -> None:
    """Python's own numbers may be larger than any that can be compared."""
    try:
        for value in pd.Series(column).dropna():
            float(value)
    except OverflowError:
        raise ColumnTypeError(
            f"Column {name!r} holds numbers beyond 1e308, which cannot be compared. If they are codes, turn them into "
            f"text with X[{name!r}].astype(str); otherwise drop the column."
        ) from None


def _check_categories(categories: Any, name: str) -> None:
    inferred = pd.api.types.infer_dtype(categories, skipna=True)
    if inferred not in _KINDS:
        raise ColumnTypeError(
            f"The categories of column {name!r} are neither text nor numbers ({inferred}). Give them names with "
            f"X[{name!r}].astype(str)."
        )


def _examples(column: Any) -> list[Any]:
    """The first present value of each of the first few types."""
    present = pd.Series(column).dropna()
    found: dict[type, Any] = {}
    for value in present.iloc[:1000]:
        found.setdefault(type(value), value)
    return list(found.values())[:3]


def plain(value: Any) -> Any:
    """Give a Python value for a numpy scalar; whole floats become ints, so that they print short.

    Parameters
    ----------
    value
        Any value.

    Returns
    -------
    object
        The same value.

    Examples
    --------
    >>> plain(np.float64(2.0)), plain("a")
    (2, 'a')
    """
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
