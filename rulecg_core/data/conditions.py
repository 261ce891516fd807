"""One condition on one column of a table, such as ``age > 45`` or ``sex == female``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from attrs import field, frozen

from ..base.arrays import AnyArray, BoolArray, FloatArray
from ..base.errors import ConfigurationError
from .columns.scales import Mark, Scale

Operator = Literal["<=", ">", "==", "!=", "missing", "present", "true", "false"]
Value = float | int | str | bool | None

EXACT_BELOW = 2**53
"""Whole numbers below this are all different as floats; from here on they are compared as whole numbers."""
TRUE_WORDS = frozenset({"true", "t", "yes", "y", "1", "1.0", "on"})
FALSE_WORDS = frozenset({"false", "f", "no", "n", "0", "0.0", "off"})
"""Text that stands for a truth value, whatever its case."""

_NEEDS_VALUE = ("<=", ">", "==", "!=")
_COMPLEMENTS: dict[str, Operator] = {
    "<=": ">",
    ">": "<=",
    "==": "!=",
    "!=": "==",
    "missing": "present",
    "present": "missing",
    "true": "false",
    "false": "true",
}


@frozen
class Condition:
    """A comparison of one column with a value. Every comparison with a missing value is false.

    Dates, durations and ordered categories are compared with a :class:`Mark` on their scale.

    >>> print(Condition("age", ">", 45.5))
    age > 45.5
    """

    column: str
    operator: Operator = "true"
    value: Value = field(default=None)

    def __attrs_post_init__(self) -> None:
        if self.operator not in get_args(Operator):
            raise ConfigurationError(
                f"Unknown operator {self.operator!r} in a condition on {self.column!r}; "
                f"use one of {', '.join(get_args(Operator))}."
            )
        if (self.operator in _NEEDS_VALUE) != (self.value is not None):
            raise ConfigurationError(f"The operator {self.operator!r} on {self.column!r} got value {self.value!r}.")
        if self.operator in ("<=", ">") and not _is_finite_number(self.value):
            raise ConfigurationError(f"The threshold for {self.column!r} must be a finite number, not {self.value!r}.")

    @property
    def chain(self) -> tuple[str, str] | None:
        """Conditions of one chain are nested (``age <= 30`` implies ``age <= 40``); None when in no chain."""
        return (self.column, self.operator) if self.operator in ("<=", ">") else None

    def complement(self) -> Condition:
        """The condition that holds for the other rows (missing values aside)."""
        return Condition(self.column, _COMPLEMENTS[self.operator], self.value)

    def holds(self, column: Any) -> BoolArray:
        """Which entries of the column satisfy the condition."""
        if self.operator == "missing":
            return is_missing(column)
        if self.operator == "present":
            return ~is_missing(column)
        if self.operator in ("<=", ">"):
            return self._compares(column)
        if self.operator in ("true", "false"):
            truth, known = as_truth_values(column)
            return known & (truth == (self.operator == "true"))
        present = ~is_missing(column)
        return present & (_equals(column, self.value, present) == (self.operator == "=="))

    def _compares(self, column: Any) -> BoolArray:
        threshold: float = self.value  # type: ignore[assignment]
        if abs(threshold) >= EXACT_BELOW:
            # Beyond 2^53 neighbouring whole numbers become the same float: compare them as the numbers that they are.
            present = ~is_missing(column)
            at_most = np.zeros(len(present), dtype=bool)
            at_most[present] = _at_most(exact_numbers(column, self.column, present), threshold)
            return at_most if self.operator == "<=" else present & ~at_most
        numbers = numbers_on(threshold, column, self.column)
        with np.errstate(invalid="ignore"):
            return np.asarray(numbers <= threshold if self.operator == "<=" else numbers > threshold)

    def __str__(self) -> str:
        if self.operator == "missing":
            return f"{self.column} is missing"
        if self.operator == "present":
            return f"{self.column} is known"
        if self.operator == "true":
            return self.column
        if self.operator == "false":
            return f"not {self.column}"
        return f"{self.column} {self.operator} {show_value(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"column": self.column, "operator": self.operator}
        if self.value is not None:
            entry["value"] = float(self.value) if isinstance(self.value, Mark) else self.value
        if isinstance(self.value, Mark):
            entry["scale"] = self.value.scale.to_dict()
        return entry

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Condition:
        unknown = set(entry) - {"column", "operator", "value", "scale"}
        if unknown or not isinstance(entry.get("column"), str):
            raise ConfigurationError(f"Not a condition: {dict(entry)!r}.")
        value = entry.get("value")
        if not (value is None or isinstance(value, (str, bool, int, float))):
            raise ConfigurationError(f"Not a value that a condition can compare with: {value!r}.")
        if entry.get("scale") is not None:
            if not _is_finite_number(value) or isinstance(value, bool):
                raise ConfigurationError(f"A mark on a scale must be a finite number, not {value!r}.")
            value = Mark(float(value), Scale.from_dict(entry["scale"]))  # type: ignore[arg-type]
        return cls(entry["column"], entry.get("operator", "true"), value)


def show_value(value: Value) -> str:
    """A number or category as text that reads back as the same value: thresholds are never rounded."""
    if isinstance(value, float) and not isinstance(value, Mark) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def numbers_on(threshold: Any, column: Any, name: str) -> FloatArray:
    """The column as numbers that can be compared with the threshold: on its scale, if it is a mark on one."""
    return threshold.scale.numbers(column, name) if isinstance(threshold, Mark) else as_numbers(column, name)


def is_missing(column: Any) -> BoolArray:
    """Which entries are missing: NaN, None, or whatever pandas calls missing."""
    if hasattr(column, "isna"):
        return np.asarray(column.isna(), dtype=bool)
    array = np.asarray(column)
    if array.dtype.kind == "f":
        return np.asarray(np.isnan(array))
    if array.dtype.kind != "O":
        return np.zeros(array.shape, dtype=bool)
    # NaN is the only value that differs from itself; one pass over Python objects has no vectorised form.
    return np.fromiter((v is None or (isinstance(v, float) and v != v) for v in array), dtype=bool, count=array.size)


def as_numbers(column: Any, name: str) -> FloatArray:
    """The column as float64 with NaN for missing, so that fit and predict compare at one precision."""
    try:
        if hasattr(column, "to_numpy"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigurationError(
            f"Column {name!r} was numeric when the rules were learned, but now holds a value that is not a number "
            f"({error})."
        ) from None


def exact_numbers(column: Any, name: str, present: BoolArray) -> AnyArray:
    """The numbers of the rows that have one: whole numbers where floats could not tell them apart, else floats.

    >>> exact_numbers(np.array([2**53, 2**53 + 1]), "id", np.array([True, True])).tolist()
    [9007199254740992, 9007199254740993]
    >>> exact_numbers(np.array([1, 2]), "age", np.array([True, False])).tolist()
    [1.0]
    """
    chosen = np.asarray(column[present] if hasattr(column, "isna") else np.asarray(column)[present])
    if chosen.dtype.kind == "O" and all(isinstance(value, (int, np.integer)) for value in chosen):
        chosen = np.asarray(chosen.tolist())
    if chosen.dtype.kind in "iu" and len(chosen):
        low, high = int(chosen.min()), int(chosen.max())
        if high > EXACT_BELOW or low < -EXACT_BELOW:
            return chosen
    return as_numbers(chosen, name)


def _at_most(numbers: AnyArray, threshold: float) -> BoolArray:
    if numbers.dtype.kind not in "iu":
        return np.asarray(numbers <= threshold)
    whole, ends = math.floor(threshold), np.iinfo(numbers.dtype)
    if not ends.min <= whole <= ends.max:
        return np.full(len(numbers), whole > ends.max)
    return np.asarray(numbers <= numbers.dtype.type(whole))


def as_truth_values(column: Any) -> tuple[BoolArray, BoolArray]:
    """Which entries are true, and which are known: entries that are neither true nor false count as missing.

    Truth values, 0 and 1, and words such as ``yes``, ``F`` or ``true`` are understood.

    >>> truth, known = as_truth_values(np.array([True, "no", "unknown", 1, 7, None], dtype=object))
    >>> truth.tolist()
    [True, False, False, True, False, False]
    >>> known.tolist()
    [True, True, False, True, False, False]
    """
    # Columns that hold nothing but truth values are what they are; all others may hold anything.
    is_plain = isinstance(getattr(column, "dtype", None), np.dtype) and column.dtype.kind in "biuf"
    array: AnyArray = np.asarray(column.astype(object) if hasattr(column, "isna") and not is_plain else column)
    if array.dtype.kind == "b":
        return array, np.ones(array.shape, dtype=bool)
    if array.dtype.kind in "iuf":
        return np.asarray(array == 1), np.asarray((array == 0) | (array == 1))
    # A column has few different entries, and each is read once.
    meanings = {value: _truth_of(value) for value in set(array[~is_missing(column)].tolist())}
    found = [meanings.get(value) for value in array.tolist()]
    truth = np.fromiter((value is True for value in found), dtype=bool, count=len(found))
    return truth, np.fromiter((value is not None for value in found), dtype=bool, count=len(found))


def _truth_of(value: Any) -> bool | None:
    if isinstance(value, str):
        word = value.strip().lower()
        return True if word in TRUE_WORDS else False if word in FALSE_WORDS else None
    is_number = isinstance(value, (int, float, np.number, np.bool_))
    return bool(value) if is_number and value in (0, 1) else None


def _is_finite_number(value: Any) -> bool:
    try:
        return not isinstance(value, str) and math.isfinite(value)
    except OverflowError:
        return False


def _equals(column: Any, value: Value, present: BoolArray) -> BoolArray:
    array: AnyArray = np.asarray(column.astype(object)) if hasattr(column, "isna") else np.asarray(column)
    equal = np.zeros(len(array), dtype=bool)
    equal[present] = array[present] == value
    return equal
