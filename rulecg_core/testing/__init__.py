"""What plugin authors test their plugins with: one contract class for each kind of plugin."""

import pytest

# Contracts live outside test files; without this their asserts would fail without telling the values.
for _module in (
    "backends.contract",
    "backends.interrupts",
    "backends.lp_contract",
    "backends.mip_contract",
    "constraint_contract",
    "engine_contract",
    "heuristic_contract",
    "master_contract",
    "pricer_contract",
):
    pytest.register_assert_rewrite(f"{__name__}.{_module}")

from .backends.contract import BackendContract  # noqa: E402
from .brute_force import BruteForcePricer, all_rule_sets, all_rules  # noqa: E402
from .constraint_contract import ConstraintContract  # noqa: E402
from .engine_contract import EngineContract  # noqa: E402
from .heuristic_contract import HeuristicContract  # noqa: E402
from .master_contract import MasterContract  # noqa: E402
from .pricer_contract import PricerContract  # noqa: E402

__all__ = [
    "BackendContract",
    "BruteForcePricer",
    "ConstraintContract",
    "EngineContract",
    "HeuristicContract",
    "MasterContract",
    "PricerContract",
    "all_rule_sets",
    "all_rules",
]
