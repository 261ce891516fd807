"""Small random problems, the same for the same seed, for comparison with brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import evolve

from ..api.pricing import PricingProblem
from ..base.arrays import BoolArray, FloatArray, IntArray
from ..data.bounds.rule_bound import RuleBound
from ..data.linear_form import LinearForm
from ..data.problem import Problem


def random_pricing_problem(
    seed: int, *, max_samples: int = 40, max_features: int = 8, max_conditions: int = 5
) -> PricingProblem:
    """A pricing problem with few samples and features, and with everything that may come: weights of every sign, zero
    weights, ties, equal samples, constant and nested features, free, dear and negative prices, unequal costs."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(1, max_samples + 1))
    n_conditions = int(rng.integers(1, max_features + 1))
    X = rng.random((n_samples, n_conditions)) < rng.choice([0.3, 0.6, 0.9])
    chains = _nest_some(X, rng) if rng.random() < 0.4 else np.arange(n_conditions)
    weights = _weights_of_some_kind(n_samples, rng)
    return PricingProblem(
        X=X,
        sample_weights=weights,
        condition_price=float(rng.choice([0.0, 0.1, 0.5, 1.0, -0.1, -0.5])),
        constant=float(rng.choice([0.0, rng.normal(), 0.3 * np.abs(weights).sum()])),
        max_conditions=int(rng.integers(1, max_conditions + 1)),
        condition_costs=(
            np.ones(n_conditions) if rng.random() < 0.7 else rng.choice([0.0, 0.5, 1.0, 2.0], size=n_conditions)
        ),
        chains=chains,
    )


def with_random_bounds(problem: PricingProblem, seed: int) -> PricingProblem:
    """The pricing problem with one or two bounds on single rules: on how many samples they cover, with weights or
    without, on how many of one kind there are among these, or on length."""
    rng = np.random.default_rng(seed)
    n = problem.n_samples
    weights = rng.integers(0, 4, size=n).astype(np.float64)
    kinds = [
        RuleBound(LinearForm(cover=np.ones(n)), lo=float(rng.integers(1, max(2, n // 3))), name="support"),
        RuleBound(LinearForm(cover=weights), lo=float(rng.integers(1, max(2, n // 2))), hi=1.5 * n, name="weight"),
        RuleBound(LinearForm(cover=np.where(rng.random(n) < 0.5, 0.4, -0.6)), lo=0.0, name="precision"),
        RuleBound(LinearForm(cover=rng.random(n), length=0.5, const=0.25), hi=0.4 * n, name="not too much"),
        RuleBound(LinearForm(length=1.0), hi=float(rng.integers(0, 4)), name="length"),
    ]
    chosen = rng.permutation(len(kinds))[: int(rng.integers(1, 3))]
    return evolve(problem, bounds=tuple(kinds[at] for at in chosen))


def random_problem(seed: int, *, max_samples: int = 40, max_features: int = 8, **settings: Any) -> Problem:
    """A learning problem with both labels, whole sample weights and, by chance, equal samples; settings as in
    :meth:`Problem.from_arrays`."""
    rng = np.random.default_rng(seed)
    n_samples = int(rng.integers(2, max_samples + 1))
    n_conditions = int(rng.integers(1, max_features + 1))
    X = rng.random((n_samples, n_conditions)) < rng.choice([0.3, 0.6])
    y = rng.random(n_samples) < 0.5
    y[:2] = [True, False]
    defaults: dict[str, Any] = {
        "weights": rng.integers(1, 4, size=n_samples).astype(np.float64),
        "max_conditions": int(rng.integers(1, 6)),
    }
    return Problem.from_arrays(X, y, **{**defaults, **settings})


def planted_problem(n_rules: int, *, n_samples: int = 2_000, density: float = 0.15) -> Problem:
    """A problem that rules with two conditions each solve without any error: rule k has the features 2 k and 2 k + 1,
    and covers samples of its own."""
    X = np.random.default_rng(0).random((n_samples, 2 * n_rules)) < density
    return Problem.from_arrays(X, (X[:, ::2] & X[:, 1::2]).any(axis=1), max_conditions=2)


def _nest_some(X: BoolArray, rng: np.random.Generator) -> IntArray:
    """Make the features of one number nested, in place; the numbers."""
    chains = rng.integers(0, max(1, X.shape[1] // 2), size=X.shape[1])
    for number in range(X.shape[1]):
        members = np.flatnonzero(chains == number)
        X[:, members] = np.logical_and.accumulate(X[:, members], axis=1)
    return chains.astype(np.int64)


def _weights_of_some_kind(n_samples: int, rng: np.random.Generator) -> FloatArray:
    kind = rng.choice(["duals", "any", "whole", "negative", "positive", "zero"], p=[0.3, 0.3, 0.25, 0.06, 0.06, 0.03])
    if kind == "duals":
        return np.where(rng.random(n_samples) < 0.5, 1.0, -rng.random(n_samples) * (rng.random(n_samples) < 0.7))
    if kind == "any":
        return rng.normal(size=n_samples) * (rng.random(n_samples) < 0.8)
    if kind == "whole":
        return rng.integers(-3, 4, size=n_samples).astype(np.float64)
    return rng.random(n_samples) * {"negative": -1.0, "positive": 1.0, "zero": 0.0}[str(kind)]
