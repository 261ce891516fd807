"""Tables of evidence about predictions, as reports and the command line ask for them by name.

Each is a function ``audit(y_true, y_pred, *, sensitive_features, ...)`` that returns a pandas table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulecg_core import ConfigurationError, Constraint, RuleSet

from ..metrics.outcomes import as_labels
from .ledger import Ledger, rule_ledger
from .verdict import held_out_verdict

if TYPE_CHECKING:
    import pandas as pd


def verdict(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    constraints: Sequence[Constraint],
    sample_weight: Any = None,
    pos_label: Any = None,
    confidence: float = 0.95,
    training_features: Any = None,
) -> pd.DataFrame:
    """For every bound: does it hold on data that the rules have not seen? Notes are in ``table.attrs["notes"]``.

    The confidence is that of each constraint's bounds together. Constraints on the size of rule sets say nothing about
    predictions and are left out. ``training_features`` are the sensitive features that the rules were learned with.
    """
    import pandas as pd

    tables: list[pd.DataFrame] = []
    notes: list[str] = []
    for constraint in constraints:
        found = held_out_verdict(
            constraint,
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            pos_label=pos_label,
            confidence=confidence,
            training_features=training_features,
        )
        tables.append(found.table())
        notes += found.notes
    filled = [table for table in tables if len(table)]
    table = pd.concat(filled) if filled else pd.DataFrame(
        columns=["at_least", "at_most", "value", "low", "high", "verdict"], index=pd.Index([], name="row")
    )
    table.attrs["notes"] = tuple(dict.fromkeys(notes))
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
    """For each rule and group: rows covered, covered by no other rule, rightly and wrongly, and its part in rates."""
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
    """For each rule its part in every gap between the groups with the highest and the lowest rate."""
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
