"""Rules as a SQL expression: ``CASE WHEN … THEN … ELSE … END``, where NULL is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from rulecg_core import Condition, ConfigurationError, RuleSet, UnknownNameError
from rulecg_core.data.conditions import EXACT_BELOW

from ..model.model import Model
from .applied import Applied, Test
from .decisions import Decisions, When
from .sql_reasons import reasoned_columns

DIALECTS = ("standard", "postgresql", "duckdb", "sqlite")
LARGEST_WHOLE = 2**64
"""Whole numbers below this are written without an exponent, so that engines compare them with integers exactly."""


def to_sql(
    model: Model | RuleSet,
    table: str | None = None,
    column: str | None = None,
    *,
    dialect: str = "standard",
    reasons: bool = False,
) -> str:
    """Write the prediction as a SQL expression, or as a whole query that adds it to a table's columns.

    A comparison with NULL is never true in SQL, as with missing values in rulecg, so no further care is needed; NaN is
    not NULL and must be stored as NULL. Numbers are compared as rulecg compares them, in double precision whatever type
    the column has, and beyond 2^53 as whole numbers. Run in tests on PostgreSQL, DuckDB and SQLite.

    Parameters
    ----------
    model
        A model, or one rule set, for which 1 is the outcome and 0 the rest.
    table
        The table to query, with its schema if it has one (``sales.loans``); a dot inside a name needs double quotes
        around the name, as in SQL. None for the expression alone.
    column
        What to call the prediction in the query; the outcome unless given.
    dialect
        ``"standard"``, ``"postgresql"``, ``"duckdb"`` or ``"sqlite"``. Only dates and durations differ: SQLite has
        texts of dates and numbers of seconds for them.
    reasons
        Whether the query also gives ``probability``, ``rule`` and ``reasons``, as
        :func:`rulecg.analysis.reasons.reasoned` does, with reasons as one text, separated by semicolons.

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
    if dialect not in DIALECTS:
        raise UnknownNameError("dialect", dialect, DIALECTS)
    if reasons and (table is None or isinstance(model, RuleSet)):
        raise ConfigurationError("Reasons are written for a model and a whole query: name a table.")
    decisions = Decisions.of(model)
    language = language_of(model, "" if table is None else "t.", dialect)
    lines = [f"  WHEN {_formula(when, language)} THEN {literal(when.label)}" for when in decisions.whens]
    expression = "\n".join(["CASE", *lines, f"  ELSE {literal(decisions.otherwise)}", "END"])
    if table is None:
        return expression
    name = column if column is not None else decisions.outcome
    added = [f"{expression} AS {identifier(name)}"]
    if reasons:
        assert not isinstance(model, RuleSet)
        details = reasoned_columns(Applied.of(model), lambda condition: condition_sql(condition, language), literal)
        added += [f"{own} AS {identifier(called)}" for called, own in details.items()]
    joined = ",\n".join(added)
    # With an alias a column that is not there is an error; SQLite would otherwise read its name as text.
    return f"SELECT t.*, {joined}\nFROM {qualified(table)} AS t"


def language_of(model: Model | RuleSet, prefix: str, dialect: str) -> Language:
    """Say what columns are called, and which of them hold text."""
    if isinstance(model, RuleSet):
        return Language(prefix, dialect)
    known = [*model.conditions, *(c for rule_set in model.rule_sets for c in rule_set.conditions)]
    texts = frozenset(c.column for c in known if isinstance(c.value, str) or Test.of(c).operator == "in")
    return Language(prefix, dialect, model.na_values, texts)


def _formula(when: When, language: Language) -> str:
    inner, outer = (" AND ", "\n    OR ") if when.logic == "dnf" else (" OR ", "\n    AND ")
    neutral = when.logic == "dnf"
    clauses = [_joined([condition_sql(c, language) for c in clause], inner, neutral) for clause in when.clauses]
    if len(clauses) > 1:
        clauses = [f"({clause})" for clause in clauses]
    return _joined(clauses, outer, not neutral)


def _joined(parts: Sequence[str], joint: str, when_empty: bool) -> str:
    return joint.join(parts) if parts else ("1 = 1" if when_empty else "1 = 0")


def condition_sql(condition: Condition, language: Language) -> str:
    """Write one condition; it is NULL or false where it does not hold."""
    test = Test.of(condition)
    name = language.column(condition)
    match test.operator:
        case "missing":
            return f"{name} IS NULL"
        case "present":
            return f"{name} IS NOT NULL"
        case "true":
            return f"{name} = TRUE"
        case "false":
            return f"{name} = FALSE"
        case "in":
            listed = ", ".join(map(literal, test.value))
            return f"{name} IN ({listed})" if listed else "1 = 0"
        case "==":
            return f"{_compared(name, condition)} = {literal(condition.value)}"
        case "!=":
            return f"{_compared(name, condition)} <> {literal(condition.value)}"
        case operator if test.kind == "moment":
            return language.moment(name, operator, test.value)
        case operator if test.kind == "duration":
            return f"{language.seconds(name)} {operator} {literal(test.value)}"
        case operator:
            return f"{_compared(name, condition)} {operator} {literal(condition.value)}"


@frozen
class Language:
    """A dialect of SQL, and what columns are called in the query."""

    prefix: str = ""
    dialect: str = "standard"
    missing: tuple[str, ...] = ()
    """Texts that stand for a missing value."""
    texts: frozenset[str] = frozenset()
    """Columns that hold text."""

    def column(self, condition: Condition) -> str:
        """Name a column; texts that stand for a missing value become NULL."""
        name = self.prefix + identifier(condition.column)
        for text in self.missing if condition.column in self.texts else ():
            name = f"NULLIF({name}, {literal(text)})"
        return name

    def moment(self, name: str, operator: str, text: str) -> str:
        """Compare a date or a moment."""
        shown = text.replace("T", " ")
        if self.dialect == "sqlite":
            # Texts in one format, which has the order of the moments.
            whole, _, part = shown.partition(".")
            return f"strftime('%Y-%m-%d %H:%M:%f', {name}) {operator} '{whole}.{part[:3].ljust(3, '0')}'"
        return f"CAST({name} AS TIMESTAMP) {operator} TIMESTAMP '{shown}'"

    def seconds(self, name: str) -> str:
        """Give a duration in seconds."""
        return name if self.dialect == "sqlite" else f"EXTRACT(EPOCH FROM {name})"


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
