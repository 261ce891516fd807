"""Exact pricing by integer programming, on any backend."""

from __future__ import annotations

import numpy as np
from attrs import evolve, field, frozen

from rulecg_core import Backend, ConfigurationError, Pricer, PricingLimits, PricingProblem, PricingResult, Stop

from . import pricing_model as _pricing_model

MOST_NONZEROS = 5_000_000
"""With more samples × features a model is not even built: the solvers find nothing, and spend several times their limit
on steps that never look at the clock."""


def required(backend: Backend | None, pricer: str) -> Backend:
    """The backend that a pricer was given, or an error that says how to give it one."""
    if backend is None:
        raise ConfigurationError(
            f"The pricer {pricer} solves integer programs and has no backend: ask the registry for it "
            f"(registry.pricer({pricer!r}, registry.backend())) or make it with backend=..."
        )
    return backend


@frozen
class ExactIP(Pricer):
    """The paper's integer program on the full data: slow, proves a bound, any backend.

    Parameters
    ----------
    backend : Backend
        The solver; the registry passes the run's own.

    Examples
    --------
    >>> from rulecg_core import load_registry
    >>> registry = load_registry()
    >>> registry.pricer("exact-ip", registry.backend())
    ExactIP()
    """

    backend: Backend | None = field(default=None, repr=False)

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        """Find the best rules by integer programming.

        Parameters
        ----------
        problem : PricingProblem
            What is to be priced.
        limits : PricingLimits
            The solver's time, threads and number of rules.
        rng : numpy.random.Generator
            Draws the solver's seed.

        Returns
        -------
        PricingResult
            Rules with negative reduced cost, best first, and a proven bound.

        Raises
        ------
        ConfigurationError
            When the pricer has no backend.
        """
        backend = required(self.backend, "exact-ip")
        # Before any work: no rule can do better than to cover all negative weights and nothing else.
        least = problem.optimistic_bound(np.ones(problem.n_samples, dtype=bool), [])
        found = _pricing_model.hopeful_features(problem, limits)
        if found is None:
            return PricingResult((), least, Stop.TIME_LIMIT)
        features, ruled_out = found
        if not len(features):
            return PricingResult((), ruled_out)
        n_samples = problem.n_samples if problem.bounds else np.count_nonzero(problem.sample_weights)
        if n_samples * len(features) > MOST_NONZEROS:
            note = f"The pricing problem is too large for an integer program ({problem.n_samples} samples)."
            return PricingResult((), least, Stop.OTHER_LIMIT, (note,))
        model = _pricing_model.build(problem, features)
        if limits.deadline.passed:
            return PricingResult((), least, Stop.TIME_LIMIT)
        seed = int(rng.integers(2**31 - 1))
        answer = _pricing_model.solve(problem, model, backend, limits, seed)
        bound = least if answer.bound is None else max(least, answer.bound)
        if answer.rules:
            # A solver stops within its tolerance of the optimum: its bound may stand a hair above the rule it found.
            bound = min(bound, problem.reduced_cost(answer.rules[0]))
        return evolve(answer, bound=min(bound, ruled_out))
