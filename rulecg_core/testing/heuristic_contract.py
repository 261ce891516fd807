"""The contract of a heuristic: never worse than its starts, keeps its rows, changes nothing, ends in time."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest

from ..api.backend import Backend
from ..api.constraint import Constraint
from ..api.heuristic import Found, Heuristic, View
from ..api.master import Master
from ..base.limits import Deadline, SearchLimits
from ..data.goal import Candidate
from ..data.rules import Rule
from ..masters.hamming import HammingMaster
from .brute_force import all_rules
from .master_contract import MissedShareBound, SizeBound, small_problem

SECONDS = 20.0
"""No call of the contract takes longer, whatever the heuristic."""


class HeuristicContract:
    """Subclass with fixtures ``backend`` and ``heuristic``."""

    @pytest.fixture
    def backend(self) -> Backend:
        raise NotImplementedError

    @pytest.fixture
    def heuristic(self) -> Heuristic:
        raise NotImplementedError

    constraint_sets: Sequence[tuple[Constraint, ...]] = (
        (SizeBound(6),),
        (SizeBound(6), MissedShareBound(0.3)),
    )

    def master(self, seed: int, which: int, backend: Backend) -> Master:
        """A small master with some rules in its pool and a solved relaxation behind it."""
        problem = small_problem(seed)
        master = HammingMaster(problem, self.constraint_sets[which], backend)
        master.add_rules(all_rules(problem)[seed % 3 :: 3])
        return master

    def improve(
        self,
        heuristic: Heuristic,
        master: Master,
        starts: Sequence[Sequence[Rule]],
        *,
        is_large: bool = False,
        limits: SearchLimits | None = None,
        seed: int = 0,
    ) -> Found:
        """One call, and those it asks for, on a fresh search."""
        relaxation = master.solve_relaxation(Deadline())
        search = heuristic.open(View(master, lambda: relaxation, is_large))
        limits = limits or SearchLimits(Deadline.after(SECONDS), restarts=10)
        try:
            search.prepare()
            rng = np.random.default_rng(seed)
            found = search.improve(starts, limits, rng)
            while found.unfinished and not limits.deadline.passed:
                found = search.improve(starts, limits, rng)
            return found
        finally:
            search.close()

    @pytest.mark.parametrize("which", [0, 1])
    @pytest.mark.parametrize("true_counts", [False, True])
    def test_is_never_worse_than_a_start_and_keeps_the_rows_it_keeps(
        self, heuristic: Heuristic, backend: Backend, which: int, true_counts: bool
    ) -> None:
        """From a rule set that keeps every row, the best one found keeps them, too, and is no worse."""

        def merit(candidate: Candidate) -> tuple[bool, float]:
            if true_counts:
                return not candidate.is_feasible, candidate.errors
            return candidate.proxy_violation > 1e-9, candidate.objective

        for seed in range(4):
            with self.master(seed, which, backend) as master:
                kept = [()] + [(rule,) for rule in master.pool.rules]
                start = min(kept, key=lambda rules: merit(master.evaluate(rules)))
                limits = SearchLimits(Deadline.after(SECONDS), restarts=10, true_counts=true_counts)
                found = self.improve(heuristic, master, [start], limits=limits)
                merits = [merit(master.evaluate(rules)) for rules in found.rule_sets]
                assert min(merits, default=merit(master.evaluate(start))) <= merit(master.evaluate(start))

    def test_rules_have_an_allowed_number_of_known_conditions(self, heuristic: Heuristic, backend: Backend) -> None:
        """Every rule it returns is one that the problem allows."""
        with self.master(1, 0, backend) as master:
            found = self.improve(heuristic, master, [])
            for rule in (*found.rules, *(rule for rules in found.rule_sets for rule in rules)):
                assert 1 <= len(rule) <= master.problem.max_conditions
                assert all(0 <= at < master.problem.n_conditions for at in rule.features)

    def test_changes_nothing_that_it_is_given(self, heuristic: Heuristic, backend: Backend) -> None:
        """The pool, the starts and the problem are after a call what they were before it."""
        with self.master(2, 0, backend) as master:
            rules, X = list(master.pool.rules), master.problem.X.copy()
            starts = [[master.pool.rules[0]]]
            self.improve(heuristic, master, starts)
            assert list(master.pool.rules) == rules
            assert starts == [[rules[0]]]
            np.testing.assert_array_equal(master.problem.X, X)

    def test_the_same_seed_gives_the_same_answer(self, heuristic: Heuristic, backend: Backend) -> None:
        """Where no clock decides, nothing but the seed does."""
        answers = []
        for _ in range(2):
            with self.master(3, 0, backend) as master:
                answers.append(self.improve(heuristic, master, [], limits=SearchLimits(restarts=10)).rule_sets)
        assert answers[0] == answers[1]

    @pytest.mark.parametrize("is_large", [False, True])
    def test_ends_in_time(self, heuristic: Heuristic, backend: Backend, is_large: bool) -> None:
        """A deadline that has passed ends a search at once, one to come soon after; without restarts only it ends."""
        heuristic.prepare()
        with self.master(0, 0, backend) as master:
            for seconds in (0.0, 0.5):
                began = time.perf_counter()
                self.improve(
                    heuristic, master, [], is_large=is_large, limits=SearchLimits(Deadline.after(seconds), None)
                )
                # Generous, because a busy machine is no failure: what matters is that it ends.
                assert time.perf_counter() - began < seconds + 10.0
