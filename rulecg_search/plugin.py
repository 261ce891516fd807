"""Registers the heuristic of this package, through the same hook as anybody's."""

from __future__ import annotations

from rulecg_core import Register, hookimpl

from .heuristic import LocalSearch


@hookimpl
def rulecg_register_heuristics(register: Register) -> None:
    register("local-search", LocalSearch, default=10)
