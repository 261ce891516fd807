"""Registers the constraints and audits of this package, through the same hooks as any other plugin."""

from __future__ import annotations

from typing import Any

from rulecg_core import Complexity, Register, hookimpl

from .audits.impact import impact_ratios, predictive_values
from .audits.tables import gap_parts, ledger, verdict
from .constraints.intersectional import PARITIES, IntersectionalGroups
from .constraints.worst import MinimaxError
from .metrics.gaps import gaps, group_table


@hookimpl
def rulecg_register_constraints(register: Register) -> None:
    register("complexity", Complexity)
    register("intersectional", IntersectionalGroups)
    register("minimax-error", MinimaxError)
    for name, constraint in PARITIES.items():
        register(name, constraint)


@hookimpl
def rulecg_register_audits(register: Register) -> None:
    by_column: dict[str, Any] = {"section": "fairness", "needs": ("groups",), "by_column": True}
    rates = {
        "n": "rows",
        "positives": "positives",
        "selection_rate": "predicted positive",
        "true_positive_rate": "true positive rate",
        "false_positive_rate": "false positive rate",
        "accuracy": "accuracy",
    }
    register("group-table", group_table, order=10, title="Rates with 95 % intervals", columns=rates, **by_column)
    register("predictive-values", predictive_values, order=20, title="Predictive values and base rates", **by_column)
    gap_columns = {"gap": "value", "low": "95 % interval", "highest": "highest", "lowest": "lowest"}
    register("gaps", gaps, order=30, title="Gaps between groups", columns=gap_columns, **by_column)
    register("impact-ratios", impact_ratios, order=40, title="Impact ratios and the four-fifths rule", **by_column)
    register(
        "verdict", verdict, section="fairness", order=50, title="Do the bounds hold for new rows?",
        caption="Bounds on new rows, every pair of groups once",
        columns={"value": "value", "low": "95 % bounds", "at_least": "limit", "verdict": "verdict"},
        needs=("groups", "constraints", "new-rows", "training-groups"),
    )  # fmt: skip
    register(
        "ledger", ledger, section="fairness", order=60, title="Which rule does what to whom", needs=("groups", "rules")
    )
    register("gap-parts", gap_parts)
