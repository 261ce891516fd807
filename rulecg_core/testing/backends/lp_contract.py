"""What every backend must do with linear programs."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from ...api.backend import Backend, LPSession
from ...base.limits import Deadline
from ...base.sparse import SparseVectors
from ...base.status import Solution, Stop
from ..timing import within
from .bounds import bounded
from .instances import (
    SENSES,
    LinearProgram,
    covering_program,
    optimality_violation,
    random_program,
)

_INF = np.inf


def _vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


@bounded
class LinearProgramContract:
    """What sessions of every backend must do."""

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
        assert answer.native_status, "LPSolution.native_status is empty: give the solver's own word for how it ended."

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
        with backend.open_lp() as session:
            session.add_rows(_vector(1.0, 2.0), _vector(_INF, _INF), SparseVectors.empty(2))
            columns = SparseVectors.from_dense(np.array([[1.0, 0.0], [1.0, 1.0]]))
            session.add_columns(_vector(1.0, 1.0), np.zeros(2), np.full(2, _INF), columns)
            answer = session.solve()
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
        program = covering_program(seed=0, n_rows=1050, n_columns=900, density=0.2)
        with contextlib.ExitStack() as opened:
            # A session that was solved once may be done at once the next time: every try has its own.
            sessions = iter([opened.enter_context(program.open(backend)) for _ in range(3)])
            answer = within(0.05 + 1.0, lambda: next(sessions).solve(Deadline.after(0.05)), tries=3)
        assert answer.stop is Stop.TIME_LIMIT
        assert not answer.is_optimal

    def test_a_session_is_closed_by_with_and_closing_twice_does_no_harm(self, backend: Backend) -> None:
        """Whoever opens a session owns it; two owners may both close it."""
        program = random_program(0)
        with program.open(backend) as session:
            assert session.solve().is_optimal
        session.close()
        backend.new_session().close()

    def test_sessions_are_opened_behind_the_check(self, backend: Backend) -> None:
        """Answers to linear programs are checked by the core, so that wrong ones become errors with a name."""
        assert type(backend).open_lp is Backend.open_lp, "Implement new_session(), and leave open_lp() as it is."
        with backend.new_session() as session:
            assert isinstance(session, LPSession), "new_session() must return an LPSession."

