"""Registers the constraints and audits of this package, through the same hooks as any other plugin."""

from __future__ import annotations

from typing import Any

from rulecg_core import Register, hookimpl

from .audits.impact import impact_ratios, predictive_values
from .audits.tables import gap_parts, gap_table, ledger, verdict
from .constraints.intersectional import PARITIES, IntersectionalGroups
from .constraints.worst import MinimaxError
from .metrics.gaps import group_table


@hookimpl
def rulecg_register_constraints(register: Register) -> None:
    register("intersectional", IntersectionalGroups)
    register("minimax-error", MinimaxError)
    for name, constraint in PARITIES.items():
        register(name, constraint)


@hookimpl
def rulecg_register_audits(register: Register) -> None:
    def place(order: int, title: str, *needs: str, **more: Any) -> dict[str, Any]:
        return {"section": "fairness", "title": title, "order": order, "needs": ("groups", *needs), **more}

    register("group-table", group_table, **place(10, "Rates by group", by_column=True))
    register("predictive-values", predictive_values, **place(15, "Predictive values and base rates", by_column=True))
    register("gaps", gap_table, **place(20, "Gaps between groups", by_column=True))
    register("impact-ratios", impact_ratios, **place(25, "Impact ratios and the four-fifths rule", by_column=True))
    needs = ("constraints", "new-rows", "training-groups")
    register("verdict", verdict, **place(30, "Do the bounds hold for new rows?", *needs))
    register("ledger", ledger, **place(40, "Which rule does what to whom", "rules"))
    register("gap-parts", gap_parts, **place(50, "Each rule's part in the gaps", "rules"))
