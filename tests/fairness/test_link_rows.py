"""Rows that tie missed positives to rules enter the relaxation when violated; time may run out right then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, Problem, load_registry
from rulecg_core.relaxation import LinearMaster
from rulecg_core.testing.brute_force import all_rules
from rulecg_fairness import Complexity, EqualizedOdds


def test_duals_stay_usable_when_time_runs_out_after_new_link_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last solution's duals, with 0 for the new rows, still make the pricing problem and the bound they made."""
    rng = np.random.default_rng(1)
    groups, y = rng.choice(["a", "b"], 80), rng.random(80) < 0.5
    X = rng.random((80, 5)) < np.where(y & (groups == "a"), 0.8, 0.4)[:, None]
    problem = Problem.from_arrays(X, y, groups={"g": groups}, max_conditions=3)
    master = HammingMaster(problem, [Complexity(8), EqualizedOdds(0.02)], load_registry().backend("highs"))
    rules = all_rules(problem)
    master.add_rules(rules[:3])
    assert master.solve_relaxation(Deadline()) is not None
    before, bound = master.pricing_problem(), master.lower_bound(-1.0)
    master.add_rules(rules[3:])
    links_came = []
    solve, add_links = LinearMaster._solve_once, LinearMaster._add_links

    def note_links(self: LinearMaster, which: Any, pool: Any) -> None:
        links_came.append(len(which))
        add_links(self, which, pool)

    def out_of_time_after_links(self: LinearMaster, pool: Any, deadline: Deadline) -> Any:
        return None if links_came else solve(self, pool, deadline)

    monkeypatch.setattr(LinearMaster, "_add_links", note_links)
    monkeypatch.setattr(LinearMaster, "_solve_once", out_of_time_after_links)
    assert master.solve_relaxation(Deadline()) is None
    assert links_came, "The example is meant to violate link rows."
    np.testing.assert_array_equal(master.pricing_problem().sample_weights, before.sample_weights)
    assert master.lower_bound(-1.0) == bound
