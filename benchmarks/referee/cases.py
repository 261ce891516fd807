"""Configurations that cover every pair of levels, and a random small problem for each."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np

from .judge import Case

LEVELS: dict[str, tuple[Any, ...]] = {
    "logic": ("dnf", "cnf"),
    "loss": ("hamming", "01"),
    "stakes": ("plain", "whole weights", "fractional weights", "costs", "teacher", "teacher and costs"),
    "scale": (1.0, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9),
    "constraint": (
        "none", "equality-of-opportunity", "equalized-odds", "false-positive-rate-parity", "error-rate-parity",
        "accuracy-parity", "demographic-parity", "demographic-ratio", "group-recall-floor", "minimax-error",
    ),
    "size": ("plain", "costs of conditions", "penalty", "rules weigh double"),
    "pricers": ("exact-search", "exact-ip", "brute force", "beam, exact-search"),
    "backend": ("highs", "scip", "cbc", "gurobi"),
    "search": ("none", "local-search"),
    "rows": ("merged", "apart"),
}  # fmt: skip
USUAL = {"backend": 0.93, "search": 0.96}
"""How often the first level is taken anyway: the others take many times as long."""


class Coverage:
    """Which pairs of levels were tried, and the next configuration."""

    def __init__(self, seed: int, backends: tuple[str, ...]) -> None:
        self.rng = np.random.default_rng(seed)
        self.levels = {**LEVELS, "backend": backends}
        self.tried: Counter[tuple[Any, ...]] = Counter()

    def next(self) -> dict[str, Any]:
        """Of some random configurations the one with the pairs that were tried least."""
        drawn = [self._draw() for _ in range(4)]
        chosen = min(drawn, key=lambda config: sum(self.tried[pair] for pair in _pairs(config)))
        self.tried.update(_pairs(chosen))
        return chosen

    @property
    def share(self) -> float:
        """The share of all pairs of levels that were tried."""
        total = sum(
            len(self.levels[one]) * len(self.levels[other]) for one, other in itertools.combinations(self.levels, 2)
        )
        return len(self.tried) / total

    def _draw(self) -> dict[str, Any]:
        config = {}
        for name, levels in self.levels.items():
            usual = USUAL.get(name, 0.0)
            at = 0 if self.rng.random() < usual else int(self.rng.integers(len(levels)))
            config[name] = levels[at]
        return config


def _pairs(config: dict[str, Any]) -> list[tuple[Any, ...]]:
    return list(itertools.combinations(config.items(), 2))


def case_of(config: dict[str, Any], seed: int) -> Case:
    """Draw a small problem for a configuration."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 15)), int(rng.integers(2, 5))
    X = rng.random((n, p)) < rng.choice([0.4, 0.6])
    if rng.random() < 0.4:
        X[rng.integers(n, size=n // 3)] = X[0]
    labels = rng.random(n) < 0.5
    if rng.random() < 0.5:
        labels = labels ^ X[:, 0]
    labels[:2] = True, False
    kind = config["stakes"]
    weights = np.ones(n)
    if kind == "whole weights":
        weights = rng.integers(1, 5, n).astype(float)
    elif kind == "fractional weights":
        weights = rng.choice([0.1, 0.3, 0.7, 1.1, 2.7], n)
    costs = {"costs": (1.0, 5.0), "teacher and costs": (2.0, 0.5)}.get(kind, (1.0, 1.0))
    teacher = rng.integers(0, 9, n) / 8 if kind.startswith("teacher") else None
    size = config["size"]
    condition_costs = rng.choice([0.5, 1.0, 2.0], p) if size == "costs of conditions" else np.ones(p)
    bound = float(rng.choice([0.0, 0.1, 0.25, 0.5]))
    if config["constraint"] in ("demographic-ratio", "group-recall-floor"):
        bound = float(rng.choice([0.3, 0.5, 0.8]))
    elif config["constraint"] == "minimax-error":
        bound = float(rng.choice([0.5, 1.0]))
    max_conditions = int(rng.integers(1, min(p, 3) + 1))
    return Case(
        X=X, labels=labels, weights=weights * config["scale"], costs=costs, teacher=teacher,
        groups=np.array(["a", "b", "c"])[rng.integers(0, 2 + (rng.random() < 0.2), n)],
        logic=config["logic"], loss=config["loss"], constraint=config["constraint"], bound=bound,
        most=float(rng.integers(2, 8)), per_rule=2.0 if size == "rules weigh double" else 1.0, per_condition=1.0,
        penalty=0.25 * config["scale"] if size == "penalty" else 0.0, condition_costs=condition_costs,
        max_conditions=max_conditions,
    )  # fmt: skip
