"""Registers the masters and the constraints that come with the core, through the same hooks as anybody's."""

from __future__ import annotations

from ..plugins.hookspecs import hookimpl
from ..plugins.registry import Register
from .hamming import HammingMaster
from .rate_bounds import Capacity, FprCeiling, PrecisionFloor, RecallFloor
from .rule_limits import RuleLength, RulePrecision, RuleSupport
from .size_bounds import Complexity, MaxColumns, MaxRules
from .zero_one import ZeroOneMaster


@hookimpl
def rulecg_register_constraints(register: Register) -> None:
    register("complexity", Complexity)
    register("max-rules", MaxRules)
    register("max-columns", MaxColumns)
    register("rule-support", RuleSupport)
    register("rule-precision", RulePrecision)
    register("rule-length", RuleLength)
    register("fpr-ceiling", FprCeiling)
    register("recall-floor", RecallFloor)
    register("precision-floor", PrecisionFloor)
    register("capacity", Capacity)


@hookimpl
def rulecg_register_masters(register: Register) -> None:
    register("hamming", HammingMaster)
    register("01", ZeroOneMaster)
