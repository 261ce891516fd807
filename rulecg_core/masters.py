"""Registers the master problems that come with the core, through the same hook as anybody's."""

from __future__ import annotations

from .hamming import HammingMaster
from .hookspecs import hookimpl
from .registry import Register
from .zero_one import ZeroOneMaster


@hookimpl
def rulecg_register_masters(register: Register) -> None:
    register("hamming", HammingMaster)
    register("01", ZeroOneMaster)
