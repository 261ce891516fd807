"""The frontier of accuracy, fairness and size: one shared pool of rules, one rule set for every pair of bounds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, frozen
from joblib import effective_n_jobs

from rulecg_core import (
    ConfigurationError,
    Constraint,
    Groups,
    InfeasibleError,
    Limits,
    Problem,
    Registry,
    Result,
    Rule,
    Start,
    Status,
    UnknownNameError,
    load_registry,
)
from rulecg_core.plugins.calls import parse_call

from ..binarize.binarizer import Binarizer
from ..inputs.labels import checked_labels, outcome_text
from ..inputs.row_order import canonical_order
from ..inputs.table import as_frame
from .recipe import Recipe, compose

FIRST_PHASE = 0.6
"""Share of the time for generating rules; the rest is for choosing among all of them at every point."""


def fairness_path(
    X: Any,
    y: Any,
    sensitive_features: Any,
    constraint: str | Callable[[float], Constraint] = "equalized-odds",
    eps_grid: Sequence[float] = (0.01, 0.025, 0.05, 0.1, 1.0),
    complexities: Sequence[float] = (10, 20, 30),
    *,
    logic: str = "dnf",
    max_conditions: int = 5,
    forbid_features: Sequence[str] = (),
    binarizer: Binarizer | None = None,
    backend: Any = None,
    pricers: Any = "auto",
    time_limit: float | None = 120.0,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Accuracy, true gap and complexity on the training rows for every eps and every bound on complexity.

    ``constraint`` is a constraint's name, with named options if wanted (``"equalized-odds:columns=race"``), or a
    function from eps to a constraint. As in the paper there are two phases: rules are generated at every point of the
    grid, each starting from all rules so far; then every point chooses among all of them. A rule set found elsewhere
    on the grid is taken wherever it keeps the bounds and makes fewer errors.

    One line per point: ``accuracy``, ``gap`` (the largest true value among the constraint's bounded rows; for floors
    the smallest), ``complexity``, ``objective``, ``lower_bound`` and ``status`` of the point's own run, ``rule_set``.
    Points that no rule set satisfies have the status "infeasible".
    """
    registry = load_registry()
    make = _factory(registry, constraint)
    points = [(float(size), float(eps)) for size in sorted(complexities) for eps in sorted(eps_grid, reverse=True)]
    if not points:
        raise ConfigurationError("eps_grid and complexities must name at least one value each.")
    problem = _problem(X, y, sensitive_features, logic, max_conditions, forbid_features, binarizer)
    recipes = {
        (size, eps): compose(
            registry, max_complexity=size, constraints=[make(eps)], backend=backend, pricers=pricers, loss="hamming"
        )
        for size, eps in points
    }
    walk = _Walk(problem, recipes, time_limit, effective_n_jobs(n_jobs), random_state)
    results = walk.run()
    return _table(problem, recipes, results)


def plot_fairness_path(path: pd.DataFrame, ax: Any = None) -> Any:
    """Accuracy against true gap, one line for each bound on complexity; returns the matplotlib axes."""
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    for size, points in path.dropna(subset=["accuracy"]).groupby("max_complexity"):
        points = points.sort_values("gap")
        ax.plot(points["gap"], points["accuracy"], marker="o", label=f"complexity ≤ {size:g}")
    ax.set_xlabel("true gap between groups")
    ax.set_ylabel("accuracy on the training rows")
    ax.legend()
    return ax


@frozen(eq=False)
class _Walk:
    """The two phases over all points of the grid."""

    problem: Problem
    recipes: dict[tuple[float, float], Recipe]
    seconds: float | None
    threads: int
    seed: int

    def run(self) -> dict[tuple[float, float], Result | None]:
        began = time.perf_counter()
        pool: dict[Rule, None] = {}
        results: dict[tuple[float, float], Result | None] = {}
        for point, limits in self._shares(list(self.recipes), began, FIRST_PHASE):
            results[point] = self._learn(point, limits, tuple(pool))
            found = results[point]
            pool |= dict.fromkeys(() if found is None else found.pool)
        unproven = [point for point, found in results.items() if found is None or found.status is not Status.OPTIMAL]
        for point, limits in self._shares(unproven, began, 1.0):
            again, before = self._learn(point, limits, tuple(pool)), results[point]
            results[point] = _better(before, again)
        return results

    def _shares(
        self, points: list[tuple[float, float]], began: float, share: float
    ) -> Iterator[tuple[tuple[float, float], Limits]]:
        """Each point with its even part of what is left of this share of the time."""
        for done, point in enumerate(points):
            if self.seconds is None:
                yield point, Limits(seconds=None, threads=self.threads)
                continue
            left = share * self.seconds - (time.perf_counter() - began)
            least = 0.2 * self.seconds / (2 * len(self.recipes))
            yield point, Limits(seconds=max(left / (len(points) - done), least), threads=self.threads)

    def _learn(self, point: tuple[float, float], limits: Limits, start: Sequence[Rule]) -> Result | None:
        recipe = self.recipes[point]
        try:
            return evolve(recipe, start=Start(start)).run(self.problem, limits, recipe.registry.notify, self.seed)
        except InfeasibleError:
            return None


def _better(before: Result | None, again: Result | None) -> Result | None:
    """The later run with the better of both objectives, bounds and choices."""
    if before is None or again is None:
        return before or again
    bounds = [bound for bound in (before.lower_bound, again.lower_bound) if bound is not None]
    kept, other = (again, before) if again.objective <= before.objective else (before, again)
    chosen = min(kept, other, key=lambda result: (result.errors, result.selected_objective))
    status = kept.status
    if status is Status.OPTIMAL and not chosen.keeps_proxy:
        status = Status.BOUNDED
    return evolve(
        kept,
        status=status,
        lower_bound=min(max(bounds), kept.objective) if bounds else None,
        rules=chosen.rules,
        rule_set=chosen.rule_set,
        errors=chosen.errors,
        selected_objective=chosen.selected_objective,
        row_values=chosen.row_values,
        keeps_proxy=chosen.keeps_proxy,
    )


def _table(
    problem: Problem, recipes: dict[tuple[float, float], Recipe], results: dict[tuple[float, float], Result | None]
) -> pd.DataFrame:
    known = [found for found in results.values() if found is not None]
    total = float(problem.weights.sum())
    rows = []
    for (size, eps), recipe in recipes.items():
        own, constraint = results[size, eps], recipe.constraints[-1]
        allowed = [r for r in known if r.rule_set.complexity <= size and _keeps(constraint, problem, r)]
        allowed += [] if own is None or own in allowed else [own]
        chosen = min(allowed, key=lambda r: (r.errors, r.rule_set.complexity), default=None)
        rows.append(
            {
                "max_complexity": size,
                "eps": eps,
                "accuracy": math.nan if chosen is None else 1 - chosen.errors / total,
                "gap": math.nan if chosen is None else _gap(constraint, problem, chosen),
                "complexity": math.nan if chosen is None else chosen.rule_set.complexity,
                "objective": math.nan if own is None else own.objective,
                "lower_bound": math.nan if own is None or own.lower_bound is None else own.lower_bound,
                "status": "infeasible" if own is None else str(own.status),
                "rule_set": None if chosen is None else chosen.rule_set,
            }
        )
    return pd.DataFrame(rows)


def _keeps(constraint: Constraint, problem: Problem, result: Result) -> bool:
    measured = constraint.measure(problem, problem.predict(result.rules))
    return all(row.violation(measured.get(row.name, row.lo)) <= 1e-9 for row in constraint.rows(problem))


def _gap(constraint: Constraint, problem: Problem, result: Result) -> float:
    measured = constraint.measure(problem, problem.predict(result.rules))
    rows = [row for row in constraint.rows(problem) if row.name in measured]
    above = [measured[row.name] for row in rows if math.isfinite(row.hi)]
    return max(above) if above else min((measured[row.name] for row in rows), default=math.nan)


def _factory(registry: Registry, constraint: str | Callable[[float], Constraint]) -> Callable[[float], Constraint]:
    if not isinstance(constraint, str):
        return constraint
    name, args, options = parse_call(constraint)
    if args:
        raise ConfigurationError(
            f"The bounds are given by eps_grid, so {constraint!r} must not have one: write {name!r}, with named "
            "options if wanted."
        )
    entry = registry.entry("constraint", name)
    return lambda eps: registry.constraint(entry.factory(eps, **options))


def _problem(
    X: Any,
    y: Any,
    sensitive_features: Any,
    logic: str,
    max_conditions: int,
    forbid_features: Sequence[str],
    binarizer: Binarizer | None,
) -> Problem:
    table = as_frame(X)
    for name in forbid_features:
        if name not in table.columns:
            raise UnknownNameError("column", str(name), table.columns)
    classes, codes = np.unique(checked_labels(y, len(table)), return_inverse=True)
    if len(classes) != 2:
        raise ConfigurationError(f"A fairness path needs labels of two classes, but y has {len(classes)}.")
    inputs = table.drop(columns=list(forbid_features))
    fitted = (Binarizer() if binarizer is None else binarizer).fit(inputs, codes)
    features = fitted.transform(inputs)
    groups = Groups.encode(sensitive_features, len(table))
    order = canonical_order(features, codes, groups.codes)
    return Problem.from_arrays(
        features[order],
        codes[order] == 1,
        sensitive_groups=groups.take(order),
        conditions=fitted.conditions_,
        logic=logic,  # type: ignore[arg-type]
        max_conditions=max_conditions,
        columns=tuple(table.columns),
        outcome=outcome_text(getattr(y, "name", None), classes[1]),
    )
