"""Tables of evidence about predictions, as reports and the command line ask for them by name.

Each is a function ``audit(y_true, y_pred, *, sensitive_features, ...)`` that returns a pandas table.
"""

from __future__ import annotations

import math
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
    answers: list[str] = []
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
        tables.append(_each_pair_once(found.table()))
        notes += found.notes
        if len(found.rows) or found.notes:
            answers.append(found.verdict)
    filled = [table for table in tables if len(table)]
    table = pd.concat(filled) if filled else pd.DataFrame(
        columns=["at_least", "at_most", "value", "low", "high", "verdict"], index=pd.Index([], name="row")
    )
    table.attrs["notes"] = tuple(dict.fromkeys(notes))
    table.attrs["headline"] = _headline(answers, table)
    return table


def _headline(answers: Sequence[str], table: pd.DataFrame) -> str | None:
    """All bounds together in one sentence."""
    if not answers:
        return None
    if "violated" in answers:
        broken = int((table["verdict"] == "violated").sum())
        return f"Violated: the new rows show that {broken} of {len(table)} bounds {_do(broken)} not hold."
    if set(answers) == {"holds"}:
        return "Holds: the new rows show that all bounds hold."
    surely = int((table["verdict"] == "holds").sum())
    return f"Not enough data: the new rows show that {surely} of {len(table)} bounds hold, and refute none."


def _do(count: int) -> str:
    return "does" if count == 1 else "do"


def _each_pair_once(table: pd.DataFrame) -> pd.DataFrame:
    """Two rows that bound the same difference in both directions as one row with a limit on both sides."""
    import pandas as pd

    kept: list[dict[str, Any]] = []
    for name, values in zip(table.index, table.itertuples(index=False, name=None), strict=True):
        line = dict(zip(map(str, table.columns), values, strict=True))
        mirrored = next((other for other in kept if _mirrors(other, str(name), line)), None)
        if mirrored is None:
            kept.append({"row": str(name), **line})
            continue
        mirrored["at_least"] = -line["at_most"]
        both = {mirrored["verdict"], line["verdict"]}
        if both != {"holds"}:
            mirrored["verdict"] = "violated" if "violated" in both else "not enough data"
    merged = pd.DataFrame(kept, columns=["row", *table.columns])
    return merged.set_index("row")


def _mirrors(other: dict[str, Any], name: str, line: dict[str, Any]) -> bool:
    # "a − b" and "b − a" are made of the same characters.
    same = sorted(other["row"]) == sorted(name) and other["row"] != name
    one_sided = other["at_least"] == line["at_least"] == -math.inf
    return same and one_sided and all(
        math.isclose(other[ours], -line[theirs], abs_tol=1e-9)
        for ours, theirs in (("value", "value"), ("low", "high"), ("high", "low"))
    )


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
    found = _ledger(y_true, y_pred, sensitive_features, rule_set, table, sample_weight, pos_label).by_group
    covered, _, right, wrong = found.columns[:4]
    words = f"{covered} rows ({right} / {wrong})".replace("_", " ")
    found.attrs["cells"] = {
        f"For each rule and group: {words}": f"{{{covered}}} ({{{right}}} / {{{wrong}}})",
        "Each rule's part in the share predicted positive; rows covered by several rules are credited in equal parts":
        "{share_selection_rate}",
    }
    return found


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
