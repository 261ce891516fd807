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
from ..base.arrays import FloatArray, IntArray
from ..base.limits import Deadline
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem
from .brute_force import all_rules
from .recording import RecordingBackend, RecordingSession


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

    def solvers_reduced_costs(self, session: RecordingSession) -> FloatArray:
        """Reduced costs of all columns. A master that solves a dual overrides this."""
        return session.reduced_costs()

    def rule_columns(self, master: Master, session: RecordingSession) -> IntArray:
        """Where the pool's rules stand among them: last, unless a master that adds other columns too overrides this."""
        n_columns = len(self.solvers_reduced_costs(session))
        return np.arange(n_columns - len(master.pool), n_columns)

    constraint_sets: Sequence[tuple[Constraint, ...]] = (
        (SizeBound(4),),
        (SizeBound(6), MissedShareBound(0.3)),
        (SizeBound(6), MissedShareBound(0.05)),
    )

    @pytest.mark.parametrize("logic", ["dnf", "cnf"])
    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_pricing_formula_equals_the_solvers_reduced_cost_for_every_column(
        self, backend: Backend, logic: str, which: int
    ) -> None:
        """For every rule in the master, the pricing formula gives the reduced cost that the solver sees."""
        for seed in range(5):
            recording = RecordingBackend(backend)
            problem = small_problem(seed, logic)
            master = self.make_master(problem, self.constraint_sets[which], recording)
            master.solve_relaxation(Deadline())
            rules = all_rules(problem)[seed::3]
            for at in range(0, len(rules), 4):
                master.add_rules(rules[at : at + 4])
                assert master.solve_relaxation(Deadline()) is not None
            session = recording.sessions[-1]
            solvers = self.solvers_reduced_costs(session)[self.rule_columns(master, session)]
            pricing = master.pricing_problem()
            formula = np.array([pricing.reduced_cost(rule) for rule in master.pool.rules])
            np.testing.assert_allclose(formula, solvers, atol=1e-6)

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
            pricing = master.pricing_problem()
            assert min(pricing.reduced_cost(rule) for rule in all_rules(problem)) > -1e-6
            assert master.lower_bound(0.0) == pytest.approx(relaxation.objective, abs=1e-5)

    @pytest.mark.parametrize("which", [0, 1, 2])
    def test_bound_from_any_duals_is_below_the_integer_optimum(self, backend: Backend, which: int) -> None:
        """However few rules the master holds, its bound with the true least reduced cost is valid."""
        for seed in range(5):
            problem = small_problem(seed, n_conditions=4)
            constraints = self.constraint_sets[which]
            master = self.make_master(problem, constraints, backend)
            master.add_rules(all_rules(problem)[:3])
            master.solve_relaxation(Deadline())
            pricing = master.pricing_problem()
            least = min(pricing.reduced_cost(rule) for rule in all_rules(problem))
            bound = master.lower_bound(min(least, 0.0))
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
            result = master.solve_integer(Deadline())
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
            best = master.solve_integer(Deadline(), count_once=True).candidates[0]
            assert best.is_feasible
            assert best.errors == min(c.errors for c in self.every_set(master) if c.is_feasible)

    def every_set(self, master: Master) -> list:  # type: ignore[type-arg]
        """Every rule set of the pool within the largest number of rules."""
        most = int(min(master.max_rules, 3))
        rules = master.pool.rules if len(master.pool) > 3 else all_rules(master.problem)
        return [master.evaluate(chosen) for size in range(most + 1) for chosen in combinations(rules, size)]

    def brute_force(self, master: Master) -> float:
        """The least objective among all rule sets that the master calls feasible."""
        return min(c.objective for c in self.every_set(master) if c.proxy_violation <= 1e-9)
