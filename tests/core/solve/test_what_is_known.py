"""Whole runs with bounds on single rules, kept rules, columns and rates against plain enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import (
    Capacity,
    Complexity,
    Condition,
    FprCeiling,
    HammingMaster,
    InfeasibleError,
    KeepRules,
    MaxColumns,
    MaxRules,
    PrecisionFloor,
    Problem,
    RecallFloor,
    Rule,
    RuleLength,
    RulePrecision,
    RuleSupport,
    Status,
    ZeroOneMaster,
    load_registry,
)
from rulecg_core import generate_columns as generate
from rulecg_core.testing import BruteForcePricer, all_rule_sets
from rulecg_pricing.exact.pricer import ExactSearch
from rulecg_search.heuristic import LocalSearch

BACKEND = load_registry().backend("highs")
MASTERS = {"hamming": HammingMaster, "01": ZeroOneMaster}
LIMITS = {
    "nothing": [],
    "support": [RuleSupport(4)],
    "precision": [RulePrecision(0.75)],
    "length": [RuleLength(1)],
    "support and precision": [RuleSupport(3), RulePrecision(0.6)],
    "rules": [MaxRules(1)],
    "columns": [MaxColumns(1)],
    "two columns": [MaxColumns(2), RuleSupport(3)],
    "capacity": [Capacity(6)],
    "recall": [RecallFloor(0.6)],
    "fpr": [FprCeiling(0.2)],
    "precision of all": [PrecisionFloor(0.8)],
}


class Case:
    """A small table of thresholds, two conditions to a column, judged row by row."""

    def __init__(self, seed: int, logic: str) -> None:
        rng = np.random.default_rng(seed)
        n, n_columns = int(rng.integers(6, 16)), 3
        conditions = [Condition(f"x{at // 2}", "<=" if at % 2 else ">", 0.5) for at in range(2 * n_columns)]
        self.X = rng.random((n, 2 * n_columns)) < 0.6
        # Now and then two columns hold the same: then it matters on which of them a condition is.
        if rng.random() < 0.4:
            self.X[:, 2] = self.X[:, 0]
        self.y = rng.random(n) < 0.5
        self.y[:2] = [True, False]
        self.weights = rng.integers(1, 4, n).astype(float)
        self.logic = logic
        self.problem = Problem.from_arrays(
            self.X, self.y, weights=self.weights, conditions=conditions, logic=logic, max_conditions=2
        )

    def cover(self, rule: Rule) -> np.ndarray:
        X = self.X if self.logic == "dnf" else ~self.X
        return np.array([all(row[at] for at in rule) for row in X])

    def rule_is_allowed(self, rule: Rule, limits: list) -> bool:
        """Whether the rule keeps what is asked of single rules, counted row by row."""
        cover = self.cover(rule)
        weight = self.weights[cover].sum()
        right = self.weights[cover & (self.y == (self.logic == "dnf"))].sum()
        for limit in limits:
            if isinstance(limit, RuleSupport) and weight < limit.least:
                return False
            if isinstance(limit, RulePrecision) and right < limit.least * weight - 1e-9:
                return False
            if isinstance(limit, RuleLength) and len(rule) > limit.most:
                return False
        return True

    def set_is_allowed(self, rules: tuple[Rule, ...], limits: list, counts: np.ndarray) -> bool:
        """Whether the rule set keeps every bound; a wrongly covered row counts as often as ``counts`` says."""
        truth = self.y if self.logic == "dnf" else ~self.y
        missed = self.weights[truth & (counts == 0)].sum()
        extra = (self.weights * counts)[~truth].sum()
        positives, negatives = self.weights[self.y].sum(), self.weights[~self.y].sum()
        # In CNF what is covered is rejected.
        wrongly_rejected, wrongly_selected = (missed, extra) if self.logic == "dnf" else (extra, missed)
        columns = {self.problem.conditions[at].column for rule in rules for at in rule}
        for limit in limits:
            checks = {
                MaxRules: lambda limit=limit: len(rules) <= limit.most,
                MaxColumns: lambda limit=limit: len(columns) <= limit.most,
                Capacity: lambda limit=limit: positives - wrongly_rejected + wrongly_selected <= limit.most + 1e-9,
                RecallFloor: lambda limit=limit: wrongly_rejected <= (1 - limit.least) * positives + 1e-9,
                FprCeiling: lambda limit=limit: wrongly_selected <= limit.most * negatives + 1e-9,
                PrecisionFloor: lambda limit=limit: (
                    (1 - limit.least) * (positives - wrongly_rejected) >= limit.least * wrongly_selected - 1e-9
                ),
            }
            if type(limit) in checks and not checks[type(limit)]():
                return False
        return True

    def optimum(self, loss: str, bound: int, limits: list, kept: tuple[Rule, ...]) -> float:
        """The least loss of all rule sets within the bounds, as the master counts and in true counts."""
        best = np.inf
        truth = self.y if self.logic == "dnf" else ~self.y
        for chosen in all_rule_sets(self.problem, bound // 2):
            if kept and any(not len(rule) or rule in kept for rule in chosen):
                continue
            rules = (*kept, *chosen)
            if sum(1 + len(rule) for rule in rules) > bound:
                continue
            if not all(self.rule_is_allowed(rule, limits) for rule in chosen):
                continue
            covers = np.array([self.cover(rule) for rule in rules]).reshape(len(rules), len(self.y))
            counts = covers.sum(axis=0).astype(float)
            once = np.minimum(counts, 1.0)
            counted = once if loss == "01" else counts
            if self.set_is_allowed(rules, limits, counted) and self.set_is_allowed(rules, limits, once):
                best = min(best, self.weights @ np.where(truth, counts == 0, counted))
        return best


def run(case: Case, loss: str, bound: int, limits: list, kept: tuple[Rule, ...], pricer, searches: bool):
    clauses = [[case.problem.conditions[at] for at in rule] for rule in kept]
    constraints = [Complexity(bound), *limits, *([KeepRules(clauses)] if kept else [])]
    master = MASTERS[loss](case.problem, constraints, BACKEND)
    return generate(master, [pricer], heuristics=[LocalSearch()] if searches else [])


@pytest.mark.parametrize("loss", ["hamming", "01"])
@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    wanted=st.sampled_from(sorted(LIMITS)),
    bound=st.integers(2, 6),
    keeps=st.booleans(),
    searches=st.booleans(),
    exact=st.booleans(),
)
def test_everything_that_is_known_equals_enumeration(loss, logic, seed, wanted, bound, keeps, searches, exact):
    """With bounds on rules, columns and rates, and with kept rules, the run's optimum is that of plain enumeration, a
    proof is never wrong, and what is chosen keeps every bound in true counts."""
    case, limits = Case(seed, logic), LIMITS[wanted]
    kept = (Rule([int(seed % 6)]),) if keeps else ()
    expected = case.optimum(loss, bound, limits, kept)
    try:
        result = run(case, loss, bound, limits, kept, ExactSearch() if exact else BruteForcePricer(), searches)
    except InfeasibleError:
        assert expected == np.inf
        return
    chosen = [rule for rule in result.rules if rule not in kept]
    assert set(kept) <= set(result.rules)
    assert all(case.rule_is_allowed(rule, limits) for rule in chosen)
    counts = np.array([case.cover(rule) for rule in result.rules]).reshape(len(result.rules), len(case.y)).sum(axis=0)
    assert case.set_is_allowed(result.rules, limits, np.minimum(counts, 1.0))
    assert result.objective >= expected - 1e-6 or not result.keeps_proxy
    if result.lower_bound is not None:
        assert result.lower_bound <= expected + 1e-6
    looks_at_samples = wanted in ("capacity", "recall", "fpr", "precision of all")
    if expected < np.inf and (not looks_at_samples or loss == "01" or result.status is Status.OPTIMAL):
        assert result.objective == pytest.approx(expected, abs=1e-6)
        assert result.lower_bound == pytest.approx(expected, abs=1e-6)
        assert result.status is Status.OPTIMAL
