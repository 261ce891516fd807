"""Rules as a SQL expression: ``CASE WHEN … THEN … ELSE … END``, where NULL is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulecg_core import Condition, ConfigurationError, RuleSet

from ..model.model import Model
from .decisions import Decisions, When


def to_sql(model: Model | RuleSet, table: str | None = None, column: str | None = None) -> str:
    """The prediction as a SQL expression, or with ``table`` a whole query that adds it to the table's columns.

    A comparison with NULL is never true in SQL, as with missing values in rulecg, so no further care is needed; NaN is
    not NULL and must be stored as NULL. Standard SQL, run in tests on SQLite and DuckDB.
    """
    decisions = Decisions.of(model)
    prefix = "" if table is None else "t."
    lines = [f"  WHEN {_formula(when, prefix)} THEN {literal(when.label)}" for when in decisions.whens]
    expression = "\n".join(["CASE", *lines, f"  ELSE {literal(decisions.otherwise)}", "END"])
    if table is None:
        return expression
    name = column if column is not None else decisions.outcome
    # With an alias a column that is not there is an error; SQLite would otherwise read its name as text.
    return f"SELECT t.*, {expression} AS {identifier(name)}\nFROM {identifier(table)} AS t"


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
            return f"{name} = {literal(condition.value)}"
        case "!=":
            return f"{name} <> {literal(condition.value)}"
        case operator:
            return f"{name} {operator} {literal(condition.value)}"


def identifier(name: str) -> str:
    """A quoted name; quotation marks in it are doubled."""
    _refuse_nul(name)
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 2**53:
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
