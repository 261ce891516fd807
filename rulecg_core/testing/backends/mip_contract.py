"""What every backend must do with mixed-integer programs."""

from __future__ import annotations

import functools
import math
import time

import numpy as np
import pytest

from ...api.backend import Backend, MIPModel, MIPResult
from ...base.limits import MIPLimits
from ...base.sparse import SparseVectors
from ...base.status import Solution, Stop
from ..timing import within
from .bounds import bounded
from .instances import (
    enumerated_optimum,
    least_maximum,
    random_integer_program,
    set_cover,
)

_INF = np.inf
_NOTHING = SparseVectors.empty(0)
_LIMITS = MIPLimits(seconds=60.0)


def _vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def check_result(model: MIPModel, result: MIPResult, pool_size: int = 1) -> None:
    """What holds for every answer, whatever stopped the solver."""
    assert len(result.solutions) <= pool_size
    for found in result.solutions:
        assert model.is_feasible(found.x)
        assert np.array_equal(found.x[model.integer], np.round(found.x[model.integer]))
        assert found.objective == pytest.approx(model.objective(found.x), abs=1e-9)
        assert result.bound is None or result.bound <= found.objective + 1e-9
    objectives = [found.objective for found in result.solutions]
    assert objectives == sorted(objectives)
    assert len({found.x.tobytes() for found in result.solutions}) == len(result.solutions)
    if result.solution in (Solution.OPTIMAL, Solution.FEASIBLE):
        assert result.best is not None
    else:
        assert not result.solutions
    assert result.bound is None or math.isfinite(result.bound)
    assert result.native_status, "MIPResult.native_status is empty: give the solver's own word for how it ended."


@bounded
class IntegerProgramContract:
    """What every backend must do with mixed-integer programs."""

    @pytest.mark.parametrize("seed", range(10))
    def test_bound_optimum_and_incumbent_are_in_order(self, backend: Backend, seed: int) -> None:
        """Against enumeration: the bound is never above the optimum, the solution never below it."""
        model = random_integer_program(seed)
        optimum = enumerated_optimum(model)
        result = backend.solve_mip(model, _LIMITS)
        check_result(model, result)
        assert result.stop is Stop.COMPLETED
        if optimum is None:
            assert result.solution is Solution.INFEASIBLE
        else:
            assert result.solution is Solution.OPTIMAL
            assert result.best is not None
            assert result.best.objective == pytest.approx(optimum, abs=1e-6)
            assert result.bound == pytest.approx(optimum, abs=1e-5)

    @pytest.mark.parametrize("seed", range(3))
    def test_integers_and_continuous_variables_mix(self, backend: Backend, seed: int) -> None:
        """A free continuous variable beside binary ones."""
        model, optimum = least_maximum(seed)
        result = backend.solve_mip(model, _LIMITS)
        check_result(model, result)
        assert result.best is not None
        assert result.best.objective == pytest.approx(optimum, abs=1e-6)

    def test_models_without_integers_are_solved(self, backend: Backend) -> None:
        """A linear program is the simplest mixed-integer program."""
        model = MIPModel(
            _vector(1.0, 2.0), np.zeros(2), np.full(2, _INF), np.zeros(2, bool), _vector(1.5), _vector(_INF),
            SparseVectors.from_dense(np.ones((1, 2))), offset=1.0,
        )
        result = backend.solve_mip(model, _LIMITS)
        check_result(model, result)
        assert result.best is not None
        assert result.best.objective == pytest.approx(2.5)
        assert result.bound == pytest.approx(2.5)

    def test_models_without_rows_are_solved(self, backend: Backend) -> None:
        """Every variable goes to its better integral bound."""
        model = MIPModel(
            _vector(1.0, -1.0), _vector(-1.5, 0.0), _vector(3.0, 2.5), np.ones(2, bool), _vector(), _vector(), _NOTHING
        )
        result = backend.solve_mip(model, _LIMITS)
        check_result(model, result)
        assert result.best is not None
        assert result.best.x == pytest.approx([-1.0, 2.0])

    def test_unbounded_models_are_reported(self, backend: Backend) -> None:
        """Neither a solution nor a bound is claimed."""
        model = MIPModel(
            _vector(-1.0, 1.0), np.zeros(2), np.full(2, _INF), np.ones(2, bool), _vector(-_INF), _vector(1.0),
            SparseVectors.from_dense(np.array([[1.0, -2.0]])),
        )
        result = backend.solve_mip(model, _LIMITS)
        assert result.solution is Solution.UNBOUNDED
        assert result.bound is None

    def test_pool_solutions_are_feasible_distinct_and_best_first(self, backend: Backend) -> None:
        """Asking for many solutions gives those that were met, and never more than asked for."""
        model = set_cover(seed=1, n_sets=60, n_elements=40)
        result = backend.solve_mip(model, _LIMITS, pool_size=8)
        check_result(model, result, pool_size=8)
        assert result.solution is Solution.OPTIMAL
        if len(result.solutions) < 2:
            assert result.notes, "A solver that keeps no pool of solutions must say so in MIPResult.notes."

    def test_a_start_solution_is_never_lost(self, backend: Backend) -> None:
        """Under a limit too short to find anything better, the answer is at least as good as the start."""
        model = set_cover(seed=2, n_sets=400, n_elements=300, density=0.05)
        start = np.ones(model.n_columns)
        result = backend.solve_mip(model, MIPLimits(seconds=0.01), start=[start])
        check_result(model, result)
        assert result.best is not None
        assert result.best.objective <= model.objective(start)

    def test_every_start_counts_towards_the_pool(self, backend: Backend) -> None:
        """Known solutions are solutions met."""
        model = set_cover(seed=3, n_sets=20, n_elements=15, density=0.3)
        one_less = next(1.0 - unit for unit in np.eye(model.n_columns) if model.is_feasible(1.0 - unit))
        result = backend.solve_mip(model, _LIMITS, start=[np.ones(model.n_columns), one_less], pool_size=50)
        check_result(model, result, pool_size=50)
        found = {found.x.tobytes() for found in result.solutions}
        assert {np.ones(model.n_columns).tobytes(), one_less.tobytes()} <= found

    def test_a_start_that_breaks_a_row_is_refused_visibly(self, backend: Backend) -> None:
        """The answer is right all the same, and a note says what happened."""
        model = set_cover(seed=3, n_sets=20, n_elements=15, density=0.3)
        result = backend.solve_mip(model, _LIMITS, start=[np.zeros(model.n_columns)])
        check_result(model, result)
        assert result.solution is Solution.OPTIMAL
        assert result.notes, "A start that was refused must be told in MIPResult.notes."

    def test_the_time_limit_is_kept(self, backend: Backend) -> None:
        """Returns within a second of the limit with what it has; the bound stays valid."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        start = [np.ones(model.n_columns)]
        result = within(0.5 + 1.0, lambda: backend.solve_mip(model, MIPLimits(seconds=0.5), start=start))
        check_result(model, result)
        assert result.stop is Stop.TIME_LIMIT
        assert result.solution is Solution.FEASIBLE

    def test_the_gap_limit_is_kept(self, backend: Backend) -> None:
        """A solution within the relative gap of the bound is enough."""
        model = set_cover(seed=5, n_sets=60, n_elements=40)
        result = backend.solve_mip(model, MIPLimits(seconds=60.0, relative_gap=0.3))
        check_result(model, result)
        assert result.best is not None
        assert result.bound is not None
        assert result.best.objective - result.bound <= 0.3 * result.best.objective + 1e-6

    def test_stops_at_the_target(self, backend: Backend) -> None:
        """Good enough is good enough: a hard model stops at an easy target."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        target = model.objective(np.ones(model.n_columns)) * 0.9
        result = backend.solve_mip(model, MIPLimits(seconds=20.0, target=target))
        check_result(model, result)
        assert result.best is not None
        assert result.best.objective <= target
        assert result.stop is Stop.TARGET_REACHED

    def test_a_target_out_of_reach_changes_nothing(self, backend: Backend) -> None:
        """Without such a solution the model is solved to optimality as if there were no target."""
        model = random_integer_program(1)
        optimum = enumerated_optimum(model)
        assert optimum is not None
        result = backend.solve_mip(model, MIPLimits(seconds=60.0, target=optimum - 5.0))
        check_result(model, result)
        assert result.solution is Solution.OPTIMAL
        assert result.best is not None
        assert result.best.objective == pytest.approx(optimum, abs=1e-6)
        assert result.bound == pytest.approx(optimum, abs=1e-5)

    def test_a_target_met_by_the_start_needs_no_solver(self, backend: Backend) -> None:
        """The start is returned."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        start = np.ones(model.n_columns)
        limits = MIPLimits(seconds=60.0, target=model.objective(start))
        result = within(5.0, lambda: backend.solve_mip(model, limits, start=[start]))
        check_result(model, result)
        assert result.stop is Stop.TARGET_REACHED

    def test_should_stop_is_obeyed(self, backend: Backend) -> None:
        """The best so far comes back about half a second after a stop was wanted."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)

        def stopped_after(seconds: float) -> MIPResult:
            end = time.perf_counter() + seconds
            return backend.solve_mip(
                model,
                MIPLimits(seconds=30.0),
                start=[np.ones(model.n_columns)],
                should_stop=lambda: time.perf_counter() > end,
            )

        for seconds in (0.3, 1.5):
            result = within(seconds + 1.0, functools.partial(stopped_after, seconds))
            check_result(model, result)
            assert result.solution is Solution.FEASIBLE
            assert result.stop is Stop.INTERRUPTED

    def test_an_error_in_should_stop_reaches_the_caller(self, backend: Backend) -> None:
        """Errors in callbacks are not swallowed by the solver."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)

        def broken() -> bool:
            raise ZeroDivisionError("in should_stop")

        with pytest.raises(ZeroDivisionError, match="in should_stop"):
            backend.solve_mip(model, MIPLimits(seconds=30.0), should_stop=broken)

    def test_equal_seeds_give_equal_answers(self, backend: Backend) -> None:
        """One thread and one seed are reproducible."""
        model = set_cover(seed=6, n_sets=50, n_elements=40)
        answers = [backend.solve_mip(model, MIPLimits(seconds=60.0, threads=1, seed=7)).solutions for _ in range(2)]
        assert [found.x.tolist() for found in answers[0]] == [found.x.tolist() for found in answers[1]]
