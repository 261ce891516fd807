"""Solutions that solvers report are rounded, checked, repaired or dropped before anyone sees them."""

import numpy as np
import pytest

from rulecg_backends.highs import HiGHS
from rulecg_core import MIPLimits, MIPModel, Solution, SparseVectors, Stop
from rulecg_core.backend_kit.mip_solve import MIPSolve
from rulecg_core.backend_kit.pool import SolutionPool


def model(integer=(True, True), row_lower=1.0):
    """min x + y, x + y >= row_lower, 0 <= x, y <= 3."""
    return MIPModel(
        np.ones(2), np.zeros(2), np.full(2, 3.0), np.array(integer), np.array([row_lower]), np.array([np.inf]),
        SparseVectors.from_dense(np.ones((1, 2))),
    )


class Scripted(MIPSolve):
    """A solver that finds what it is told to find."""

    def __init__(self, program, points, outcome, **limits):
        super().__init__(HiGHS(), program, MIPLimits(**limits), 5, None)
        self.points, self.outcome = points, outcome

    def _solve(self):
        self.pool.add_all(np.array(point, dtype=float) for point in self.points)
        return self.outcome


def test_points_are_made_exactly_integral():
    """0.9999999 becomes 1, and the objective follows."""
    pool = SolutionPool(model(), 5)
    stored = pool.add(np.array([0.9999999, 1e-9]))
    assert stored.x.tolist() == [1.0, 0.0]
    assert stored.objective == 1.0


def test_points_that_break_a_row_are_not_kept():
    """Neither those that always did nor those that do once rounded."""
    pool = SolutionPool(model(row_lower=1.2), 5)
    assert pool.add(np.array([1.4, 0.0])) is None
    pool.settle()
    assert pool.solutions() == ()
    assert pool.n_dropped == 1


def test_equal_integer_parts_count_once_and_the_better_stays():
    """What differs only in continuous variables is one choice."""
    pool = SolutionPool(model(integer=(True, False)), 5)
    for y in (2.0, 0.5, 1.0):
        pool.add(np.array([1.0, y]))
    assert [found.objective for found in pool.solutions()] == [1.5]


def test_the_pool_keeps_the_best_and_not_the_first():
    """However many are met."""
    wide = MIPModel(np.ones(1), np.zeros(1), np.full(1, 500.0), np.ones(1, bool), np.zeros(0), np.zeros(0),
                    SparseVectors.empty(0))
    pool = SolutionPool(wide, 3)
    for value in np.random.default_rng(0).permutation(400):
        pool.add(np.array([float(value)]))
    assert [found.objective for found in pool.solutions()] == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("x", [[np.nan, 1.0], [np.inf, 1.0], [1.0], [1.0, 2.0, 3.0]])
def test_nonsense_is_refused(x):
    """A point of the wrong length or with entries that are no numbers."""
    assert SolutionPool(model(), 5).add(np.array(x)) is None


def test_rounding_that_breaks_a_row_is_repaired():
    """With the integers fixed, the continuous variables make up for it."""
    program = model(integer=(True, False), row_lower=1.5)
    result = Scripted(program, [[1.0 + 1e-5, 0.5 - 1e-5]], ("done", Stop.COMPLETED, Solution.OPTIMAL, 1.5)).run(())
    assert result.solution is Solution.OPTIMAL
    assert result.best.x == pytest.approx([1.0, 0.5])
    assert program.is_feasible(result.best.x, tolerance=1e-9)


def test_an_optimum_that_is_infeasible_is_not_claimed():
    """The solver says optimal, its point says otherwise."""
    result = Scripted(model(row_lower=4.0), [[1.0, 1.0]], ("fine", Stop.COMPLETED, Solution.OPTIMAL, 2.0)).run(())
    assert (result.stop, result.solution) == (Stop.ERROR, Solution.NONE)
    assert result.notes


def test_a_bound_above_a_feasible_point_is_not_passed_on():
    """It proves that the solver's bound is wrong."""
    result = Scripted(model(), [[1.0, 0.0]], ("limit", Stop.TIME_LIMIT, Solution.NONE, 1.5)).run(())
    assert result.bound is None
    assert result.notes


def test_infeasible_is_not_believed_against_a_feasible_start():
    """The start was checked, the solver's claim was not."""
    solve = Scripted(model(), [], ("infeasible", Stop.COMPLETED, Solution.INFEASIBLE, None))
    result = solve.run([np.array([1.0, 0.0])])
    assert (result.stop, result.solution) == (Stop.ERROR, Solution.FEASIBLE)


@pytest.mark.parametrize("bound", [np.inf, -np.inf, np.nan, 1.8e308, -1e20, None])
def test_numbers_that_are_no_bounds_become_none(bound):
    """Solvers have many words for "I do not know"."""
    result = Scripted(model(), [[1.0, 1.0]], ("limit", Stop.TIME_LIMIT, Solution.NONE, bound)).run(())
    assert result.bound is None
    assert result.solution is Solution.FEASIBLE
