"""Registers the constraints and audits of this package, through the same hooks as any other plugin."""

from __future__ import annotations

from rulecg_core import Register, hookimpl

from .audits.tables import gap_parts, ledger, verdict
from .constraints.intersectional import PARITIES, IntersectionalGroups
from .constraints.worst import MinimaxError
from .metrics.gaps import gaps, group_table


@hookimpl
def rulecg_register_constraints(register: Register) -> None:
    register("intersectional", IntersectionalGroups)
    register("minimax-error", MinimaxError)
    for name, constraint in PARITIES.items():
        register(name, constraint)


@hookimpl
def rulecg_register_audits(register: Register) -> None:
    register("group-table", group_table)
    register("gaps", gaps)
    register("verdict", verdict)
    register("ledger", ledger)
    register("gap-parts", gap_parts)
