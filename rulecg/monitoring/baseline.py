"""What was counted on the training rows, to set new rows beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from rulecg_core import Condition, Groups
from rulecg_core.base.arrays import BoolArray, IntArray

if TYPE_CHECKING:
    from ..model.model import Model

MOST_GROUPS = 1000
"""Combinations of sensitive columns beyond this many are not kept: they are no groups that anybody compares."""


@frozen(eq=False)
class Baseline:
    """Counts of training rows; sample weights do not matter here.

    Parameters
    ----------
    n_rows : int
        How many rows there were.
    conditions : tuple of int
        In how many of them each of the model's conditions held.
    fired, right : tuple of tuples of int
        For every rule set, how many rows each rule decided, and how many of them rightly.
    n_right : int
        How many rows the model predicted as recorded.
    sensitive : tuple of str
        The sensitive columns.
    groups : tuple
        For every combination of their values (None where missing) the number of rows that are negative and predicted
        so, wrongly accepted, wrongly rejected, and positive and predicted so. Empty unless there are two classes.
    """

    n_rows: int
    conditions: tuple[int, ...]
    fired: tuple[tuple[int, ...], ...]
    right: tuple[tuple[int, ...], ...]
    n_right: int
    sensitive: tuple[str, ...] = ()
    groups: tuple[tuple[tuple[str | None, ...], tuple[int, int, int, int]], ...] = ()

    @classmethod
    def of(cls, model: Model, table: Any, codes: IntArray, groups: Groups) -> Baseline:
        """Count on training rows.

        Parameters
        ----------
        model : Model
            What was learned.
        table : DataFrame
            The rows.
        codes : int array
            For every row the position of its label among the model's classes.
        groups : Groups
            The sensitive columns.

        Returns
        -------
        Baseline
            The counts.
        """
        fired = model.firings(table)
        predicted = model.decisions(fired)
        counted = [rule_counts(model, number, own, codes) for number, own in enumerate(fired)]
        found: list[tuple[tuple[str | None, ...], tuple[int, int, int, int]]] = []
        if model.is_binary and groups.columns:
            combinations, inverse = np.unique(groups.codes, axis=0, return_inverse=True)
            if len(combinations) <= MOST_GROUPS:
                cells = np.bincount(inverse.reshape(-1) * 4 + codes * 2 + predicted, minlength=4 * len(combinations))
                for combination, (tn, fp, fn, tp) in zip(combinations, cells.reshape(-1, 4).tolist(), strict=True):
                    names = [None if at < 0 else own[at] for at, own in zip(combination, groups.labels, strict=True)]
                    found.append((tuple(names), (tn, fp, fn, tp)))
        return cls(
            n_rows=len(table),
            conditions=tuple(condition_counts(model.conditions, table)),
            fired=tuple(own for own, _ in counted),
            right=tuple(own for _, own in counted),
            n_right=int((predicted == codes).sum()),
            sensitive=groups.columns if found else (),
            groups=tuple(found),
        )

    def training_rows(self) -> tuple[BoolArray, BoolArray, dict[str, list[str | None]]]:
        """Give labels, predictions and sensitive columns of rows that have the counts of the training rows."""
        cells = [(labels, at, count) for labels, own in self.groups for at, count in enumerate(own)]
        repeats = [count for _, _, count in cells]
        truth = np.repeat([at >= 2 for _, at, _ in cells], repeats)
        predicted = np.repeat([at % 2 == 1 for _, at, _ in cells], repeats)
        columns = {
            name: [labels[place] for labels, _, count in cells for _ in range(count)]
            for place, name in enumerate(self.sensitive)
        }
        return truth, predicted, columns


def condition_counts(conditions: Sequence[Condition], table: Any) -> list[int]:
    """Count the rows in which each condition holds; complements are not evaluated twice.

    Parameters
    ----------
    conditions : sequence of Condition
        The conditions.
    table : DataFrame
        The rows.

    Returns
    -------
    list of int
        The counts; -1 for conditions on columns that are not there.

    Examples
    --------
    >>> import pandas as pd
    >>> asked = [Condition("age", "<=", 40), Condition("age", ">", 40), Condition("size", "<=", 1)]
    >>> condition_counts(asked, pd.DataFrame({"age": [30, 50, None]}))
    [1, 1, -1]
    """
    known: dict[Condition, int] = {}
    present: dict[str, int] = {}
    for condition in conditions:
        name = condition.column
        if name not in table:
            known[condition] = -1
            continue
        if name not in present:
            present[name] = int(Condition(name, "present").holds(table[name]).sum())
        other = condition.complement()
        is_pair = condition.operator in ("<=", ">", "==", "!=") and other in known
        known[condition] = present[name] - known[other] if is_pair else int(condition.holds(table[name]).sum())
    return [known[condition] for condition in conditions]


def rule_counts(
    model: Model, number: int, fired: BoolArray, codes: IntArray
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Count how many rows each rule of a rule set decides, and how many of them rightly."""
    position = 1 if model.is_binary else number
    rightly = (codes == position) == (model.rule_sets[number].logic == "dnf")
    return tuple(fired.sum(axis=0).tolist()), tuple((fired & rightly[:, None]).sum(axis=0).tolist())
