"""The pricing problem as an integer program (the paper's section "Pricing Problem")."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from rulecg_core import (
    NEGATIVE,
    Backend,
    BoolArray,
    FloatArray,
    IntArray,
    LinearForm,
    MIPLimits,
    MIPModel,
    PricingLimits,
    PricingProblem,
    PricingResult,
    Rule,
    Solution,
    SparseVectors,
)

from ..common.chains import exclusive_numbers
from ..common.passes import Extensions, extend, negative_rules


@frozen(eq=False)
class _Rows:
    """Samples that differ in the features in use, and the sum of the weights of those that do not."""

    X: BoolArray
    weights: FloatArray
    bounded: FloatArray
    """Sides of the bounds on single rules × rows: what covering each adds."""


@frozen(eq=False)
class PricingModel:
    """The integer program over the features that a rule with negative reduced cost can contain."""

    mip: MIPModel
    features: IntArray
    """The problem's number of each feature in the model; these are the model's first variables."""

    def rule(self, x: FloatArray) -> Rule:
        return Rule(self.features[np.flatnonzero(x[: len(self.features)] > 0.5)])


def hopeful_features(problem: PricingProblem, limits: PricingLimits) -> tuple[IntArray, float] | None:
    """Features that the optimistic bound leaves over, and a lower bound on all rules with one that it rules out."""
    alone: Extensions | None = extend(problem, np.empty((1, 0), dtype=np.int64), limits)
    if alone is None:
        return None
    prices = problem.condition_prices
    further = np.sort(np.minimum(prices, 0.0))[: problem.max_conditions - 1].sum()
    bounds = alone.negative[0] + prices + problem.constant + further
    hopeful = bounds < NEGATIVE
    return np.flatnonzero(hopeful), float(bounds[~hopeful].min(initial=math.inf))


def build(problem: PricingProblem, features: IntArray) -> PricingModel:
    """One variable z per feature (is it in the rule?), one variable delta per distinct sample (is it covered?).

    For a sample with positive weight ``delta + Σ z >= 1`` over the features it lacks makes delta 0 or 1 by itself. For
    one with negative weight ``m delta + Σ z <= m`` does not, so that delta is integer there; m is how many of the
    features it lacks can be in one rule, at most the paper's D. (One row ``delta + Σ z <= 1`` per sample and chain
    needs no integer delta and is tighter, but was slower on every real problem tried.)
    """
    prices = problem.condition_prices[features]
    classes = exclusive_numbers(problem)[features]
    sides = [side for bound in problem.bounds for side in bound.floors()]
    rows = _distinct_rows(problem, features, [form.cover for form, _ in sides])
    always = rows.X.all(axis=1)
    if sides:
        # A bound looks at a sample from both sides: whether it is covered must be told exactly.
        return PricingModel(_with_bounds(problem, features, rows, sides), features)
    order = np.concatenate([np.flatnonzero(~always & (rows.weights < 0)), np.flatnonzero(~always & (rows.weights > 0))])
    lacks, weights = ~rows.X[order], rows.weights[order]
    n_conditions, n_negative, n_rows = len(features), int(np.count_nonzero(weights < 0)), len(weights)
    longest = float(min(problem.max_conditions, n_conditions))

    misses = SparseVectors.from_dense(lacks[:n_negative])
    room = np.minimum(_classes_of_each(misses, classes), longest)
    missed = misses.join(_diagonal(room, n_conditions))
    covering = SparseVectors.from_dense(lacks[n_negative:]).join(
        _diagonal(np.ones(n_rows - n_negative), n_conditions + n_negative)
    )
    nested = SparseVectors.from_dense(classes == np.flatnonzero(np.bincount(classes) > 1)[:, None])
    length = SparseVectors.from_dense(np.ones((1, n_conditions)))
    model = MIPModel(
        costs=np.concatenate([prices, weights]),
        lower=np.zeros(n_conditions + n_rows),
        upper=np.ones(n_conditions + n_rows),
        integer=np.arange(n_conditions + n_rows) < n_conditions + n_negative,
        row_lower=np.repeat([-np.inf, 1.0, -np.inf, 1.0], [n_negative, n_rows - n_negative, len(nested), 1]),
        row_upper=np.concatenate([room, np.full(n_rows - n_negative, np.inf), np.ones(len(nested)), [longest]]),
        rows=SparseVectors.stack([missed, covering, nested, length]),
        offset=problem.constant + float(rows.weights[always].sum()),
    )
    return PricingModel(model, features)


def _with_bounds(
    problem: PricingProblem, features: IntArray, rows: _Rows, sides: Sequence[tuple[LinearForm, float]]
) -> MIPModel:
    """The same with every sample's delta exactly what the rule covers, and a row for each side of a bound."""
    prices, costs = problem.condition_prices[features], problem.condition_costs[features]
    classes = exclusive_numbers(problem)[features]
    lacks, n_conditions, n_rows = ~rows.X, len(features), len(rows.X)
    longest = float(min(problem.max_conditions, n_conditions))
    room = np.minimum(lacks.sum(axis=1), longest).astype(np.float64)
    room = np.where(room > 0, room, 1.0)
    missed = SparseVectors.from_dense(lacks.astype(np.float64)).join(_diagonal(room, n_conditions))
    covering = SparseVectors.from_dense(lacks.astype(np.float64)).join(_diagonal(np.ones(n_rows), n_conditions))
    nested = SparseVectors.from_dense(classes == np.flatnonzero(np.bincount(classes) > 1)[:, None])
    length = SparseVectors.from_dense(np.ones((1, n_conditions)))
    lines = np.array([np.concatenate([form.length * costs, rows.bounded[at]]) for at, (form, _) in enumerate(sides)])
    least = np.array([least - form.rule for form, least in sides])
    counts = [n_rows, n_rows, len(nested), 1]
    return MIPModel(
        costs=np.concatenate([prices, rows.weights]),
        lower=np.zeros(n_conditions + n_rows),
        upper=np.ones(n_conditions + n_rows),
        integer=np.ones(n_conditions + n_rows, dtype=bool),
        row_lower=np.concatenate([np.repeat([-np.inf, 1.0, -np.inf, 1.0], counts), least]),
        row_upper=np.concatenate(
            [room, np.full(n_rows, np.inf), np.ones(len(nested)), [longest], np.full(len(sides), np.inf)]
        ),
        rows=SparseVectors.stack([missed, covering, nested, length, SparseVectors.from_dense(lines)]),
        offset=problem.constant,
    )


def solve(
    problem: PricingProblem, model: PricingModel, backend: Backend, limits: PricingLimits, seed: int
) -> PricingResult:
    """Every negative rule that the solver met, best first, and the solver's bound for the model."""
    seconds = None if math.isinf(limits.deadline.moment) else limits.deadline.remaining
    # The gap must be smaller than what counts as negative, or the bound could not prove that nothing is.
    mip_limits = MIPLimits(seconds=seconds, absolute_gap=-NEGATIVE / 2, threads=limits.threads, seed=seed)
    answer = backend.solve_mip(model.mip, mip_limits, pool_size=limits.max_rules)
    if answer.solution is Solution.INFEASIBLE and problem.bounds:
        # No rule over these features keeps its bounds: none is negative.
        return PricingResult((), 0.0, answer.stop, answer.notes)
    rules = list(dict.fromkeys(model.rule(solution.x) for solution in answer.solutions))
    return PricingResult(negative_rules(problem, rules), answer.bound, answer.stop, answer.notes)


def _distinct_rows(problem: PricingProblem, features: IntArray, covers: Sequence[FloatArray | None]) -> _Rows:
    is_used = problem.sample_weights != 0
    for cover in covers:
        is_used = is_used if cover is None else is_used | (cover != 0)
    weighted = np.flatnonzero(is_used)
    X = problem.X[weighted][:, features]
    packed = np.ascontiguousarray(np.packbits(X, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    sums, scale = (
        np.bincount(inverse.reshape(-1), weights, minlength=len(first)).astype(np.float64)
        for weights in (problem.sample_weights[weighted], np.abs(problem.sample_weights[weighted]))
    )
    # What cancels out leaves rounding behind, which is no weight.
    sums = np.where(np.abs(sums) > 1e-15 * scale, sums, 0.0)
    bounded = np.array(
        [
            np.zeros(len(first))
            if cover is None
            else np.bincount(inverse.reshape(-1), cover[weighted], minlength=len(first))
            for cover in covers
        ]
    ).reshape(len(covers), len(first))
    kept = np.flatnonzero((sums != 0) | (bounded != 0).any(axis=0))
    kept = kept[np.argsort(first[kept])]
    return _Rows(X[first[kept]], sums[kept], bounded[:, kept])


def _diagonal(values: FloatArray, first: int) -> SparseVectors:
    """One entry per row, on consecutive variables."""
    return SparseVectors(np.arange(len(values) + 1), np.arange(first, first + len(values)), values)


def _classes_of_each(vectors: SparseVectors, classes: IntArray) -> FloatArray:
    """How many different classes the entries of each vector belong to."""
    pairs = np.unique(vectors.owners() * (classes.max(initial=0) + 1) + classes[vectors.indices])
    return np.bincount(pairs // (classes.max(initial=0) + 1), minlength=len(vectors)).astype(np.float64)
