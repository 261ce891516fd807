"""Tables as the front door takes them in: DataFrames with named columns, whatever they came in as."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_array

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import AnyArray

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


class ColumnTypeError(ConfigurationError, TypeError):
    """A column holds values that rules cannot compare."""


def as_frame(X: Any) -> pd.DataFrame:
    """A DataFrame, an array or a list of rows as a DataFrame whose columns have text for names; data is not copied.

    Columns of arrays and lists are called x0, x1, … as elsewhere in scikit-learn.
    """
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
    """Whether a column holds numbers, categories or truth values; an error that helps for anything else."""
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
        return _KINDS[inferred]
    if inferred.startswith(("date", "time", "period")):
        raise ColumnTypeError(
            f"Column {name!r} holds dates or times, which rules cannot compare. Turn it into a number first, for "
            f"example (X[{name!r}] - pd.Timestamp('2020-01-01')).dt.days, or drop it."
        )
    examples = ", ".join(repr(value) for value in _examples(column))
    raise ColumnTypeError(
        f"Column {name!r} holds values of different or unknown types ({examples}): argument must be a string or a "
        f"number in every row. Turn it into text with X[{name!r}].astype(str), or into numbers with pd.to_numeric."
    )


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
    """A Python value for a numpy scalar; whole floats as ints, so that they print short."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
