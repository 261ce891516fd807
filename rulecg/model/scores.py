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
    """Rows × rules: which rules decide which rows. A DNF rule that holds accepts; a CNF clause that fails rejects."""
    covered = rule_set.covers(table)
    return covered if rule_set.logic == "dnf" else ~covered


@frozen(eq=False)
class RuleScores:
    """Smoothed precision of each rule, and the share of the rules' class among rows where no rule fires.

    Precision is ``(right + 1) / (fired + 2)`` in training weight (Laplace), for the class that the rules decide for:
    the positive one for DNF, the other for CNF.
    """

    precisions: FloatArray
    otherwise: float
    support: FloatArray
    """Training weight of the rows that each rule decided."""

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
            The precision of each rule, and the share where none fires.
        """
        right = (weights * is_decided_class) @ fired
        silent = ~fired.any(axis=1)
        share = (float(weights[silent & is_decided_class].sum()) + 1) / (float(weights[silent].sum()) + 2)
        support = np.asarray(weights @ fired, dtype=np.float64)
        return cls((right + 1) / (support + 2), share, support)

    def probability(self, fired: BoolArray) -> FloatArray:
        """Probability of the class that the rules decide for: the best precision among the rules that fire."""
        best = np.where(fired, self.precisions, 0.0).max(axis=1, initial=0.0)
        return np.where(
            fired.any(axis=1), np.maximum(best, 0.5 + _JUST), min(self.otherwise, 0.5 - _JUST)
        )


def by_importance(fired: BoolArray, is_decided_class: BoolArray, weights: FloatArray) -> IntArray:
    """Positions of the rules, first those with the most weight decided rightly less weight decided wrongly."""
    return np.argsort(-((weights * np.where(is_decided_class, 1.0, -1.0)) @ fired), kind="stable")


def rule_table(
    rule_set: RuleSet, decided: Any, fired: BoolArray, is_decided_class: BoolArray, weights: FloatArray
) -> pd.DataFrame:
    """One line per rule: what it says, how many rows it decides, and how many of them rightly."""
    total, right = weights @ fired, (weights * is_decided_class) @ fired
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = right / total, right / weights[is_decided_class].sum()
    return pd.DataFrame(
        {
            "class": [decided] * len(rule_set),
            "rule": rule_set.texts(),
            "n_conditions": [len(rule) for rule in rule_set.rules],
            "support": total,
            "coverage": total / weights.sum(),
            "true_positives": right,
            "false_positives": total - right,
            "precision": precision,
            "recall": recall,
        }
    )
