"""Branch and price: bounds stay valid, and closed searches end at the optimum over all rules."""

import math

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, IntegerLimits, Problem, load_registry
from rulecg_core.proof.branching import branch_and_price
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound
from tests.core.runs import run_of


def random_problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((30, 6)) < 0.5
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(30) < 0.35)
    y[:4] = [True, True, False, False]
    return Problem.from_arrays(X, y, sensitive_groups=np.arange(30) % 2, max_conditions=3)


def run(problem, constraints, deadline):
    backend = load_registry().backend("highs")
    master = HammingMaster(problem, constraints, backend)
    started = run_of(master)
    started.take([master.evaluate(())], "no rules")
    branching = branch_and_price(started, -math.inf, deadline)
    full = HammingMaster(problem, constraints, backend)
    full.add_rules(all_rules(problem))
    return branching, started.incumbents.best, full.solve_integer(IntegerLimits()).candidates[0].objective


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("constraints", [[SizeBound(6)], [SizeBound(8), MissedShareBound(0.2)]], ids=["size", "groups"])
def test_a_closed_search_ends_at_the_optimum(seed, constraints):
    """From the empty rule set alone, branching finds and proves the optimum over all rules."""
    branching, best, optimum = run(random_problem(seed), constraints, Deadline())
    assert branching.lower_bound <= optimum + 1e-6
    if branching.closed:
        assert best.objective == pytest.approx(optimum)
        assert branching.lower_bound == pytest.approx(optimum)


def test_most_searches_close():
    """Samples' covers decide the rule set on nearly all problems."""
    closed = [run(random_problem(seed), [SizeBound(6)], Deadline())[0].closed for seed in range(12)]
    assert sum(closed) >= 10


def test_some_problems_need_branching():
    """The test problems are not all solved at the root."""
    nodes = [run(random_problem(seed), [SizeBound(6)], Deadline())[0].n_nodes for seed in range(12)]
    assert max(nodes) > 2


def test_out_of_time_keeps_a_valid_bound():
    """A passed deadline leaves the root's bound."""
    branching, _, _ = run(random_problem(0), [SizeBound(6)], Deadline(0.0))
    assert not branching.closed
    assert branching.lower_bound == -math.inf
