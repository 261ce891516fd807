"""A model taken apart for other systems: tests of columns, rules with their scores, and what is needed for acceptance.

All exports with reasons follow one recipe. A set's rules are tried from the surest to the least sure; the first that
fires gives the class its score, else the set's ``otherwise`` does. With two classes a score above one half accepts.
With more, the class with the highest score wins, the heavier one on a tie, and where no score is above one half the
scores are those of unclaimed rows; the winner's score times ``1 + NUDGE``, divided by the sum of all, is its
probability.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import Condition, ConfigurationError, Mark
from rulecg_core.data.rule_text import clause_text

from ..analysis.reasons import Need, needs_of
from ..model.model import Model
from ..model.multiclass import NUDGE


@frozen
class Test:
    """A question about one column that needs no knowledge of scales: levels of ordered categories are listed."""

    __test__ = False

    column: str
    operator: str
    """One of ``<=``, ``>``, ``==``, ``!=``, ``in``, ``missing``, ``present``, ``true``, ``false``."""
    value: Any = None
    """A number, a text or the texts of ``in``; a moment is text such as 2024-03-31T14:30:00, whose order is theirs."""
    kind: str = "plain"
    """``moment`` for dates, ``duration`` for numbers of seconds."""

    @classmethod
    def of(cls, condition: Condition) -> Test:
        """Translate a condition."""
        value = condition.value
        if not isinstance(value, Mark):
            return cls(condition.column, condition.operator, value)
        scale, place = value.scale, float(value)
        if scale.kind == "order":
            split = int(place) + 1
            levels = scale.levels[:split] if condition.operator == "<=" else scale.levels[split:]
            return cls(condition.column, "in", levels)
        if scale.kind == "duration":
            return cls(condition.column, condition.operator, place, scale.kind)
        moment = round(place * (86_400 if scale.kind == "date" else 1) * 10**6)
        text = str(np.datetime64(moment, "us")).removesuffix(".000000")
        return cls(condition.column, condition.operator, text, "moment")

    def to_list(self) -> list[Any]:
        """Give what JSON and the Python module hold of the test."""
        value = list(self.value) if self.operator == "in" else self.value
        kind = [] if self.kind == "plain" else [self.kind]
        return [self.column, self.operator, *([] if value is None else [value]), *kind]


@frozen
class AppliedRule:
    """A rule (DNF: all tests hold) or a clause (CNF: it fires when none holds) with its score."""

    number: int
    """Its place in the model, counted from 1: more important rules come first."""
    text: str
    score: float
    conditions: tuple[Condition, ...]
    needs: tuple[Need, ...]
    """What a DNF rule asks, column by column; empty for CNF."""

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests of all conditions."""
        return tuple(map(Test.of, self.conditions))


@frozen
class AppliedSet:
    """The rules for one class, the surest first."""

    position: int
    """The class's place among the labels."""
    logic: str
    rules: tuple[AppliedRule, ...]
    otherwise: float


@frozen
class Applied:
    """A model as other systems apply it."""

    labels: tuple[Any, ...]
    sets: tuple[AppliedSet, ...]
    by_weight: tuple[int, ...]
    """Places of the classes, the heaviest first."""
    unclaimed: tuple[float, ...]
    """With several classes: the scores where no set claims a row."""
    missing: tuple[str, ...]
    """Texts that stand for a missing value."""
    target: str

    @classmethod
    def of(cls, model: Model) -> Applied:
        """Take a model apart.

        Parameters
        ----------
        model : Model
            A model whose probabilities are known.

        Returns
        -------
        Applied
            Everything that decides.

        Raises
        ------
        ConfigurationError
            When the rules were edited after their precision was counted, or errors cost differently.
        """
        if model.has_stale_scores:
            raise ConfigurationError(
                "The rules were changed after their precision was counted, so there are no probabilities to export: "
                "count anew with rulecg.model.scored_rule_sets.rescored(model, X, y)."
            )
        if model.is_binary and model.has_unequal_costs:
            raise ConfigurationError(
                "Where errors cost differently, a rule may accept what is less likely than not, which this export "
                "cannot say: export SQL without reasons or Python, or ask rulecg.analysis.reasons.reasoned(model, X)."
            )
        sets = tuple(_applied_set(model, number) for number in range(len(model.rule_sets)))
        by_weight = tuple(np.argsort(-model.class_weights, kind="stable").tolist())
        unclaimed = () if model.otherwise is None else tuple(model.otherwise.tolist())
        target = model.rule_sets[0].outcome if model.is_binary else model.target or "class"
        return cls(model.classes, sets, by_weight, unclaimed, model.na_values, target)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rules look at."""
        return tuple(dict.fromkeys(c.column for own in self.sets for rule in own.rules for c in rule.conditions))

    def to_dict(self) -> dict[str, Any]:
        """Give plain lists, texts and numbers."""
        return {
            "labels": list(self.labels),
            "heaviest_first": list(self.by_weight),
            "unclaimed": list(self.unclaimed),
            "missing": list(self.missing),
            "nudge": NUDGE,
            "sets": [
                {
                    "class": own.position,
                    "fires": "all" if own.logic == "dnf" else "none",
                    "otherwise": own.otherwise,
                    "rules": [_rule_entry(rule) for rule in own.rules],
                }
                for own in self.sets
            ],
        }


def _rule_entry(rule: AppliedRule) -> dict[str, Any]:
    return {
        "number": rule.number,
        "text": rule.text,
        "score": rule.score,
        "tests": [test.to_list() for test in rule.tests],
        "needs": [
            {"text": need.text, "fixed": need.is_fixed, "tests": [Test.of(c).to_list() for c in need.conditions]}
            for need in rule.needs
        ],
    }


def _applied_set(model: Model, number: int) -> AppliedSet:
    rule_set, scores = model.rule_sets[number], model.scores[number]
    sure = scores.probability(np.eye(len(rule_set), dtype=bool)) if len(rule_set) else np.zeros(0)
    silent = float(scores.probability(np.zeros((1, len(rule_set)), dtype=bool))[0])
    accepts = rule_set.logic == "dnf"
    rules = [
        AppliedRule(
            number=place + 1,
            text=clause_text(clause, rule_set.logic) if accepts else f"not ({clause_text(clause, rule_set.logic)})",
            score=float(sure[place]) if accepts else 1 - float(sure[place]),
            conditions=tuple(clause),
            needs=needs_of(clause, model.sensitive_columns) if accepts else (),
        )
        for place, clause in enumerate(rule_set.clauses())
    ]
    rules.sort(key=lambda rule: (-rule.score if accepts else rule.score, rule.number))
    position = 1 if model.is_binary else number
    return AppliedSet(position, rule_set.logic, tuple(rules), silent if accepts else 1 - silent)
