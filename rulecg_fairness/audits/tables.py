"""Tables of evidence about predictions, as reports and the command line ask for them by name.

Each is a function ``audit(y_true, y_pred, *, sensitive_features, ...)`` that returns a pandas table, and needs no
reader that knows its columns. A column ``x`` beside ``x_low`` and ``x_high`` is a share with its interval, ``low`` and
``high`` are an interval of the number before them, ``at_least`` and ``at_most`` are limits, and rows with two names are
shown one name against the other. ``table.attrs`` says the rest:

* ``headline``: one sentence before the table;
* ``caption``: what the table shows;
* ``columns``: headings of the columns to show, by name;
* ``cells``: for rows with two names, what stands in a cell, by caption: text with ``{column}``, or ``{share_column}``
  for a percentage;
* ``notes``: sentences after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import evolve

from rulecg_core import ConfigurationError, Constraint, RuleSet

from ..metrics.gaps import gaps
from ..metrics.outcomes import as_labels
from .ledger import Ledger, rule_ledger
from .verdict import RowVerdict, TrainingRows, Verdict, held_out_verdict

if TYPE_CHECKING:
    import pandas as pd

ANSWERS = ("violated", "not enough data", "holds")


def gap_table(y_true: Any, y_pred: Any, **options: Any) -> pd.DataFrame:
    """Tabulate every gap between groups, with its interval and the groups it lies between.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels, one per row.
    **options
        Those of :func:`~rulecg_fairness.gaps`.

    Returns
    -------
    pandas.DataFrame
        The table of :func:`~rulecg_fairness.gaps`, its gaps in words.
    """
    return gaps(y_true, y_pred, **options).rename(index=lambda name: str(name).replace("_", " "))


# Nine parameters: what held_out_verdict takes, and the two things that a report may know of the training rows.
def verdict(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    constraints: Sequence[Constraint | str],
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    training_features: Any = None,
    bounded_rows: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Tabulate for every bound whether it holds on data that the rules have not seen.

    Constraints on the size of rule sets say nothing about predictions and are left out. Two bounds on a difference
    that mirror each other are one line.

    Parameters
    ----------
    y_true, y_pred
        Recorded and predicted labels of rows that the rules were not learned from.
    sensitive_features
        Their sensitive columns.
    constraints
        The bounds that the rules were learned with.
    sample_weight, pos_label, confidence
        As in :func:`~rulecg_fairness.held_out_verdict`.
    training_features
        The sensitive columns of the training rows, if they are at hand.
    bounded_rows
        Otherwise the names of the rows that were bounded, which a model's certificate has.

    Returns
    -------
    pandas.DataFrame
        One line per bound, the worst first, with the answer for all of them in ``table.attrs["headline"]``.
    """
    found = held_out_verdict(
        tuple(constraints),
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        confidence=confidence,
        training=bounded_rows if training_features is None else TrainingRows(training_features),
    )
    rows = sorted(_folded(found.rows), key=lambda row: ANSWERS.index(row.verdict))
    found = evolve(found, rows=tuple(rows))
    table = found.table().rename_axis("bound")
    table.attrs["notes"] = found.notes
    table.attrs["caption"] = "Bounds on new rows"
    bounds = f"{confidence * 100:g} % bounds"
    table.attrs["columns"] = {"value": "value", "low": bounds, "at_least": "limit", "verdict": "verdict"}
    if rows or found.unjudged:
        table.attrs["headline"] = _headline(found)
    return table


def ledger(
    y_true: Any,
    y_pred: Any = None,
    *,
    sensitive_features: Any,
    rule_set: RuleSet,
    table: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> pd.DataFrame:
    """Tabulate for each rule and group the rows covered, alone, rightly and wrongly, and the rule's part in rates.

    Parameters
    ----------
    y_true, y_pred
        Recorded labels, and predictions if they are to be checked against those of the rules.
    sensitive_features
        One or several columns.
    rule_set, table
        The rules and the table that they are applied to.
    sample_weight, pos_label
        As in :func:`~rulecg_fairness.rule_ledger`.
    """
    return _ledger(y_true, y_pred, sensitive_features, rule_set, table, sample_weight, pos_label).by_group


def gap_parts(
    y_true: Any,
    y_pred: Any = None,
    *,
    sensitive_features: Any,
    rule_set: RuleSet,
    table: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> pd.DataFrame:
    """Tabulate each rule's part in every gap between the groups with the highest and the lowest rate.

    Parameters
    ----------
    y_true, y_pred
        Recorded labels, and predictions if they are to be checked against those of the rules.
    sensitive_features
        One or several columns.
    rule_set, table
        The rules and the table that they are applied to.
    sample_weight, pos_label
        As in :func:`~rulecg_fairness.rule_ledger`.
    """
    return _ledger(y_true, y_pred, sensitive_features, rule_set, table, sample_weight, pos_label).gaps


def _ledger(
    y_true: Any, y_pred: Any, sensitive: Any, rule_set: RuleSet, table: Any, sample_weight: Any, pos_label: Any
) -> Ledger:
    if y_pred is not None:
        given, own = as_labels(y_pred, "y_pred", pos_label), rule_set.predict(table)
        if not np.array_equal(given, own):
            raise ConfigurationError(
                "y_pred is not what the rule set predicts for the table: pass the predictions of the same rules and "
                "rows, or leave y_pred out."
            )
    return rule_ledger(
        rule_set, table, y_true, sensitive_features=sensitive, sample_weight=sample_weight, pos_label=pos_label
    )


def _folded(rows: Sequence[RowVerdict]) -> list[RowVerdict]:
    """One row for each two that bound a difference from either side: "a − b" and "b − a", both at most eps."""
    folded: list[RowVerdict] = []
    mirrored: dict[tuple[Any, ...], int] = {}
    for row in rows:
        key = (tuple(sorted(row.name.split())), row.lo, row.hi)
        place = mirrored.get(key)
        if place is not None and _mirror_each_other(row, folded[place]):
            folded[place] = evolve(folded[place], lo=-row.hi)
            continue
        if " − " in row.name and row.lo == -math.inf:
            mirrored[key] = len(folded)
        folded.append(row)
    return folded


def _mirror_each_other(row: RowVerdict, other: RowVerdict) -> bool:
    """Whether two rows are about the same number with opposite signs, but for rounding."""
    ours, theirs = (row.value, row.low, row.high), (-other.value, -other.high, -other.low)
    return bool(np.allclose(ours, theirs, rtol=0.0, atol=1e-9))


def _headline(found: Verdict) -> str:
    violated = sum(row.verdict == "violated" for row in found.rows)
    surely = f"with {found.confidence * 100:g} % confidence"
    if violated:
        return f"Violated on new rows, {surely}: {violated} of {len(found.rows)} bounds."
    if found.verdict == "holds":
        return f"All bounds hold on new rows, {surely}."
    open_rows = sum(row.verdict == "not enough data" for row in found.rows)
    parts = [f"{open_rows} of {len(found.rows)} bounds are undecided"] if open_rows else []
    if found.unjudged:
        parts.append(f"{', '.join(found.unjudged)} cannot be judged")
    return f"Not enough data to say that all bounds hold on new rows: {' and '.join(parts)}."
