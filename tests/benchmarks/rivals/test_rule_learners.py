"""What surrounds RIPPER, Bayesian rule sets and their kin."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.rivals.rule_learners import JRip, informative_conjunctions

from .toys import truth_table

_PRINTED = """
JRIP rules:
===========

(c3 = 1) and (c0 = 0) => label=f (20.0/3.0)
(c2 = 0) => label=f (7.0/1.0)
 => label=t (33.0/2.0)

Number of Rules : 3
"""


def test_printed_rules_of_weka_are_read() -> None:
    """Rules for the class that is not the default, with positions and values; then the default."""
    rules, default = JRip._parse(_PRINTED)
    assert rules == [[(3, True), (0, False)], [(2, False)]]
    assert default


def test_rules_for_negatives_are_turned_round() -> None:
    """With the positive class as the default, samples that a rule fires for are negatives."""
    X = truth_table(2).iloc[:, :2]
    model = JRip()
    model._columns, model.rules_, model.default_ = X.columns, [[(0, True)]], True
    assert np.array_equal(model.predict(X), ~X.iloc[:, 0].to_numpy().astype(bool))
    assert model.complexity() == 2


def test_all_frequent_conjunctions_are_candidates() -> None:
    """With room for all, the candidates are exactly the conjunctions of at most three that have the support."""
    rng = np.random.default_rng(0)
    holds, labels = rng.random((40, 6)) < 0.6, rng.random(40) < 0.5
    found = set(informative_conjunctions(holds, labels, 0.3, 1000))
    expected = {
        frozenset(rule)
        for size in (1, 2, 3)
        for rule in itertools.combinations(range(6), size)
        if holds[labels][:, rule].all(axis=1).sum() >= 0.3 * labels.sum()
    }
    assert found == expected
