"""The state of a choice among rules: its values, and those of its neighbours, are true values."""

import numpy as np
import pytest

from rulecg_search.given_rules.cover_state import CoverState

from ..cases import CASES, master_of_case
from ..opened import counted


def state_of(master, count_once=False):
    tables = counted(master, count_once=count_once).tables
    return CoverState(tables.table(master.pool.rules, np.random.default_rng(0)))


def visited(master, count_once, chosen):
    """The values of all forms for a subset, from a fresh state."""
    state = state_of(master, count_once)
    state.move_to(np.array(sorted(chosen), dtype=np.int64))
    return state.values


@pytest.mark.parametrize("case", CASES)
def test_state_counts_as_the_master_counts(case):
    """Objective and rows of a state equal the master's, in Hamming counts and in true counts."""
    for seed in range(5):
        master = master_of_case(case, seed)
        rng = np.random.default_rng(seed)
        for size in range(4):
            chosen = rng.permutation(len(master.pool))[:size]
            rules = [master.pool.rules[at] for at in chosen]
            rows = list(master.goal.row_values(rules).values())
            found = master.evaluate(rules)
            for count_once in (False, True):
                state = state_of(master, count_once)
                state.move_to(chosen)
                np.testing.assert_allclose(state.values[1:], [row[count_once] for row in rows], atol=1e-9)
                if case != "auxiliary variable":
                    assert state.objective == pytest.approx(found.errors if count_once else found.objective)
                    violation = found.true_violation if count_once else found.proxy_violation
                    assert (state.violation > 0) == (violation > 1e-9)
                elif not count_once:
                    assert state.objective == pytest.approx(found.objective)


@pytest.mark.parametrize("case", ["complexity", "rates"])
@pytest.mark.parametrize("count_once", [False, True])
def test_predicted_values_are_the_values_after_the_move(case, count_once):
    """Add, drop, swap, two for one and one for two, after a history of changes."""
    for seed in range(4):
        master = master_of_case(case, seed)
        rng = np.random.default_rng(seed)
        state = state_of(master, count_once)
        for size in (6, 3, 5):
            state.move_to(rng.permutation(len(master.pool))[:size])
        chosen, others = set(state.chosen.tolist()), np.flatnonzero(~state.is_chosen)
        slots = state.slots
        inside = state.rules_in(slots)

        def check(values, out, into, chosen=chosen, master=master):
            np.testing.assert_allclose(values, visited(master, count_once, chosen - set(out) | set(into)), atol=1e-5)

        for rule in others:
            check(state.add_values()[:, rule], [], [rule])
        for at, dropped in enumerate(inside):
            check(state.drop_values()[:, at], [dropped], [])
            check(state.swap_values()[:, at, others[at]], [dropped], [others[at]])
        pairs = state.two_for_one_values(slots[0], slots[2], others)
        loose_pairs = state.loose_two_for_one_values(slots[0])[:, 2]
        splits = state.one_for_two_values(slots[1], others[0], others[1:])
        loose_splits = state.loose_one_for_two_values(slots[1], others[0])
        for at, rule in enumerate(others):
            check(pairs[:, at], [inside[0], inside[2]], [rule])
            if at:
                check(splits[:, at - 1], [inside[1]], [others[0], rule])
            if not count_once:
                assert loose_pairs[0, rule] <= pairs[0, at] + 1e-6
                assert at == 0 or loose_splits[0, rule] <= splits[0, at - 1] + 1e-6
