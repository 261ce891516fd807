"""Logistic regression without disparate mistreatment (Zafar, Valera, Gomez Rodriguez and Gummadi 2017).

The mean logistic loss is minimised while the covariance between the group and the depth of errors,
``mean((z - mean(z)) * min(0, y * d(x)))`` over positives (for true positive rates) or negatives (for false positive
rates), stays within ``threshold`` of 0. That is a difference of convex functions; as in the paper it is solved by the
penalty convex-concave procedure: the concave part becomes its tangent, what is then violated is paid for at a price
``tau`` that grows by the factor ``mu``, and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .interface import Rival, without_complements

SMOOTH = 1e-3
"""Width of the bend of ``max(0, t)``, so that it has a derivative."""
CRITERIA = {"none": (), "equality-of-opportunity": (True,), "equalized-odds": (True, False)}
"""For which labels errors are compared between the groups."""


class Zafar(Rival):
    """Fair logistic regression by disciplined convex-concave programming."""

    name = "Zafar"
    source = "Zafar et al. 2017; written from the paper"
    needs = ("scipy",)
    counts_rules = False

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return {
            "criterion": "none", "threshold": 0.0, "tau": 5.0, "mu": 1.2, "rounds": 60, "ridge": 1e-6, "tolerance": 1e-4
        }  # fmt: skip

    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        self._columns = without_complements(X).columns
        self._design = self._with_intercept(X)
        self._signs = np.where(np.asarray(y, dtype=bool), 1.0, -1.0)
        labels = CRITERIA[self.parameters["criterion"]]
        weights = _logistic(self._design, self._signs, self.parameters["ridge"])
        if labels:
            if sensitive is None or len(np.unique(sensitive)) != 2:
                raise ValueError("Zafar compares two groups: give one sensitive value per sample, of two kinds.")
            parts = [self._parts(np.asarray(sensitive), label) for label in labels]
            weights = self._convex_concave(weights, parts)
        self.weights_ = weights
        return self

    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        return np.asarray(self._with_intercept(X) @ self.weights_ > 0)

    def loss(self) -> float:
        """The mean logistic loss on the training samples."""
        return float(_loss(self.weights_, self._design, self._signs, 0.0)[0])

    def covariance(self, y: np.ndarray, sensitive: np.ndarray, label: bool = True) -> float:
        """The covariance that is bounded, for the samples of one label, on the training samples."""
        depth = np.minimum(0.0, self._signs * (self._design @ self.weights_))
        group = (sensitive == np.unique(sensitive)[1]).astype(np.float64)
        return float(np.mean((group - group.mean()) * depth * (np.asarray(y, dtype=bool) == label)))

    def _with_intercept(self, X: pd.DataFrame) -> np.ndarray:
        return np.column_stack([np.ones(len(X)), X[self._columns].to_numpy(dtype=np.float64)])

    def _parts(self, sensitive: np.ndarray, label: bool) -> tuple[tuple[np.ndarray, float], tuple[np.ndarray, float]]:
        """The margins' design of either group's samples of the label, with the weight of its errors' depth."""
        group = sensitive == np.unique(sensitive)[1]
        chosen = (self._signs > 0) == label
        margins = self._design * self._signs[:, None]
        share, n = float(group.mean()), len(group)
        return (margins[~group & chosen], share / n), (margins[group & chosen], (1 - share) / n)

    def _convex_concave(self, start: np.ndarray, parts: list[Any]) -> np.ndarray:
        weights, tau, before = start, float(self.parameters["tau"]), np.inf
        for _ in range(self.parameters["rounds"]):
            weights, slack = self._tangent_step(weights, parts, tau)
            loss = float(_loss(weights, self._design, self._signs, self.parameters["ridge"])[0])
            if slack <= self.parameters["tolerance"] and abs(before - loss) <= self.parameters["tolerance"]:
                break
            before, tau = loss, tau * self.parameters["mu"]
        return weights

    def _tangent_step(self, at: np.ndarray, parts: list[Any], tau: float) -> tuple[np.ndarray, float]:
        """Minimise loss plus price of violations, the subtracted convex functions being replaced by tangents."""
        from scipy.optimize import minimize

        threshold, n_weights = self.parameters["threshold"], len(at)
        constraints: list[dict[str, Any]] = []
        for number, (plus, minus) in enumerate(
            (pair[side], pair[1 - side]) for pair in parts for side in (0, 1)
        ):
            value, slope = _depth(at, *minus)
            tangent = value - slope @ at

            # Bound now: each constraint keeps its own parts.
            def room(
                v: np.ndarray, plus: Any = plus, slope: Any = slope, tangent: float = tangent, number: int = number
            ) -> tuple[float, np.ndarray]:
                depth, gradient = _depth(v[:n_weights], *plus)
                whole = np.zeros_like(v)
                whole[:n_weights], whole[n_weights + number] = slope - gradient, 1.0
                return threshold + v[n_weights + number] - depth + slope @ v[:n_weights] + tangent, whole

            constraints.append(
                {"type": "ineq", "fun": lambda v, f=room: f(v)[0], "jac": lambda v, f=room: f(v)[1]}
            )

        def priced(v: np.ndarray) -> tuple[float, np.ndarray]:
            loss, gradient = _loss(v[:n_weights], self._design, self._signs, self.parameters["ridge"])
            return loss + tau * v[n_weights:].sum(), np.concatenate([gradient, np.full(len(v) - n_weights, tau)])

        slack = np.array([max(0.0, -constraint["fun"](np.append(at, np.zeros(2 * len(parts)))))
                          for constraint in constraints])  # fmt: skip
        found = minimize(
            priced, np.concatenate([at, slack]), jac=True, method="SLSQP", constraints=constraints,
            bounds=[(None, None)] * n_weights + [(0, None)] * len(slack), options={"maxiter": 200, "ftol": 1e-8},
        )  # fmt: skip
        return found.x[:n_weights], float(found.x[n_weights:].max())


def _logistic(design: np.ndarray, signs: np.ndarray, ridge: float) -> np.ndarray:
    from scipy.optimize import minimize

    start = np.zeros(design.shape[1])
    return np.asarray(minimize(_loss, start, args=(design, signs, ridge), jac=True, method="L-BFGS-B",
                               options={"maxiter": 2000}).x)  # fmt: skip


def _loss(weights: np.ndarray, design: np.ndarray, signs: np.ndarray, ridge: float) -> tuple[float, np.ndarray]:
    margins = signs * (design @ weights)
    value = np.logaddexp(0.0, -margins).mean() + ridge * weights @ weights
    pull = -signs * np.exp(-np.logaddexp(0.0, margins)) / len(signs)
    return float(value), design.T @ pull + 2 * ridge * weights


def _depth(weights: np.ndarray, margins: np.ndarray, share: float) -> tuple[float, np.ndarray]:
    """The depth of errors, ``share * sum(max(0, -margin))`` with a bend, and its gradient."""
    below = -(margins @ weights) / SMOOTH
    value = SMOOTH * np.logaddexp(0.0, below).sum()
    return float(share * value), -share * (margins.T @ np.exp(-np.logaddexp(0.0, -below)))
