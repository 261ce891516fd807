"""What a solver claims is believed only when its proof holds."""

import numpy as np
import pytest

from rulecg_core import SparseVectors, load_registry
from rulecg_core.base.linear_data import LinearData
from rulecg_core.testing.backends.instances import random_program


def data_of(program):
    data = LinearData()
    data.add_columns(program.costs, program.lower, program.upper, SparseVectors.empty(len(program.costs)))
    data.add_rows(program.row_lower, program.row_upper, SparseVectors.from_dense(program.matrix))
    return data


def infeasible():
    """x + y >= 3 and x + y <= 2 with x, y >= 0."""
    data = LinearData()
    data.add_columns(np.array([-1.0, 0.0]), np.zeros(2), np.full(2, np.inf), SparseVectors.empty(2))
    rows = SparseVectors.from_dense(np.ones((2, 2)))
    data.add_rows(np.array([3.0, -np.inf]), np.array([np.inf, 2.0]), rows)
    return data


def test_rows_and_columns_added_in_any_order_make_one_matrix():
    """Blocks of rows and blocks of columns interleave."""
    rng = np.random.default_rng(0)
    matrix = rng.integers(1, 9, (4, 5)).astype(float)
    data = LinearData()
    data.add_columns(np.zeros(2), np.zeros(2), np.ones(2), SparseVectors.empty(2))
    data.add_rows(np.zeros(3), np.ones(3), SparseVectors.from_dense(matrix[:3, :2]))
    data.add_columns(np.zeros(3), np.zeros(3), np.ones(3), SparseVectors.from_dense(matrix[:3, 2:].T))
    data.add_rows(np.zeros(1), np.ones(1), SparseVectors.from_dense(matrix[3:]))
    assert np.array_equal(data.rows.to_dense(5), matrix)


def test_a_farkas_ray_proves_infeasibility():
    """First row minus second: 0 >= 1."""
    assert infeasible().proves_infeasible(np.array([1.0, -1.0]))
    assert infeasible().proves_infeasible(np.array([1e6, -1e6]))


@pytest.mark.parametrize("ray", [[1.0, 1.0], [-1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [np.nan, 1.0]])
def test_other_rays_prove_nothing(ray):
    """A wrong sign, a useless combination, no ray at all."""
    assert not infeasible().proves_infeasible(np.array(ray))


@pytest.mark.parametrize("seed", range(20))
def test_no_ray_proves_a_feasible_program_infeasible(seed):
    """Random combinations of the rows of programs with a solution."""
    data = data_of(random_program(seed))
    rng = np.random.default_rng(seed)
    assert not any(data.proves_infeasible(rng.normal(size=data.n_rows)) for _ in range(50))


def test_an_improving_ray_within_rows_and_bounds_proves_unboundedness():
    """min -x with x - y <= 1: go along (1, 1); not along (1, 0), nor where a bound is."""
    data = LinearData()
    data.add_columns(np.array([-1.0, 0.0]), np.zeros(2), np.full(2, np.inf), SparseVectors.empty(2))
    data.add_rows(np.array([-np.inf]), np.array([1.0]), SparseVectors.from_dense(np.array([[1.0, -1.0]])))
    assert data.proves_unbounded(np.array([1.0, 1.0]))
    assert not data.proves_unbounded(np.array([1.0, 0.0]))
    assert not data.proves_unbounded(np.array([0.0, 1.0]))
    assert not data.proves_unbounded(np.array([-1.0, -1.0]))
    data.set_column_bounds(np.array([1]), np.zeros(1), np.ones(1))
    assert not data.proves_unbounded(np.array([1.0, 1.0]))


@pytest.mark.parametrize("seed", range(20))
def test_an_optimum_is_proven_by_its_duals_and_nothing_else_is(seed):
    """HiGHS' answer is accepted; a point that is worse, a point outside and duals that bound nothing are not."""
    program = random_program(seed)
    answer = program.open(load_registry().backend("highs")).solve()
    data = data_of(program)
    assert answer.is_optimal
    assert data.proves_optimal(answer.primal, answer.dual)
    outside = answer.primal.copy()
    outside[0] = program.lower[0] - 1.0 if np.isfinite(program.lower[0]) else program.upper[0] + 1.0
    assert not np.isfinite(outside[0]) or not data.proves_optimal(outside, answer.dual)
    if np.any(np.abs(answer.dual) > 1e-3):
        assert not data.proves_optimal(answer.primal, -answer.dual)


def test_a_feasible_point_that_is_not_optimal_is_not_accepted():
    """min x, x + y >= 1: (1, 0) keeps every row, but no duals make it optimal."""
    data = LinearData()
    data.add_columns(np.array([1.0, 0.0]), np.zeros(2), np.array([np.inf, 1.0]), SparseVectors.empty(2))
    data.add_rows(np.array([1.0]), np.array([np.inf]), SparseVectors.from_dense(np.ones((1, 2))))
    assert data.proves_optimal(np.array([0.0, 1.0]), np.zeros(1))
    for price in (0.0, 0.5, 1.0):
        assert not data.proves_optimal(np.array([1.0, 0.0]), np.array([price]))
