"""Interpretable decision sets of Lakkaraju, Bach and Leskovec (2016), by deterministic local search.

Candidates are frequent conjunctions of intervals and categories, each for either class. The objective adds seven
rewards: few rules, short rules, little overlap within and between classes, every class spoken for, few wrongly covered
samples, many rightly covered ones. Local search (Feige, Mirrokni and Vondrak 2011) adds or removes a candidate while
that helps by a share of ``eps / m**2``, and in the end compares the set with its complement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from .interface import Grid, Rival, Unsuitable

if TYPE_CHECKING:
    Item = tuple[int, ...]
    """Conditions (by position) that together are one interval or one category."""


class DecisionSets(Rival):
    """Rules for both classes, chosen by local search; the prices of rules and of conditions are tuned as one.

    The weights are the paper's: errors and right covers count 1, overlaps ``overlap``, classes nothing.
    """

    name = "IDS"
    source = "Lakkaraju, Bach, Leskovec 2016; written from the paper"
    grid: ClassVar[Grid] = {"price": (100.0, 30.0, 10.0, 3.0, 1.0, 0.0)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"price": 1.0, "overlap": 0.5, "support": 0.05, "max_length": 3, "max_candidates": 900, "eps": 0.05}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        labels = np.asarray(y, dtype=bool)
        itemsets = self._mine(X)
        holds = X.to_numpy().astype(bool)
        covers = np.array([holds[:, sorted({c for item in items for c in item})].all(axis=1) for items in itemsets])
        covers = covers.reshape(len(itemsets), len(labels))
        # Every conjunction twice: first for the positive class, then for the negative one.
        self._covers = np.vstack([covers, covers])
        self._is_positive = np.repeat([True, False], len(itemsets))
        self._lengths = np.tile([len(items) for items in itemsets], 2).astype(np.float64)
        self._right = self._covers & (labels[None, :] == self._is_positive[:, None])
        chosen = self._search()
        self._conditions = [sorted({c for item in itemsets[k % len(itemsets)] for c in item}) for k in chosen]
        self._classes = [bool(self._is_positive[k]) for k in chosen]
        self._f1 = [self._f1_of(k, labels) for k in chosen]
        self._n_conditions = sum(len(itemsets[k % len(itemsets)]) for k in chosen)
        self._default = bool(labels.mean() >= 0.5)
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        """The class of the covering rule with the highest F1; the more frequent class where no rule covers."""
        holds = X.to_numpy().astype(bool)
        best = np.full(len(holds), -1.0)
        predicted = np.full(len(holds), self._default)
        for conditions, is_positive, f1 in zip(self._conditions, self._classes, self._f1):  # noqa: B905 - Python 3.8
            wins = holds[:, conditions].all(axis=1) & (f1 > best)
            predicted[wins], best[wins] = is_positive, f1
        return predicted

    def complexity(self) -> int:
        return len(self._classes) + self._n_conditions

    def _mine(self, X: pd.DataFrame) -> list[tuple[Item, ...]]:
        """Frequent conjunctions, by level as in Apriori; at most one item per column of the original table."""
        holds = X.to_numpy().astype(bool)
        least = self.parameters["support"] * len(holds)
        singles = [
            (column, item, np.asarray(holds[:, list(item)].all(axis=1))) for column, item in intervals(X) if item
        ]
        frequent: list[tuple[tuple[int, ...], tuple[Item, ...], np.ndarray]] = [
            ((column,), (item,), cover) for column, item, cover in singles if cover.sum() >= least
        ]
        kept = {items: cover for _, items, cover in frequent}
        for _ in range(1, self.parameters["max_length"]):
            longer: list[tuple[tuple[int, ...], tuple[Item, ...], np.ndarray]] = []
            for columns, items, cover in frequent:
                for column, item, own in singles:
                    if column <= columns[-1]:
                        continue
                    both = cover & own
                    if both.sum() >= least:
                        more = (*items, item)
                        longer.append(((*columns, column), more, both))
                        kept[more] = both
                if len(kept) > self.parameters["max_candidates"]:
                    raise Unsuitable(f"more than {self.parameters['max_candidates']} candidate rules, as in the paper")
            frequent = longer
        return list(kept)

    def _search(self) -> list[int]:
        n_rules, n_samples = self._covers.shape
        if not n_rules:
            return []
        cover_counts = self._covers.astype(np.float32)
        overlap = cover_counts @ cover_counts.T
        np.fill_diagonal(overlap, 0.0)
        fixed = self.parameters["price"] * (1 + self._lengths) + (self._covers.sum(axis=1) - self._right.sum(axis=1))
        # The constants make every reward at least 0; they matter only to the size of a step that counts as help.
        longest = float(self._lengths.max())
        constant = self.parameters["price"] * n_rules * (1 + longest) + n_samples * n_rules
        constant += 2 * self.parameters["overlap"] * n_samples * n_rules**2
        inside = np.zeros(n_rules, dtype=bool)

        def value(members: np.ndarray) -> float:
            shared = self.parameters["overlap"] * float(overlap[np.ix_(members, members)].sum()) / 2
            return constant - float(fixed[members].sum()) - shared + float(self._right[members].any(axis=0).sum())

        current = value(inside)
        while True:
            times = self._right[inside].sum(axis=0) if inside.any() else np.zeros(n_samples)
            shared = self.parameters["overlap"] * overlap[:, inside].sum(axis=1)
            gains = np.where(
                inside,
                fixed + shared - (self._right & (times == 1)).sum(axis=1),
                -fixed - shared + (self._right & (times == 0)).sum(axis=1),
            )
            best = int(np.argmax(gains))
            if gains[best] <= max(self.parameters["eps"] / n_rules**2 * current, 1e-9):
                break
            inside[best] = not inside[best]
            current += float(gains[best])
        others = ~inside
        return [int(k) for k in np.flatnonzero(others if value(others) > value(inside) else inside)]

    def _f1_of(self, rule: int, labels: np.ndarray) -> float:
        right = int(self._right[rule].sum())
        of_class = int((labels == self._is_positive[rule]).sum())
        return 2 * right / max(int(self._covers[rule].sum()) + of_class, 1)


def intervals(X: pd.DataFrame) -> list[tuple[int, Item]]:
    """The items of every original column: bins between neighbouring thresholds, and categories.

    >>> columns = pd.MultiIndex.from_tuples([("a", "<=", 1.0), ("a", ">", 1.0), ("a", "<=", 2.0), ("a", ">", 2.0)])
    >>> intervals(pd.DataFrame([[1, 0, 1, 0]], columns=columns))
    [(0, (0,)), (0, (1, 2)), (0, (3,))]
    """
    places: dict[Any, dict[str, list[tuple[Any, int]]]] = {}
    names: list[Any] = list(X.columns)
    for position, (column, operator, value) in enumerate(names):
        places.setdefault(column, {}).setdefault(str(operator), []).append((value, position))
    items: list[tuple[int, Item]] = []
    for number, operators in enumerate(places.values()):
        below = [position for _, position in sorted(operators.pop("<=", []))]
        above = [position for _, position in sorted(operators.pop(">", []))]
        if below:
            items.append((number, (below[0],)))
            items += [(number, (above[k], below[k + 1])) for k in range(len(below) - 1)]
            items.append((number, (above[-1],)))
        if len(operators.get("==", [])) > 1:
            operators.pop("!=", None)
        items += [(number, (position,)) for group in operators.values() for _, position in group]
    return items
