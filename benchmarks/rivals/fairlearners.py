"""Hardt's thresholds by group, on logistic regression, and fairlearn's exponentiated gradient on trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .interface import Rival, without_complements


class _OnConditions(Rival):
    """Keeps one condition of every pair of opposites."""

    counts_rules = False

    def _numbers(self, X: pd.DataFrame) -> np.ndarray:
        return X[self._columns].to_numpy(dtype=np.float64)

    def _keep_columns(self, X: pd.DataFrame) -> None:
        self._columns = without_complements(X).columns

    def _groups(self, sensitive: np.ndarray | None) -> np.ndarray:
        if sensitive is None:
            raise ValueError(f"{self.name} needs one sensitive value per sample.")
        return np.asarray(sensitive)


class Hardt(_OnConditions):
    """Logistic regression with a threshold for each group: of all pairs in steps of a hundredth, as in the paper, the
    most accurate on the training samples whose gap is at most ``eps``."""

    name = "Hardt"
    source = "Hardt, Price, Srebro 2016 on scikit-learn's logistic regression, the paper's grid of thresholds"
    needs = ("sklearn",)

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"criterion": "equality-of-opportunity", "eps": 1.0}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from sklearn.linear_model import LogisticRegression

        self._keep_columns(X)
        labels, groups = np.asarray(y, dtype=bool), self._groups(sensitive)
        self._model = LogisticRegression(max_iter=1000).fit(self._numbers(X), labels)
        scores = self._model.predict_proba(self._numbers(X))[:, 1]
        steps = np.round(np.arange(0.01, 1.0, 0.01), 2)
        self._values = np.unique(groups)
        rates = [self._rates(scores[groups == value], labels[groups == value], steps) for value in self._values]
        if len(rates) != 2:
            raise ValueError("Hardt compares two groups: give sensitive values of two kinds.")
        (right0, true0, false0), (right1, true1, false1) = rates
        gap = np.abs(true0[:, None] - true1[None, :])
        if self.parameters["criterion"] == "equalized-odds":
            gap = np.maximum(gap, np.abs(false0[:, None] - false1[None, :]))
        right = np.where(gap <= self.parameters["eps"] + 1e-12, right0[:, None] + right1[None, :], -1)
        first, second = np.unravel_index(int(np.argmax(right)), right.shape)
        self._thresholds = (steps[first], steps[second])
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        scores = self._model.predict_proba(self._numbers(X))[:, 1]
        limits = np.where(self._groups(sensitive) == self._values[1], self._thresholds[1], self._thresholds[0])
        return np.asarray(scores > limits)

    @staticmethod
    def _rates(scores: np.ndarray, labels: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Right predictions, true and false positive rates of one group at every threshold."""
        accepted = scores[:, None] > steps[None, :]
        true = accepted[labels].sum(axis=0)
        false = accepted[~labels].sum(axis=0)
        n_true, n_false = int(labels.sum()), int((~labels).sum())
        return true + n_false - false, true / max(n_true, 1), false / max(n_false, 1)


class HardtFairlearn(_OnConditions):
    """fairlearn's ThresholdOptimizer on logistic regression: exact parity on average, by chance where need be."""

    name = "Hardt (fairlearn)"
    source = "fairlearn's ThresholdOptimizer on scikit-learn's logistic regression"
    needs = ("sklearn", "fairlearn")

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"criterion": "equality-of-opportunity"}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from fairlearn.postprocessing import ThresholdOptimizer
        from sklearn.linear_model import LogisticRegression

        self._keep_columns(X)
        is_odds = self.parameters["criterion"] == "equalized-odds"
        self._model = ThresholdOptimizer(
            estimator=LogisticRegression(max_iter=1000),
            constraints="equalized_odds" if is_odds else "true_positive_rate_parity",
            predict_method="predict_proba",
        )
        self._model.fit(self._numbers(X), np.asarray(y, dtype=int), sensitive_features=self._groups(sensitive))
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        groups = self._groups(sensitive)
        return np.asarray(self._model.predict(self._numbers(X), sensitive_features=groups, random_state=0), dtype=bool)


class FairTrees(_OnConditions):
    """A lottery of decision trees by fairlearn's exponentiated gradient; the depth of the trees is tuned."""

    name = "FairLearn"
    source = "Agarwal et al. 2018; fairlearn's ExponentiatedGradient on scikit-learn's trees"
    needs = ("sklearn", "fairlearn")

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"criterion": "equality-of-opportunity", "eps": 1.0, "max_depth": 5}

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient, TruePositiveRateParity
        from sklearn.tree import DecisionTreeClassifier

        self._keep_columns(X)
        parity = EqualizedOdds if self.parameters["criterion"] == "equalized-odds" else TruePositiveRateParity
        self._model = ExponentiatedGradient(
            DecisionTreeClassifier(max_depth=self.parameters["max_depth"], random_state=0),
            parity(difference_bound=self.parameters["eps"]),
            max_iter=30,
        )
        self._model.fit(self._numbers(X), np.asarray(y, dtype=int), sensitive_features=self._groups(sensitive))
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(self._numbers(X), random_state=0), dtype=bool)


