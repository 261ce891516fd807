"""Registers the four solvers. Importing this module imports none of them."""

from __future__ import annotations

from rulecg_core import Register, hookimpl

from .cbc.backend import CBC
from .gurobi import Gurobi
from .highs import HiGHS
from .scip import SCIP


@hookimpl
def rulecg_register_backends(register: Register) -> None:
    register("highs", HiGHS)
    register("cbc", CBC)
    register("gurobi", Gurobi)
    register("scip", SCIP)
