"""The pricing problem as an integer program (the paper's section "Pricing Problem")."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen

from rulecg_core import (
    NEGATIVE,
    Backend,
    MIPLimits,
    MIPModel,
    PricingLimits,
    PricingProblem,
    PricingResult,
    Rule,
    SparseVectors,
)
from rulecg_core.arrays import BoolArray, FloatArray, IntArray

from ._chains import exclusive_numbers
from ._passes import Extensions, extend, reduced_costs


@frozen(eq=False)
class _Rows:
    """Samples that differ in the features in use, and the sum of the weights of those that do not."""

    X: BoolArray
    weights: FloatArray


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


def build(problem: PricingProblem, features: IntArray, by_chain: bool) -> PricingModel:
    """One variable z per feature (is it in the rule?), one variable delta per distinct sample (is it covered?).

    delta is integer only where a row leaves room between 0 and 1. For covered samples with positive weight that is
    never so. For those with negative weight the paper's row ``D delta + Σ z <= D`` does; rows by chain, ``delta + Σ z
    <= 1`` over the features of one chain that the sample lacks, do not, and are tighter, but more.
    """
    prices = problem.condition_prices[features]
    rows = _distinct_rows(problem, features)
    lacks = ~rows.X
    always = ~lacks.any(axis=1)
    offset = problem.constant + float(rows.weights[always].sum())
    lacks, weights = lacks[~always], rows.weights[~always]
    negative, positive = weights < 0, weights > 0
    lacks, weights = np.concatenate([lacks[negative], lacks[positive]]), np.concatenate(
        [weights[negative], weights[positive]]
    )
    n_features, n_negative, n_rows = len(features), int(negative.sum()), len(weights)
    most = min(problem.max_conditions, n_features)
    numbers = exclusive_numbers(problem)[features]
    misses = SparseVectors.from_dense(lacks[:n_negative])
    if by_chain:
        upper_rows, upper = _rows_by_chain(misses, numbers, n_features)
    else:
        sizes = np.minimum(np.diff(misses.starts), most).astype(np.float64)
        upper_rows, upper = misses.join(_deltas(n_negative, n_features, sizes)), sizes
    covering = SparseVectors.from_dense(lacks[n_negative:]).join(
        _deltas(n_rows - n_negative, n_features + n_negative, np.ones(n_rows - n_negative))
    )
    packings = SparseVectors.from_dense(numbers == np.flatnonzero(np.bincount(numbers) > 1)[:, None])
    length = SparseVectors.from_dense(np.ones((1, n_features)))
    lower_bounds = [
        np.full(len(upper), -np.inf), np.ones(len(covering)), np.full(len(packings), -np.inf), np.ones(1),
    ]
    upper_bounds = [upper, np.full(len(covering), np.inf), np.ones(len(packings)), np.full(1, float(most))]
    integer = np.ones(n_features + n_rows, dtype=bool)
    integer[n_features + (0 if by_chain else n_negative) :] = False
    model = MIPModel(
        costs=np.concatenate([prices, weights]),
        lower=np.zeros(n_features + n_rows),
        upper=np.ones(n_features + n_rows),
        integer=integer,
        row_lower=np.concatenate(lower_bounds),
        row_upper=np.concatenate(upper_bounds),
        rows=SparseVectors.stack([upper_rows, covering, packings, length]),
        offset=offset,
    )
    return PricingModel(model, features)


def solve(
    problem: PricingProblem, model: PricingModel, backend: Backend, limits: PricingLimits, seed: int
) -> PricingResult:
    """Every negative rule that the solver met, best first, and the solver's bound for the model."""
    seconds = None if math.isinf(limits.deadline.moment) else limits.deadline.remaining
    # The gap must be smaller than what counts as negative, or the bound could not prove that nothing is.
    mip_limits = MIPLimits(seconds=seconds, absolute_gap=-NEGATIVE / 2, threads=limits.threads, seed=seed)
    answer = backend.solve_mip(model.mip, mip_limits, pool_size=limits.max_rules)
    rules = list(dict.fromkeys(model.rule(solution.x) for solution in answer.solutions))
    return PricingResult(negative_rules(problem, rules), answer.bound, answer.stop, answer.notes)


def negative_rules(problem: PricingProblem, rules: list[Rule]) -> tuple[Rule, ...]:
    """Those with negative reduced cost, best first; costs come from the conditions, not from a solver."""
    costs = reduced_costs(problem, [rule.features for rule in rules])
    return tuple(rules[i] for i in np.argsort(costs, kind="stable") if costs[i] < NEGATIVE)


def _distinct_rows(problem: PricingProblem, features: IntArray) -> _Rows:
    weighted = np.flatnonzero(problem.sample_weights)
    X = problem.X[weighted][:, features]
    packed = np.ascontiguousarray(np.packbits(X, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(inverse.reshape(-1), problem.sample_weights[weighted], minlength=len(first))
    weights = summed.astype(np.float64)
    # What cancels out leaves rounding behind, which is no weight.
    scale = np.bincount(inverse.reshape(-1), np.abs(problem.sample_weights[weighted]), minlength=len(first))
    kept = np.abs(weights) > 1e-15 * scale
    return _Rows(X[first[kept]], weights[kept])


def _deltas(n_rows: int, first: int, values: FloatArray) -> SparseVectors:
    """One entry per row, on consecutive variables."""
    return SparseVectors(np.arange(n_rows + 1), np.arange(first, first + n_rows), values)


def _rows_by_chain(misses: SparseVectors, numbers: IntArray, n_features: int) -> tuple[SparseVectors, FloatArray]:
    """``delta_i + Σ z_j <= 1`` for each sample and each chain of which it lacks some features."""
    owners, chains = misses.owners(), numbers[misses.indices]
    order = np.lexsort((misses.indices, chains, owners))
    owners, chains, indices = owners[order], chains[order], misses.indices[order]
    starts = np.flatnonzero(np.diff(owners, prepend=-1) | np.diff(chains, prepend=-1))
    entries = SparseVectors(np.append(starts, len(indices)), indices, np.ones(len(indices)))
    deltas = SparseVectors(np.arange(len(starts) + 1), n_features + owners[starts], np.ones(len(starts)))
    return entries.join(deltas), np.ones(len(starts))
