"""Gurobi keeps the contract of backends, and says what to do when its licence is too small."""

import numpy as np
import pytest

from rulecg_backends.gurobi import Gurobi
from rulecg_core import BackendUnavailable, MIPLimits, SolveError, SparseVectors
from rulecg_core.testing import BackendContract
from rulecg_core.testing.backend_instances import set_cover


@pytest.fixture(scope="module", autouse=True)
def usable_licence():
    """The licence inside the wheel is enough for everything here, until it expires."""
    try:
        Gurobi().new_solver().close()
    except BackendUnavailable as error:
        if "expired" in str(error):
            pytest.skip(f"Gurobi's restricted licence has expired: {error}")
        raise


class TestGurobi(BackendContract):
    @pytest.fixture
    def backend(self):
        return Gurobi()
