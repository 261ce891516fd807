"""What every backend must do. A plugin author subclasses :class:`BackendContract` and gives it one fixture.

::

    class TestMySolver(BackendContract):
        @pytest.fixture
        def backend(self):
            return MySolver()
"""

from __future__ import annotations

import _thread
import math
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ..api.backend import Backend, LPSession, LPSolution, MIPModel, MIPResult
from ..base.limits import Deadline, MIPLimits
from ..base.sparse import SparseVectors
from ..base.status import Solution, Stop
from .backend_instances import (
    SENSES,
    LinearProgram,
    covering_program,
    enumerated_optimum,
    least_maximum,
    optimality_violation,
    random_integer_program,
    random_program,
    set_cover,
)
from .timing import within

_INF = np.inf
_NOTHING = SparseVectors.empty(0)


def _vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def _check_result(model: MIPModel, result: MIPResult, pool_size: int = 1) -> None:
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
    assert result.native_status


class _AboutLinearPrograms:
    @pytest.mark.parametrize("sense", [*SENSES, "mixed"])
    @pytest.mark.parametrize("seed", range(4))
    def test_answers_meet_the_optimality_conditions(self, backend: Backend, sense: str, seed: int) -> None:
        """Primal and dual feasibility and complementary slackness hold for every row sense and kind of bound."""
        program = random_program(seed, sense)
        answer = program.solve(backend)
        assert answer.is_optimal
        assert answer.stop is Stop.COMPLETED
        assert optimality_violation(program, answer) <= 1e-6

    def test_a_covering_master_is_solved(self, backend: Backend) -> None:
        """The shape that column generation solves: cover or pay, within a budget."""
        program = covering_program(seed=3, n_rows=60, n_columns=40)
        assert optimality_violation(program, program.solve(backend)) <= 1e-6

    @pytest.mark.parametrize(
        ("cost", "row_lower", "row_upper", "dual"),
        [
            (1.0, 2.0, _INF, 1.0),
            (-1.0, -_INF, 2.0, -1.0),
            (1.0, 2.0, 2.0, 1.0),
            (-1.0, 2.0, 2.0, -1.0),
            (1.0, 2.0, 5.0, 1.0),
            (-1.0, 2.0, 5.0, -1.0),
            (1.0, -_INF, _INF, 0.0),
        ],
    )
    def test_duals_have_the_sign_of_reduced_cost_being_cost_minus_rows_times_dual(
        self, backend: Backend, cost: float, row_lower: float, row_upper: float, dual: float
    ) -> None:
        """A row that holds x up has a dual >= 0, one that holds it down a dual <= 0."""
        program = LinearProgram(
            _vector(cost), _vector(-9.0), _vector(9.0), np.ones((1, 1)), _vector(row_lower), _vector(row_upper)
        )
        assert program.solve(backend).dual == pytest.approx([dual], abs=1e-7)

    def test_infeasible_programs_are_reported(self, backend: Backend) -> None:
        """Rows in conflict give INFEASIBLE, not numbers."""
        program = LinearProgram(
            _vector(1.0, 1.0), _vector(0.0, 0.0), _vector(_INF, _INF),
            np.array([[1.0, 1.0], [1.0, 1.0]]), _vector(3.0, -_INF), _vector(_INF, 2.0),
        )
        answer = program.solve(backend)
        assert (answer.stop, answer.solution) == (Stop.COMPLETED, Solution.INFEASIBLE)
        assert answer.native_status

    def test_a_row_without_entries_that_asks_for_one_is_infeasible(self, backend: Backend) -> None:
        """A positive that nothing covers and nothing can pay for."""
        program = LinearProgram(_vector(1.0), _vector(0.0), _vector(1.0), np.zeros((1, 1)), _vector(1.0), _vector(_INF))
        assert program.solve(backend).solution is Solution.INFEASIBLE

    def test_unbounded_programs_are_reported(self, backend: Backend) -> None:
        """A direction of endless improvement gives UNBOUNDED, not a large number."""
        program = LinearProgram(
            _vector(-1.0, 0.0), _vector(0.0, 0.0), _vector(_INF, _INF),
            np.array([[1.0, -1.0]]), _vector(-_INF), _vector(1.0),
        )
        answer = program.solve(backend)
        assert (answer.stop, answer.solution) == (Stop.COMPLETED, Solution.UNBOUNDED)

    def test_programs_without_rows_are_solved(self, backend: Backend) -> None:
        """Every column goes to its better bound."""
        program = LinearProgram(
            _vector(1.0, -1.0), _vector(-2.0, 0.0), _vector(5.0, 3.0), np.zeros((0, 2)), _vector(), _vector()
        )
        answer = program.solve(backend)
        assert answer.is_optimal
        assert answer.primal == pytest.approx([-2.0, 3.0])
        assert answer.dual.shape == (0,)

    def test_rows_may_come_before_columns(self, backend: Backend) -> None:
        """Rows without entries are filled by the columns added later."""
        session = backend.open_lp()
        session.add_rows(_vector(1.0, 2.0), _vector(_INF, _INF), SparseVectors.empty(2))
        columns = SparseVectors.from_dense(np.array([[1.0, 0.0], [1.0, 1.0]]))
        session.add_columns(_vector(1.0, 1.0), np.zeros(2), np.full(2, _INF), columns)
        answer = session.solve()
        session.close()
        assert answer.objective == pytest.approx(2.0)

    @pytest.mark.parametrize("seed", range(3))
    def test_growing_a_program_equals_building_it_anew(self, backend: Backend, seed: int) -> None:
        """After rows, columns, costs and bounds change, a warm solve finds the optimum of the program as it is now."""
        rng = np.random.default_rng(seed)
        program = covering_program(seed, n_rows=25, n_columns=8, density=0.3)
        session = program.open(backend)
        assert session.solve().is_optimal
        for step in range(5):
            n_rows, n_columns = program.matrix.shape
            block = (rng.random((n_rows, 4)) < 0.3).astype(float)
            costs = block.sum(axis=0) * 0.4
            session.add_columns(costs, np.zeros(4), np.full(4, _INF), SparseVectors.from_dense(block.T))
            program = program.with_columns(costs, np.zeros(4), np.full(4, _INF), block)
            rows = rng.random((2, n_columns + 4)) * (rng.random((2, n_columns + 4)) < 0.4)
            low, high = _vector(-_INF, 0.5), _vector(8.0, _INF if step % 2 else 30.0)
            session.add_rows(low, high, SparseVectors.from_dense(rows))
            program = program.with_rows(low, high, rows)
            self._agrees_with_rebuilt(backend, session.solve(), program)
            changed = rng.choice(n_columns, 5, replace=False)
            new_costs = rng.random(5) * 2.0
            session.set_costs(changed, new_costs)
            program = program.with_costs(changed, new_costs)
            self._agrees_with_rebuilt(backend, session.solve(), program)
            new_upper = rng.random(5) + 0.2
            session.set_column_bounds(changed, np.zeros(5), new_upper)
            program = program.with_bounds(changed, np.zeros(5), new_upper)
            self._agrees_with_rebuilt(backend, session.solve(), program)
        session.close()

    @staticmethod
    def _agrees_with_rebuilt(backend: Backend, answer: object, program: LinearProgram) -> None:
        rebuilt = program.solve(backend)
        assert getattr(answer, "solution") is rebuilt.solution  # noqa: B009
        if rebuilt.is_optimal:
            assert getattr(answer, "objective") == pytest.approx(rebuilt.objective, rel=1e-7, abs=1e-7)  # noqa: B009
            assert optimality_violation(program, answer) <= 1e-6  # type: ignore[arg-type]

    def test_a_program_recovers_from_being_infeasible(self, backend: Backend) -> None:
        """Column generation may start from an infeasible master that later columns repair."""
        session = backend.open_lp()
        session.add_columns(_vector(1.0), _vector(0.0), _vector(1.0), SparseVectors.empty(1))
        session.add_rows(_vector(3.0), _vector(_INF), SparseVectors.from_dense(np.ones((1, 1))))
        assert session.solve().solution is Solution.INFEASIBLE
        session.add_columns(_vector(4.0), _vector(0.0), _vector(_INF), SparseVectors.from_dense(np.ones((1, 1))))
        answer = session.solve()
        session.close()
        assert answer.objective == pytest.approx(9.0)
        assert answer.dual == pytest.approx([4.0])

    @pytest.mark.parametrize("seed", range(4))
    def test_coefficients_from_a_millionth_to_a_million_are_solved(self, backend: Backend, seed: int) -> None:
        """Badly scaled programs still meet the optimality conditions, relative to the size of their terms."""
        program = random_program(seed, "mixed", magnitude=6.0)
        answer = program.solve(backend)
        assert answer.is_optimal
        assert optimality_violation(program, answer) <= 1e-5

    def test_duplicate_and_empty_columns_and_rows_do_no_harm(self, backend: Backend) -> None:
        """Masters hold rules with equal covers, rules that cover nothing, and rows that nothing touches."""
        program = covering_program(seed=1, n_rows=30, n_columns=12, density=0.2)
        plain = program.solve(backend)
        n_rows = len(program.row_lower)
        twins = program.with_columns(program.costs[-12:], np.zeros(12), np.full(12, _INF), program.matrix[:, -12:])
        twins = twins.with_columns(np.zeros(3), np.zeros(3), np.full(3, _INF), np.zeros((n_rows, 3)))
        empty = np.zeros((3, len(twins.costs)))
        twins = twins.with_rows(_vector(-_INF, -1.0, 0.0), _vector(0.0, _INF, 0.0), empty)
        answer = twins.solve(backend)
        assert answer.objective == pytest.approx(plain.objective, abs=1e-7)
        assert optimality_violation(twins, answer) <= 1e-6

    def test_rows_that_every_column_covers_are_solved(self, backend: Backend) -> None:
        """Total degeneracy: every rule covers every sample."""
        program = covering_program(seed=2, n_rows=40, n_columns=20, density=1.1)
        answer = program.solve(backend)
        assert answer.is_optimal
        assert optimality_violation(program, answer) <= 1e-6

    def test_a_passed_deadline_stops_at_once(self, backend: Backend) -> None:
        """Nothing is solved after the deadline, and the answer says why."""
        session = random_program(0).open(backend)
        answer = session.solve(Deadline.after(0.0))
        assert answer.stop is Stop.TIME_LIMIT
        assert not answer.is_optimal
        assert session.solve().is_optimal
        session.close()

    def test_a_deadline_in_mid_solve_is_kept(self, backend: Backend) -> None:
        """A large program returns within a second of its deadline."""
        program = covering_program(seed=0, n_rows=1500, n_columns=900, density=0.1)
        opened: list[LPSession] = []

        def open_and_solve() -> LPSolution:
            opened.append(program.open(backend))
            return opened[-1].solve(Deadline.after(0.05))

        answer = within(0.05 + 1.0, open_and_solve)
        assert answer.stop is Stop.TIME_LIMIT
        assert not answer.is_optimal
        for session in opened:
            session.close()


class _AboutIntegerPrograms:
    @pytest.mark.parametrize("seed", range(10))
    def test_bound_optimum_and_incumbent_are_in_order(self, backend: Backend, seed: int) -> None:
        """Against enumeration: the bound is never above the optimum, the solution never below it."""
        model = random_integer_program(seed)
        optimum = enumerated_optimum(model)
        result = backend.solve_mip(model)
        _check_result(model, result)
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
        result = backend.solve_mip(model)
        _check_result(model, result)
        assert result.best is not None
        assert result.best.objective == pytest.approx(optimum, abs=1e-6)

    def test_models_without_integers_are_solved(self, backend: Backend) -> None:
        """A linear program is the simplest mixed-integer program."""
        model = MIPModel(
            _vector(1.0, 2.0), np.zeros(2), np.full(2, _INF), np.zeros(2, bool), _vector(1.5), _vector(_INF),
            SparseVectors.from_dense(np.ones((1, 2))), offset=1.0,
        )
        result = backend.solve_mip(model)
        _check_result(model, result)
        assert result.best is not None
        assert result.best.objective == pytest.approx(2.5)
        assert result.bound == pytest.approx(2.5)

    def test_models_without_rows_are_solved(self, backend: Backend) -> None:
        """Every variable goes to its better integral bound."""
        model = MIPModel(
            _vector(1.0, -1.0), _vector(-1.5, 0.0), _vector(3.0, 2.5), np.ones(2, bool), _vector(), _vector(), _NOTHING
        )
        result = backend.solve_mip(model)
        _check_result(model, result)
        assert result.best is not None
        assert result.best.x == pytest.approx([-1.0, 2.0])

    def test_unbounded_models_are_reported(self, backend: Backend) -> None:
        """Neither a solution nor a bound is claimed."""
        model = MIPModel(
            _vector(-1.0, 1.0), np.zeros(2), np.full(2, _INF), np.ones(2, bool), _vector(-_INF), _vector(1.0),
            SparseVectors.from_dense(np.array([[1.0, -2.0]])),
        )
        result = backend.solve_mip(model)
        assert result.solution is Solution.UNBOUNDED
        assert result.bound is None

    def test_pool_solutions_are_feasible_distinct_and_best_first(self, backend: Backend) -> None:
        """Asking for many solutions gives those that were met, and never more than asked for."""
        model = set_cover(seed=1, n_sets=60, n_elements=40)
        result = backend.solve_mip(model, pool_size=8)
        _check_result(model, result, pool_size=8)
        assert result.solution is Solution.OPTIMAL
        if backend.capabilities.solution_pool:
            assert len(result.solutions) >= 2
        else:
            assert result.notes, "What a backend cannot do must be told."

    def test_a_start_solution_is_never_lost(self, backend: Backend) -> None:
        """Under a limit too short to find anything better, the answer is at least as good as the start."""
        model = set_cover(seed=2, n_sets=400, n_elements=300, density=0.05)
        start = np.ones(model.n_columns)
        result = backend.solve_mip(model, MIPLimits(seconds=0.01), start=[start])
        _check_result(model, result)
        assert result.best is not None
        assert result.best.objective <= model.objective(start)

    def test_every_start_counts_towards_the_pool(self, backend: Backend) -> None:
        """Known solutions are solutions met."""
        model = set_cover(seed=3, n_sets=20, n_elements=15, density=0.3)
        one_less = next(1.0 - unit for unit in np.eye(model.n_columns) if model.is_feasible(1.0 - unit))
        result = backend.solve_mip(model, start=[np.ones(model.n_columns), one_less], pool_size=50)
        _check_result(model, result, pool_size=50)
        found = {found.x.tobytes() for found in result.solutions}
        assert {np.ones(model.n_columns).tobytes(), one_less.tobytes()} <= found

    def test_a_start_that_breaks_a_row_is_refused_visibly(self, backend: Backend) -> None:
        """The answer is right all the same, and a note says what happened."""
        model = set_cover(seed=3, n_sets=20, n_elements=15, density=0.3)
        result = backend.solve_mip(model, start=[np.zeros(model.n_columns)])
        _check_result(model, result)
        assert result.solution is Solution.OPTIMAL
        assert result.notes

    def test_the_time_limit_is_kept(self, backend: Backend) -> None:
        """Returns within a second of the limit with what it has; the bound stays valid."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        start = [np.ones(model.n_columns)]
        result = within(0.5 + 1.0, lambda: backend.solve_mip(model, MIPLimits(seconds=0.5), start=start))
        _check_result(model, result)
        assert result.stop is Stop.TIME_LIMIT
        assert result.solution is Solution.FEASIBLE

    def test_the_gap_limit_is_kept(self, backend: Backend) -> None:
        """A solution within the relative gap of the bound is enough."""
        model = set_cover(seed=5, n_sets=60, n_elements=40)
        result = backend.solve_mip(model, MIPLimits(relative_gap=0.3))
        _check_result(model, result)
        assert result.best is not None
        assert result.bound is not None
        assert result.best.objective - result.bound <= 0.3 * result.best.objective + 1e-6

    def test_stops_at_the_target(self, backend: Backend) -> None:
        """Good enough is good enough: a hard model stops at an easy target."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        target = model.objective(np.ones(model.n_columns)) * 0.9
        result = backend.solve_mip(model, MIPLimits(seconds=20.0, target=target))
        _check_result(model, result)
        assert result.best is not None
        assert result.best.objective <= target
        if backend.capabilities.stops_at_target:
            assert result.stop is Stop.TARGET_REACHED

    def test_a_target_out_of_reach_changes_nothing(self, backend: Backend) -> None:
        """Without such a solution the model is solved to optimality as if there were no target."""
        model = random_integer_program(1)
        optimum = enumerated_optimum(model)
        assert optimum is not None
        result = backend.solve_mip(model, MIPLimits(target=optimum - 5.0))
        _check_result(model, result)
        assert result.solution is Solution.OPTIMAL
        assert result.best is not None
        assert result.best.objective == pytest.approx(optimum, abs=1e-6)
        assert result.bound == pytest.approx(optimum, abs=1e-5)

    def test_a_target_met_by_the_start_needs_no_solver(self, backend: Backend) -> None:
        """The start is returned."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        start = np.ones(model.n_columns)
        result = backend.solve_mip(model, MIPLimits(target=model.objective(start)), start=[start])
        _check_result(model, result)
        assert result.stop is Stop.TARGET_REACHED

    def test_should_stop_is_obeyed(self, backend: Backend) -> None:
        """The best so far comes back; a backend that cannot be stopped says so in its capabilities."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        started = time.perf_counter()
        result = backend.solve_mip(
            model,
            MIPLimits(seconds=30.0 if backend.capabilities.interruptible else 2.0),
            start=[np.ones(model.n_columns)],
            should_stop=lambda: time.perf_counter() - started > 0.3,
        )
        _check_result(model, result)
        assert result.solution is Solution.FEASIBLE
        assert result.stop is (Stop.INTERRUPTED if backend.capabilities.interruptible else Stop.TIME_LIMIT)

    def test_ctrl_c_returns_the_best_so_far(self, backend: Backend) -> None:
        """An impatient person keeps what was found."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)
        limits = MIPLimits(seconds=30.0 if backend.capabilities.interruptible else 2.0)
        timer = threading.Timer(0.4, _thread.interrupt_main)
        timer.start()
        try:
            result = backend.solve_mip(model, limits, start=[np.ones(model.n_columns)])
        finally:
            timer.join()
        _check_result(model, result)
        assert result.stop is (Stop.INTERRUPTED if backend.capabilities.interruptible else Stop.TIME_LIMIT)

    def test_an_error_in_should_stop_reaches_the_caller(self, backend: Backend) -> None:
        """Errors in callbacks are not swallowed by the solver."""
        model = set_cover(seed=4, n_sets=500, n_elements=400, density=0.05)

        def broken() -> bool:
            raise ZeroDivisionError("in should_stop")

        if backend.capabilities.interruptible:
            with pytest.raises(ZeroDivisionError, match="in should_stop"):
                backend.solve_mip(model, MIPLimits(seconds=30.0), should_stop=broken)

    def test_equal_seeds_give_equal_answers(self, backend: Backend) -> None:
        """One thread and one seed are reproducible."""
        model = set_cover(seed=6, n_sets=50, n_elements=40)
        answers = [backend.solve_mip(model, MIPLimits(threads=1, seed=7)).solutions for _ in range(2)]
        assert [found.x.tolist() for found in answers[0]] == [found.x.tolist() for found in answers[1]]


class BackendContract(_AboutLinearPrograms, _AboutIntegerPrograms):
    """Subclass, give it a fixture ``backend``, and every test must pass without a skip."""

    def test_is_available_under_its_name(self, backend: Backend) -> None:
        """A backend under test must be there: nothing is skipped."""
        assert type(backend).is_available()
        assert backend.name

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
        random_program(0).with_rows(_vector(1.0), _vector(2.0), np.zeros((1, 12))).solve(backend)
        for seed in (0, 4):
            backend.solve_mip(random_integer_program(seed), pool_size=3)
        model = set_cover(seed=1, n_sets=60, n_elements=40)
        backend.solve_mip(model, MIPLimits(target=1e4), start=[np.ones(60)])
        backend.solve_mip(model, MIPLimits(seconds=0.05), start=[np.zeros(60)])
        assert capfd.readouterr() == ("", "")

    def test_two_threads_get_the_answers_of_one(self, backend: Backend) -> None:
        """Sessions and solves in different threads do not disturb each other."""

        def work(seed: int) -> tuple[float, float]:
            answer = covering_program(seed, n_rows=40, n_columns=20).solve(backend)
            found = backend.solve_mip(set_cover(seed, n_sets=30, n_elements=20)).best
            assert found is not None
            return answer.objective, found.objective

        alone = [work(seed) for seed in range(4)]
        with ThreadPoolExecutor(2) as pool:
            together = list(pool.map(work, range(4)))
        assert np.allclose(alone, together, atol=1e-7)
