"""What a learner is told besides the rows, checked against the table and put into the places where it works."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import pandas as pd
from attrs import frozen

from rulecg_core import (
    Condition,
    ConfigurationError,
    Constraint,
    KeepRules,
    MaxColumns,
    MaxRules,
    ProblemOptions,
    RulePrecision,
    RuleSet,
    RuleSupport,
    UnknownNameError,
)
from rulecg_core.base.arrays import FloatArray, IntArray
from rulecg_core.data.problem_options import Direction

from ..binarize.binarizer import Binarizer
from ..inputs.table import column_kind, column_scale
from .condition_text import as_list, read_condition, read_rules

SETTINGS: dict[str, Callable[[Any], Constraint]] = {
    "max_rules": MaxRules,
    "max_columns": MaxColumns,
    "min_rule_support": RuleSupport,
    "min_rule_precision": RulePrecision,
}
"""The learner's settings that are constraints with one number."""
AGAINST: dict[Direction, tuple[str, ...]] = {
    "increasing": ("<=", "false", "!="),
    "decreasing": (">", "true", "=="),
}
"""Conditions that a prediction which only rises (falls) with a column cannot use. Of a number column with two values,
``==`` is about the larger one."""


@frozen(eq=False)
class ExpertKnowledge:
    """What rules may, must and rather should not be made of.

    Conditions that no rule may use are left out before anything is learned, so that every solver, pricer and search
    obeys, and everything that is proven is about the rules that remain.
    """

    forbidden_columns: tuple[str, ...] = ()
    forbidden: frozenset[Condition] = frozenset()
    monotone: tuple[tuple[str, Direction], ...] = ()
    required: tuple[Condition, ...] = ()
    costs: tuple[tuple[str | Condition, float], ...] = ()
    """What each condition on a column, or one condition, adds to the length of a rule."""
    kept: tuple[tuple[Condition, ...], ...] = ()
    constraints: tuple[Constraint, ...] = ()

    @classmethod
    def of(cls, settings: Mapping[str, Any], table: pd.DataFrame) -> ExpertKnowledge:
        """Read an estimator's settings against the table that it is given.

        Parameters
        ----------
        settings : mapping
            The estimator's parameters by name.
        table : DataFrame
            All columns, forbidden ones included.

        Raises
        ------
        ConfigurationError
            When a setting cannot be meant, or two of them contradict each other; the message says what would do.
        """
        columns, conditions = _forbidden(settings.get("forbid") or (), table)
        monotone = _monotone(settings.get("monotone"), table, columns)
        required = tuple(
            dict.fromkeys(read_condition(each, table) for each in as_list(settings.get("require"), "require"))
        )
        kept = read_rules(settings.get("keep") or (), table, _logic_of(settings))
        constraints = [kind(settings[name]) for name, kind in SETTINGS.items() if settings.get(name) is not None]
        if kept:
            constraints.append(KeepRules(kept))
        known = cls(
            columns, conditions, monotone, required, _costs(settings.get("condition_costs"), table), kept,
            tuple(constraints),
        )  # fmt: skip
        for condition in known.wanted:
            if condition.column in columns or not known.allows(condition):
                raise ConfigurationError(
                    f"The condition {str(condition)!r} is required or in a rule to keep, but no rule may use it: it is "
                    "forbidden, or runs against the direction of its column."
                )
        return known

    @property
    def wanted(self) -> tuple[Condition, ...]:
        """Conditions that there must be, whatever a binarizer makes: those required, and those of rules to keep."""
        return tuple(dict.fromkeys([*self.required, *(condition for rule in self.kept for condition in rule)]))

    def allows(self, condition: Condition) -> bool:
        """Whether rules may use a condition."""
        direction = dict(self.monotone).get(condition.column)
        return condition not in self.forbidden and (direction is None or condition.operator not in AGAINST[direction])

    def applied(self, made: Sequence[Condition]) -> list[Condition]:
        """Of the conditions that a binarizer made those that rules may use, and those that there must be."""
        kept = [condition for condition in made if self.allows(condition)]
        return [*kept, *(condition for condition in self.wanted if condition not in kept)]

    def fitted(
        self, binarizer: Binarizer, inputs: pd.DataFrame, codes: IntArray, weights: FloatArray | None
    ) -> Binarizer:
        """Fit a binarizer to the columns that rules may use, and leave it the conditions that they may use."""
        binarizer.fit(inputs, codes, sample_weight=weights)
        binarizer.conditions_ = self.applied(binarizer.conditions_)
        if not binarizer.conditions_:
            raise ConfigurationError(
                "No condition tells the rows apart: every column that rules may use is constant or missing. "
                "Give columns that vary."
            )
        return binarizer

    def in_words(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as a model file can hold them: conditions and rules as text that is read back."""
        joined = " and " if _logic_of(settings) == "dnf" else " or "
        return {
            **settings,
            "forbid": [*self.forbidden_columns, *sorted(map(str, self.forbidden))],
            "require": list(map(str, self.required)),
            "keep": [joined.join(map(str, rule)) for rule in self.kept],
            "condition_costs": {str(name): cost for name, cost in self.costs} or None,
            "monotone": dict(self.monotone) or None,
        }

    def options(self, conditions: Sequence[Condition]) -> ProblemOptions | None:
        """What a problem over some conditions is to know; None when nothing."""
        costs = {}
        for condition in conditions:
            for name, cost in self.costs:
                if name in (condition, condition.column):
                    costs[str(condition)] = cost
        if not self.required and not costs:
            return None
        return ProblemOptions(require=self.required, costs=costs)


def with_settled_logic(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings in which the logic is not open any more where rules are kept: they are of one logic."""
    keep = settings.get("keep")
    if keep is None or not len(keep) or settings.get("logic") != "auto":
        return dict(settings)
    return {**settings, "logic": keep.logic if isinstance(keep, RuleSet) else "dnf"}


def _logic_of(settings: Mapping[str, Any]) -> str:
    """What rules are; AND where that is left open."""
    logic = str(settings.get("logic", "dnf"))
    return "dnf" if logic == "auto" else logic


def _forbidden(forbid: Any, table: pd.DataFrame) -> tuple[tuple[str, ...], frozenset[Condition]]:
    """Columns and single conditions that no rule may use."""
    if isinstance(forbid, str):
        raise ConfigurationError(
            f"forbid must be a sequence of column names, such as [{forbid!r}]; single conditions may stand there, too."
        )
    known = list(map(str, table.columns))
    columns: list[str] = []
    conditions: list[Condition] = []
    for each in forbid:
        if isinstance(each, Condition) or (str(each) not in known and _looks_like_a_condition(str(each), known)):
            conditions.append(read_condition(each, table))
        elif str(each) in known:
            columns.append(str(each))
        else:
            raise UnknownNameError("column", str(each), known)
    if known and len(set(columns)) == len(known):
        raise ConfigurationError("forbid names every column, so no rule can be made: leave one out.")
    return tuple(columns), frozenset(conditions)


def _looks_like_a_condition(text: str, known: Sequence[str]) -> bool:
    return any(sign in text for sign in ("<", ">", "=")) or any(
        text in (f"not {name}", f"{name} is missing", f"{name} is known") for name in known
    )


def _monotone(monotone: Any, table: pd.DataFrame, forbidden: Sequence[str]) -> tuple[tuple[str, Direction], ...]:
    if monotone is None:
        return ()
    if not isinstance(monotone, Mapping):
        raise ConfigurationError(f"monotone must be like {{'income': 'increasing'}}, not {monotone!r}.")
    read = []
    for column, direction in monotone.items():
        if direction not in get_args(Direction):
            raise ConfigurationError(
                f"monotone: the direction of {column!r} must be 'increasing' or 'decreasing', not {direction!r}."
            )
        name = str(column)
        if name not in table:
            raise UnknownNameError("column", name, table.columns)
        if column_kind(table[name], name) == "category" and column_scale(table[name]) is None:
            raise ConfigurationError(
                f"monotone: the values of {name!r} have no order, so predictions can neither rise nor fall with them. "
                "Give it as numbers or as an ordered category, or forbid it."
            )
        if name not in forbidden:
            read.append((name, direction))
    return tuple(read)


def _costs(costs: Any, table: pd.DataFrame) -> tuple[tuple[str | Condition, float], ...]:
    if costs is None:
        return ()
    if not isinstance(costs, Mapping):
        raise ConfigurationError(f"condition_costs must be like {{'blood test': 3}}, not {costs!r}.")
    known = list(map(str, table.columns))
    read: list[tuple[str | Condition, float]] = []
    for name, cost in costs.items():
        if isinstance(cost, bool) or not isinstance(cost, (int, float)) or not 0 <= cost < float("inf"):
            raise ConfigurationError(f"condition_costs: {name!r} must cost a number of at least 0, not {cost!r}.")
        whole = str(name) in known and not isinstance(name, Condition)
        read.append((str(name) if whole else read_condition(name, table), float(cost)))
    # What is said of one condition goes before what is said of its column.
    return tuple(sorted(read, key=lambda entry: isinstance(entry[0], Condition)))
