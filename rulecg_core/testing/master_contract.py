"""The contract of a master problem: what it prices, bounds and selects agrees with brute force."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from attrs import frozen

from ..api.backend import Backend
from ..api.constraint import Constraint
from ..api.master import Master
from ..base.limits import Deadline, IntegerLimits
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem
from .brute_force import all_rules


@frozen
class SizeBound(Constraint):
    """At most ``bound`` rules plus conditions; the test kit's own, so that a contract needs no plugin."""

    bound: float

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [(LinearForm(length=1.0, rule=1.0) <= self.bound).named("size")]

    def max_rules(self, problem: Problem) -> float:
        return float(self.bound // 2)


@frozen
class MissedShareBound(Constraint):
    """The groups' shares of missed positives and of covered negatives may differ by at most ``eps``."""

    eps: float

    def rows(self, problem: Problem) -> Sequence[Row]:
        a, b = problem.sensitive_groups.crossed()
        rows = []
        for first, second in ((a, b), (b, a)):
            for name, rate in (("missed", problem.false_negative_rate), ("covered", problem.false_positive_rate)):
                rows.append((rate(first) - rate(second) <= self.eps).named(f"{name}: {first} − {second}"))
        return rows


def small_problem(seed: int, logic: str = "dnf", n_conditions: int = 5) -> Problem:
    """A random problem with two groups, both labels in each, and few enough rules to list."""
    rng = np.random.default_rng(seed)
    n_samples = 24
    X = rng.random((n_samples, n_conditions)) < 0.5
    y = rng.random(n_samples) < 0.5
    groups = np.arange(n_samples) % 2
    y[:4] = [True, True, False, False]
    return Problem.from_arrays(X, y, sensitive_groups=groups, logic=logic, max_conditions=2)  # type: ignore[arg-type]


class MasterContract:
    """Subclass with a fixture ``backend`` and a method ``make_master(problem, constraints, backend)``."""

    def make_master(self, problem: Problem, constraints: Sequence[Constraint], backend: Backend) -> Master:
        raise NotImplementedError

    @pytest.fixture
    def backend(self) -> Backend:
        raise NotImplementedError

    constraint_sets: Sequence[tuple[Constraint, ...]] = (
        (SizeBound(4),),
        (SizeBound(6), MissedShareBound(0.3)),
        (SizeBound(6), MissedShareBound(0.05)),
    )

    @pytest.mark.parametrize("logic", ["dnf", "cnf"])
    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_pricing_formula_and_weights_are_optimal_together(
        self, backend: Backend, logic: str, which: int
    ) -> None:
        """By the pricing formula no rule of the master has a negative reduced cost, rules with weight have none, and
        the duals' value is the relaxation's: weights and duals prove each other optimal, whatever program was
        solved."""
        for seed in range(5):
            problem = small_problem(seed, logic)
            with self.make_master(problem, self.constraint_sets[which], backend) as master:
                rules = all_rules(problem)[seed::3]
                for at in range(0, len(rules), 4):
                    master.add_rules(rules[at : at + 4])
                    relaxation = master.solve_relaxation(Deadline())
                    assert relaxation is not None
                    costs = np.array([relaxation.pricing.reduced_cost(rule) for rule in master.pool.rules])
                    assert costs.min() >= -1e-6
                    assert np.abs(costs * relaxation.weights).max() <= 1e-6
                    bound = relaxation.lower_bound(0.0)
                    assert bound is None or bound == pytest.approx(relaxation.value, abs=1e-5)

    def test_a_relaxation_stays_what_it_was(self, backend: Backend) -> None:
        """Solving again with more rules changes nothing of an earlier relaxation, and nobody can write into it."""
        problem = small_problem(1)
        with self.make_master(problem, self.constraint_sets[0], backend) as master:
            master.add_rules(all_rules(problem)[:3])
            first = master.solve_relaxation(Deadline())
            assert first is not None
            before = first.value, first.weights.copy(), first.pricing.sample_weights.copy()
            master.add_rules(all_rules(problem))
            master.solve_relaxation(Deadline())
            assert first.value == before[0]
            np.testing.assert_array_equal(first.weights, before[1])
            np.testing.assert_array_equal(first.pricing.sample_weights, before[2])
            for array in (first.weights, first.pricing.sample_weights):
                with pytest.raises(ValueError, match="read-only"):
                    array[:1] = 0.0

    def test_variants_share_the_pool_and_keep_their_class(self, backend: Backend) -> None:
        """A guide, a tightened master and one with further constraints see the rules that any of them takes in; one
        with further constraints is of the same class, so that overrides stay."""
        problem = small_problem(2)
        with self.make_master(problem, self.constraint_sets[0], backend) as master:
            extended = master.with_constraints([SizeBound(2)])
            assert extended is None or type(extended) is type(master)
            variants = [master.guide(), master.tightened(0.5), extended]
            master.add_rules(all_rules(problem)[:2])
            for variant in variants:
                if variant is not None:
                    assert list(variant.pool.rules) == list(master.pool.rules)
                    assert variant.solve_relaxation(Deadline()) is not None
                    variant.close()

    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_bound_with_all_rules_equals_the_relaxation(self, backend: Backend, which: int) -> None:
        """With every rule in the master, no reduced cost is negative and the bound is the relaxation's value."""
        for seed in range(5):
            problem = small_problem(seed)
            master = self.make_master(problem, self.constraint_sets[which], backend)
            master.add_rules(all_rules(problem))
            relaxation = master.solve_relaxation(Deadline())
            assert relaxation is not None
            assert relaxation.feasible
            pricing = relaxation.pricing
            assert min(pricing.reduced_cost(rule) for rule in all_rules(problem)) > -1e-6
            assert relaxation.lower_bound(0.0) == pytest.approx(relaxation.value, abs=1e-5)

    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_bound_from_any_duals_is_below_the_integer_optimum(self, backend: Backend, which: int) -> None:
        """However few rules the master holds, its bound with the true least reduced cost is valid."""
        for seed in range(5):
            problem = small_problem(seed, n_conditions=4)
            constraints = self.constraint_sets[which]
            master = self.make_master(problem, constraints, backend)
            master.add_rules(all_rules(problem)[:3])
            relaxation = master.solve_relaxation(Deadline())
            assert relaxation is not None
            least = min(relaxation.pricing.reduced_cost(rule) for rule in all_rules(problem))
            bound = relaxation.lower_bound(min(least, 0.0))
            if bound is not None:
                assert bound <= self.brute_force(master) + 1e-6

    @pytest.mark.parametrize("logic", ["dnf", "cnf"])
    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_integer_solution_equals_brute_force(self, backend: Backend, logic: str, which: int) -> None:
        """The best rule set over all rules is the best of all rule sets, and every candidate is told truthfully."""
        for seed in range(4):
            problem = small_problem(seed, logic, n_conditions=4)
            master = self.make_master(problem, self.constraint_sets[which], backend)
            master.add_rules(all_rules(problem))
            result = master.solve_integer(IntegerLimits())
            assert result.candidates[0].objective == pytest.approx(self.brute_force(master), abs=1e-6)
            for candidate in result.candidates:
                assert candidate.proxy_violation <= 1e-6
                assert candidate.errors == problem.errors(problem.predict(candidate.rules))

    @pytest.mark.parametrize("which", [1, 2])
    def test_exact_model_keeps_every_bound_in_true_counts(self, backend: Backend, which: int) -> None:
        """Counting covered samples once, the best rule set has the fewest errors among the truly feasible ones."""
        for seed in range(4):
            problem = small_problem(seed, n_conditions=4)
            master = self.make_master(problem, self.constraint_sets[which], backend)
            master.add_rules(all_rules(problem))
            best = master.solve_integer(IntegerLimits(), count_once=True).candidates[0]
            assert best.is_feasible
            assert best.errors == min(c.errors for c in self.every_set(master) if c.is_feasible)

    def every_set(self, master: Master) -> list:  # type: ignore[type-arg]
        """Every rule set of the pool within the largest number of rules."""
        most = int(min(master.goal.max_rules, 3))
        rules = master.pool.rules if len(master.pool) > 3 else all_rules(master.problem)
        return [master.evaluate(chosen) for size in range(most + 1) for chosen in combinations(rules, size)]

    def brute_force(self, master: Master) -> float:
        """The least objective among all rule sets that the master calls feasible."""
        return min(c.objective for c in self.every_set(master) if c.proxy_violation <= 1e-9)
