"""Rules as a SQL expression: ``CASE WHEN … THEN … ELSE … END``, where NULL is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rulecg_core import Condition, ConfigurationError, RuleSet
from rulecg_core.data.conditions import EXACT_BELOW

from ..model.model import Model
from .decisions import Decisions, When

LARGEST_WHOLE = 2**64
"""Whole numbers below this are written without an exponent, so that engines compare them with integers exactly."""


def to_sql(model: Model | RuleSet, table: str | None = None, column: str | None = None) -> str:
    """Write the prediction as a SQL expression, or as a whole query that adds it to a table's columns.

    A comparison with NULL is never true in SQL, as with missing values in rulecg, so no further care is needed; NaN is
    not NULL and must be stored as NULL. Numbers are compared as rulecg compares them, in double precision whatever type
    the column has, and beyond 2^53 as whole numbers. Standard SQL, run in tests on SQLite and DuckDB.

    Parameters
    ----------
    model
        A model, or one rule set, for which 1 is the outcome and 0 the rest.
    table
        The table to query, with its schema if it has one (``sales.loans``); a dot inside a name needs double quotes
        around the name, as in SQL. None for the expression alone.
    column
        What to call the prediction in the query; the outcome unless given.

    Returns
    -------
    str
        The expression or the query.

    Raises
    ------
    ConfigurationError
        When a name cannot be written in SQL.

    Examples
    --------
    >>> print(to_sql(RuleSet.of([[Condition("age", ">", 45)]], outcome="at risk"), table="health.people"))
    SELECT t.*, CASE
      WHEN CAST(t."age" AS DOUBLE PRECISION) > 45 THEN 1
      ELSE 0
    END AS "at risk"
    FROM "health"."people" AS t
    """
    decisions = Decisions.of(model)
    prefix = "" if table is None else "t."
    lines = [f"  WHEN {_formula(when, prefix)} THEN {literal(when.label)}" for when in decisions.whens]
    expression = "\n".join(["CASE", *lines, f"  ELSE {literal(decisions.otherwise)}", "END"])
    if table is None:
        return expression
    name = column if column is not None else decisions.outcome
    # With an alias a column that is not there is an error; SQLite would otherwise read its name as text.
    return f"SELECT t.*, {expression} AS {identifier(name)}\nFROM {qualified(table)} AS t"


def _formula(when: When, prefix: str) -> str:
    inner, outer = (" AND ", "\n    OR ") if when.logic == "dnf" else (" OR ", "\n    AND ")
    neutral = when.logic == "dnf"
    clauses = [_joined([_condition(c, prefix) for c in clause], inner, neutral) for clause in when.clauses]
    if len(clauses) > 1:
        clauses = [f"({clause})" for clause in clauses]
    return _joined(clauses, outer, not neutral)


def _joined(parts: Sequence[str], joint: str, when_empty: bool) -> str:
    return joint.join(parts) if parts else ("1 = 1" if when_empty else "1 = 0")


def _condition(condition: Condition, prefix: str) -> str:
    name = prefix + identifier(condition.column)
    match condition.operator:
        case "missing":
            return f"{name} IS NULL"
        case "present":
            return f"{name} IS NOT NULL"
        case "true":
            return f"{name} = TRUE"
        case "false":
            return f"{name} = FALSE"
        case "==":
            return f"{_compared(name, condition)} = {literal(condition.value)}"
        case "!=":
            return f"{_compared(name, condition)} <> {literal(condition.value)}"
        case operator:
            return f"{_compared(name, condition)} {operator} {literal(condition.value)}"


def _compared(name: str, condition: Condition) -> str:
    """The column at the precision at which rulecg compares it.

    Whole numbers are compared as such where doubles could not tell them apart; all else as doubles, also where the
    column has single precision.
    """
    value = condition.value
    if isinstance(value, (str, bool)) or abs(value) >= EXACT_BELOW:  # type: ignore[arg-type, operator]
        return name
    is_exact = condition.operator in ("==", "!=") and isinstance(value, int)
    return name if is_exact else f"CAST({name} AS DOUBLE PRECISION)"


def qualified(table: str) -> str:
    """Quote a table's name part by part.

    Parameters
    ----------
    table
        The name, with schema and catalog if wanted; parts with a dot inside in double quotes.

    Returns
    -------
    str
        The name as SQL wants it.

    Raises
    ------
    ConfigurationError
        When it is no such name.

    Examples
    --------
    >>> print(qualified('sales."loans.2024"'))
    "sales"."loans.2024"
    """
    parts = re.findall(r'("(?:[^"]|"")+"|[^."]+)(?:\.|$)', table)
    if not parts or ".".join(parts) != table:
        raise ConfigurationError(
            f"{table!r:.80} is no name of a table: give table, schema.table or catalog.schema.table, with double "
            "quotes around a part that has a dot in it."
        )
    return ".".join(identifier(part[1:-1].replace('""', '"') if part[0] == '"' else part) for part in parts)


def identifier(name: str) -> str:
    """Quote a name; quotation marks in it are doubled.

    Parameters
    ----------
    name
        Any name but the empty one.

    Returns
    -------
    str
        The name as SQL wants it.

    Raises
    ------
    ConfigurationError
        When SQL cannot hold it.

    Examples
    --------
    >>> print(identifier('the "L" size'))
    "the ""L"" size"
    """
    if not name:
        raise ConfigurationError("SQL has no way to name a column whose name is empty: rename it and learn again.")
    _refuse_nul(name)
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Write a value as SQL does.

    Parameters
    ----------
    value
        Text, a number or a truth value.

    Returns
    -------
    str
        The literal.

    Raises
    ------
    ConfigurationError
        When SQL cannot hold it.

    Examples
    --------
    >>> literal("it's"), literal(0.5), literal(True)
    ("'it''s'", '0.5', 'TRUE')
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < LARGEST_WHOLE:
            return str(int(value))
        text = repr(value)
        # Decimal literals are exact only up to fifteen digits; with an exponent they are doubles from the start.
        digits = len(text.split("e")[0].replace("-", "").replace(".", "").strip("0"))
        return text if "e" in text or digits <= 15 else f"{text}e0"
    if isinstance(value, int):
        return str(value)
    _refuse_nul(value)
    return "'" + str(value).replace("'", "''") + "'"


def _refuse_nul(text: str) -> None:
    if "\x00" in text:
        raise ConfigurationError(f"SQL cannot hold the NUL character in {text!r:.80}: rename the column or category.")
