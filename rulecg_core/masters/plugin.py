"""Registers the masters and the bound on size that come with the core, through the same hooks as anybody's."""

from __future__ import annotations

from ..plugins.hookspecs import hookimpl
from ..plugins.registry import Register
from .hamming import HammingMaster
from .size_bounds import Complexity
from .zero_one import ZeroOneMaster


@hookimpl
def rulecg_register_constraints(register: Register) -> None:
    register("complexity", Complexity)


@hookimpl
def rulecg_register_masters(register: Register) -> None:
    register("hamming", HammingMaster)
    register("01", ZeroOneMaster)
