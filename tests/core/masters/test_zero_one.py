"""The 0-1 loss master keeps the master's contract, and claims no more than brute force over all rule sets confirms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import (
    Deadline,
    HammingMaster,
    Limits,
    Problem,
    RelaxationOptions,
    Status,
    ZeroOneMaster,
    generate_columns,
    load_registry,
)
from rulecg_core.base.bits import number_equal_lines
from rulecg_core.base.errors import ConfigurationError
from rulecg_core.masters.counted_once import at_least, netted, relaxed_rows
from rulecg_core.proof.branching import RuleCount
from rulecg_core.testing.brute_force import BruteForcePricer, all_rule_sets, all_rules
from rulecg_core.testing.master_contract import MasterContract, MissedShareBound, SizeBound, small_problem
from tests.core.masters.solvers_view import SeenBySolvers

FORMULATIONS = ["disaggregated", "aggregated"]


class TestDisaggregated(SeenBySolvers, MasterContract):
    formulation = "disaggregated"

    @pytest.fixture
    def backend(self):
        return load_registry().backend("highs")

    def make_master(self, problem, constraints, backend):
        options = RelaxationOptions(dual_form=False)
        return ZeroOneMaster(problem, constraints, backend, formulation=self.formulation, options=options)


class TestAggregated(TestDisaggregated):
    formulation = "aggregated"


class TestDualForm(TestDisaggregated):
    def make_master(self, problem, constraints, backend):
        return ZeroOneMaster(problem, constraints, backend, options=RelaxationOptions(dual_form=True))

    def solvers_reduced_costs(self, session):
        return session.row_slacks()


def every_rule_set(problem, bound):
    """All rule sets within the size bound."""
    for chosen in all_rule_sets(problem, int(bound // 2)):
        if sum(map(problem.length, chosen)) + len(chosen) <= bound:
            yield chosen


def true_gaps(problem, chosen):
    """Differences between the groups in missed positives and covered negatives, from predictions alone."""
    covered = problem.covers(list(chosen)).any(axis=0) if chosen else np.zeros(problem.n_samples, dtype=bool)
    rates = []
    for group in problem.sensitive_groups.crossed():
        for label in (True, False):
            members = group.members & (problem.y == label)
            wrong = members & (covered != label)
            rates.append(problem.weights[wrong].sum() / problem.weights[members].sum())
    return abs(rates[0] - rates[2]), abs(rates[1] - rates[3])


@given(
    seed=st.integers(0, 10_000),
    logic=st.sampled_from(["dnf", "cnf"]),
    bound=st.integers(2, 6),
    eps=st.sampled_from([None, 0.3, 0.1]),
    formulation=st.sampled_from([None, *FORMULATIONS]),
)
@settings(max_examples=40, deadline=None)
def test_what_is_claimed_is_true_of_all_rule_sets(seed, logic, bound, eps, formulation):
    """No rule set has fewer errors than the bound; one called optimal has the fewest of all; every row holds truly."""
    problem = small_problem(seed, logic, n_conditions=4)
    constraints = [SizeBound(bound)] + ([] if eps is None else [MissedShareBound(eps)])
    master = ZeroOneMaster(problem, constraints, load_registry().backend("highs"), formulation=formulation)
    result = generate_columns(master, [BruteForcePricer()], Limits(seconds=30.0, rules_per_call=5))
    least = min(
        problem.errors(problem.predict(chosen))
        for chosen in every_rule_set(problem, bound)
        if eps is None or max(true_gaps(problem, chosen)) <= eps + 1e-9
    )
    assert result.errors == result.objective == problem.errors(problem.predict(result.rules))
    assert result.errors >= least
    assert result.lower_bound is not None
    assert result.lower_bound <= least + 1e-9
    if result.status is Status.OPTIMAL:
        assert result.errors == least
    if eps is not None:
        assert max(true_gaps(problem, result.rules)) <= eps + 1e-9


def overlapping_problem():
    """The paper's example in small: every rule covers the same two negatives, so that each alone does not pay."""
    X = np.concatenate([np.eye(4, dtype=bool), np.ones((2, 4), dtype=bool), np.zeros((3, 4), dtype=bool)])
    y = np.array([True] * 4 + [False] * 5)
    return Problem.from_arrays(X, y, max_conditions=1)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_negative_covered_by_many_rules_counts_once(formulation):
    """Hamming loss would rather choose no rule at all; the 0-1 loss chooses them all and has two errors."""
    master = ZeroOneMaster(
        overlapping_problem(), [SizeBound(8)], load_registry().backend("highs"), formulation=formulation
    )
    result = generate_columns(master, [BruteForcePricer()])
    assert len(result.rules) == 4
    assert result.errors == result.objective == 2
    assert result.status is Status.OPTIMAL


def test_the_guide_proves_nothing():
    """The guide's Hamming relaxation can lie above the 0-1 optimum: the master's own lies below, and a run takes its
    bound from there."""
    problem = overlapping_problem()
    master = ZeroOneMaster(problem, [SizeBound(8)], load_registry().backend("highs"))
    master.add_rules(all_rules(problem))
    guide = master.guide()
    assert isinstance(guide, HammingMaster)
    assert guide.pool is master.pool
    assert guide.solve_relaxation(Deadline()).value > 2
    own = master.solve_relaxation(Deadline())
    assert own.value <= 2
    assert own.lower_bound(0.0) <= 2
    assert generate_columns(master, [BruteForcePricer()]).lower_bound <= 2


@pytest.mark.parametrize("seed", range(6))
def test_relaxed_forms_bound_the_true_value_of_every_rule_set(seed):
    """The linear estimates of the objective and of rows lie on the right side of the true values."""
    problem = small_problem(seed)
    master = ZeroOneMaster(problem, [SizeBound(6), MissedShareBound(0.2)], load_registry().backend("highs"))
    rng = np.random.default_rng(seed)
    _, alike = number_equal_lines(np.packbits(problem.X, axis=1))
    net = netted(master.goal.objective, alike)
    estimate = at_least(net, 3)
    relaxed = relaxed_rows(master.goal.rows, 3)
    assert net.const > 0 or len(np.unique(alike)) == problem.n_samples
    for _ in range(50):
        rules = [all_rules(problem)[at] for at in rng.permutation(len(all_rules(problem)))[: rng.integers(0, 4)]]
        counts = problem.covers(rules).sum(axis=0).astype(float)
        missed = (problem.y & (counts == 0)).astype(float)
        once = np.minimum(counts, 1.0)
        size = (sum(map(problem.length, rules)), len(rules))
        errors = problem.errors(problem.predict(rules))
        assert net.value(missed, once, *size) == pytest.approx(errors)
        assert estimate.value(missed, counts, *size) <= errors + 1e-9
        if all(row.violation(row.form.value(missed, once, *size)) <= 1e-12 for row in master.goal.rows):
            for row in relaxed:
                assert row.violation(row.form.value(missed, counts, *size)) <= 1e-9


def test_unknown_formulations_are_told():
    """A wrong name fails at once and says what there is."""
    with pytest.raises(ConfigurationError, match="disaggregated"):
        ZeroOneMaster(small_problem(0), [SizeBound(4)], load_registry().backend("highs"), formulation="dis")


def test_bounds_for_each_number_of_rules_are_sharper():
    """With just so many rules, covered negatives cost more: the least of these bounds is above that for any number."""
    gains = []
    for seed in range(6):
        problem = small_problem(seed, n_conditions=4)
        master = ZeroOneMaster(problem, [SizeBound(6)], load_registry().backend("highs"))
        master.add_rules(all_rules(problem))
        bounds = []
        for part in [(), *((RuleCount(n_rules),) for n_rules in (1, 2, 3))]:
            node = master.with_constraints(part)
            bounds.append(node.solve_relaxation(Deadline()).lower_bound(0.0))
        with_conditions = [chosen for chosen in every_rule_set(problem, 6) if any(map(len, chosen))]
        least = min(problem.errors(problem.predict(chosen)) for chosen in with_conditions)
        assert bounds[0] - 1e-6 <= min(bounds[1:]) <= least + 1e-6
        gains.append(min(bounds[1:]) - bounds[0])
    assert max(gains) > 0.1
