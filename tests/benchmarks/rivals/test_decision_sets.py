"""Interpretable decision sets by deterministic local search."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from benchmarks.rivals import Unsuitable
from benchmarks.rivals.decision_sets import DecisionSets, intervals


def _categories(values: str) -> pd.DataFrame:
    names = sorted(set(values))
    columns = pd.MultiIndex.from_tuples([("x", operator, name) for name in names for operator in ("==", "!=")])
    table = [[value == name, value != name] for value in values for name in names]
    return pd.DataFrame(np.array(table, dtype=np.uint8).reshape(len(values), -1), columns=columns)


def test_pure_categories_get_one_rule_each() -> None:
    """Where every category has one class and rules cost nothing, every category gets its rule, and no more."""
    X = _categories("aaabbbccc")
    y = X[("x", "==", "a")].to_numpy().astype(bool)
    model = DecisionSets(price=0.0).fit(X, y)
    assert np.array_equal(model.predict(X), y)
    assert model.complexity() == 6


def test_rules_that_cost_more_than_they_cover_are_left_out() -> None:
    """With a high price there is no rule, and the more frequent class is predicted."""
    X = _categories("aaabbbccc")
    y = X[("x", "==", "a")].to_numpy().astype(bool)
    model = DecisionSets(price=100.0).fit(X, y)
    assert model.complexity() == 0
    assert not model.predict(X).any()


def test_local_search_finds_the_best_of_all_subsets() -> None:
    """If every step that helps counts, the set found has the greatest objective of all sets, counted one by one."""
    rng = np.random.default_rng(0)
    X = pd.concat([_categories("".join(rng.choice(list("ab"), 30))) for _ in range(2)], axis=1)
    X.columns = pd.MultiIndex.from_tuples([(f"x{k // 4}", *column[1:]) for k, column in enumerate(X.columns)])
    y = rng.random(30) < 0.5
    model = DecisionSets(price=0.5, max_length=1, eps=0.0).fit(X, y)

    def reward(members: tuple[int, ...]) -> float:
        covers, right = model._covers[list(members)], model._right[list(members)]
        overlaps = sum(int((covers[a] & covers[b]).sum()) for a, b in itertools.combinations(range(len(covers)), 2))
        wrong = int(covers.sum() - right.sum())
        price = 0.5 * sum(1 + model._lengths[k] for k in members)
        return float(right.any(axis=0).sum()) - wrong - price - 0.5 * overlaps

    n_rules = len(model._covers)
    best = max(reward(s) for size in range(n_rules + 1) for s in itertools.combinations(range(n_rules), size))
    assert reward(tuple(model._search())) == pytest.approx(best)


def test_too_many_candidates_are_refused_with_the_reason() -> None:
    """As in the paper, data with too many frequent conjunctions is not run, and the message says so."""
    X = _categories("aabbccddee")
    with pytest.raises(Unsuitable, match="more than 3 candidate rules"):
        DecisionSets(max_candidates=3).fit(X, np.arange(10) < 5)


def test_thresholds_become_bins_and_categories_stay() -> None:
    """Nested thresholds give disjoint bins; of a category and its opposite only the category is an item."""
    columns = [("a", "<=", 1), ("a", ">", 1), ("a", "<=", 2), ("a", ">", 2), *_categories("uv").columns]
    items = intervals(pd.DataFrame([[0] * 8], columns=pd.MultiIndex.from_tuples(columns)))
    assert items == [(0, (0,)), (0, (1, 2)), (0, (3,)), (1, (4,)), (1, (6,))]
