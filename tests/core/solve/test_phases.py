"""Phases: there is an answer from the beginning, and each part of a run can be left out."""

import numpy as np
import pytest

from rulecg_core import (
    HammingMaster,
    Limits,
    Pricer,
    PricingResult,
    Problem,
    Rule,
    Schedule,
    Stop,
    ZeroOneMaster,
    generate_columns,
    load_registry,
)
from rulecg_core.base.events import IncumbentFound, RoundFinished
from rulecg_core.testing.brute_force import BruteForcePricer
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem
from rulecg_search.heuristic import LocalSearch


class NoRules(Pricer):
    """Finds nothing."""

    def price(self, problem, limits, rng):
        return PricingResult(())


class Interrupted(Pricer):
    """The user presses Ctrl-C at the first call."""

    def price(self, problem, limits, rng):
        raise KeyboardInterrupt


def fewest_errors(master):
    """Of the empty rule set, of covering all and of single conditions that keep every row."""
    singles = [(Rule([at]),) for at in range(master.problem.n_conditions)]
    found = [master.evaluate(rules) for rules in [(), (Rule(()),), *singles]]
    return min(candidate.errors for candidate in found if candidate.is_feasible)


@pytest.mark.parametrize("make", [HammingMaster, ZeroOneMaster])
@pytest.mark.parametrize("eps", [None, 0.3, 0.05])
@pytest.mark.parametrize("logic", ["dnf", "cnf"])
def test_no_answer_is_worse_than_a_single_condition(logic, eps, make):
    """Under a tiny limit it has no more errors than any single condition that keeps the rows, or than no rules."""
    constraints = [SizeBound(6), *([] if eps is None else [MissedShareBound(eps)])]
    for seed in range(8):
        master = make(small_problem(seed, logic, n_conditions=9), constraints, load_registry().backend("highs"))
        result = generate_columns(master, [NoRules()], Limits(seconds=1e-3))
        assert master.evaluate(result.rules).is_feasible
        assert result.errors <= fewest_errors(master)
        assert result.stop is Stop.TIME_LIMIT


@pytest.mark.parametrize("make", [HammingMaster, ZeroOneMaster])
def test_an_interrupt_at_once_leaves_the_best_single_condition(make):
    """With Ctrl-C in the first round the answer is the best of single conditions, no rules and covering everything."""
    for seed in range(8):
        master = make(small_problem(seed, n_conditions=9), [SizeBound(6)], load_registry().backend("highs"))
        result = generate_columns(master, [Interrupted()])
        assert result.errors == fewest_errors(master)
        assert result.stop is Stop.INTERRUPTED


def test_an_interrupt_with_nothing_in_hand_goes_on():
    """Where no rule set met keeps every row, Ctrl-C is Ctrl-C."""
    master = HammingMaster(small_problem(0), [SizeBound(0.5)], load_registry().backend("highs"))
    with pytest.raises(KeyboardInterrupt):
        generate_columns(master, [Interrupted()])


def large_master():
    """A master that a schedule with few ``large_samples`` calls large."""
    rng = np.random.default_rng(1)
    X = rng.random((400, 8)) < 0.5
    problem = Problem.from_arrays(X, (X[:, 0] & X[:, 1]) | (rng.random(400) < 0.1), max_conditions=2)
    return HammingMaster(problem, [SizeBound(6)], load_registry().backend("highs"))


@pytest.mark.parametrize(
    ("schedule", "search"),
    [
        ({"search": {"during_generation": False}}, {}),
        ({"generation": {"tight_shares": []}}, {}),
        *(({}, {off: False}) for off in ("condition_moves", "subset_moves", "mixtures", "annealing", "unions")),
    ],
    ids=str,
)
def test_parts_of_the_search_can_be_switched_off(schedule, search, monkeypatch):
    """Without one of its parts a run still ends with a rule set no worse than none, and generates what it returns."""
    master = large_master()
    tightened = []
    monkeypatch.setattr(master, "tightened", tightened.append)
    result = generate_columns(
        master,
        [BruteForcePricer()],
        Limits(seconds=5, rules_per_call=5),
        heuristics=[LocalSearch(**search)],
        schedule=Schedule().with_settings({"large_samples": 100, **schedule}),
    )
    assert result.objective < master.evaluate(()).objective
    assert set(result.rules) <= set(result.pool)
    assert bool(tightened) == ("generation" not in schedule)


def test_large_data_has_an_answer_before_the_first_relaxation():
    """The first rule sets come from single conditions and from a search, so that no relaxation can stand in the way."""
    master, events = large_master(), []
    generate_columns(
        master,
        [BruteForcePricer()],
        Limits(seconds=5),
        heuristics=[LocalSearch()],
        schedule=Schedule().with_settings({"large_samples": 100}),
        on_event=events.append,
    )
    told = [event for event in events if isinstance(event, IncumbentFound | RoundFinished)]
    assert told.pop(0).source == "everything covered"
    first_round = next(at for at, event in enumerate(told) if isinstance(event, RoundFinished))
    assert [event.source for event in told[:2]] == ["single conditions", "LocalSearch"]
    assert first_round >= 2
    assert told[1].objective < told[0].objective < master.evaluate(()).objective
