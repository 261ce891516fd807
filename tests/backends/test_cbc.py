"""CBC keeps the contract of backends."""

import pytest

from rulecg_backends.cbc import CBC
from rulecg_core.testing import BackendContract


class TestCBC(BackendContract):
    @pytest.fixture
    def backend(self):
        return CBC()
