"""Exact pricing by integer programming, on any backend."""

from __future__ import annotations

import numpy as np
from attrs import evolve, field, frozen

from rulecg_core import Backend, Pricer, PricingLimits, PricingProblem, PricingResult, Stop, load_registry

from . import pricing_model as _pricing_model

MOST_NONZEROS = 5_000_000
"""With more samples × features a model is not even built: the solvers find nothing, and spend several times their limit
on steps that never look at the clock."""


def default_backend(backend: Backend | None) -> Backend:
    """The backend itself, or the configured default when there is none."""
    return load_registry().backend() if backend is None else backend


@frozen
class ExactIP(Pricer):
    """The paper's integer program on the full data: slow, proves a bound, any backend."""

    backend: Backend | None = field(default=None, repr=False)

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        # Before any work: no rule can do better than to cover all negative weights and nothing else.
        least = problem.optimistic_bound(np.ones(problem.n_samples, dtype=bool), [])
        found = _pricing_model.hopeful_features(problem, limits)
        if found is None:
            return PricingResult((), least, Stop.TIME_LIMIT)
        features, ruled_out = found
        if not len(features):
            return PricingResult((), ruled_out)
        if np.count_nonzero(problem.sample_weights) * len(features) > MOST_NONZEROS:
            note = f"The pricing problem is too large for an integer program ({problem.n_samples} samples)."
            return PricingResult((), least, Stop.OTHER_LIMIT, (note,))
        model = _pricing_model.build(problem, features)
        if limits.deadline.passed:
            return PricingResult((), least, Stop.TIME_LIMIT)
        seed = int(rng.integers(2**31 - 1))
        answer = _pricing_model.solve(problem, model, default_backend(self.backend), limits, seed)
        bound = least if answer.bound is None else max(least, answer.bound)
        if answer.rules:
            # A solver stops within its tolerance of the optimum: its bound may stand a hair above the rule it found.
            bound = min(bound, problem.reduced_cost(answer.rules[0]))
        return evolve(answer, bound=min(bound, ruled_out))
