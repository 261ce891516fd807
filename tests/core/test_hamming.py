"""The Hamming-loss master keeps the master's contract on the embedded backend."""

import pytest

from rulecg_core import HammingMaster, load_registry
from rulecg_core.testing.master_contract import MasterContract


class TestHammingMaster(MasterContract):
    @pytest.fixture
    def backend(self):
        return load_registry().backend("highs")

    def make_master(self, problem, constraints, backend):
        return HammingMaster(problem, constraints, backend)
