"""FairCORELS: rule lists with a bound on unfairness, by branch and bound."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from .interface import Grid, Rival, without_complements
from .rule_learners import plain_names

_MODES = {"equality-of-opportunity": 4, "equalized-odds": 5}
"""The package's numbers of the notions of fairness."""


class FairCorels(Rival):
    """A rule list; the price of a rule is tuned on the paper's logarithmic scale."""

    name = "FairCORELS"
    source = "Aivodji et al. 2021; faircorels"
    needs = ("faircorels",)
    environment = "faircorels"
    grid: ClassVar[Grid] = {"price": (0.1, 0.01, 0.001, 0.0001)}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {
            "criterion": "equality-of-opportunity", "eps": 1.0, "price": 0.001, "max_length": 2, "nodes": 100_000,
            "seconds": 60,
        }  # fmt: skip

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        from faircorels import FairCorelsClassifier

        if sensitive is None:
            raise ValueError("FairCORELS needs one sensitive value per sample.")
        if not hasattr(time, "clock"):
            # The package asks for a function that Python 3.8 no longer has.
            time.clock = time.process_time  # type: ignore[attr-defined]
        self._columns = without_complements(X).columns
        kept = X[self._columns]
        values, counts = np.unique(np.asarray(sensitive), return_counts=True)
        is_minority = np.asarray(sensitive) == values[int(np.argmin(counts))]
        self._model = FairCorelsClassifier(
            n_iter=self.parameters["nodes"], c=self.parameters["price"], max_card=self.parameters["max_length"],
            policy="bfs", bfs_mode=2, mode=_MODES[self.parameters["criterion"]], forbidSensAttr=False,
            epsilon=1.0 - self.parameters["eps"], maj_vect=(~is_minority).astype(int),
            min_vect=is_minority.astype(int), verbosity=[],
        )  # fmt: skip
        self._model.fit(
            kept.to_numpy().astype(int), np.asarray(y, dtype=int), features=plain_names(kept), prediction_name="label",
            time_limit=self.parameters["seconds"],
        )  # fmt: skip
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._model.predict(X[self._columns].to_numpy().astype(int)), dtype=bool)

    def complexity(self) -> int:
        """Rules plus conditions before the default."""
        rules = self._model.rl_.rules[:-1]
        return sum(1 + len(rule["antecedents"]) for rule in rules)
