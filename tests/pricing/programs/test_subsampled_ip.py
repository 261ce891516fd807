"""The integer program on a sample of rows and features."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import ConfigurationError, PricingLimits, PricingProblem, Rule, load_registry
from rulecg_core.testing.random_problems import random_pricing_problem
from rulecg_pricing.programs.exact_ip import ExactIP
from rulecg_pricing.programs.subsampled_ip import SubsampledIP


def planted(n_samples: int, n_conditions: int, rule=(2, 5)) -> PricingProblem:
    X = np.random.default_rng(0).random((n_samples, n_conditions)) < 0.5
    weights = np.where(Rule(rule).covers(X), -1.0, 1.0)
    weights[::3] = 0.0
    return PricingProblem(X, weights, 1.0, 1.0, 4)


def test_sample_has_the_papers_size():
    """2000 rows, all with a weight, and about 100 000 non-zeros; nothing is scaled but the weights."""
    problem = planted(9000, 300)
    sample, features = SubsampledIP().draw(problem, np.random.default_rng(1))
    assert sample.n_samples == 2000
    assert np.all(sample.sample_weights != 0)
    assert np.count_nonzero(~sample.X) == pytest.approx(100_000, rel=0.05)
    assert sample.condition_price == problem.condition_price
    assert sample.n_conditions == len(np.unique(features)) < 300


def test_weights_of_the_sample_stand_for_all_samples():
    """Averaged over many samples, a rule's reduced cost on the sample is its reduced cost on all data."""
    problem = planted(2000, 8)
    pricer = SubsampledIP(rows=100, nonzeros=10**6)
    rule = Rule((2, 5))
    costs = [pricer.draw(problem, np.random.default_rng(seed))[0].reduced_cost(rule) for seed in range(400)]
    assert np.mean(costs) == pytest.approx(problem.reduced_cost(rule), rel=0.03)


def test_rules_come_back_in_the_full_problems_features():
    """A planted rule is found through samples of half the features, under its own features' numbers."""
    problem = planted(1000, 16)
    pricer = SubsampledIP(load_registry().backend(), rows=80, nonzeros=320)
    found = set()
    for seed in range(12):
        answer = pricer.price(problem, PricingLimits(), np.random.default_rng(seed))
        assert answer.bound is None
        assert all(problem.reduced_cost(rule) < 0 for rule in answer.rules)
        found.update(answer.rules)
    assert Rule((2, 5)) in found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_small_data_are_taken_whole(seed):
    """When everything fits, the sample is the problem: the best rule is the exact one, still without a bound."""
    problem = random_pricing_problem(seed)
    backend = load_registry().backend()
    sampled = SubsampledIP(backend).price(problem, PricingLimits(), np.random.default_rng(0))
    exact = ExactIP(backend).price(problem, PricingLimits(), np.random.default_rng(0))
    assert sampled.bound is None
    assert [problem.reduced_cost(rule) for rule in sampled.rules[:1]] == pytest.approx(
        [problem.reduced_cost(rule) for rule in exact.rules[:1]], abs=1e-6
    )


@pytest.mark.parametrize("options", [{"rows": 0}, {"nonzeros": 0}])
def test_an_empty_sample_is_refused(options):
    """At least one row and one non-zero must be allowed."""
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        SubsampledIP(**options)


def test_without_a_backend_the_error_says_how_to_give_one():
    """The pricer never looks for a backend by itself."""
    with pytest.raises(ConfigurationError, match=r"subsampled-ip.*has no backend"):
        SubsampledIP().price(planted(30, 6), PricingLimits(), np.random.default_rng(0))
