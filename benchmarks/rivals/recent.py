"""What a user would pick today: BooleanRuleCG, RUG, STreeD, GOSDT and FOLD-R++."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .interface import Grid, Rival, without_complements
from .rule_learners import plain_names
from .sizes import Branch, tree_size


class BooleanRuleCG(Rival):
    """AIX360's column generation with beam search; the prices of rules and conditions are tuned as one."""

    name = "BooleanRuleCG"
    source = "Dash, Gunluk, Wei 2018; AIX360"
    needs = ("aix360.algorithms.rbm",)
    environment = "aix360"
    grid: ClassVar[Grid] = {"price": (0.01, 0.003, 0.001, 0.0003)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"price": 0.001}

    @classmethod
    def missing(cls) -> list[str]:
        import importlib.util

        # Looking for a submodule would import its parent, which may not be there.
        return [] if importlib.util.find_spec("aix360") else ["aix360"]

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from aix360.algorithms.rbm import BooleanRuleCG as Theirs

        self._model = Theirs(lambda0=self.parameters["price"], lambda1=self.parameters["price"], silent=True)
        self._model.fit(self._table(X), np.asarray(y, dtype=int))
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(self._table(X)), dtype=bool)

    def complexity(self) -> int:
        return sum(2 + rule.count(" AND ") for rule in self._model.explain()["rules"])

    @staticmethod
    def _table(X: pd.DataFrame) -> pd.DataFrame:
        columns = pd.MultiIndex.from_tuples(
            [(name, "==", 1) for name in plain_names(X)], names=["feature", "operation", "value"]
        )
        return pd.DataFrame(X.to_numpy().astype(int), columns=columns)


class Rug(Rival):
    """Rules by column generation with trees, which vote with weights; the depth of the trees is tuned."""

    name = "RUG"
    source = "Lumadjeng et al. 2023; ruleopt"
    needs = ("ruleopt",)
    environment = "rules"
    grid: ClassVar[Grid] = {"max_depth": (1, 2, 3)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"max_depth": 3}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from ruleopt import RUGClassifier

        self._columns = without_complements(X).columns
        self._model = RUGClassifier(random_state=0, **self.parameters)
        self._model.fit(X[self._columns].to_numpy(dtype=np.float64), np.asarray(y, dtype=int))
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(X[self._columns].to_numpy(dtype=np.float64)), dtype=bool)

    def complexity(self) -> int:
        return sum(1 + len(rule) for rule in self._model.decision_rules_.values())


class Streed(Rival):
    """An optimal decision tree of limited depth by dynamic programming; the depth is tuned."""

    name = "STreeD"
    source = "van der Linden et al. 2023; pystreed"
    needs = ("pystreed",)
    environment = "rules"
    grid: ClassVar[Grid] = {"max_depth": (1, 2, 3)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"max_depth": 3, "seconds": 60.0}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from pystreed import STreeDClassifier

        self._columns = without_complements(X).columns
        self._model = STreeDClassifier(
            "accuracy", max_depth=self.parameters["max_depth"], time_limit=self.parameters["seconds"]
        )
        self._model.fit(X[self._columns].to_numpy(dtype=np.int32), np.asarray(y, dtype=np.int32))
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(X[self._columns].to_numpy(dtype=np.int32)), dtype=bool)

    def complexity(self) -> int:
        def branch(node: Any) -> Branch:
            if node.is_leaf_node():
                return bool(node.label)
            return branch(node.left_child), branch(node.right_child)

        return tree_size(branch(self._model.get_tree()))


class Gosdt(Rival):
    """An optimal sparse decision tree; the price of a leaf is tuned."""

    name = "GOSDT"
    source = "Lin et al. 2020; gosdt"
    needs = ("gosdt",)
    environment = "rules"
    grid: ClassVar[Grid] = {"regularization": (0.05, 0.02, 0.01)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"regularization": 0.02, "depth_budget": 4, "seconds": 60}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from gosdt import GOSDTClassifier

        self._columns = without_complements(X).columns
        self._model = GOSDTClassifier(
            regularization=self.parameters["regularization"],
            depth_budget=self.parameters["depth_budget"],
            time_limit=self.parameters["seconds"],
            allow_small_reg=True,
        )
        self._model.fit(X[self._columns].to_numpy().astype(bool), np.asarray(y, dtype=int))
        self._tree = self._model.trees_[0].tree
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        """By its tree: the package's own way asks scikit-learn for an option that is gone."""
        holds = X[self._columns].to_numpy().astype(bool)

        def walk(node: Any, rows: np.ndarray) -> np.ndarray:
            if hasattr(node, "prediction"):
                return np.full(len(rows), bool(node.prediction))
            left = holds[rows, node.feature]
            predicted = np.empty(len(rows), dtype=bool)
            predicted[left], predicted[~left] = walk(node.left_child, rows[left]), walk(node.right_child, rows[~left])
            return predicted

        return walk(self._tree, np.arange(len(holds)))

    def complexity(self) -> int:
        def branch(node: Any) -> Branch:
            if hasattr(node, "prediction"):
                return bool(node.prediction)
            return branch(node.left_child), branch(node.right_child)

        return tree_size(branch(self._tree))


class FoldRpp(Rival):
    """FOLD-R++: default rules with exceptions, as logic programs."""

    name = "FOLD-R++"
    source = "Wang, Gupta 2022; foldrpp"
    needs = ("foldrpp",)
    environment = "rules"

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from foldrpp.foldrpp import Foldrpp

        self._columns = without_complements(X).columns
        rows = self._rows(X)
        for row, label in zip(rows, np.asarray(y, dtype=int).tolist()):  # noqa: B905 - Python 3.8
            row["label"] = label
        self._model = Foldrpp(plain_names(X[self._columns]), [], "label", "1")
        self._model.fit(rows)
        self._model.asp()
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(self._rows(X)), dtype=bool)

    def complexity(self) -> int:
        """Rules plus conditions, exceptions included."""
        return sum(1 + len(body) + len(exceptions) for _, body, exceptions in self._model.flat_rules)

    def _rows(self, X: pd.DataFrame) -> list[dict[str, Any]]:
        kept = X[self._columns]
        names = plain_names(kept)
        return [dict(zip(names, row)) for row in kept.to_numpy().astype(int).astype(str).tolist()]  # noqa: B905
