"""The built-in pricers, registered as a stranger's would be."""

from __future__ import annotations

from rulecg_core import Register, hookimpl

from .beams.beam import BeamSearch, RandomBeam, WideBeam
from .beams.neighbours import Neighbours
from .exact.pricer import ExactSearch
from .programs.exact_ip import ExactIP
from .programs.subsampled_ip import SubsampledIP


@hookimpl
def rulecg_register_pricers(register: Register) -> None:
    register("beam", BeamSearch, default=10)
    register("wide-beam", WideBeam, default=30, only_large=True)
    register("random-beam", RandomBeam, default=40, only_large=True)
    register("neighbours", Neighbours, default=20, only_large=True)
    register("subsampled-ip", SubsampledIP, needs_backend=True)
    register("exact-ip", ExactIP, needs_backend=True)
    register("exact-search", ExactSearch, default=50)
