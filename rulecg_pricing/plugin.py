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
    register("beam", BeamSearch)
    register("wide-beam", WideBeam)
    register("random-beam", RandomBeam)
    register("neighbours", Neighbours)
    register("subsampled-ip", SubsampledIP, needs_backend=True)
    register("exact-ip", ExactIP, needs_backend=True)
    register("exact-search", ExactSearch)
