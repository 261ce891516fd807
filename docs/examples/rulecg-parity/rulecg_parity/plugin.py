"""The one hook: rulecg finds this module through the entry point in pyproject.toml."""

from __future__ import annotations

from rulecg_core import Register, hookimpl

from .error_balance import ErrorBalance


@hookimpl
def rulecg_register_constraints(register: Register) -> None:
    register("error-balance", ErrorBalance)
