"""CBC keeps the contract of backends, and its claims are checked."""

import numpy as np
import pytest

from rulecg_backends.cbc.backend import CBC
from rulecg_core import Deadline, HammingMaster, Problem, RelaxationOptions, Stop, load_registry
from rulecg_core.base.linear_data import LinearData
from rulecg_core.testing import BackendContract
from rulecg_core.testing.backends.instances import random_program
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound


class TestCBC(BackendContract):
    @pytest.fixture
    def backend(self):
        return CBC()


def test_a_warm_start_that_misleads_clp_is_noticed():
    """Rule by rule, Clp once called 0.6 optimal where the optimum is 0; from a fresh start it finds it."""
    rows = ["11110", "01110", "01011", "10111", "11111", "10011", "11111", "11001"]
    X = np.array([[digit == "1" for digit in row] for row in rows])
    y = np.array([True, True, False, False, True, False, True, False])
    problem = Problem.from_arrays(X, y, sensitive_groups=np.arange(8) % 2, max_conditions=2)
    constraints, options = [SizeBound(6), MissedShareBound(0.2)], RelaxationOptions(dual_form=False, merge_rows=False)
    backends = CBC(), load_registry().backend()
    masters = [HammingMaster(problem, constraints, each, options=options) for each in backends]
    for rule in all_rules(problem):
        for master in masters:
            master.add_rules([rule])
        cbc, other = (master.solve_relaxation(Deadline()).value for master in masters)
        assert cbc == pytest.approx(other, abs=1e-6)


def test_what_stays_wrong_is_an_error_and_not_an_answer(monkeypatch):
    """An optimum whose proof fails twice is not passed on."""
    monkeypatch.setattr(LinearData, "proves_optimal", lambda self, primal, dual: False)
    answer = random_program(0).open(CBC()).solve()
    assert answer.stop is Stop.ERROR
    assert not answer.is_optimal
