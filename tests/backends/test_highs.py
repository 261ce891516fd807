"""HiGHS keeps the contract of backends."""

import pytest

from rulecg_backends.highs import HiGHS
from rulecg_core.testing import BackendContract


class TestHiGHS(BackendContract):
    @pytest.fixture
    def backend(self):
        return HiGHS()
