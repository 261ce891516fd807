"""The Hamming-loss master keeps the master's contract on the embedded backend, in both forms of its relaxation."""

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, RelaxationOptions, SparseVectors, load_registry
from rulecg_core.masters.lp.dual_form import DualForm
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MasterContract, SizeBound, small_problem
from tests.core.masters.solvers_view import SeenBySolvers


class TestPrimalForm(SeenBySolvers, MasterContract):
    @pytest.fixture
    def backend(self):
        return load_registry().backend("highs")

    def make_master(self, problem, constraints, backend):
        return HammingMaster(problem, constraints, backend, options=RelaxationOptions(dual_form=False))


class TestDualForm(TestPrimalForm):
    def make_master(self, problem, constraints, backend):
        return HammingMaster(problem, constraints, backend, options=RelaxationOptions(dual_form=True))

    def solvers_reduced_costs(self, session):
        return session.row_slacks()


def random_program(seed):
    """A feasible random program with rows of every sense, columns with and without upper bound, costs >= 0."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(2, 7), rng.integers(2, 9)
    matrix = np.where(rng.random((n_rows, n_columns)) < 0.6, rng.integers(-2, 4, (n_rows, n_columns)), 0).astype(float)
    point = rng.random(n_columns)
    activity = matrix @ point
    lower = np.where(rng.random(n_rows) < 0.6, activity - rng.random(n_rows), -np.inf)
    upper = np.where(rng.random(n_rows) < 0.6, activity + rng.random(n_rows), np.inf)
    equal = rng.random(n_rows) < 0.2
    lower[equal] = upper[equal] = activity[equal]
    bounds = np.where(rng.random(n_columns) < 0.4, np.ceil(point) + rng.integers(0, 2, n_columns), np.inf)
    return matrix, rng.integers(0, 6, n_columns).astype(float), lower, upper, bounds


@pytest.mark.parametrize("seed", range(60))
def test_dual_form_answers_like_the_primal(seed):
    """Same value, a feasible primal of that value, and duals of the right signs, with columns added between solves."""
    backend = load_registry().backend("highs")
    matrix, costs, lower, upper, bounds = random_program(seed)
    half = len(costs) // 2
    answers = []
    for session in (backend.open_lp(), DualForm(backend)):
        session.add_columns(costs[:half], np.zeros(half), bounds[:half], SparseVectors.empty(half))
        session.add_rows(lower, upper, SparseVectors.from_dense(matrix[:, :half]))
        session.solve()
        rest = len(costs) - half
        session.add_columns(costs[half:], np.zeros(rest), bounds[half:], SparseVectors.from_dense(matrix[:, half:].T))
        answers.append(session.solve())
    plain, dual = answers
    assert plain.is_optimal
    assert dual.is_optimal
    assert dual.objective == pytest.approx(plain.objective, abs=1e-6)
    activity = matrix @ dual.primal
    assert np.all(activity >= lower - 1e-6)
    assert np.all(activity <= upper + 1e-6)
    assert np.all((dual.primal >= 0) & (dual.primal <= bounds + 1e-6))
    assert costs @ dual.primal == pytest.approx(plain.objective, abs=1e-6)
    assert np.all((costs - matrix.T @ dual.dual)[np.isinf(bounds)] > -1e-6)
    assert np.all(dual.dual[np.isinf(lower)] <= 1e-7)
    assert np.all(dual.dual[np.isinf(upper)] >= -1e-7)


def test_both_forms_have_the_same_relaxation():
    """Round by round, the relaxation's value does not depend on the form in which it is solved."""
    backend = load_registry().backend("highs")
    for seed in range(10):
        problem = small_problem(seed)
        primal = HammingMaster(problem, [SizeBound(6)], backend, options=RelaxationOptions(dual_form=False))
        dual = HammingMaster(problem, [SizeBound(6)], backend, options=RelaxationOptions(dual_form=True))
        for at in range(0, len(all_rules(problem)), 5):
            values = []
            for master in (primal, dual):
                master.add_rules(all_rules(problem)[at : at + 5])
                values.append(master.solve_relaxation(Deadline()).value)
            assert values[0] == pytest.approx(values[1], abs=1e-6)
