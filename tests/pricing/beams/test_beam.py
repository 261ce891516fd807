"""Beam search: the paper's heuristic, in compiled passes over the data."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import ConfigurationError, Deadline, PricingLimits, PricingProblem, Rule, Stop
from rulecg_core.testing.brute_force import BruteForcePricer
from rulecg_core.testing.random_problems import random_pricing_problem
from rulecg_pricing.beams.beam import BeamSearch, RandomBeam, WideBeam
from rulecg_pricing.common import passes as _passes

SEEDS = st.integers(0, 10**6)


def price(pricer, problem, *, seed=0, **limits):
    return pricer.price(problem, PricingLimits(**limits), np.random.default_rng(seed)).rules


def planted(n_samples=400, n_conditions=30, seed=0, rule=(3, 7, 11)) -> PricingProblem:
    """Samples covered by one rule have weight -1, all others +1."""
    X = np.random.default_rng(seed).random((n_samples, n_conditions)) < 0.6
    return PricingProblem(X, np.where(Rule(rule).covers(X), -1.0, 1.0), 0.5, 0.5, 5)


def test_default_widths_are_the_papers():
    """One-feature rules up to five-feature rules: 50, 20, 6, 6, 5."""
    assert BeamSearch().widths == (50, 20, 6, 6, 5)


def test_finds_a_planted_rule():
    """A rule that covers all negative weights and nothing else comes first."""
    assert price(BeamSearch(), planted())[0] == Rule((3, 7, 11))


@settings(max_examples=200, deadline=None)
@given(SEEDS)
def test_a_beam_without_end_is_exact(seed):
    """With unlimited widths the search sees every rule that can be best, so pruning and merging lose nothing."""
    problem = random_pricing_problem(seed)
    best = price(BruteForcePricer(), problem)[:1]
    found = price(BeamSearch(widths=10**6, same_start=10**6), problem)[:1]
    assert len(found) == len(best)
    if best:
        assert problem.reduced_cost(found[0]) == pytest.approx(problem.reduced_cost(best[0]), abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(SEEDS)
def test_nested_features_do_not_share_a_rule(seed):
    """Two thresholds of one column in one direction are never in one rule, unless conditions are paid for."""
    problem = random_pricing_problem(seed)
    problem = evolve(problem, condition_price=abs(problem.condition_price))
    for rule in price(BeamSearch(), problem):
        assert len({problem.chains[feature] for feature in rule}) == len(rule)


def test_nested_features_share_a_rule_when_conditions_are_paid_for():
    """With a negative price a looser threshold that changes nothing still earns its price."""
    X = np.array([[1, 1], [0, 1], [0, 0]], dtype=bool)
    problem = PricingProblem(X, np.array([-1.0, 1.0, 1.0]), -0.5, 0.0, 2, chains=np.array([0, 0]))
    assert price(BeamSearch(), problem)[0] == Rule((0, 1))


def test_few_of_the_returned_rules_start_alike():
    """No more rules than allowed share their first feature, or their first two."""
    problem = planted(rule=(0, 1))
    rules = price(BeamSearch(same_start=(4, 2)), problem, max_rules=200)
    assert max(Counter(rule.features[:1] for rule in rules if len(rule) > 1).values()) <= 4
    assert max(Counter(rule.features[:2] for rule in rules if len(rule) > 2).values()) <= 2
    free = price(BeamSearch(same_start=1000), problem, max_rules=200)
    assert max(Counter(rule.features[:1] for rule in free).values()) > 4


def test_copies_of_a_feature_do_not_crowd_out_others():
    """Sixty equal columns that look good alone take one place in the beam, so that the pair behind them is found."""
    rng = np.random.default_rng(0)
    X = rng.random((500, 4)) < 0.5
    good = X[:, 0] & X[:, 1]
    weights = np.where(good, -1.0, 0.6)
    decoy = good | (rng.random(500) < 0.1)
    problem = PricingProblem(np.column_stack([X, *[decoy] * 60]), weights, 0.1, 0.1, 2)
    narrow = BeamSearch(widths=(4,))
    assert problem.reduced_cost(price(narrow, problem)[0]) == pytest.approx(problem.reduced_cost(Rule((0, 1))))


def test_conditions_that_take_nothing_away_are_not_added():
    """With free conditions the shortest of equal rules is returned, not all longer ones."""
    X = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 1]], dtype=bool)
    problem = PricingProblem(X, np.array([-1.0, -1.0, 1.0]), 0.0, 0.0, 3)
    assert price(BeamSearch(), problem)[0] == Rule((0,))
    assert not any({0, 1} <= set(rule) for rule in price(BeamSearch(), problem))


@settings(max_examples=50, deadline=None)
@given(SEEDS)
def test_large_data_are_priced_like_small_data(seed):
    """Blocks of rows, single precision and threads give the same best rule as one pass in double precision."""
    problem = random_pricing_problem(seed, max_samples=200)
    small = price(BeamSearch(), problem)[:1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_passes, "EXACT_ENTRIES", 0)
        patch.setattr(_passes, "SINGLE_ROWS", 16)
        patch.setattr(_passes, "BLOCK_ENTRIES", 100)
        one, two = (price(BeamSearch(), problem, threads=threads) for threads in (1, 2))
    assert one == two
    assert [problem.reduced_cost(rule) for rule in one[:1]] == pytest.approx(
        [problem.reduced_cost(rule) for rule in small]
    )


def test_large_data_are_read_where_they_lie():
    """Pricing takes a small share of the matrix's own memory: ten million rows need no second matrix."""
    problem = planted(n_samples=200_000, n_conditions=60)
    price(BeamSearch(), planted())
    tracemalloc.start()
    try:
        rules = price(BeamSearch(), problem)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rules[0] == Rule((3, 7, 11))
    assert peak < 0.2 * problem.X.nbytes


def test_rules_may_be_longer_than_the_widths_say():
    """The last width is used for every further length."""
    problem = evolve(planted(n_samples=3000, rule=(1, 2, 3, 4)), max_conditions=4)
    assert price(BeamSearch(widths=(30, 30)), problem)[0] == Rule((1, 2, 3, 4))


def test_a_wider_beam_finds_more():
    """On random weights the wide beam's best is no worse than the narrow beam's on average, and better at times."""
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(10):
        problem = PricingProblem(rng.random((300, 60)) < 0.7, rng.normal(size=300), 0.1, 0.1, 5)
        narrow, wide = (problem.reduced_cost(price(pricer, problem)[0]) for pricer in (BeamSearch(), WideBeam()))
        gains.append(narrow - wide)
    assert np.mean(gains) > 0


def test_a_random_beam_finds_other_rules_on_each_call():
    """Different seeds lead to different rules; the same seed does not."""
    rng = np.random.default_rng(0)
    problem = PricingProblem(rng.random((300, 60)) < 0.7, rng.normal(size=300), 0.1, 0.1, 5)
    calls = [set(price(RandomBeam(), problem, seed=seed)) for seed in (1, 2, 1)]
    assert calls[0] == calls[2]
    assert len(calls[0] | calls[1]) > len(calls[0])


def test_foresight_keeps_rules_that_cover_much():
    """A pair is found whose halves look worse alone than features that lead nowhere."""
    rng = np.random.default_rng(0)
    n_samples = 600
    halves = rng.random((n_samples, 2)) < 0.5
    good = halves.all(axis=1)
    # Each decoy covers a few samples of the good kind and hardly any other.
    decoys = good[:, None] & (rng.random((n_samples, 30)) < 0.2)
    problem = PricingProblem(np.column_stack([halves, decoys]), np.where(good, -1.0, 1.0), 0.1, 0.1, 2)
    pair = Rule((0, 1))
    assert pair not in price(BeamSearch(widths=(10,), foresight=0.0), problem)
    assert price(BeamSearch(widths=(10,), foresight=1.0), problem)[0] == pair
    assert price(BeamSearch(widths=(10,), foresight=(0.0, 1.0)), problem)[0] == pair


def test_stops_when_time_is_up():
    """A deadline that has passed is reported, with the rules found until then."""
    answer = BeamSearch().price(planted(), PricingLimits(Deadline.after(0.0)), np.random.default_rng(0))
    assert answer.stop is Stop.TIME_LIMIT
    assert answer.rules == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"widths": 0}, "widths"),
        ({"widths": ()}, "widths"),
        ({"widths": "a/b"}, "Beam widths"),
        ({"same_start": (3, 0)}, "same_start"),
        ({"feature_share": 1.2}, "feature_share"),
        ({"foresight": ()}, "foresight"),
        ({"foresight": (0.0, 1.5)}, "foresight"),
        ({"noise": -1.0}, "noise"),
    ],
)
def test_wrong_options_are_refused(options, message):
    """An option out of range is named in the error."""
    with pytest.raises(ConfigurationError, match=message):
        BeamSearch(**options)


def test_widths_can_be_given_as_text():
    """On the command line, widths are written with slashes."""
    assert BeamSearch(widths="100/50/20").widths == (100, 50, 20)
