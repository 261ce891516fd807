"""Rule sets drawn from the relaxation: of rules with weight, within the bounds on size, only where they help."""

import numpy as np

from rulecg_core import Deadline, SearchLimits, View
from rulecg_search.drawn_sets import DRAWN, drawn_rule_sets

from .cases import master_of_case
from .opened import counted


def drawn(master, n_sets, seed=0, relaxed=True):
    relaxation = master.solve_relaxation(Deadline()) if relaxed else None
    sets = drawn_rule_sets(View(master, lambda: relaxation), np.random.default_rng(seed), n_sets)
    return sets, relaxation


def test_sets_are_made_of_rules_with_weight_and_keep_the_bound_on_size():
    """None is empty or has a rule twice, and they are not all the same."""
    master = master_of_case("rates", 4)
    sets, relaxation = drawn(master, DRAWN)
    used = set(relaxation.in_use)
    assert len(sets) == DRAWN
    assert len({frozenset(rules) for rules in sets}) > 1
    for rules in sets:
        assert rules
        assert set(rules) <= used
        assert len(set(rules)) == len(rules)
        assert master.goal.row_values(rules)["size"][0] <= 8


def test_as_many_as_asked_for_but_no_more_than_there_is_use_for():
    """The same seed draws the same sets."""
    assert len(drawn(master_of_case("rates", 0), 3)[0]) == 3
    assert len(drawn(master_of_case("rates", 0), 1_000)[0]) == DRAWN
    assert drawn(master_of_case("rates", 0), 5, seed=4)[0] == drawn(master_of_case("rates", 0), 5, seed=4)[0]


def test_there_are_none_where_rules_meet_in_nothing_but_size_or_before_a_relaxation():
    """There, growing rule sets one rule at a time gets on well."""
    assert drawn(master_of_case("complexity", 0), 5)[0] == []
    assert drawn(master_of_case("rates", 0), 5, relaxed=False)[0] == []


def test_a_search_begins_from_drawn_sets_after_the_given_ones():
    """As many as it may begin again."""
    master = master_of_case("rates", 4)
    search = counted(master, relaxation=master.solve_relaxation(Deadline()))
    given = [master.pool.rules[0]]
    going = search._begin([given], SearchLimits(restarts=5), np.random.default_rng(0))
    assert going.starts == [given, *drawn(master, 5)[0]]
