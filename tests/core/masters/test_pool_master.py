"""What all masters share: faults of a backend's integer programs are told with its name."""

import numpy as np
import pytest

from rulecg_core import Complexity, HammingMaster, IntegerLimits, Problem, Rule, SolveError, load_registry
from rulecg_core.testing.recording import RecordingBackend


class Failing(RecordingBackend):
    def solve_mip(self, *arguments, **options):
        raise RuntimeError("licence expired")


class Silent(RecordingBackend):
    def solve_mip(self, *arguments, **options):
        return None


@pytest.mark.parametrize(("backend", "words"), [(Failing, "licence expired"), (Silent, "must return a MIPResult")])
def test_a_backend_whose_integer_program_fails_is_named(backend, words):
    """As an error of the solver, with its class and what it said."""
    problem = Problem.from_arrays(np.eye(3, dtype=bool), [True, False, True])
    master = HammingMaster(problem, [Complexity(4)], backend(load_registry().backend("highs")))
    master.add_rules([Rule([0]), Rule([2])])
    with pytest.raises(SolveError, match=f"The backend 'recording' .*{backend.__name__}.*{words}"):
        master.solve_integer(IntegerLimits())
