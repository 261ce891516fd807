"""Rows that tie missed positives to rules enter the relaxation when violated; time may run out right then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rulecg_core import (
    Deadline,
    HammingMaster,
    IntegerLimits,
    Limits,
    Problem,
    RelaxationOptions,
    generate_columns,
    load_registry,
)
from rulecg_core.masters.lp.linear_master import LinearMaster
from rulecg_core.masters.lp.program import Program
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_fairness import Complexity, EqualizedOdds


def example() -> Problem:
    rng = np.random.default_rng(1)
    groups, y = rng.choice(["a", "b"], 80), rng.random(80) < 0.5
    X = rng.random((80, 5)) < np.where(y & (groups == "a"), 0.8, 0.4)[:, None]
    return Problem.from_arrays(X, y, sensitive_groups={"g": groups}, max_conditions=3)


def master_of(problem: Problem, linked_positives: int = 3_000) -> HammingMaster:
    options = RelaxationOptions(linked_positives=linked_positives)
    backend = load_registry().backend("highs")
    return HammingMaster(problem, [Complexity(8), EqualizedOdds(0.02)], backend, options=options)


def test_without_link_rows_bounds_are_weaker_but_valid() -> None:
    """On large data link rows are left out: the relaxation falls, its bound stays below every rule set it is about."""
    problem = example()
    with_links, without = master_of(problem), master_of(problem, linked_positives=0)
    for master in (with_links, without):
        master.add_rules(all_rules(problem))
    linked = with_links.solve_relaxation(Deadline())
    free = without.solve_relaxation(Deadline())
    assert linked is not None
    assert free is not None
    assert free.value < linked.value - 1e-6, "The example is meant to need link rows."
    result = generate_columns(master_of(problem, linked_positives=0), [BruteForcePricer()], Limits(seconds=10))
    exact = with_links.solve_integer(IntegerLimits())
    assert result.lower_bound is not None
    assert exact.bound is not None
    assert result.lower_bound <= exact.candidates[0].objective + 1e-6
    assert with_links.evaluate(result.rules).is_feasible


def test_time_may_run_out_after_new_link_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last relaxation still has the pricing problem and the bound it had, and the next one is as if nothing had
    happened."""
    problem = example()
    master = master_of(problem)
    rules = all_rules(problem)
    master.add_rules(rules[:3])
    last = master.solve_relaxation(Deadline())
    assert last is not None
    before, bound = last.pricing.sample_weights.copy(), last.lower_bound(-1.0)
    master.add_rules(rules[3:])
    links_came = []
    solve, add_links = LinearMaster._solve_once, Program.add_links

    def note_links(self: Program, which: Any) -> None:
        links_came.append(len(which))
        add_links(self, which)

    def out_of_time_after_links(self: LinearMaster, pool: Any, deadline: Deadline) -> Any:
        return None if links_came else solve(self, pool, deadline)

    monkeypatch.setattr(Program, "add_links", note_links)
    monkeypatch.setattr(LinearMaster, "_solve_once", out_of_time_after_links)
    assert master.solve_relaxation(Deadline()) is None
    assert links_came, "The example is meant to violate link rows."
    np.testing.assert_array_equal(last.pricing.sample_weights, before)
    assert last.lower_bound(-1.0) == bound
    monkeypatch.undo()
    again, fresh = master.solve_relaxation(Deadline()), master_of(problem)
    fresh.add_rules(rules)
    expected = fresh.solve_relaxation(Deadline())
    assert again is not None
    assert expected is not None
    assert again.value == pytest.approx(expected.value, abs=1e-6)
