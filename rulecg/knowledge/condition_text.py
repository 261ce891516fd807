"""Conditions and rules as people write them: ``age > 30``, ``not smoker``, ``age > 30 and job == nurse``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import pandas as pd

from rulecg_core import Condition, ConfigurationError, RuleSet, UnknownNameError

from ..inputs.table import column_kind, column_scale, plain

ConditionLike: TypeAlias = str | Condition
"""A condition, or how it prints."""

_COMPARISON = re.compile(r"\s*(<=|>=|==|!=|=|<|>)\s*(.+)")


def read_condition(text: ConditionLike, table: pd.DataFrame) -> Condition:
    """Read a condition on a column of a table.

    Parameters
    ----------
    text : str or Condition
        As conditions print: ``age > 30``, ``job == nurse``, ``smoker``, ``not smoker``, ``income is missing``.
    table : DataFrame
        Says which columns there are, and what they hold.

    Returns
    -------
    Condition
        The condition, whether or not rules can use it.

    Raises
    ------
    ConfigurationError
        When it cannot be understood; UnknownNameError, one of its kind, when there is no such column.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30], "job": ["nurse", "cook"], "smoker": [True, False]})
    >>> [str(read_condition(text, table)) for text in ("age>25", "job = nurse", "not smoker", "age is missing")]
    ['age > 25', 'job == nurse', 'not smoker', 'age is missing']
    """
    if isinstance(text, Condition):
        if text.column not in table:
            raise UnknownNameError("column", text.column, table.columns)
        return text
    if not isinstance(text, str):
        raise ConfigurationError(f"A condition is text such as 'age > 30', not {text!r}.")
    given = text.strip()
    negated = given.startswith("not ") and given not in table
    said = given[4:].strip() if negated else given
    column = max((name for name in map(str, table.columns) if _begins(said, name)), key=len, default=None)
    if column is None:
        raise UnknownNameError("column", re.split(r"\s*[<>=!]", said)[0], table.columns)
    rest = said[len(column) :].strip()
    if not rest:
        return Condition(column, "false" if negated else "true")
    if not negated and rest in ("is missing", "is known"):
        return Condition(column, "missing" if rest == "is missing" else "present")
    found = None if negated else _COMPARISON.fullmatch(rest)
    if found is None:
        raise ConfigurationError(f"{given!r} is not a condition such as {_example(table, column)!r}.")
    return _comparison(given, column, found[1], found[2].strip(), table[column])


def read_rules(rules: Any, table: pd.DataFrame, logic: str) -> tuple[tuple[Condition, ...], ...]:
    """Read rules: a rule set, or a list of rules as text or as lists of conditions.

    Parameters
    ----------
    rules : RuleSet or sequence
        The rules; in text, conditions stand between ``and`` (CNF: ``or``).
    table : DataFrame
        Says which columns there are.
    logic : "dnf" or "cnf"
        What a rule is.

    Returns
    -------
    tuple of rules
        Each as its conditions.

    Raises
    ------
    ConfigurationError
        When a rule cannot be understood.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30], "smoker": [True, False]})
    >>> [[str(condition) for condition in rule] for rule in read_rules(["age > 25 and smoker"], table, "dnf")]
    [['age > 25', 'smoker']]
    """
    if isinstance(rules, RuleSet):
        if rules.logic != logic:
            raise ConfigurationError(f"The rules to keep have logic {rules.logic!r}, but logic is {logic!r}.")
        return tuple(rules.clauses())
    listed = [rules] if isinstance(rules, str) else list(rules)
    joined = " and " if logic == "dnf" else " or "
    read = []
    for rule in listed:
        if not isinstance(rule, Iterable):
            wanted = "Rules are texts such as 'age > 30 and x <= 5' or lists of conditions"
            raise ConfigurationError(f"{wanted}, not {rule!r}.")
        parts: Iterable[ConditionLike] = rule.split(joined) if isinstance(rule, str) else rule
        read.append(tuple(read_condition(part, table) for part in parts))
    return tuple(read)


def as_list(conditions: Any, name: str) -> Sequence[ConditionLike]:
    """Several conditions, or one."""
    if conditions is None:
        return ()
    if isinstance(conditions, (str, Condition)):
        return (conditions,)
    if not isinstance(conditions, Iterable):
        raise ConfigurationError(f"{name} must be a list of conditions such as ['age > 30'], not {conditions!r}.")
    return tuple(conditions)


def _begins(text: str, name: str) -> bool:
    return text == name or (text.startswith(name) and text[len(name) : len(name) + 1] in (" ", "<", ">", "=", "!"))


def _comparison(given: str, column: str, operator: str, value: str, values: pd.Series[Any]) -> Condition:
    """A comparison with a value of the kind that the column holds."""
    if operator in (">=", "<"):
        raise ConfigurationError(
            f"{given!r}: conditions are written with > or <=, such as '{column} > {value}' with the next smaller value."
        )
    operator = "==" if operator == "=" else operator
    scale = column_scale(values)
    if operator in ("==", "!="):
        matching = [each for each in map(plain, pd.unique(values.dropna())) if _is_called(each, value)]
        if not matching:
            raise ConfigurationError(f"{given!r}: no row has {value!r} in {column!r}.")
        return Condition(column, operator, matching[0])  # type: ignore[arg-type]
    if scale is not None or column_kind(values, column) != "number":
        raise ConfigurationError(
            f"{given!r}: {column!r} holds no numbers. Write dates, durations and ordered categories as the Condition "
            "that a fitted binarizer lists."
        )
    try:
        number = float(value)
    except ValueError:
        raise ConfigurationError(f"{given!r}: {value!r} is no number.") from None
    return Condition(column, operator, int(number) if number.is_integer() else number)  # type: ignore[arg-type]


def _is_called(value: Any, text: str) -> bool:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(text) == value
        except ValueError:
            return False
    return str(value) == text.strip("'\"") or str(value) == text


def _example(table: pd.DataFrame, column: str) -> str:
    if column_scale(table[column]) is None and column_kind(table[column], column) == "number":
        return f"{column} > 30"
    return f"{column} is missing"
