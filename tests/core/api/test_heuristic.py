"""What a search sees of a run: everything it needs, nothing that it could change."""

import numpy as np
import pytest

from rulecg_core import Deadline, Found, HammingMaster, Rule, View, load_registry
from rulecg_core.api import heuristic as module
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import SizeBound, small_problem


class CountingMaster(HammingMaster):
    """Counts how often it evaluates."""

    evaluations = 0

    def evaluate(self, rules):
        self.evaluations += 1
        return super().evaluate(rules)


@pytest.fixture
def master():
    master = CountingMaster(small_problem(0), [SizeBound(6)], load_registry().backend("highs"))
    master.add_rules(all_rules(master.problem)[:5])
    with master:
        yield master


def test_a_view_shows_the_run_as_it_is_now(master):
    """Rules and relaxation are those of the moment when they are asked for."""
    latest = []
    view = View(master, lambda: latest[-1] if latest else None, is_large=True, threads=3)
    assert view.problem is master.problem
    assert view.goal is master.goal
    assert (view.is_large, view.threads) == (True, 3)
    assert view.relaxation is None
    latest.append(master.solve_relaxation(Deadline()))
    assert view.relaxation is latest[0]
    master.add_rules(all_rules(master.problem))
    assert view.rules == tuple(master.pool.rules)


@pytest.mark.parametrize("name", ["problem", "goal", "rules", "relaxation"])
def test_a_view_is_read_only(master, name):
    """Nothing of the run can be put in another's place through it."""
    with pytest.raises(AttributeError):
        setattr(View(master), name, None)


def test_what_a_view_gives_away_cannot_be_written_into(master):
    """The rules are a copy that cannot grow; the data and the relaxation's arrays are read-only."""
    relaxation = master.solve_relaxation(Deadline())
    view = View(master, lambda: relaxation)
    assert isinstance(view.rules, tuple)
    for array in (view.problem.X, view.relaxation.weights, view.relaxation.pricing.sample_weights):
        with pytest.raises(ValueError, match="read-only"):
            array[:1] = 0


def test_an_integer_program_through_the_view_changes_nothing(master):
    """Its rules need not be the pool's, and the pool stays what it was."""
    before = list(master.pool.rules)
    rules = all_rules(master.problem)
    found = View(master).solve_integer(rules, Deadline())
    assert {rule for candidate in found.candidates for rule in candidate.rules} <= set(rules)
    assert found.candidates[0].keeps_rows
    assert list(master.pool.rules) == before


def test_evaluations_are_remembered(master, monkeypatch):
    """The same rule set is counted once, until there are too many to remember; the answer is the master's."""
    monkeypatch.setattr(module, "REMEMBERED", 3)
    view = View(master)
    rules = [(rule,) for rule in master.pool.rules]
    first = view.evaluate(rules[0])
    assert view.evaluate(list(rules[0])) is first
    assert master.evaluations == 1
    for each in rules[1:4]:
        view.evaluate(each)
    assert master.evaluations == 4
    again = view.evaluate(rules[0])
    assert master.evaluations == 5
    assert again == first == master.evaluate(rules[0])


def test_nothing_found_is_nothing():
    """A search that has nothing to say says so without arguments."""
    assert (Found().rule_sets, Found().rules, Found().unfinished) == ((), (), False)


def test_a_view_counts_rules_that_the_pool_does_not_have(master):
    """Searches may ask about any rule set."""
    rule = Rule([0, 1])
    expected = np.count_nonzero(master.problem.labels != master.problem.predict([rule]))
    assert View(master).evaluate([rule]).errors == expected
