"""Whole runs with stakes of every kind against plain enumeration: losses, logics, costs, a teacher, fairness rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import Complexity, HammingMaster, Problem, Rule, Stakes, Status, ZeroOneMaster, load_registry
from rulecg_core import generate_columns as generate
from rulecg_core.testing import BruteForcePricer, all_rule_sets
from rulecg_fairness import EqualityOfOpportunity, EqualizedOdds
from rulecg_search.heuristic import LocalSearch

BACKEND = load_registry().backend("highs")
MASTERS = {"hamming": HammingMaster, "01": ZeroOneMaster}
PARITIES = {"none": None, "opportunity": EqualityOfOpportunity(0.4), "odds": EqualizedOdds(0.5)}


class Case:
    """A small data set with stakes of some kind, judged row by row."""

    def __init__(self, seed: int, kind: str, logic: str) -> None:
        rng = np.random.default_rng(seed)
        n, n_conditions = int(rng.integers(4, 16)), int(rng.integers(1, 4))
        self.X = rng.random((n, n_conditions)) < 0.5
        self.y = rng.random(n) < rng.choice([0.3, 0.7])
        self.y[:4] = [True, False, True, False]
        self.groups = rng.random(n) < 0.5
        self.groups[:4] = [True, True, False, False]
        self.weights = rng.integers(1, 4, n).astype(float)
        fp, fn = {"costs": (1, 3), "balanced": (0.7, 1.9)}.get(kind, (1, 1))
        if kind in ("teacher", "teacher and labels"):
            share = 0.0 if kind == "teacher" else 0.5
            self.stakes = Stakes.softened(self.y, rng.random(n).round(2), share, self.weights)
        else:
            self.stakes = Stakes.from_labels(self.y, self.weights, fp=fp, fn=fn)
        self.problem = Problem.from_arrays(
            self.X, self.y, weights=self.weights, sensitive_groups=self.groups, logic=logic, max_conditions=2,
            stakes=self.stakes,
        )
        self.logic = logic

    def covers(self, rules: tuple[Rule, ...]) -> np.ndarray:
        """How many rules cover each original row, as the learner sees it."""
        X = self.X if self.logic == "dnf" else ~self.X
        return np.array([sum(all(row[at] for at in rule) for rule in rules) for row in X], dtype=float)

    def loss(self, counts: np.ndarray) -> float:
        """Row by row: of both costs the smaller one is paid in any case, the difference when the dearer one is."""
        total = 0.0
        for miss, cover, count in zip(self.stakes.miss, self.stakes.cover, counts, strict=True):
            if self.logic == "cnf":
                miss, cover = cover, miss
            total += min(miss, cover) + (max(miss - cover, 0) if count == 0 else max(cover - miss, 0) * count)
        return total

    def gap(self, counts: np.ndarray, truth: bool) -> float:
        """Between the groups, the difference of the shares of positives (negatives) that are predicted wrongly."""
        wrong_if_covered = truth is (self.logic == "cnf")
        wrong = counts if wrong_if_covered else (counts == 0).astype(float)
        rates = []
        for group in (True, False):
            members = (self.groups == group) & (self.y == truth)
            rates.append((wrong * self.weights)[members].sum() / self.weights[members].sum())
        return abs(rates[0] - rates[1])

    def is_allowed(self, counts: np.ndarray, parity: str) -> bool:
        if parity == "none":
            return True
        eps, truths = (0.4, [True]) if parity == "opportunity" else (0.5, [True, False])
        return all(self.gap(counts, truth) <= eps + 1e-9 for truth in truths)

    def optimum(self, loss: str, bound: int, parity: str) -> float:
        """The least loss of all rule sets within the bounds, as the master counts and in true counts."""
        best = np.inf
        for rules in all_rule_sets(self.problem, bound // 2):
            if sum(1 + len(rule) for rule in rules) > bound:
                continue
            counts = self.covers(rules)
            once = np.minimum(counts, 1.0)
            counted = once if loss == "01" else counts
            if self.is_allowed(counted, parity) and self.is_allowed(once, parity):
                best = min(best, self.loss(counted))
        return best


@pytest.mark.parametrize("loss", ["hamming", "01"])
@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["labels", "costs", "balanced", "teacher", "teacher and labels"]),
    bound=st.integers(1, 5),
    parity=st.sampled_from(sorted(PARITIES)),
    searches=st.booleans(),
)
def test_every_loss_and_stake_equals_enumeration(loss, logic, seed, kind, bound, parity, searches):
    """The run's optimum is that of plain enumeration, and a proof is never wrong."""
    case = Case(seed, kind, logic)
    constraint = PARITIES[parity]
    constraints = [Complexity(bound), *([] if constraint is None else [constraint])]
    master = MASTERS[loss](case.problem, constraints, BACKEND)
    result = generate(master, [BruteForcePricer()], heuristics=[LocalSearch()] if searches else [])
    expected = case.optimum(loss, bound, parity)
    assert result.objective >= expected - 1e-6
    if result.lower_bound is not None:
        assert result.lower_bound <= expected + 1e-6
    if parity == "none" or loss == "01" or result.status is Status.OPTIMAL:
        assert result.objective == pytest.approx(expected, abs=1e-6)
        assert result.lower_bound == pytest.approx(expected, abs=1e-6)
    once = np.minimum(case.covers(result.rules), 1.0)
    assert case.is_allowed(once, parity)
    assert result.cost == pytest.approx(case.loss(once))
    assert result.errors == case.weights[case.problem.predict(result.rules)[case.problem.inverse] != case.y].sum()
