"""The one hook: rulecg finds this module through the entry point in pyproject.toml."""

from __future__ import annotations

from rulecg_core import Register, hookimpl

from .drop_add import DropAdd


@hookimpl
def rulecg_register_heuristics(register: Register) -> None:
    register("drop-add", DropAdd)
