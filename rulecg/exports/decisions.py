"""Every kind of model as one list of "when … then …": what all exports are written from."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import Condition, RuleSet

from ..model.model import Model


@frozen
class When:
    """A label for rows where the formula holds: any of the rules (DNF), or all of the clauses (CNF)."""

    clauses: tuple[tuple[Condition, ...], ...]
    logic: str
    label: Any


@frozen
class Decisions:
    """The first ``When`` that holds decides; ``otherwise`` is the label of all other rows."""

    whens: tuple[When, ...]
    otherwise: Any
    outcome: str

    @classmethod
    def of(cls, model: Model | RuleSet) -> Decisions:
        """Take a model apart; a rule set alone decides between 1 and 0."""
        if isinstance(model, RuleSet):
            return cls((When(tuple(model.clauses()), model.logic, 1),), 0, model.outcome)
        if model.is_binary:
            rule_set = model.rule_set
            when = When(tuple(rule_set.clauses()), rule_set.logic, model.classes[1])
            return cls((when,), model.classes[0], rule_set.outcome)
        return cls._of_classes(model)

    @classmethod
    def _of_classes(cls, model: Model) -> Decisions:
        """With several classes the surest rule wins: rules sorted by how sure they are, heavier classes first."""
        assert model.otherwise is not None
        entries: list[tuple[float, float, int, When]] = []
        for number, (rule_set, scores) in enumerate(zip(model.rule_sets, model.scores, strict=True)):
            label, weight = model.classes[number], float(model.class_weights[number])
            if rule_set.logic == "cnf":
                sure = 1 - float(scores.probability(np.zeros((1, len(rule_set)), dtype=bool))[0])
                entries.append((-sure, -weight, number, When(tuple(rule_set.clauses()), "cnf", label)))
                continue
            for position, clause in enumerate(rule_set.clauses()):
                alone = np.zeros((1, len(rule_set)), dtype=bool)
                alone[0, position] = True
                sure = float(scores.probability(alone)[0])
                entries.append((-sure, -weight, number, When((clause,), "dnf", label)))
        entries.sort(key=lambda entry: entry[:3])
        by_weight = np.argsort(-model.class_weights, kind="stable")
        otherwise = model.classes[int(by_weight[np.argmax(model.otherwise[by_weight])])]
        return cls(tuple(entry[3] for entry in entries), otherwise, model.target or "class")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the decisions look at."""
        return tuple(dict.fromkeys(c.column for when in self.whens for clause in when.clauses for c in clause))
