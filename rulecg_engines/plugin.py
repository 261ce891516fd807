"""Registers the engines of this package, through the same hook as anybody's."""

from __future__ import annotations

from rulecg_core import Register, hookimpl

from .dask import DaskEngine
from .local import LocalEngine


@hookimpl
def rulecg_register_engines(register: Register) -> None:
    register("local", LocalEngine, default=10)
    register("dask", DaskEngine)
