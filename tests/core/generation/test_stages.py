"""Stages of pricing: which take part, and how long each may take."""

import numpy as np
import pytest

from rulecg_core import (
    HammingMaster,
    Limits,
    PluginError,
    Pricer,
    PricingResult,
    Problem,
    Rule,
    Schedule,
    Status,
    Stop,
    generate_columns,
    load_registry,
)
from rulecg_core.base.events import Note, StagePriced
from rulecg_core.testing.brute_force import BruteForcePricer
from rulecg_core.testing.master_contract import SizeBound

LARGE = Schedule().with_settings({"large_samples": 10})
"""Calls the problem large."""


@pytest.fixture
def problem():
    rng = np.random.default_rng(1)
    X = rng.random((400, 6)) < 0.5
    return Problem.from_arrays(X, (X[:, 0] & X[:, 1]) | (rng.random(400) < 0.1), max_conditions=2)


class Watching(Pricer):
    """Finds nothing, proves ``bound``, and remembers how many seconds it could have had."""

    def __init__(self, bound=None):
        self.bound = bound
        self.seconds = []

    def price(self, problem, limits, rng):
        self.seconds.append(limits.deadline.remaining)
        return PricingResult((), self.bound, Stop.COMPLETED)


def run(problem, pricers, schedule=None, on_event=None, **limits):
    master = HammingMaster(problem, [SizeBound(4)], load_registry().backend("highs"))
    return generate_columns(master, pricers, Limits(**limits), schedule=schedule or Schedule(), on_event=on_event)


def test_wider_beams_are_for_large_data():
    """Small problems go from the narrow beam straight to exact search."""
    registry = load_registry()
    assert registry.defaults("pricer", is_large=False) == ["beam", "exact-search"]
    everywhere = ["beam", "neighbours", "wide-beam", "random-beam", "exact-search"]
    assert registry.defaults("pricer", is_large=True) == everywhere


def test_on_large_data_later_stages_leave_time_to_the_search(problem):
    """The first stage may use what generation has; a later one a share of it."""
    first, later = Watching(), Watching()
    run(problem, [first, later], LARGE, seconds=40.0)
    assert first.seconds[-1] > 10.0
    assert max(later.seconds) < 5.0


def test_on_small_data_the_last_stage_may_take_its_time(problem):
    """There the proof is worth it."""
    later = Watching()
    run(problem, [Watching(), later], seconds=40.0)
    assert max(later.seconds) > 10.0


def test_a_pricing_limit_is_kept_by_all_stages(problem):
    """What was asked for counts."""
    stages = [Watching(), Watching()]
    run(problem, stages, LARGE, seconds=40.0, pricing_seconds=7.0)
    assert all(5.0 < each.seconds[-1] <= 7.0 for each in stages)


def test_a_weak_bound_is_never_below_what_is_trivial(problem):
    """A Hamming loss is at least 0, whatever a pricer can prove."""
    trusting = Schedule().with_settings({"trusted": ["Watching"]})
    assert run(problem, [Watching(bound=-1e6)], trusting, seconds=5.0).lower_bound == 0


class Faulty(Pricer):
    """Answers with whatever it is told to; raises it if it is an error."""

    def __init__(self, answer):
        self.answer = answer
        self.calls = 0

    def price(self, problem, limits, rng):
        self.calls += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


FAULTS = {
    "an error": (RuntimeError("boom"), "RuntimeError: boom"),
    "a list": ([Rule([0])], "must return a PricingResult"),
    "something else than rules": (PricingResult(((0, 1),)), "rules of the class Rule"),
    "an unknown condition": (PricingResult((Rule([99]),)), "a condition that the problem does not have"),
    "no number": (PricingResult((), float("nan")), "finite bound or None"),
}


def notes(events):
    return [event.message for event in events if isinstance(event, Note)]


@pytest.mark.parametrize(("answer", "told"), FAULTS.values(), ids=FAULTS)
def test_a_pricer_that_fails_is_named_and_the_others_go_on(problem, answer, told):
    """Where other stages are there, the run tells who failed and how, asks no more, and proves what it would."""
    faulty, events = Faulty(answer), []
    result = run(problem, [("strange", faulty), BruteForcePricer()], on_event=events.append)
    (note,) = [note for note in notes(events) if "strange" in note]
    assert "Faulty" in note
    assert told in note
    assert "no further part" in note
    assert faulty.calls == 1
    assert result.status is Status.OPTIMAL
    assert result.objective == run(problem, [BruteForcePricer()]).objective


@pytest.mark.parametrize(("answer", "told"), FAULTS.values(), ids=FAULTS)
def test_a_pricer_that_fails_alone_is_an_error_that_names_it(problem, answer, told):
    """Without another stage there is nothing to go on with."""
    with pytest.raises(PluginError, match=r"'strange'.*Faulty") as caught:
        run(problem, [("strange", Faulty(answer))])
    assert told in str(caught.value)


class Boastful(BruteForcePricer):
    """Finds the best rules, and says that there are none."""

    def price(self, problem, limits, rng):
        return PricingResult(super().price(problem, limits, rng).rules, 0.0)


def test_a_bound_that_its_own_rule_refutes_is_left_out(problem):
    """Even of a trusted pricer: a false claim is told with its name, no event repeats it, and the true optimum is found
    and proven."""
    trusting, events = Schedule().with_settings({"trusted": ["boastful"]}), []
    result = run(problem, [("boastful", Boastful()), BruteForcePricer()], trusting, events.append)
    assert any("boastful" in note and "its own rule" in note for note in notes(events))
    finds = [event for event in events if isinstance(event, StagePriced) and event.found]
    assert finds
    assert all(event.bound is None for event in finds if event.stage == "boastful")
    assert result.status is Status.OPTIMAL
    assert result.objective == run(problem, [BruteForcePricer()]).objective
