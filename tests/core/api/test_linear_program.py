"""What a backend says about a linear program is believed only when it can be checked."""

import numpy as np
import pytest
from attrs import evolve

from rulecg_backends.highs import HiGHS
from rulecg_core import (
    Availability,
    Backend,
    ConfigurationError,
    Deadline,
    LPSession,
    Solution,
    SolveError,
    SparseVectors,
    Stop,
)
from rulecg_core.testing.backends.instances import covering_program
from rulecg_core.testing.recording import RecordingSession


class Lying(RecordingSession):
    """Changes what the solver answers."""

    def __init__(self, change):
        super().__init__(HiGHS().new_session())
        self.change = change

    def solve(self, deadline=Deadline()):  # noqa: B008 - Deadline is frozen
        return self.change(super().solve(deadline))


class LyingBackend(Backend):
    """Opens sessions that lie, the first so many of them."""

    name = "liar"

    def __init__(self, change, n_lies=99):
        self.change, self.n_lies = change, n_lies
        self.opened = []

    @classmethod
    def availability(cls):
        return Availability(True)

    def new_session(self):
        change = self.change if len(self.opened) < self.n_lies else lambda answer: answer
        self.opened.append(Lying(change))
        return self.opened[-1]

    def solve_mip(self, model, limits=None, *, start=(), pool_size=1, should_stop=None):
        raise NotImplementedError


PROGRAM = covering_program(seed=3, n_rows=30, n_columns=20)

LIES = {
    "flipped duals": lambda answer: evolve(answer, dual=-answer.dual),
    "duals of nothing": lambda answer: evolve(answer, dual=0 * answer.dual),
    "one wrong dual": lambda answer: evolve(answer, dual=answer.dual + np.eye(len(answer.dual))[0]),
    "too few duals": lambda answer: evolve(answer, dual=answer.dual[:-1]),
    "NaN among the duals": lambda answer: evolve(answer, dual=answer.dual + np.nan),
    "an infinite value": lambda answer: evolve(answer, primal=answer.primal + np.inf),
    "a point that breaks rows": lambda answer: evolve(answer, primal=0 * answer.primal, objective=0.0),
    "another objective": lambda answer: evolve(answer, objective=answer.objective - 1.0),
    "a NaN objective": lambda answer: evolve(answer, objective=np.nan),
    "no LPSolution": lambda answer: answer.objective,
    "an error": lambda answer: 1 / 0,
}


@pytest.mark.parametrize("lie", LIES)
def test_a_wrong_answer_is_an_error_that_names_the_backend(lie):
    """Whatever is wrong with what a backend calls optimal."""
    with PROGRAM.open(LyingBackend(LIES[lie])) as session, pytest.raises(SolveError, match="'liar'"):
        session.solve()


def test_what_a_new_session_solves_is_no_error():
    """A solver that lost its way after many changes gets a second chance with a fresh start."""
    backend = LyingBackend(LIES["flipped duals"], n_lies=1)
    with PROGRAM.open(backend) as session:
        assert session.solve().objective == pytest.approx(PROGRAM.solve(HiGHS()).objective)
    assert len(backend.opened) == 2


def test_an_answer_that_claims_nothing_is_passed_on():
    """Time limits and errors are no lies."""
    backend = LyingBackend(lambda answer: evolve(answer, stop=Stop.ERROR, solution=Solution.NONE, objective=np.nan))
    with PROGRAM.open(backend) as session:
        assert session.solve().stop is Stop.ERROR
    assert len(backend.opened) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_on_their_way_in(bad):
    """A cost or a coefficient that is no number would make an answer to another problem."""
    one, nothing = np.ones(1), SparseVectors.empty(1)
    with HiGHS().open_lp() as session:
        with pytest.raises(ConfigurationError, match="costs"):
            session.add_columns(np.array([bad]), 0 * one, one, nothing)
        session.add_columns(one, 0 * one, one, nothing)
        with pytest.raises(ConfigurationError, match="costs"):
            session.set_costs(np.array([0]), np.array([bad]))
        with pytest.raises(ConfigurationError, match="coefficients"):
            session.add_rows(one, one, SparseVectors.from_dense(np.array([[bad]])))
        assert session.solve().objective == 0.0


@pytest.mark.parametrize(("lower", "upper"), [(np.nan, 1.0), (0.0, np.nan), (np.inf, np.inf), (-np.inf, -np.inf)])
def test_bounds_that_nothing_can_meet_are_refused(lower, upper):
    """Bounds may be infinite on their own side only."""
    one, nothing = np.ones(1), SparseVectors.empty(1)
    low, high = np.array([lower]), np.array([upper])
    with HiGHS().open_lp() as session:
        session.add_columns(one, 0 * one, one, nothing)
        for add in (
            lambda: session.add_columns(one, low, high, nothing),
            lambda: session.add_rows(low, high, nothing),
            lambda: session.set_column_bounds(np.array([0]), low, high),
        ):
            with pytest.raises(ConfigurationError, match="bound"):
                add()


def test_a_backend_that_opens_something_else_is_named():
    """new_session() must return an LPSession."""

    class Empty(LyingBackend):
        def new_session(self):
            return object()

    with pytest.raises(SolveError, match="'liar' opened a object"):
        Empty(None).open_lp()


def test_with_closes_a_session_also_after_an_error():
    """The owner's block ends, and so does the session."""

    class Closing(Lying):
        closed = 0

        def close(self):
            self.closed += 1

    session = Closing(None)
    with pytest.raises(ZeroDivisionError), session:
        raise ZeroDivisionError
    assert session.closed == 1
    assert issubclass(Closing, LPSession)
