"""Rounds of relaxation and pricing: when they end."""

import time

import numpy as np

from rulecg_core import HammingMaster, Limits, Problem, Schedule, Stop, generate_columns, load_registry
from rulecg_core.base.events import Note
from rulecg_core.testing.master_contract import SizeBound
from rulecg_search.heuristic import LocalSearch
from tests.core.generation.two_rules import TwoRules


def test_a_slow_relaxation_is_the_last_one(monkeypatch):
    """When one relaxation takes more than a quarter of the time left, the search gets the rest, and that is told."""
    rng = np.random.default_rng(1)
    X = rng.random((400, 8)) < 0.5
    problem = Problem.from_arrays(X, (X[:, 0] & X[:, 1]) | (rng.random(400) < 0.1), max_conditions=2)
    master = HammingMaster(problem, [SizeBound(6)], load_registry().backend("highs"))
    solve = master.solve_relaxation

    def slow(deadline):
        time.sleep(0.6)
        return solve(deadline)

    monkeypatch.setattr(master, "solve_relaxation", slow)
    schedule = {"large_samples": 100, "generation": {"tight_shares": []}, "search": {"during_generation": False}}
    events = []
    result = generate_columns(
        master,
        [TwoRules()],
        Limits(seconds=2.4),
        heuristics=[LocalSearch()],
        schedule=Schedule().with_settings(schedule),
        on_event=events.append,
    )
    assert len(result.history) == 1
    assert result.stop is Stop.TIME_LIMIT
    assert any("goes to the search" in event.message for event in events if isinstance(event, Note))
    assert result.objective < master.evaluate(()).objective
