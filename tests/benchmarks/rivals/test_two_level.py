"""Alternating minimization and block descent for two-level rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.rivals.two_level import AlternatingMinimization, BlockDescent

from .toys import truth_table

BOTH = pytest.mark.parametrize("kind", [AlternatingMinimization, BlockDescent])


@BOTH
def test_two_planted_rules_are_found_exactly(kind: Any) -> None:
    """Where x0 x1 or x2 x3 decides everything, these two rules come out, and nothing else."""
    X = truth_table(4)
    x = X.to_numpy().astype(bool)
    y = (x[:, 0] & x[:, 1]) | (x[:, 2] & x[:, 3])
    model = kind(theta=0.001).fit(X, y)
    assert set(model.clauses_) == {frozenset({0, 1}), frozenset({2, 3})}
    assert np.array_equal(model.predict(X), y)
    assert model.complexity() == 6


@BOTH
def test_conditions_that_cost_more_than_they_save_are_not_used(kind: Any) -> None:
    """With a price per condition above all that rules can save, there is no rule, and nobody is accepted."""
    X = truth_table(3)
    model = kind(theta=1.0).fit(X, X.to_numpy()[:, 0].astype(bool))
    assert model.complexity() == 0
    assert not model.predict(X).any()


@BOTH
def test_number_of_rules_is_respected(kind: Any) -> None:
    """With one rule allowed, the better one of two planted rules comes out."""
    X = truth_table(4)
    x = X.to_numpy().astype(bool)
    y = x[:, 0] | (x[:, 1] & x[:, 2] & x[:, 3])
    assert kind(theta=0.001, n_rules=1).fit(X, y).clauses_ == (frozenset({0}),)


def test_block_descent_never_ends_above_where_it_began() -> None:
    """On noise, the objective at the end is at most that of the rules it begins with."""
    rng = np.random.default_rng(3)
    X = truth_table(6)
    y = rng.random(len(X)) < 0.5
    model = BlockDescent(theta=0.005)
    model.fit(X, y)
    assert model._cost(list(model.clauses_)) <= model._cost(model._begin()) + 1e-12
