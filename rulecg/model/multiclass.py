"""Several classes: one rule set per class, and who wins when they disagree."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import RuleSet
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray

NUDGE = 1e-9
"""By how much the winner's score is raised, so that the likeliest class is always the predicted one."""


@frozen
class ClassRuleSets:
    """One rule set per class, each for its class against the rest."""

    classes: tuple[Any, ...]
    rule_sets: tuple[RuleSet, ...]
    otherwise: Any
    """The class of rows that no rule set claims."""

    def __iter__(self) -> Iterator[RuleSet]:
        return iter(self.rule_sets)

    def __len__(self) -> int:
        """The number of rules of all classes."""
        return sum(map(len, self.rule_sets))

    def __getitem__(self, label: Any) -> RuleSet:
        return self.rule_sets[self.classes.index(label)]

    @property
    def complexity(self) -> int:
        """Number of rules plus number of conditions of all classes."""
        return sum(rule_set.complexity for rule_set in self.rule_sets)

    def __str__(self) -> str:
        parts = [str(rule_set) for rule_set in self.rule_sets]
        return "\n".join([*parts, f"if several apply, the rule with the highest precision; otherwise {self.otherwise}"])

    def _repr_html_(self) -> str:
        last = html.escape(str(self).rpartition("\n")[2])
        return "".join(rule_set._repr_html_() for rule_set in self.rule_sets) + f"<div>{last}</div>"


def decide(claims: BoolArray, scores: FloatArray, weight_of: FloatArray, otherwise: FloatArray) -> FloatArray:
    """Decide between the rule sets of several classes: the surest claim wins, the heavier class on a tie.

    Parameters
    ----------
    claims : bool array, rows × classes
        Which classes' rule sets claim which rows.
    scores : float array, rows × classes
        How sure they are.
    weight_of : float array
        The weight of every class.
    otherwise : float array
        The distribution of rows that nobody claims.

    Returns
    -------
    float array, rows × classes
        Probabilities; the largest is the decision.
    """
    claimed = claims.any(axis=1, keepdims=True)
    scores = np.where(claimed, scores, otherwise)
    winners = _heaviest_maximum(scores, weight_of)
    scores[np.arange(len(scores)), winners] *= 1 + NUDGE
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def _heaviest_maximum(scores: FloatArray, weight_of: FloatArray) -> IntArray:
    order = np.argsort(-weight_of, kind="stable")
    return np.asarray(order[np.argmax(scores[:, order], axis=1)])
