"""What plugin authors test their plugins with."""

import pytest

# Without this, a failing assert of a contract would not show the values it compared.
pytest.register_assert_rewrite("rulecg_core.testing.backend_contract", "rulecg_core.testing.pricer_contract")

from .backend_contract import BackendContract  # noqa: E402
from .brute_force import BruteForcePricer  # noqa: E402
from .pricer_contract import PricerContract  # noqa: E402

__all__ = ["BackendContract", "BruteForcePricer", "PricerContract"]
