"""CART, random forest, logistic regression and support vector machine of scikit-learn, tuned as in the paper."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .interface import Grid, Rival, without_complements
from .sizes import scikit_tree, tree_size


class _OfScikitLearn(Rival):
    """Fits a scikit-learn classifier on one condition of every pair of opposites."""

    needs = ("sklearn",)
    counts_rules = False

    def _classifier(self) -> Any:
        raise NotImplementedError

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        self._columns = without_complements(X).columns
        self.model_ = self._classifier().fit(X[self._columns].to_numpy(dtype=np.float64), y)
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self.model_.predict(X[self._columns].to_numpy(dtype=np.float64)), dtype=bool)


class Cart(_OfScikitLearn):
    """A decision tree; the least number of samples in a leaf is tuned."""

    name = "CART"
    source = "Breiman et al. 1984; scikit-learn"
    grid: ClassVar[Grid] = {"min_samples_leaf": (100, 50, 25, 10, 5, 2, 1)}
    counts_rules = True

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"min_samples_leaf": 10}

    def _classifier(self) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=0, **self.parameters)

    def complexity(self) -> int:
        return tree_size(scikit_tree(self.model_.tree_))


class Forest(_OfScikitLearn):
    """A random forest of 100 trees; the least number of samples in a leaf is tuned."""

    name = "RF"
    source = "Breiman 2001; scikit-learn"
    grid: ClassVar[Grid] = {"min_samples_leaf": (20, 10, 5, 2, 1)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"min_samples_leaf": 1}

    def _classifier(self) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(100, random_state=0, **self.parameters)


class Logistic(_OfScikitLearn):
    """Logistic regression; the strength of regularization is tuned."""

    name = "LR"
    source = "scikit-learn"
    grid: ClassVar[Grid] = {"C": (0.001, 0.01, 0.1, 1.0, 10.0)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"C": 1.0}

    def _classifier(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000, **self.parameters)


class SupportVectors(_OfScikitLearn):
    """A support vector machine with a radial kernel; its width and the price of errors are tuned."""

    name = "SVM"
    source = "scikit-learn"
    grid: ClassVar[Grid] = {"C": (0.1, 1.0, 10.0, 100.0), "gamma": (0.001, 0.01, 0.1)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {"C": 1.0, "gamma": "scale"}

    def _classifier(self) -> Any:
        from sklearn.svm import SVC

        return SVC(kernel="rbf", **self.parameters)
