"""What a certificate says about the raw table: what its columns hold, and which rows are positive."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import field, frozen

from rulecg_core import Condition, ConfigurationError
from rulecg_core.base.arrays import BoolArray
from rulecg_core.data.columns.scales import Mark
from rulecg_core.data.conditions import EXACT_BELOW, is_missing

MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"]
) | {"NULL", "NaN", "None", "n/a", "nan", "null"}
"""Texts that stand for a missing value in tables that rulecg reads."""
LARGEST_WEIGHT = 999_999
_TRUTHS = {True: "true", False: "false"}


@frozen(eq=False)
class Target:
    """The column that is predicted, as it stands in the table, and which rows of it are positive."""

    column: pd.Series[Any]
    positive: BoolArray

    def described(self) -> list[list[str]]:
        """Give the values of positive rows as conditions."""
        name = str(self.column.name)
        values = dict.fromkeys(pd.Series(self.column).loc[self.positive].tolist())
        return [_written(_condition_of(name, value)) for value in values]


@frozen(eq=False)
class CertificateFile:
    """Where to write a certificate, and how the table is written that it will be checked against.

    Parameters
    ----------
    path : str
        The file, such as ``"proof.json.gz"``.
    target : Target or None
        The column to predict as it stands in the table; None takes the name and the values of ``y``.
    separator : str
        What stands between the values of the table.

    Examples
    --------
    >>> CertificateFile("proof.json.gz").separator
    ','
    """

    path: str = field(converter=str)
    target: Target | None = None
    separator: str = ","


def described_columns(
    table: pd.DataFrame, conditions: Sequence[Condition], target: Target, na_values: Collection[str]
) -> dict[str, dict[str, Any]]:
    """Describe the columns that conditions and labels use.

    Parameters
    ----------
    table : DataFrame
        The inputs.
    conditions : sequence of Condition
        All conditions that rules could use.
    target : Target
        The column that is predicted.
    na_values : collection of str
        Further texts that stand for a missing value.

    Returns
    -------
    dict
        By name, the type of each column ("number", "category" or "truth") and its texts for a missing value.

    Raises
    ------
    ConfigurationError
        When a column is of a kind that certificates do not cover.
    """
    used: dict[str, set[str]] = {}
    for condition in conditions:
        used.setdefault(condition.column, set()).add(_kind(condition))
    columns = {name: table[name] for name in used}
    target_name = str(target.column.name)
    if target_name in columns:
        raise ConfigurationError(
            f"A certificate needs y under a name of its own, but a column is called {target_name!r}."
        )
    columns[target_name] = target.column
    used[target_name] = {_kind(_condition_of(target_name, value)) for value in target.column.dropna().unique().tolist()}
    found = {}
    for name, kinds in used.items():
        kinds = kinds - {"any"} or {"category"}
        if len(kinds) > 1:
            raise ConfigurationError(f"Certificates do not cover columns of several types, such as {name!r}.")
        kind = kinds.pop()
        found[name] = {"type": kind, "missing": sorted(_missing(columns[name], kind, na_values))}
    return found


def _missing(column: pd.Series[Any], kind: str, na_values: Collection[str]) -> set[str]:
    """What stands for a missing value; a category may well be called "None"."""
    texts = {*MISSING, *na_values}
    if kind != "category":
        return texts
    present = column[~is_missing(column)].unique().tolist()
    if any(not isinstance(value, str) or value != value.lstrip(" ") for value in present):
        raise ConfigurationError(
            f"Certificates take categories that are texts without a leading blank; the column {str(column.name)!r} has "
            "others."
        )
    return texts - set(present)


def described_conditions(conditions: Sequence[Condition]) -> list[list[str]]:
    """Write conditions as a certificate does: column, operator, value."""
    return [_written(condition) for condition in conditions]


def _written(condition: Condition) -> list[str]:
    value = condition.value
    if value is None:
        return [condition.column, condition.operator, ""]
    if isinstance(value, str):
        return [condition.column, condition.operator, value]
    if abs(value) >= EXACT_BELOW:
        raise ConfigurationError(f"Certificates do not cover numbers of 2^53 and beyond: {condition}.")
    return [condition.column, condition.operator, repr(float(value))]


def _kind(condition: Condition) -> str:
    if isinstance(condition.value, Mark):
        raise ConfigurationError(
            f"Certificates do not cover dates, durations and ordered categories yet: forbid the column "
            f"{condition.column!r}, or turn it into a number."
        )
    if condition.operator in ("missing", "present"):
        return "any"
    if condition.operator in ("true", "false"):
        return "truth"
    return "category" if isinstance(condition.value, str) else "number"


def _condition_of(name: str, value: Any) -> Condition:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return Condition(name, _TRUTHS[value])  # type: ignore[arg-type]
    return Condition(name, "==", value if isinstance(value, (int, float)) else str(value))
