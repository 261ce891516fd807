"""Registers the constraints of this package, through the same hook as any other plugin."""

from __future__ import annotations

from rulecg_core import hookimpl
from rulecg_core.registry import Register

from .complexity import Complexity
from .intersectional import PARITIES, IntersectionalGroups
from .worst import MinimaxError


@hookimpl
def rulecg_register_constraints(register: Register) -> None:
    register("complexity", Complexity)
    register("intersectional", IntersectionalGroups)
    register("minimax-error", MinimaxError)
    for name, constraint in PARITIES.items():
        register(name, constraint)
