"""Stages of pricing: which take part, and how long each may take."""

import numpy as np
import pytest

from rulecg_core import HammingMaster, Limits, Pricer, PricingResult, Problem, Stop, generate_columns, load_registry
from rulecg_core.generation.stages import DEFAULT_STAGES, default_stages
from rulecg_core.testing.master_contract import SizeBound


@pytest.fixture
def problem():
    rng = np.random.default_rng(1)
    X = rng.random((400, 6)) < 0.5
    return Problem.from_arrays(X, (X[:, 0] & X[:, 1]) | (rng.random(400) < 0.1), max_conditions=2)


@pytest.fixture
def large(problem, monkeypatch):
    """The same, called large."""
    monkeypatch.setattr("rulecg_core.data.problem.LARGE", 10)
    return problem


class Watching(Pricer):
    """Finds nothing, proves ``bound``, and remembers how many seconds it could have had."""

    def __init__(self, bound=None):
        self.bound = bound
        self.seconds = []

    def price(self, problem, limits, rng):
        self.seconds.append(limits.deadline.remaining)
        return PricingResult((), self.bound, Stop.COMPLETED)


def run(problem, pricers, **limits):
    master = HammingMaster(problem, [SizeBound(4)], load_registry().backend("highs"))
    return generate_columns(master, pricers, Limits(**limits))


def test_wider_beams_are_for_large_data(problem, monkeypatch):
    """Small problems go from the narrow beam straight to exact search."""
    assert default_stages(problem) == ("beam", "exact-search")
    monkeypatch.setattr("rulecg_core.data.problem.LARGE", 10)
    assert default_stages(problem) == DEFAULT_STAGES


def test_on_large_data_later_stages_leave_time_to_the_search(large):
    """The first stage may use what generation has; a later one a share of it."""
    first, later = Watching(), Watching()
    run(large, [first, later], seconds=40.0)
    assert first.seconds[-1] > 10.0
    assert max(later.seconds) < 5.0


def test_on_small_data_the_last_stage_may_take_its_time(problem):
    """There the proof is worth it."""
    later = Watching()
    run(problem, [Watching(), later], seconds=40.0)
    assert max(later.seconds) > 10.0


def test_a_pricing_limit_is_kept_by_all_stages(large):
    """What was asked for counts."""
    stages = [Watching(), Watching()]
    run(large, stages, seconds=40.0, pricing_seconds=7.0)
    assert all(5.0 < each.seconds[-1] <= 7.0 for each in stages)


def test_a_weak_bound_is_never_below_what_is_trivial(problem):
    """A Hamming loss is at least 0, whatever a pricer can prove."""
    assert run(problem, [Watching(bound=-1e6)], seconds=5.0).lower_bound == 0
