"""Rules as the learner handles them, and rule sets as people read and use them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ..base.arrays import BoolArray
from ..base.errors import ConfigurationError
from .conditions import Condition
from .rule_text import clause_text, rule_set_html, rule_set_latex, rule_set_markdown, rule_set_text

Logic: TypeAlias = Literal["dnf", "cnf"]

JSON_FORMAT = "rulecg/rule-set"
JSON_VERSION = 1


def _sorted_features(features: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({int(feature) for feature in features}))


@frozen(order=True)
class Rule:
    """A conjunction of features, given by their column numbers in a boolean matrix.

    >>> Rule((4, 1)).features
    (1, 4)
    """

    features: tuple[int, ...] = field(converter=_sorted_features)

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[int]:
        return iter(self.features)

    def covers(self, X: BoolArray) -> BoolArray:
        """Which rows of the boolean matrix have every feature of the rule."""
        covered = np.ones(X.shape[0], dtype=bool)
        for feature in self.features:
            covered &= X[:, feature]
        return covered


@frozen
class RuleSet:
    """A classifier that people can read: an OR of ANDs ("dnf") or an AND of ORs ("cnf") of conditions.

    ``conditions`` are those in use, on columns of the original table; each rule lists positions among them.

    >>> rules = RuleSet.of([[Condition("age", ">", 45), Condition("smoker")]], outcome="at risk")
    >>> print(rules)
    at risk if
      age > 45 and smoker
    >>> rules.predict({"age": [50, 50, 30], "smoker": [True, False, True]}).tolist()
    [True, False, False]
    """

    rules: tuple[Rule, ...]
    conditions: tuple[Condition, ...]
    logic: Logic = "dnf"
    columns: tuple[str, ...] = ()
    outcome: str = "positive"

    def __attrs_post_init__(self) -> None:
        if self.logic not in ("dnf", "cnf"):
            raise ConfigurationError(f"A rule set has logic 'dnf' or 'cnf', not {self.logic!r}.")
        if any(not 0 <= feature < len(self.conditions) for rule in self.rules for feature in rule):
            raise ConfigurationError("A rule refers to a condition that the rule set does not list.")

    @classmethod
    def of(
        cls,
        clauses: Iterable[Iterable[Condition]],
        *,
        logic: Logic = "dnf",
        columns: Sequence[str] = (),
        outcome: str = "positive",
    ) -> RuleSet:
        """Build from lists of conditions; each distinct condition is stored once, in the order of the columns."""
        clauses = [list(clause) for clause in clauses]
        used = dict.fromkeys(condition for clause in clauses for condition in clause)
        names = tuple(columns) or tuple(dict.fromkeys(condition.column for condition in used))
        place = {name: position for position, name in enumerate(names)}
        ordered = sorted(used, key=lambda condition: place.get(condition.column, len(place)))
        numbers = {condition: number for number, condition in enumerate(ordered)}
        rules = tuple(Rule(numbers[condition] for condition in clause) for clause in clauses)
        return cls(rules, tuple(ordered), logic, names, outcome)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def complexity(self) -> int:
        """Number of rules plus number of conditions, the paper's measure."""
        return sum(1 + len(rule) for rule in self.rules)

    def clauses(self) -> list[tuple[Condition, ...]]:
        """Each rule as its conditions."""
        return [tuple(self.conditions[feature] for feature in rule) for rule in self.rules]

    def covers(self, table: Any) -> BoolArray:
        """For every row of the table and every rule, whether the rule (CNF: the clause) holds."""
        holds = [condition.holds(self.column_of(table, condition.column)) for condition in self.conditions]
        n_rows = len(holds[0]) if holds else _row_count(table)
        covered = np.empty((n_rows, len(self.rules)), dtype=bool)
        combine = np.logical_and if self.logic == "dnf" else np.logical_or
        for position, rule in enumerate(self.rules):
            covered[:, position] = combine.reduce([holds[feature] for feature in rule], axis=0) if len(rule) else (
                self.logic == "dnf"
            )
        return covered

    def predict(self, table: Any) -> BoolArray:
        """True where the outcome is predicted. The table is a DataFrame, a dict of columns or a 2-D array."""
        covered = self.covers(table)
        return np.asarray(covered.any(axis=1) if self.logic == "dnf" else covered.all(axis=1))

    def column_of(self, table: Any, name: str) -> Any:
        """A column of a DataFrame, of a dict of columns, or of an array with the rule set's columns."""
        if isinstance(table, np.ndarray):
            if table.ndim != 2 or name not in self.columns or table.shape[1] != len(self.columns):
                raise ConfigurationError(
                    f"An array given to this rule set needs the {len(self.columns)} columns "
                    f"{', '.join(self.columns[:8])}{' …' if len(self.columns) > 8 else ''} in this order; "
                    f"got shape {table.shape}. Pass a DataFrame to select columns by name."
                )
            return table[:, self.columns.index(name)]
        try:
            return table[name]
        except (KeyError, IndexError):
            raise ConfigurationError(f"The table lacks the column {name!r}, which the rules use.") from None

    def __str__(self) -> str:
        """The rules for people: implied conditions left out, intervals merged; :meth:`to_json` keeps everything."""
        return rule_set_text(self.clauses(), self.logic, self.outcome)

    def to_markdown(self) -> str:
        return rule_set_markdown(self.clauses(), self.logic, self.outcome)

    def to_latex(self) -> str:
        return rule_set_latex(self.clauses(), self.logic, self.outcome)

    def _repr_html_(self) -> str:
        return rule_set_html(self.clauses(), self.logic, self.outcome)

    def texts(self) -> list[str]:
        """Each rule on its own as text for people."""
        return [clause_text(clause, self.logic) for clause in self.clauses()]

    def reordered(self, order: Sequence[int]) -> RuleSet:
        """The same rules in another order, for example the most important first."""
        return evolve(self, rules=tuple(self.rules[position] for position in order))

    def to_json(self) -> str:
        """One JSON document that :meth:`from_json` reads back as an equal rule set."""
        return json.dumps(
            {
                "format": JSON_FORMAT,
                "version": JSON_VERSION,
                "logic": self.logic,
                "outcome": self.outcome,
                "columns": list(self.columns),
                "conditions": [condition.to_dict() for condition in self.conditions],
                "rules": [list(rule) for rule in self.rules],
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> RuleSet:
        """Read a document written by :meth:`to_json`; anything else is refused."""
        try:
            entry = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"Not a rule set: the text is not JSON ({error}).") from None
        if not isinstance(entry, dict) or entry.get("format") != JSON_FORMAT:
            raise ConfigurationError(f"Not a rule set: expected a JSON object with format {JSON_FORMAT!r}.")
        if entry.get("version") != JSON_VERSION:
            raise ConfigurationError(
                f"This rule set has version {entry.get('version')!r}; this rulecg reads version {JSON_VERSION}. "
                "Use the rulecg release that wrote it, or a newer one."
            )
        try:
            if not all(type(feature) is int for features in entry["rules"] for feature in features):
                raise ConfigurationError("Not a rule set: a rule is not a list of whole numbers.")
            return cls(
                rules=tuple(Rule(features) for features in entry["rules"]),
                conditions=tuple(Condition.from_dict(condition) for condition in entry["conditions"]),
                logic=entry["logic"],
                columns=tuple(str(column) for column in entry["columns"]),
                outcome=str(entry["outcome"]),
            )
        except ConfigurationError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ConfigurationError(f"Not a rule set: {error}.") from None


def _row_count(table: Any) -> int:
    if hasattr(table, "shape"):
        return int(table.shape[0])
    return len(next(iter(table.values()), ()))
