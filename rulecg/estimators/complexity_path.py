"""How accuracy grows with complexity: rule sets from tight to loose limits over one pool of rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, frozen
from sklearn.base import clone

from rulecg_core import ConfigurationError, Result, Rule, Start

from ..binarize.fixed_conditions import FixedConditions
from .classifier import RuleSetClassifier
from .recipe import Recipe


class PooledClassifier(RuleSetClassifier):
    """A RuleSetClassifier that begins with rules which earlier fits to the same rows have found."""

    _pool: tuple[Rule, ...] = ()

    def _learn(self, recipe: Recipe, *arguments: Any) -> dict[Any, Result]:
        return super()._learn(evolve(recipe, start=Start(self._pool)), *arguments)


@frozen(eq=False)
class ComplexityPath:
    """One fitted classifier for each limit on complexity, and a table of how good they are."""

    table: pd.DataFrame
    """One line per limit: max_complexity, complexity, n_rules, objective, lower_bound, status, accuracy, seconds."""
    classifiers: dict[float, RuleSetClassifier]

    def __getitem__(self, max_complexity: float) -> RuleSetClassifier:
        return self.classifiers[max_complexity]

    def plot(self, chosen: float | None = None, ax: Any = None) -> Any:
        """Accuracy against complexity, with the chosen point marked; returns the matplotlib axes."""
        return plot_path(self.table, chosen, ax)


def complexity_path(
    X: Any,
    y: Any,
    complexities: Sequence[float] = (5, 10, 15, 20, 30),
    *,
    estimator: RuleSetClassifier | None = None,
    time_limit: float | None = 60.0,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    on_point: Callable[[float, RuleSetClassifier], None] | None = None,
) -> ComplexityPath:
    """Learn a rule set for every limit on complexity, from tight to loose; each begins with all rules found so far.

    ``estimator`` gives all other settings; ``time_limit`` is for the whole path. A looser limit never gets a worse
    objective than a tighter one: if its own run finds nothing better, the tighter rule set is kept.

    >>> from rulecg.datasets import load
    >>> data, target, _ = load("tic-tac-toe")
    >>> path = complexity_path(data, target, [8, 16, 32])
    >>> bool(path.table["accuracy"].is_monotonic_increasing), float(path.table["accuracy"].iloc[-1])
    (True, 1.0)
    """
    limits = checked_complexities(complexities)
    template = RuleSetClassifier() if estimator is None else estimator
    params = template.get_params(deep=False)
    began = time.perf_counter()
    pool: dict[Rule, None] = {}
    classifiers: dict[float, RuleSetClassifier] = {}
    rows: list[dict[str, Any]] = []
    best: RuleSetClassifier | None = None
    for done, limit in enumerate(limits):
        classifier = PooledClassifier(**{name: clone(value, safe=False) for name, value in params.items()})
        left = None if time_limit is None else max(time_limit - (time.perf_counter() - began), 0.05 * time_limit)
        share = None if left is None else left / (len(limits) - done)
        classifier.set_params(max_complexity=limit, time_limit=share)
        classifier._pool = tuple(pool)
        classifier.fit(X, y, sample_weight=sample_weight, sensitive_features=sensitive_features)
        fitted = classifier.binarizer_
        # Rules speak of conditions by number: those of later limits, refined or not, come after the known ones.
        params["binarizer"] = FixedConditions(tuple(fitted.conditions_), refine=fitted.refine)
        own = classifier.result_
        for run in own.runs.values():
            pool |= dict.fromkeys(run.pool)
        if best is None or own.objective <= best.result_.objective:
            best = classifier
        classifiers[limit] = best
        rows.append(
            {
                "max_complexity": limit,
                "complexity": best.rule_set_.complexity,
                "n_rules": len(best.rule_set_),
                "objective": best.result_.objective,
                "lower_bound": np.nan if own.lower_bound is None else own.lower_bound,
                "status": own.status,
                "accuracy": float(best.score(X, y, sample_weight=sample_weight)),
                "seconds": own.seconds,
            }
        )
        if on_point is not None:
            on_point(limit, best)
        if own.stop == "interrupted":
            break
    return ComplexityPath(pd.DataFrame(rows), classifiers)


def checked_complexities(complexities: Sequence[float]) -> list[float]:
    """The limits in ascending order, each once."""
    limits = sorted({float(limit) for limit in complexities})
    if not limits or not np.isfinite(limits).all() or limits[0] < 0:
        raise ConfigurationError("complexities must name at least one number, and none below 0.")
    return limits


def plot_path(table: pd.DataFrame, chosen: float | None = None, ax: Any = None) -> Any:
    """Accuracy on training rows, and on held-out rows where known, against the limit on complexity."""
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    ax.plot(table["max_complexity"], table["accuracy"], marker="o", label="training rows")
    shown = "accuracy"
    if "cv_accuracy" in table:
        shown = "cv_accuracy"
        errors = table.get("cv_error")
        ax.errorbar(table["max_complexity"], table[shown], yerr=errors, marker="s", capsize=3, label="held-out rows")
    if chosen is not None:
        point = table[table["max_complexity"] == chosen]
        ax.scatter(point["max_complexity"], point[shown], s=180, facecolors="none", edgecolors="crimson", linewidths=2,
                   zorder=5, label="chosen")  # fmt: skip
    ax.set_xlabel("rules and conditions allowed")
    ax.set_ylabel("accuracy")
    ax.legend()
    return ax
