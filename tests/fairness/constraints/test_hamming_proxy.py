"""Theorem "Hamming Equalized Odds Proxy": rules that look perfectly fair to the proxy and are not."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from rulecg_core import HammingMaster, Limits, Problem, Rule, Start, Status, generate_columns, load_registry
from rulecg_core.masters.size_bounds import Complexity
from rulecg_core.testing.brute_force import BruteForcePricer
from rulecg_fairness.constraints.parity import EqualizedOdds, FalsePositiveRateParity


def theorem(d: int, with_positives: bool) -> tuple[Problem, list[Rule]]:
    """The construction of the proof: every rule covers one row of G1 of its own and the same row of G2.

    (The proof takes t = d/2 ones among the first d − 1 features; there are then C(d − 1, t) points and rules.)
    Two positives per group that no rule covers make the false negative rates defined.
    """
    t = d // 2
    chosen = list(combinations(range(d - 1), t))
    size = comb(d - 1, t)
    one = np.zeros((size, d), dtype=bool)
    for row, features in zip(one, chosen, strict=True):
        row[list(features)] = True
    two = np.zeros((size, d), dtype=bool)
    two[0] = True
    X, y, groups = [one, two], [False] * (2 * size), ["G1"] * size + ["G2"] * size
    if with_positives:
        X.append(np.zeros((4, d), dtype=bool))
        y += [True] * 4
        groups += ["G1", "G1", "G2", "G2"]
    problem = Problem.from_arrays(np.vstack(X), y, sensitive_groups={"group": groups}, max_conditions=t)
    return problem, [Rule(features) for features in chosen]


@pytest.mark.parametrize("d", [6, 8])
def test_the_proxy_says_fair_and_the_truth_does_not(d: int) -> None:
    """At eps 0 every Hamming row holds, while the true false positive rates are 1 and 1/|G2|."""
    problem, rules = theorem(d, with_positives=True)
    constraint = EqualizedOdds(0.0)
    covers = problem.covers(rules)
    missed = (problem.y & ~covers.any(axis=0)).astype(float)
    lengths = sum(problem.length(rule) for rule in rules)
    for row in constraint.rows(problem):
        value = row.form.value(missed, covers.sum(axis=0).astype(float), lengths, len(rules))
        assert row.violation(value) == pytest.approx(0.0, abs=1e-12), row.name
    measured = constraint.measure(problem, problem.predict(rules))
    assert measured["false positive rate: G1 − G2"] == pytest.approx(1 - 1 / comb(d - 1, d // 2))
    assert measured["false negative rate: G1 − G2"] == 0.0


def test_the_gap_grows_without_bound_relative_to_eps() -> None:
    """No constant times eps bounds the true gap: it tends to 1 while the proxy's stays 0 (no positives needed)."""
    gaps = []
    for d in (6, 8, 10):
        problem, rules = theorem(d, with_positives=False)
        measured = FalsePositiveRateParity(0.0).measure(problem, problem.predict(rules))
        gaps.append(measured["false positive rate: G1 − G2"])
    assert gaps == sorted(gaps)
    assert gaps[-1] > 0.99


def tempting(d: int = 6, gain: int = 3) -> tuple[Problem, list[Rule]]:
    """The construction again, with positives that reward each of its rules, as many in one group as in the other."""
    t = d // 2
    chosen = list(combinations(range(d - 1), t))
    one = np.zeros((len(chosen), d), dtype=bool)
    for row, features in zip(one, chosen, strict=True):
        row[list(features)] = True
    two = np.zeros((len(chosen), d), dtype=bool)
    two[0] = True
    positives = np.vstack([one] * gain * 2)
    # Negatives that no condition holds for keep covering everything from being as good.
    apart = np.zeros((10, d), dtype=bool)
    X = np.vstack([one, two, apart, positives])
    y = [False] * (2 * len(chosen) + len(apart)) + [True] * len(positives)
    half = len(positives) // 2
    groups = ["G1"] * len(chosen) + ["G2"] * len(chosen) + ["G1"] * 5 + ["G2"] * 5 + ["G1"] * half + ["G2"] * half
    problem = Problem.from_arrays(X, y, sensitive_groups={"group": groups}, max_conditions=t)
    return problem, [Rule(features) for features in chosen]


def test_the_repair_finds_a_rule_set_that_is_truly_fair() -> None:
    """Where the proxy's favourite is fair only to the proxy, what is returned keeps the bound in true counts."""
    problem, rules = tempting()
    constraints = [Complexity(40), EqualizedOdds(0.15)]
    master = HammingMaster(problem, constraints, load_registry().backend("highs"))
    favourite, nothing = master.evaluate(rules), master.evaluate(())
    assert favourite.proxy_violation <= 1e-9
    assert favourite.true_violation > 0.4
    result = generate_columns(master, [BruteForcePricer()], Limits(seconds=20), start=Start(rules))
    assert master.evaluate(result.rules).is_feasible
    measured = constraints[1].measure(problem, problem.predict(result.rules))
    assert max(abs(value) for value in measured.values()) <= 0.15 + 1e-9
    assert result.errors < nothing.errors
    assert result.status is not Status.OPTIMAL
    assert result.objective > favourite.objective
