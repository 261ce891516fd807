"""The heuristic keeps rulecg's contract, finds what there is to find, and works by name."""

from __future__ import annotations

import numpy as np
import pytest
from rulecg_drop_add import DropAdd

from rulecg_core import (
    Complexity,
    HammingMaster,
    Limits,
    Rule,
    SearchLimits,
    View,
    generate_columns,
    load_registry,
)
from rulecg_core.base.events import IncumbentFound
from rulecg_core.testing import HeuristicContract
from rulecg_core.testing.random_problems import planted_problem


class TestDropAdd(HeuristicContract):
    @pytest.fixture
    def backend(self):
        return load_registry().backend("highs")

    @pytest.fixture
    def heuristic(self):
        return DropAdd()


def planted_master():
    """Three rules make no error; every pair of conditions is in the pool."""
    master = HammingMaster(planted_problem(3), [Complexity(9)], load_registry().backend("highs"))
    master.add_rules([Rule((one, other)) for other in range(6) for one in range(other)])
    return master


def test_it_finds_the_planted_rules_and_remembers_them():
    """From nothing, in a few restarts; the next call begins where this one ended."""
    master = planted_master()
    search = DropAdd().open(View(master))
    rng = np.random.default_rng(0)
    for restarts in (30, 0):
        best, *_ = search.improve([], SearchLimits(restarts=restarts), rng).rule_sets
        assert set(best) == {Rule((0, 1)), Rule((2, 3)), Rule((4, 5))}


def test_by_name():
    """A run takes the heuristic as text with options, and tells which rule sets it found."""
    registry = load_registry()
    heuristic = registry.heuristic("drop-add:tried=50")
    assert heuristic == DropAdd(tried=50)
    sources = set()

    def listen(event):
        if isinstance(event, IncumbentFound):
            sources.add(event.source)

    master = planted_master()
    pricer = registry.pricer("exact-search", master.backend)
    result = generate_columns(
        master, [pricer], Limits(seconds=10), heuristics=[("drop-add", heuristic)], on_event=listen
    )
    assert "drop-add" in sources
    assert result.objective == 0


def test_a_share_is_not_a_percentage():
    """A share outside 0 to 1 is refused."""
    with pytest.raises(ValueError, match="dropped"):
        DropAdd(dropped=50)
