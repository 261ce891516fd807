"""The exact integer program: what is in the model, what becomes of the solver's answer."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from rulecg_core import (
    Availability,
    Backend,
    ConfigurationError,
    Deadline,
    MIPResult,
    MIPSolution,
    PricingLimits,
    PricingProblem,
    Rule,
    Solution,
    Stop,
    load_registry,
)
from rulecg_pricing.beams.beam import BeamSearch
from rulecg_pricing.programs import exact_ip
from rulecg_pricing.programs.exact_ip import ExactIP
from rulecg_pricing.programs.pricing_model import build


class ScriptedBackend(Backend):
    """Answers every mixed-integer program with the given rules, as points of the model."""

    name = "scripted"

    def __init__(self, rules, bound=None, stop=Stop.COMPLETED):
        self.rules, self.bound, self.stop = rules, bound, stop
        self.asked = []

    @classmethod
    def availability(cls):
        return Availability(True)

    def new_session(self):
        raise NotImplementedError

    def solve_mip(self, model, limits=None, *, start=(), pool_size=1, should_stop=None):
        self.asked.append((model, limits, pool_size))
        points = []
        for rule in self.rules:
            x = np.zeros(model.n_columns)
            x[list(rule)] = 1.0
            points.append(MIPSolution(x, 0.0))
        return MIPResult(self.stop, Solution.FEASIBLE, tuple(points), self.bound)


def small_problem() -> PricingProblem:
    """Rules 0 and (0, 1) are negative, the others are not."""
    X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=bool)
    return PricingProblem(X, np.array([-2.0, -0.4, 1.6, 1.0]), 0.1, 0.1, 3)


def price(pricer, problem, **limits):
    return pricer.price(problem, PricingLimits(**limits), np.random.default_rng(0))


def test_model_is_the_papers():
    """Rows by the sign of the weight, a bound on the length, one variable per feature and per sample."""
    model = build(small_problem(), np.arange(3)).mip
    # Sample 3 has every feature: whatever the rule, it is covered, and its weight is a constant.
    assert model.n_columns == 3 + 3
    assert model.offset == pytest.approx(0.1 + 1.0)
    assert model.integer.tolist() == [True] * 3 + [True, True, False]
    np.testing.assert_allclose(model.costs, [0.1, 0.1, 0.1, -2.0, -0.4, 1.6])
    np.testing.assert_allclose(
        model.rows.to_dense(6),
        [
            [0, 0, 1, 1, 0, 0],  # lacks feature 2: delta + z_2 <= 1
            [0, 1, 0, 0, 1, 0],
            [1, 0, 0, 0, 0, 1],  # lacks feature 0: delta + z_0 >= 1
            [1, 1, 1, 0, 0, 0],  # 1 to 3 conditions
        ],
    )
    np.testing.assert_allclose(model.row_lower, [-np.inf, -np.inf, 1, 1])
    np.testing.assert_allclose(model.row_upper, [1, 1, np.inf, 3])


def test_the_models_objective_is_the_reduced_cost():
    """For every rule, the point that says which samples it covers is feasible and costs its reduced cost."""
    rng = np.random.default_rng(0)
    X = np.unique(rng.random((30, 6)) < 0.5, axis=0)
    X = X[~X.all(axis=1)]
    weights = rng.normal(size=len(X))
    problem = PricingProblem(X, weights, 0.3, -0.2, 3, chains=np.array([0, 1, 2, 2, 3, 4]))
    model = build(problem, np.arange(6)).mip
    for rule in [Rule((0,)), Rule((1, 3)), Rule((0, 2, 5)), Rule((3, 4))]:
        covered = rule.covers(X)
        x = np.zeros(model.n_columns)
        x[list(rule)] = 1.0
        x[6:] = np.concatenate([covered[weights < 0], covered[weights > 0]])
        assert model.is_feasible(x)
        assert model.objective(x) == pytest.approx(problem.reduced_cost(rule))


def test_samples_without_weight_and_equal_samples_do_not_enlarge_the_model():
    """Zero weights are dropped, equal samples become one with the sum of their weights, opposites cancel."""
    problem = small_problem()
    X = np.vstack([problem.X, problem.X[:2], problem.X[2:3], [[0, 0, 1]]])
    weights = np.concatenate([problem.sample_weights, [-1.0, 0.4, 0.4, 0.0]])
    model = build(evolve(problem, X=X, sample_weights=weights), np.arange(3)).mip
    np.testing.assert_allclose(model.costs, [0.1, 0.1, 0.1, -3.0, 2.0])


def test_nested_features_are_kept_apart_while_conditions_cost_something():
    """At most one feature of a chain may be chosen, unless the price of a condition is negative."""
    problem = evolve(small_problem(), chains=np.array([0, 0, 1]))
    with_chain = build(problem, np.arange(3)).mip
    paid = build(evolve(problem, condition_price=-0.1), np.arange(3)).mip
    assert len(with_chain.rows) == len(paid.rows) + 1
    assert not with_chain.is_feasible(np.array([1.0, 1.0, 0, 0, 0, 0]))
    assert paid.is_feasible(np.array([1.0, 1.0, 0, 0, 0, 0]))


def test_every_negative_rule_that_the_solver_met_is_returned_once():
    """The pool is re-priced from the conditions: repeats and rules that are not negative are left out."""
    backend = ScriptedBackend([Rule((0,)), Rule((0, 1)), Rule((2,)), Rule((0,))], bound=-2.0)
    answer = price(ExactIP(backend), small_problem(), max_rules=7)
    assert answer.rules == (Rule((0,)), Rule((0, 1)))
    assert answer.bound == -2.0
    [(_, limits, pool_size)] = backend.asked
    assert pool_size == 7
    assert limits.seconds is None


def test_features_that_no_negative_rule_can_contain_are_not_in_the_model():
    """The optimistic bound rules a feature out before the solver sees it, and the bound stays valid."""
    problem = small_problem()
    problem = evolve(problem, X=np.column_stack([problem.X, [False, False, True, True]]))
    problem = evolve(problem, condition_costs=np.ones(4), chains=np.arange(4))
    backend = ScriptedBackend([], bound=5.0)
    answer = price(ExactIP(backend), problem)
    assert backend.asked[0][0].n_columns == 3 + 3
    assert answer.bound <= problem.reduced_cost(Rule((3,)))


def test_without_a_hopeful_feature_no_solver_is_asked():
    """When no covered weight is negative enough, the bound alone proves that there is nothing to find."""
    backend = ScriptedBackend([])
    answer = price(ExactIP(backend), evolve(small_problem(), constant=10.0))
    assert backend.asked == []
    assert answer.rules == ()
    assert answer.bound == pytest.approx(10.0 + 0.1 - 2.4)


def test_a_solver_without_a_bound_leaves_the_optimistic_one():
    """A solver that stops before it has a bound does not take away what is known without it."""
    problem = small_problem()
    answer = price(ExactIP(ScriptedBackend([Rule((0,))], None, Stop.TIME_LIMIT)), problem)
    assert answer.stop is Stop.TIME_LIMIT
    assert answer.bound == pytest.approx(problem.optimistic_bound(np.ones(4, dtype=bool), []))


def test_the_bound_is_never_above_a_rule_in_hand():
    """A solver's bound a hair above its own solution is lowered to it."""
    problem = small_problem()
    answer = price(ExactIP(ScriptedBackend([Rule((0,))], bound=0.0)), problem)
    assert answer.bound == pytest.approx(problem.reduced_cost(Rule((0,))))


@pytest.mark.parametrize("backend", ["highs", "cbc", "scip"])
def test_a_stopped_solve_has_a_valid_bound(backend):
    """After a second on a problem that takes longer, the bound lies below the best rule that anyone found."""
    rng = np.random.default_rng(0)
    problem = PricingProblem(rng.random((400, 80)) < 0.7, rng.normal(size=400), 0.1, 0.1, 5)
    answer = price(ExactIP(load_registry().backend(backend)), problem, deadline=Deadline.after(1.0))
    best = price(BeamSearch(), problem).rules[0]
    assert answer.stop is Stop.TIME_LIMIT
    assert answer.bound is not None
    assert answer.bound <= problem.reduced_cost(best)


def test_a_problem_that_no_solver_could_load_is_declined(monkeypatch):
    """Above a size the model is not built: a note says so, and the bound is the optimistic one."""
    monkeypatch.setattr(exact_ip, "MOST_NONZEROS", 3)
    backend = ScriptedBackend([])
    answer = price(ExactIP(backend), small_problem())
    assert backend.asked == []
    assert answer.stop is Stop.OTHER_LIMIT
    assert "too large" in answer.notes[0]
    assert answer.bound <= -1.0


def test_without_a_backend_the_error_says_how_to_give_one():
    """A pricer that solves programs takes the backend it is given and never looks for one by itself."""
    with pytest.raises(ConfigurationError, match=r"exact-ip.*has no backend.*registry\.backend\(\)"):
        price(ExactIP(), small_problem())
