"""Heuristics in a run: they propose, the core counts; one that fails is named and the run goes on."""

import numpy as np
import pytest

from rulecg_core import (
    Deadline,
    Found,
    HammingMaster,
    Heuristic,
    Limits,
    Problem,
    Rule,
    Schedule,
    Search,
    Status,
    generate_columns,
    load_registry,
)
from rulecg_core.base.events import IncumbentFound, Note
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_core.testing.master_contract import SizeBound, small_problem
from tests.core.runs import run_of


class Asked(Heuristic):
    """Answers every call by a function of the view and the number of the call, and remembers what it was asked."""

    def __init__(self, answer, *, opening=None, setup=None, closing=None):
        self.answer, self.opening, self.setup, self.closing = answer, opening, setup, closing
        self.starts = []
        self.limits = []

    def open(self, view):
        if self.opening is not None:
            raise self.opening
        return _Asked(self, view)


class _Asked(Search):
    def __init__(self, heuristic, view):
        self.heuristic, self.view = heuristic, view

    @property
    def setup_seconds(self):
        if self.heuristic.setup is not None:
            raise self.heuristic.setup
        return 0.0

    def improve(self, starts, limits, rng):
        self.heuristic.starts.append(starts)
        self.heuristic.limits.append(limits)
        return self.heuristic.answer(self.view, len(self.heuristic.starts))

    def close(self):
        if self.heuristic.closing is not None:
            raise self.heuristic.closing


def boom(view, call):
    raise RuntimeError("boom")


def nothing(view, call):
    return Found()


@pytest.fixture
def master():
    with HammingMaster(small_problem(2), [SizeBound(6)], load_registry().backend("highs")) as master:
        yield master


def notes(events):
    return [event.message for event in events if isinstance(event, Note)]


FAILING = {
    "opening": (lambda: Asked(nothing, opening=RuntimeError("boom")), 0),
    "its preparations": (lambda: Asked(nothing, setup=RuntimeError("boom")), 0),
    "searching": (lambda: Asked(boom), 1),
    "its answer": (lambda: Asked(lambda view, call: [Rule([0])]), 1),
    "a condition that is not there": (lambda: Asked(lambda view, call: Found(((Rule([99]),),))), 1),
    "a rule that is not there": (lambda: Asked(lambda view, call: Found(rules=(Rule([99]),))), 1),
}


@pytest.mark.parametrize(("make", "calls"), FAILING.values(), ids=FAILING)
def test_a_heuristic_that_fails_is_named_and_left_out(master, make, calls):
    """Wherever it fails, it is named once and not called again; other heuristics and the run go on."""
    failing, good, events = make(), Asked(nothing), []
    result = generate_columns(
        master, [BruteForcePricer()], heuristics=[("strange", failing), ("good", good)], on_event=events.append
    )
    (note,) = [note for note in notes(events) if "strange" in note]
    assert "Asked" in note
    assert "no further part" in note
    assert len(failing.starts) == calls
    assert good.starts
    assert result.status is Status.OPTIMAL


def test_a_heuristic_that_fails_to_close_takes_nothing_away(master):
    """The answer is there all the same, and the heuristic is named."""
    events = []
    result = generate_columns(
        master,
        [BruteForcePricer()],
        heuristics=[("strange", Asked(nothing, closing=RuntimeError("boom")))],
        on_event=events.append,
    )
    assert result.status is Status.OPTIMAL
    assert any("strange" in note and "boom" in note for note in notes(events))


def test_rule_sets_are_counted_by_the_core(master):
    """What a heuristic proposes is known by the master's own count, its rules join the pool, and its name is told."""
    rules = (Rule([0, 1]), Rule([2]))
    too_large = tuple(all_rules(master.problem)[:4])
    events = []
    run = run_of(master, heuristics=[("mine", Asked(lambda view, call: Found((rules, too_large))))], events=events)
    best = run.searching.deeply(Deadline())
    assert best == master.evaluate(rules)
    assert run.incumbents.known[frozenset(too_large)] == master.evaluate(too_large)
    assert not run.incumbents.known[frozenset(too_large)].keeps_rows
    assert {*rules, *too_large} <= set(master.pool.rules)
    assert [event.source for event in events if isinstance(event, IncumbentFound)] == ["mine"]


def test_rules_with_no_or_too_many_conditions_are_left_out(master):
    """Neither in rule sets nor alone do they reach the master; a note names the heuristic, the rest is taken."""
    X = np.random.default_rng(0).random((60, 4)) < 0.8
    problem = Problem.from_arrays(X, X[:, :3].all(axis=1), max_conditions=2)
    master = HammingMaster(problem, [SizeBound(6)], master.backend)
    long, good = Rule([0, 1, 2]), Rule([0])
    found = Found(((long,), (Rule([]), good), (good,)), (long, Rule([]), *all_rules(problem)))
    events = []
    run = run_of(master, heuristics=[("mine", Asked(lambda view, call: found))], events=events)
    assert run.relax(master, Deadline()).pricing.reduced_cost(long) < 0, "The example is meant to lack the long rule."
    run.searching.deeply(Deadline())
    assert set(run.incumbents.known) == {frozenset([good])}
    assert len(master.pool) > 1
    assert set(master.pool.rules) <= set(all_rules(master.problem))
    (note,) = notes(events)
    assert "'mine'" in note
    assert "no or too many conditions" in note


def test_rules_enter_only_if_they_price_in(master):
    """Of the rules that a heuristic brings along, the master takes those that its relaxation lacks, as many as the
    schedule says."""
    schedule = Schedule().with_settings({"search": {"priced_in": 3}})
    rules = tuple(all_rules(master.problem))
    run = run_of(master, schedule=schedule, heuristics=[("mine", Asked(lambda view, call: Found(rules=rules)))])
    relaxation = run.relax(master, Deadline())
    run.searching.deeply(Deadline())
    costs = {rule: relaxation.pricing.reduced_cost(rule) for rule in rules}
    assert list(master.pool.rules) == sorted(rules, key=costs.__getitem__)[:3]
    assert all(costs[rule] < 0 for rule in master.pool.rules)


def test_an_unfinished_search_goes_on_from_a_newer_relaxation(master):
    """The relaxation is solved again with the search's rules, and the search is called again and sees it."""
    seen = []
    rules = tuple(all_rules(master.problem))

    def answer(view, call):
        seen.append((view.relaxation, view.rules))
        return Found(rules=rules, unfinished=call < 3)

    run = run_of(master, heuristics=[("mine", Asked(answer))])
    first = run.relax(master, Deadline())
    run.searching.deeply(Deadline.after(60.0))
    assert len(seen) == 3
    assert seen[0] == (first, ())
    assert seen[1][0] is not first
    assert seen[1][0].value < first.value
    assert seen[1][1]
    assert len(seen[1][0].weights) > 0
    over_all = HammingMaster(master.problem, [SizeBound(6)], master.backend)
    over_all.add_rules(rules)
    assert seen[2][0].value == pytest.approx(over_all.solve_relaxation(Deadline()).value, abs=1e-6)


def test_an_unfinished_search_ends_with_the_time(master):
    """However often it would go on: a deadline that has passed is the end."""
    asked = Asked(lambda view, call: Found(unfinished=True))
    run = run_of(master, heuristics=[("mine", asked)])
    run.searching.deeply(Deadline.after(-1.0))
    assert len(asked.starts) == 1


def test_searches_start_from_the_best_rule_set(master):
    """The second call begins from what the first one found; where samples count once, from the fewest errors."""
    rules = (Rule([0]),)
    asked = Asked(lambda view, call: Found((rules,)))
    run = run_of(master, heuristics=[("mine", asked)])
    run.searching.thoroughly(Deadline.after(60.0))
    assert [list(starts) for starts in asked.starts] == [[], [rules]]
    assert [limits.true_counts for limits in asked.limits] == [False, True]


def test_heuristics_are_off_unless_given(master):
    """Without any, rule sets come from single conditions, constant rule sets, integer programs and proofs alone."""
    events = []
    generate_columns(master, [BruteForcePricer()], Limits(seconds=20), on_event=events.append)
    sources = {event.source for event in events if isinstance(event, IncumbentFound)}
    programs = {"integer program over the pool", "proof by listing", "branch and price"}
    assert sources <= {"single conditions", "no rules", "everything covered", *programs}
