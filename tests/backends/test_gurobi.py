"""Gurobi keeps the contract of backends, and says what to do when its licence is too small."""

import gurobipy
import numpy as np
import pytest

from rulecg_backends.gurobi import Gurobi
from rulecg_core import BackendUnavailable, MIPLimits, SolveError, SparseVectors
from rulecg_core.testing import BackendContract
from rulecg_core.testing.backends.instances import set_cover

from .conftest import GUROBI_HAS_EXPIRED


@pytest.fixture(autouse=True)
def usable_licence():
    """The licence inside the wheel is enough for everything here, until it expires."""
    try:
        Gurobi().new_solver().close()
    except BackendUnavailable as error:
        if "expired" in str(error):
            pytest.skip(f"{GUROBI_HAS_EXPIRED}: {error}")
        raise


class TestGurobi(BackendContract):
    @pytest.fixture
    def backend(self):
        return Gurobi()


def test_a_program_beyond_the_licence_is_an_error_that_says_what_to_do():
    """The restricted licence ends at 2000 rows and columns; the message tells how to go on."""
    n = 2500
    if can_solve(n):
        return  # a full licence is installed here
    model = set_cover(seed=0, n_sets=n, n_elements=50)
    with pytest.raises(SolveError, match=r"50 rows and 2500 columns.*2000 of each.*backend 'highs'"):
        Gurobi().solve_mip(model, MIPLimits(seconds=10.0))
    with Gurobi().open_lp() as session:
        session.add_columns(np.ones(n), np.zeros(n), np.ones(n), SparseVectors.empty(n))
        with pytest.raises(SolveError, match=r"2500 columns.*Install a full licence"):
            session.solve()


def can_solve(n_columns):
    solver = Gurobi().new_solver()
    try:
        solver.add_columns(np.ones(n_columns), np.zeros(n_columns), np.ones(n_columns), SparseVectors.empty(n_columns))
        solver.optimize()
    except gurobipy.GurobiError:
        return False
    finally:
        solver.close()
    return True


def test_a_licence_that_cannot_be_used_makes_the_backend_unavailable(monkeypatch, tmp_path):
    """The sentence names the licence and the way out."""
    broken = tmp_path / "gurobi.lic"
    broken.write_text("TYPE=NODE\nEXPIRATION=2001-01-01\nKEY=AAAAAAAA\nCKSUM=0\n")
    monkeypatch.setenv("GRB_LICENSE_FILE", str(broken))
    for use in (Gurobi().open_lp, lambda: Gurobi().solve_mip(set_cover(0, n_sets=5, n_elements=5))):
        with pytest.raises(BackendUnavailable, match=r"licence cannot be used.*choose the backend 'highs'"):
            use()
