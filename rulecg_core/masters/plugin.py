"""Registers the master problems that come with the core, through the same hook as anybody's."""

from __future__ import annotations

from ..plugins.hookspecs import hookimpl
from ..plugins.registry import Register
from .hamming import HammingMaster
from .zero_one import ZeroOneMaster


@hookimpl
def rulecg_register_masters(register: Register) -> None:
    register("hamming", HammingMaster)
    register("01", ZeroOneMaster)
