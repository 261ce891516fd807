"""Runs that count work: the same answer whatever the clock on the wall says, and a refusal of plugins that read it."""

import time

import numpy as np
import pytest

from rulecg_core import (
    Complexity,
    ConfigurationError,
    HammingMaster,
    Limits,
    Pricer,
    PricingResult,
    Problem,
    Schedule,
    Status,
    generate_columns,
    load_registry,
)
from rulecg_core.base import limits as clock

REGISTRY = load_registry()
BACKEND = REGISTRY.backend("highs")


def noisy_problem(order=None):
    rng = np.random.default_rng(5)
    X = rng.random((400, 24)) < 0.5
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]) | (X[:, 4] & ~X[:, 5])) ^ (rng.random(400) < 0.2)
    order = np.arange(400) if order is None else order
    return Problem.from_arrays(X[order], y[order], max_conditions=4)


def run(seconds, threads=1, slow=False, monkeypatch=None, large=False):
    """A run with everything that takes part by default, on a machine that is busy now and then."""
    if slow:
        spend = clock.spend
        monkeypatch.setattr("rulecg_core.api.linear_program.spend", lambda s: (time.sleep(0.01), spend(s))[1])
    pricers = [(name, REGISTRY.pricer(name, BACKEND)) for name in ("beam", "neighbours", "exact-search")]
    heuristics = [("local-search", REGISTRY.heuristic("local-search"))]
    limits = Limits(seconds=seconds, threads=threads, counts_work=True)
    schedule = Schedule().with_settings({"large_samples": 100}) if large else Schedule()
    with HammingMaster(noisy_problem(), [Complexity(14)], BACKEND) as master:
        return generate_columns(master, pricers, limits, heuristics=heuristics, schedule=schedule, seed=3)


@pytest.mark.parametrize("large", [False, True])
def test_load_and_threads_change_nothing(large, monkeypatch):
    """A run that ends before it proves anything gives the same rules, bound and rounds on a busy machine."""
    quiet = run(0.3, large=large)
    busy = run(0.3, 2, True, monkeypatch, large)
    assert quiet.status is not Status.OPTIMAL
    assert busy.rules == quiet.rules
    assert (busy.objective, busy.lower_bound, busy.pool_size) == (quiet.objective, quiet.lower_bound, quiet.pool_size)
    assert [each.relaxation for each in busy.history] == [each.relaxation for each in quiet.history]
    assert [each.seconds for each in busy.history] == [each.seconds for each in quiet.history]


class Careless(Pricer):
    def price(self, problem, limits, rng):
        return PricingResult(())


def test_plugins_that_read_the_clock_are_refused_by_name():
    """A pricer, a backend or a heuristic that does not count its work cannot take part, and is named."""
    limits = Limits(counts_work=True)
    with HammingMaster(noisy_problem(), [Complexity(5)], BACKEND) as master:
        with pytest.raises(ConfigurationError, match=r"'careless' \(tests.core.solve.test_repeatable.Careless\)"):
            generate_columns(master, [("careless", Careless())], limits)
        with pytest.raises(ConfigurationError, match="'exact-ip'"):
            generate_columns(master, [("exact-ip", REGISTRY.pricer("exact-ip", BACKEND))], limits)


def test_proven_optima_are_the_same_for_any_order_of_samples():
    """The first of all optima does not depend on the order of samples, nor on what a run happened to meet."""
    found = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(400)
        with HammingMaster(noisy_problem(order), [Complexity(6)], BACKEND) as master:
            result = generate_columns(
                master, [REGISTRY.pricer("exact-search", BACKEND)], Limits(seconds=60), seed=seed
            )
        assert result.is_canonical
        found.append((result.rules, result.optima))
    assert len(set(found)) == 1
