"""What every backend must do. A plugin author subclasses :class:`BackendContract` and gives it one fixture.

::

    class TestMySolver(BackendContract):
        @pytest.fixture
        def backend(self):
            return MySolver()
"""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ...api.backend import Backend
from ...base.limits import MIPLimits
from .bounds import bounded
from .instances import covering_program, random_integer_program, random_program, set_cover
from .interrupts import InterruptContract
from .lp_contract import LinearProgramContract
from .mip_contract import IntegerProgramContract

_LIMITS = MIPLimits(seconds=60.0)


@bounded
class BackendContract(LinearProgramContract, IntegerProgramContract, InterruptContract):
    """Subclass, give it a fixture ``backend``, and every test must pass without a skip."""

    def test_is_available_under_its_name(self, backend: Backend) -> None:
        """A backend under test must be there: nothing is skipped."""
        found = type(backend).checked_availability()
        assert found.available, f"The backend is not available: {found.reason}."
        name = getattr(backend, "name", None)
        assert isinstance(name, str), "The class attribute 'name' is missing: users ask for the backend by it."
        assert name, "The class attribute 'name' is empty: users ask for the backend by it."
        assert name == name.strip(), "The class attribute 'name' has spaces around it."

    def test_can_be_pickled(self, backend: Backend) -> None:
        """Backends travel to worker processes; they hold options, never a solver."""
        program = random_program(0)
        program.solve(backend)
        copy = pickle.loads(pickle.dumps(backend))
        assert program.solve(copy).objective == pytest.approx(program.solve(backend).objective)

    def test_is_silent_on_both_streams(self, backend: Backend, capfd: pytest.CaptureFixture[str]) -> None:
        """Nothing reaches the file descriptors of stdout and stderr, not even from compiled code."""
        covering_program(seed=0, n_rows=30, n_columns=10).solve(backend)
        random_program(0, magnitude=6.0).solve(backend)
        random_program(0).with_rows(np.ones(1), np.full(1, 2.0), np.zeros((1, 12))).solve(backend)
        for seed in (0, 4):
            backend.solve_mip(random_integer_program(seed), _LIMITS, pool_size=3)
        model = set_cover(seed=1, n_sets=60, n_elements=40)
        backend.solve_mip(model, MIPLimits(seconds=60.0, target=1e4), start=[np.ones(60)])
        backend.solve_mip(model, MIPLimits(seconds=0.05), start=[np.zeros(60)])
        assert capfd.readouterr() == ("", "")

    def test_two_threads_get_the_answers_of_one(self, backend: Backend) -> None:
        """Sessions and solves in different threads do not disturb each other."""

        def work(seed: int) -> tuple[float, float]:
            answer = covering_program(seed, n_rows=40, n_columns=20).solve(backend)
            found = backend.solve_mip(set_cover(seed, n_sets=30, n_elements=20), _LIMITS).best
            assert found is not None
            return answer.objective, found.objective

        alone = [work(seed) for seed in range(4)]
        with ThreadPoolExecutor(2) as pool:
            together = list(pool.map(work, range(4)))
        assert np.allclose(alone, together, atol=1e-7)
