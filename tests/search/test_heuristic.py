"""The local search as a plugin keeps the contract of heuristics, with each of its parts switched off, too."""

import numpy as np
import pytest

from rulecg_core import Deadline, Limits, Problem, Rule, Schedule, SearchLimits, View, load_registry
from rulecg_core.base.events import IncumbentFound
from rulecg_core.solve.run import Run
from rulecg_core.solve.searching import Searching
from rulecg_core.testing import HeuristicContract
from rulecg_core.testing.master_contract import SizeBound, small_problem
from rulecg_core.testing.random_problems import planted_problem
from rulecg_search import union_programs
from rulecg_search.heuristic import LocalSearch
from rulecg_search.union_programs import UnionPrograms

from .opened import master_of


class TestLocalSearch(HeuristicContract):
    @pytest.fixture
    def backend(self):
        return load_registry().backend("highs")

    @pytest.fixture
    def heuristic(self):
        return LocalSearch()


class TestWithoutChangesOfConditions(TestLocalSearch):
    @pytest.fixture
    def heuristic(self):
        return LocalSearch(condition_moves=False)


class TestWithoutChoiceAmongRules(TestLocalSearch):
    @pytest.fixture
    def heuristic(self):
        return LocalSearch(subset_moves=False)


class TestWalksAlone(TestLocalSearch):
    @pytest.fixture
    def heuristic(self):
        return LocalSearch(subset_moves=False, mixtures=False, annealing=False, unions=False)


class TestSmallTables(TestLocalSearch):
    @pytest.fixture
    def heuristic(self):
        return LocalSearch(table_entries=100)


def test_it_is_found_by_name_and_takes_part_by_default():
    """Settings are given as text, a wrong one is told."""
    registry = load_registry()
    assert "local-search" in registry.defaults("heuristic", is_large=False)
    assert registry.heuristic("local-search") == LocalSearch()
    assert registry.heuristic("local-search:unions=False,annealed_samples=10") == LocalSearch(
        unions=False, annealed_samples=10
    )


def test_each_way_of_counting_has_a_search_of_its_own():
    """Errors are fewest in true counts, the objective is least in the master's; both searches remember."""
    master = master_of(small_problem(2), SizeBound(8))
    search = LocalSearch().open(View(master))
    rng = np.random.default_rng(0)
    hamming, truly = (
        [
            master.evaluate(rules)
            for rules in search.improve([], SearchLimits(restarts=30, true_counts=true_counts), rng).rule_sets
        ]
        for true_counts in (False, True)
    )
    assert hamming[0].objective <= min(found.objective for found in truly)
    assert truly[0].errors <= min(found.errors for found in hamming)
    assert search._searches[0].walks.elites
    assert search._searches[1].walks.elites


def test_setting_up_takes_time_once():
    """Until its samples are laid out, a search says how long that will take."""
    search = LocalSearch().open(View(master_of(planted_problem(4), SizeBound(12))))
    assert search.setup_seconds > 0
    search.prepare()
    assert search.setup_seconds == 0


def test_in_a_run_a_program_over_the_cheapest_rules_follows_a_relaxation_that_knows_the_local_optima(monkeypatch):
    """The search asks, the run solves the relaxation with the rules that it lacks, and the program sees its costs."""
    monkeypatch.setattr(union_programs, "LEAST", 4)
    seen = []
    usual_ask, usual_cheapest = UnionPrograms.ask, UnionPrograms._cheapest

    def ask(self):
        asked = usual_ask(self)
        if asked:
            seen.append(("asked", self.view.relaxation))
        return asked

    def cheapest(self, size):
        seen.append(("program", self.view.relaxation))
        return usual_cheapest(self, size)

    monkeypatch.setattr(UnionPrograms, "ask", ask)
    monkeypatch.setattr(UnionPrograms, "_cheapest", cheapest)
    rng = np.random.default_rng(0)
    X = rng.random((1_500, 24)) < 0.3
    y = (X[:, :2].all(axis=1) | X[:, 2:4].all(axis=1) | X[:, 4:6].all(axis=1)) ^ (rng.random(len(X)) < 0.15)
    master = master_of(Problem.from_arrays(X, y, max_conditions=3), SizeBound(15))
    master.add_rules([Rule((feature,)) for feature in range(24)])
    events = []
    schedule = Schedule(large_samples=100)
    run = Run(master, (), Limits(), events.append, np.random.default_rng(0), schedule, deadline=Deadline.after(30))
    run.searching = Searching(run, [("local-search", LocalSearch())])
    run.relax(master, Deadline())
    run.searching.deeply(Deadline.after(2))
    run.close()
    kinds = [kind for kind, _ in seen]
    assert kinds[:2] == ["asked", "program"]
    assert kinds.count("program") <= kinds.count("asked")
    (_, before), (_, after) = seen[:2]
    assert after.value < before.value
    assert len(after.weights) > len(before.weights)
    assert any(isinstance(event, IncumbentFound) and event.source == "local-search" for event in events)
    assert run.incumbents.best.objective <= 300
