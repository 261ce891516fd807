"""Pricing by integer programming on a sample of the rows and features, for data too large for the exact program."""

from __future__ import annotations

import numpy as np
from attrs import evolve, field, frozen

from rulecg_core import Backend, IntArray, Pricer, PricingLimits, PricingProblem, PricingResult, Rule, Stop

from ..common.options import whole_number
from ..common.passes import negative_rules
from . import pricing_model as _pricing_model
from .exact_ip import required


@frozen
class SubsampledIP(Pricer):
    """The paper's integer program on some 2000 rows and 100 000 non-zeros: never claims a bound.

    Parameters
    ----------
    backend : Backend
        The solver; the registry passes the run's own.
    rows : int
        How many samples with a weight are drawn.
    nonzeros : int
        About how many non-zeros the program gets: so many conditions are drawn.

    Examples
    --------
    >>> from rulecg_core import load_registry
    >>> registry = load_registry()
    >>> registry.pricer("subsampled-ip:rows=500", registry.backend())
    SubsampledIP(rows=500, nonzeros=100000)
    """

    backend: Backend | None = field(default=None, repr=False)
    rows: int = field(default=2000, validator=whole_number)
    nonzeros: int = field(default=100_000, validator=whole_number)

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        """Find rules by integer programming on samples and conditions drawn at random.

        Parameters
        ----------
        problem : PricingProblem
            What is to be priced.
        limits : PricingLimits
            The solver's time, threads and number of rules.
        rng : numpy.random.Generator
            Draws samples, conditions and the solver's seed.

        Returns
        -------
        PricingResult
            Rules with negative reduced cost on all samples, best first, without a bound.

        Raises
        ------
        ConfigurationError
            When the pricer has no backend.
        """
        backend = required(self.backend, "subsampled-ip")
        sample, numbers = self.draw(problem, rng)
        found = _pricing_model.hopeful_features(sample, limits)
        if found is None or limits.deadline.passed:
            return PricingResult((), None, Stop.TIME_LIMIT)
        features, _ = found
        if not len(features):
            return PricingResult(())
        model = _pricing_model.build(sample, features)
        seed = int(rng.integers(2**31 - 1))
        answer = _pricing_model.solve(sample, model, backend, limits, seed)
        rules = [Rule(numbers[list(rule.features)]) for rule in answer.rules]
        # What looks negative on the sample need not be so on all samples.
        return evolve(answer, rules=negative_rules(problem, rules), bound=None)

    def draw(self, problem: PricingProblem, rng: np.random.Generator) -> tuple[PricingProblem, IntArray]:
        """The problem on a sample, weights raised by the inverse of the share drawn, and the features' numbers."""
        weighted = np.flatnonzero(problem.sample_weights)
        rows = weighted
        if self.rows < len(weighted):
            rows = np.sort(rng.choice(weighted, size=self.rows, replace=False, shuffle=False))
        zeros = int(np.count_nonzero(~problem.X[rows]))
        share = min(1.0, self.nonzeros / max(1, zeros))
        n_conditions = max(1, round(share * problem.n_conditions))
        features = np.sort(rng.choice(problem.n_conditions, size=n_conditions, replace=False, shuffle=False))
        sample = problem.restrict(rows, features)
        scale = len(weighted) / len(rows) if len(rows) else 1.0
        every = np.ones(len(rows), dtype=bool)
        bounds = tuple(bound.on(every, scale) for bound in sample.bounds)
        return evolve(sample, sample_weights=sample.sample_weights * scale, bounds=bounds), features
