"""Tables that rules are applied to: the columns are what they were when the rules were learned, or it is said."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from rulecg_core import Condition, ConfigurationError, RulecgWarning, RuleSet
from rulecg_core.data.conditions import as_truth_values

from ..inputs.dataframes import plain_table
from ..inputs.missing_texts import without_texts


def checked_table(
    X: Any, rule_sets: Sequence[RuleSet], conditions: Sequence[Condition], na_values: Collection[str] = ()
) -> Any:
    """Check a table before rules are applied to it.

    Parameters
    ----------
    X : table, dict of columns or 2-D array
        The table, of pandas or another library; an array is given back as it is.
    rule_sets : sequence of RuleSet
        The rules.
    conditions : sequence of Condition
        Every condition that rules could use: they tell which columns held truth values.
    na_values : collection of str
        Texts that stand for a missing value.

    Returns
    -------
    DataFrame or array
        The table with text for column names, and truth values where they are expected.

    Raises
    ------
    ConfigurationError
        When two columns have one name, or a column's type has changed.
    """
    if isinstance(X, Mapping):
        try:
            X = pd.DataFrame(dict(X))
        except ValueError as error:
            raise ConfigurationError(f"A dict of columns needs one value per row in each of them: {error}.") from None
    used = dict.fromkeys(condition for rule_set in rule_sets for condition in rule_set.conditions)
    X = plain_table(X, [condition.column for condition in used])
    if not isinstance(X, pd.DataFrame):
        return X
    table = X.set_axis([str(name) for name in X.columns], axis=1)
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()][0]
        raise ConfigurationError(f"Two columns are called {twice!r}: rename one.")
    looked_at = list(dict.fromkeys(condition.column for condition in used if condition.column in table))
    if na_values:
        table = table.assign(**{str(name): own for name, own in without_texts(table[looked_at], na_values).items()})
    compared = {c.column: c.value for c in used if c.operator in ("==", "!=") and c.column in table}
    for name, value in compared.items():
        _check_type(name, value, table[name])
    for name in dict.fromkeys(c.column for c in (*used, *conditions) if c.operator in ("true", "false")):
        if name in looked_at and name in table and not pd.api.types.is_bool_dtype(table[name].dtype):
            table[name] = _truth_values(table[name], name)
    return table


def _truth_values(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    """Truth values for what stands for them; the rest is missing."""
    truth, known = as_truth_values(column)
    strange = column[column.notna().to_numpy() & ~known]
    if len(strange):
        example = strange.iloc[0]
        if not known.any():
            raise ConfigurationError(
                f"Column {name!r} held true and false when the rules were learned, but now holds values such as "
                f"{str(example)!r:.60}: turn them into true and false."
            )
        warnings.warn(
            f"Column {name!r} holds {len(strange)} {'value' if len(strange) == 1 else 'values'} that are neither true "
            f"nor false, such as {str(example)!r:.60}: they count as missing.",
            RulecgWarning,
            stacklevel=4,
        )
    return pd.Series(truth, index=column.index, dtype=object).where(known, None)


def _check_type(name: str, value: Any, column: pd.Series[Any]) -> None:
    """A category compared with numbers, or the other way round, would silently never match."""
    is_text, holds = isinstance(value, str), _holds(column)
    if holds == ("numbers" if is_text else "text"):
        was, turn = ("text", "astype(str)") if is_text else ("numbers", "pipe(pd.to_numeric)")
        raise ConfigurationError(
            f"Column {name!r} held {was} when the rules were learned, but now holds {holds}: "
            f"turn it back, for example with table[{name!r}].{turn}."
        )


def _holds(column: pd.Series[Any]) -> str:
    """"numbers", "text", or something else; from the type alone where it tells, because looking takes time."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _holds(pd.Series(dtype.categories))
    if pd.api.types.is_numeric_dtype(dtype):
        return "numbers" if column.notna().any() else "nothing"
    if isinstance(dtype, pd.StringDtype):
        return "text" if column.notna().any() else "nothing"
    inferred = pd.api.types.infer_dtype(column, skipna=True)
    if inferred in ("integer", "floating", "mixed-integer-float", "boolean"):
        return "numbers"
    return "text" if inferred == "string" else "mixed"
