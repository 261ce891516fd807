"""SCIP keeps the contract of backends."""

import pytest

from rulecg_backends.scip import SCIP
from rulecg_core.testing import BackendContract


class TestSCIP(BackendContract):
    @pytest.fixture
    def backend(self):
        return SCIP()
