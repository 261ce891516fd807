"""What the tables ask of rulecg; the only module here that knows how it is called."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from attrs import evolve, frozen

from rulecg import Binarizer, RuleSetClassifier, RuleSetClassifierCV, complexity_path
from rulecg.estimators.forest_start import forest_leaves
from rulecg.estimators.recipe import compose
from rulecg_core import (
    Deadline,
    Groups,
    InfeasibleError,
    IntegerLimits,
    Limits,
    Problem,
    Result,
    Rule,
    Start,
    load_registry,
)

from .data import Fold

Predicted = npt.NDArray[np.bool_]
SMALL_BOUNDS = (2, 4, 6, 8, 10, 15, 20, 25, 32, 40)
LARGE_BOUNDS = (5, 10, 15, 20, 30, 45, 60, 80, 100, 125)
"""Bounds on complexity to choose from (the paper does not list its own)."""
N_TREES = 20


@cache
def warm_up() -> None:
    """Load (or compile) the kernels, once in each process and before any clock starts."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 4, (200, 6)), columns=[f"x{j}" for j in range(6)])
    y = ((X["x0"] > 1) & (X["x1"] < 2)) | (X["x2"] == 3)
    # The first fit may spend its seconds on loading; the second then finds everything loaded.
    for loss in ("hamming", "hamming", "01"):
        RuleSetClassifier(max_complexity=8, binarizer="deciles", loss=loss, time_limit=1.0).fit(X, y)


def tuned(
    fold: Fold, bounds: Sequence[float], *, inner_folds: int, seconds: float, binarizer: str, threads: int
) -> tuple[Predicted, RuleSetClassifierCV]:
    """The rule set whose bound on complexity inner folds chose; every path is over one pool of rules, and each bound
    chooses among all rules so far, the paper's second pass."""
    warm_up()
    model = RuleSetClassifierCV(
        bounds,
        estimator=RuleSetClassifier(binarizer=binarizer, n_jobs=threads),
        cv=inner_folds,
        time_limit=seconds,
    )
    model.fit(fold.data.iloc[fold.train], fold.target[fold.train])
    return np.asarray(model.predict(fold.data), dtype=bool), model


def front(fold: Fold, bounds: Sequence[float], *, seconds: float, threads: int) -> Iterator[tuple[float, Any]]:
    """A fitted rule set for every bound on complexity."""
    warm_up()
    path = complexity_path(
        fold.data.iloc[fold.train],
        fold.target[fold.train],
        bounds,
        estimator=RuleSetClassifier(binarizer="deciles", n_jobs=threads),
        time_limit=seconds,
    )
    yield from path.classifiers.items()


def certificate(fold: Fold, bound: float, *, seconds: float, threads: int) -> dict[str, Any]:
    """What is proven about the best rule set on all rows of the fold's data."""
    warm_up()
    model = RuleSetClassifier(max_complexity=bound, binarizer="deciles", time_limit=seconds, n_jobs=threads)
    model.fit(fold.data, fold.target)
    result = model.result_
    return {
        "objective": result.objective,
        "lower bound": result.lower_bound,
        "gap": result.gap,
        "status": str(result.status),
        "seconds": result.seconds,
        "accuracy": float(model.score(fold.data, fold.target)),
        "complexity": model.rule_set_.complexity,
        "rules": str(model.rule_set_),
    }


@frozen(eq=False)
class Chosen:
    """A rule set out of an integer program."""

    predicted: Predicted
    complexity: int
    seconds: float


@frozen(eq=False)
class Workbench:
    """The training rows of a fold as a problem, and what can be done with rules on it."""

    fold: Fold
    problem: Problem
    seconds: float
    """For one integer program."""
    threads: int = 1

    @classmethod
    def of(cls, fold: Fold, *, seconds: float, threads: int = 1, max_conditions: int = 5) -> Workbench:
        """With the paper's conditions, the deciles of the training rows."""
        warm_up()
        inputs = fold.data.iloc[fold.train]
        binarizer = Binarizer().fit(inputs)
        groups = None if fold.groups is None else Groups.encode(fold.groups[fold.train], len(fold.train))
        problem = Problem.from_arrays(
            np.asarray(binarizer.transform(inputs)),
            fold.target[fold.train],
            sensitive_groups=groups,
            conditions=binarizer.conditions_,
            max_conditions=max_conditions,
        )
        return cls(fold, problem, seconds, threads)

    def leaves(self) -> tuple[Rule, ...]:
        """Rules from the leaves of random forests of several depths."""
        rules: dict[Rule, None] = {}
        for depth in range(2, self.problem.max_conditions + 1):
            rules |= dict.fromkeys(forest_leaves(evolve(self.problem, max_conditions=depth), n_trees=N_TREES))
        return tuple(rules)

    def choose(self, rules: Sequence[Rule], bound: float, loss: str, constraints: Sequence[str] = ()) -> Chosen | None:
        """The rule set among given rules: the integer program alone, then Pool Select; None when none is feasible."""
        registry = load_registry()
        rows = [registry.constraint(text) for text in (f"complexity:{bound}", *constraints)]
        with registry.master(loss)(self.problem, rows, registry.backend()) as master:
            master.add_rules(rules)
            began = time.perf_counter()
            found = master.solve_integer(IntegerLimits(Deadline.after(self.seconds), self.threads))
            seconds = time.perf_counter() - began
            feasible = [each for each in (*found.candidates, master.evaluate(())) if each.is_feasible]
        if not feasible:
            return None
        best = min(feasible, key=lambda each: (each.errors, each.complexity))
        return Chosen(self.predict(best.rules), int(best.complexity), seconds)

    def generate(
        self, bound: float, *, seconds: float, pricing_seconds: float | None, constraints: Sequence[str] = (),
        start: Sequence[Rule] = (),
    ) -> Result | None:  # fmt: skip
        """Column generation; None when no rule set keeps the constraints."""
        recipe = compose(load_registry(), max_complexity=bound, constraints=constraints)
        limits = Limits(seconds=seconds, pricing_seconds=pricing_seconds, threads=self.threads)
        try:
            return evolve(recipe, start=Start(rules=start)).learn(self.problem, limits, None, 0)
        except InfeasibleError:
            return None

    def two_phases(
        self, criterion: str, grid: Mapping[str, Sequence[float]], *, seconds: float, pricing_seconds: float | None
    ) -> Iterator[tuple[float, float, Chosen]]:
        """The paper's fair fronts: rules are generated at every eps and C of the first phase, beginning with leaves of
        random forests; then every eps and C of the second phase chooses among all of them."""
        pool = dict.fromkeys(self.leaves())
        for eps in grid["eps 1"]:
            for bound in grid["C 1"]:
                found = self.generate(
                    bound, seconds=seconds, pricing_seconds=pricing_seconds, constraints=[f"{criterion}:{eps}"],
                    start=tuple(pool),
                )  # fmt: skip
                pool |= dict.fromkeys(() if found is None else found.pool)
        for eps in grid["eps 2"]:
            for bound in grid["C 2"]:
                chosen = self.choose(tuple(pool), bound, "hamming", [f"{criterion}:{eps}"])
                if chosen is not None:
                    yield eps, bound, chosen

    def predict(self, rules: Sequence[Rule]) -> Predicted:
        """Predictions for all rows of the data, training and test alike."""
        return np.asarray(self.problem.rule_set(rules).predict(self.fold.data), dtype=bool)
