"""How sure a rule set is: the precision its rules had on the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from rulecg_core import RuleSet
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray

_JUST = 1e-9
"""How far a probability stays from one half, so that the likelier class is always the predicted one."""


def firing(rule_set: RuleSet, table: pd.DataFrame) -> BoolArray:
    """Find which rules decide which rows: a DNF rule that holds accepts, a CNF clause that fails rejects.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    table : DataFrame, dict of columns or 2-D array
        The rows.

    Returns
    -------
    bool array, rows × rules
        Whether the rule decides the row.
    """
    covered = rule_set.covers(table)
    return covered if rule_set.logic == "dnf" else ~covered


@frozen(eq=False)
class RuleScores:
    """How often each rule decides and is right, in training weight, and how sure it is to be right where none fires.

    Rules decide for one class: the positive one for DNF, the other for CNF.
    """

    support: FloatArray
    """Weight of the rows that each rule decides."""
    right: FloatArray
    """Weight of those that it decides rightly."""
    otherwise: float
    """Share of the rules' class among rows where no rule fires."""

    @classmethod
    def from_training(cls, fired: BoolArray, is_decided_class: BoolArray, weights: FloatArray) -> RuleScores:
        """Count on training rows.

        Parameters
        ----------
        fired : bool array, rows × rules
            Which rules decide which rows.
        is_decided_class : bool array
            Which rows are of the class that the rules decide for.
        weights : float array
            The weight of every row.

        Returns
        -------
        RuleScores
            The counts.
        """
        silent = ~fired.any(axis=1)
        share = (float(weights[silent & is_decided_class].sum()) + 1) / (float(weights[silent].sum()) + 2)
        support, right = weights @ fired, (weights * is_decided_class) @ fired
        return cls(np.asarray(support, dtype=np.float64), np.asarray(right, dtype=np.float64), share)

    @property
    def precisions(self) -> FloatArray:
        """Smoothed precision of each rule: ``(right + 1) / (support + 2)`` (Laplace)."""
        return (self.right + 1) / (self.support + 2)

    def probability(self, fired: BoolArray, *, on_its_side: bool = True) -> FloatArray:
        """Give the probability of the class that the rules decide for: the best precision among rules that fire.

        With ``on_its_side`` it is above 1/2 just where a rule fires, as it should be where all errors cost the same.
        """
        best = np.where(fired, self.precisions, 0.0).max(axis=1, initial=0.0)
        if not on_its_side:
            return np.where(fired.any(axis=1), best, self.otherwise)
        return np.where(
            fired.any(axis=1), np.maximum(best, 0.5 + _JUST), min(self.otherwise, 0.5 - _JUST)
        )


def by_importance(fired: BoolArray, is_decided_class: BoolArray, weights: FloatArray) -> IntArray:
    """Order rules, first those with the most weight decided rightly less weight decided wrongly."""
    return np.argsort(-((weights * np.where(is_decided_class, 1.0, -1.0)) @ fired), kind="stable")


def rule_table(rule_set: RuleSet, scores: RuleScores, decided: Any, of_class: float, in_all: float) -> pd.DataFrame:
    """List the rules of a rule set: what each says, how many rows it decides, and how many of them rightly.

    Parameters
    ----------
    rule_set : RuleSet
        The rules.
    scores : RuleScores
        Their counts.
    decided : label
        The class that they decide for.
    of_class, in_all : float
        Training weight of that class, and of all rows.

    Returns
    -------
    DataFrame
        One line per rule.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = scores.right / scores.support, scores.right / np.float64(of_class)
    return pd.DataFrame(
        {
            "class": [decided] * len(rule_set),
            "rule": rule_set.texts(),
            "n_conditions": [len(rule) for rule in rule_set.rules],
            "support": scores.support,
            "coverage": scores.support / in_all,
            "true_positives": scores.right,
            "false_positives": scores.support - scores.right,
            "precision": precision,
            "recall": recall,
        }
    )
