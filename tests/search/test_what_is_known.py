"""Local search with bounds on single rules and on columns, and beside kept rules: it obeys, and finds the best."""

from __future__ import annotations

import numpy as np
import pytest

from rulecg_core import (
    Complexity,
    Condition,
    HammingMaster,
    KeepRules,
    MaxColumns,
    Problem,
    RulePrecision,
    RuleSupport,
    SearchLimits,
    View,
    ZeroOneMaster,
    load_registry,
)
from rulecg_core.testing import all_rule_sets
from rulecg_search.heuristic import LocalSearch

BACKEND = load_registry().backend("highs")
KNOWN = {
    "support": [RuleSupport(5)],
    "precision": [RulePrecision(0.8)],
    "columns": [MaxColumns(1)],
    "columns and support": [MaxColumns(2), RuleSupport(4)],
    "kept": [KeepRules([[Condition("x0", ">", 0.5)]])],
}


@pytest.mark.parametrize("master", [HammingMaster, ZeroOneMaster])
@pytest.mark.parametrize("known", sorted(KNOWN))
def test_search_obeys_and_finds_the_best(master, known):
    """Without any pricer, what the search returns keeps what is asked, and mostly nothing is better."""
    best = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.random((24, 6)) < 0.55
        conditions = [Condition(f"x{at // 2}", "<=" if at % 2 else ">", 0.5) for at in range(6)]
        problem = Problem.from_arrays(X, rng.random(24) < 0.5, conditions=conditions, max_conditions=2)
        with master(problem, [Complexity(6), *KNOWN[known]], BACKEND) as made:
            search = LocalSearch().open(View(made))
            found = search.improve([], SearchLimits(restarts=20), np.random.default_rng(0))
            goal = made.goal
            for rules in found.rule_sets:
                assert goal.allows(rules).all()
            reached = min(goal.evaluate(rules).objective for rules in found.rule_sets[:1])
            candidates = (goal.evaluate(rules) for rules in all_rule_sets(problem, 3) if all(map(len, rules)))
            least = min(each.objective for each in candidates if each.keeps_rows)
            assert reached >= least - 1e-9
            best += reached <= least + 1e-9
    assert best >= 3
