"""Walks: the same seed gives the same answer however many cores there are, and what ends one of them ends all."""

import threading
import time

import numpy as np
import pytest

from rulecg_core import Deadline, Problem, Rule
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem
from rulecg_core.testing.random_problems import planted_problem, random_problem
from rulecg_search.conditions.moves import ConditionMoves

from .opened import counted, master_of


def walks_of(master, **settings):
    return counted(master, **settings).walks


@pytest.mark.parametrize("n_walks", [1, 3])
def test_the_same_seed_gives_the_same_walks(n_walks):
    """Without a deadline nothing depends on which thread is faster."""
    met = []
    for _ in range(2):
        walks = walks_of(master_of(random_problem(4, max_samples=300, max_features=12, max_conditions=3), SizeBound(9)))
        rng = np.random.default_rng(7)
        met.append([found.rules for _ in range(6) for found in walks.leg(8, n_walks, Deadline(), rng)])
    assert met[0] == met[1]


def test_what_walks_meet_keeps_every_row_and_is_as_good_as_said():
    """Candidates come from the master's own evaluation, within the bounds on size and on rates."""
    for seed in range(3):
        master = master_of(small_problem(seed), SizeBound(8), MissedShareBound(0.25))
        walks = walks_of(master)
        for found in walks.leg(20, 2, Deadline(), np.random.default_rng(seed)):
            assert found == master.evaluate(found.rules)
            assert found.proxy_violation <= 1e-9


def test_mixtures_are_made_of_both_rule_sets_and_fit():
    """As many rules of the one and the other as there is room for, none twice."""
    master = master_of(planted_problem(6), SizeBound(9))
    walks = walks_of(master)
    left = master.evaluate([Rule((0, 1)), Rule((2, 3)), Rule((4, 5))])
    right = master.evaluate([Rule((4, 5)), Rule((6, 7)), Rule((8, 9))])
    walks.meet([right])
    mixtures = {frozenset(walks._mixed(left, np.random.default_rng(seed))) for seed in range(40)}
    assert len(mixtures) > 5
    for rules in mixtures:
        assert rules <= set(left.rules) | set(right.rules)
        assert len(rules) == 3


def test_of_every_run_the_best_rule_set_is_kept():
    """A better one replaces the run's own, never another run's; equal ones count once."""
    master = master_of(planted_problem(4), SizeBound(12))
    walks = walks_of(master)
    sets = [master.evaluate([Rule((2 * rule, 2 * rule + 1)) for rule in range(size)]) for size in range(4)]
    walks.meet([sets[0]])
    walks._rank(1, [sets[1]])
    walks._rank(2, [sets[1]])
    walks._rank(1, [sets[3], sets[2]])
    walks._rank(3, [sets[2]])
    assert [elite.rules for elite in walks.elites] == [sets[3].rules, sets[2].rules, sets[1].rules, sets[0].rules]


def test_switched_off_mixtures_are_never_made(monkeypatch):
    """The part that mixes rule sets can be switched off."""
    problem = random_problem(1, max_samples=200, max_features=8, max_conditions=3)
    for mixtures in (True, False):
        master = master_of(problem, SizeBound(9))
        walks = walks_of(master, mixtures=mixtures)
        walks.meet([master.evaluate([Rule((0,))])])
        made = []
        monkeypatch.setattr(walks, "_mixed", lambda current, rng, made=made: made.append(1) or list(current.rules))
        rng = np.random.default_rng(0)
        for _ in range(30):
            walks.leg(10, 2, Deadline(), rng)
        assert bool(made) is mixtures


def test_a_failure_in_one_walk_ends_the_others(monkeypatch):
    """The error arrives, and soon: nobody waits for walks that have no deadline."""
    master = master_of(planted_problem(5), SizeBound(12))
    walks = walks_of(master)
    usual, lock, calls = ConditionMoves.descend, threading.Lock(), []

    def descend(self, *arguments):
        with lock:
            calls.append(1)
            if len(calls) == 5:
                raise KeyboardInterrupt
        return usual(self, *arguments)

    monkeypatch.setattr(ConditionMoves, "descend", descend)
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        walks.leg(10**9, 2, Deadline(), np.random.default_rng(0))
    assert time.perf_counter() - began < 30


def test_a_deadline_ends_a_leg():
    """Also one of very many steps."""
    walks = walks_of(master_of(planted_problem(5), SizeBound(12)))
    began = time.perf_counter()
    found = walks.leg(10**9, 2, Deadline.after(0.3), np.random.default_rng(0))
    assert time.perf_counter() - began < 10
    assert 0 < len(found) < 10**6


def test_rules_grow_beyond_the_room_of_the_first_call():
    """From nothing to as many rules as the data has, more than a descent has room for at first."""
    problem = planted_problem(30, n_samples=4_000)
    master = master_of(problem, SizeBound(200))
    rules = counted(master).moves.descend((), Deadline(), np.random.default_rng(0))
    assert len(rules) > 20
    assert master.evaluate(rules).objective == 0


@pytest.mark.parametrize("count_once", [False, True])
def test_a_memory_changes_nothing_but_the_time(count_once):
    """Descents with a memory that others have used end where they end with a new one."""
    for seed in range(5):
        problem = random_problem(seed, max_samples=400, max_features=14, max_conditions=4)
        moves = counted(master_of(problem, SizeBound(14)), count_once=count_once).moves
        memory = moves.memory()
        for turn in range(4):
            rngs = [np.random.default_rng([seed, turn, number]) for number in range(3)]
            start = [Rule(each.permutation(problem.n_conditions)[:2]) for each in rngs]
            ends = [moves.descend(start, Deadline(), np.random.default_rng(turn), each) for each in (None, memory)]
            assert ends[0] == ends[1]


def test_a_condition_is_dropped_here_for_one_there_where_size_is_scarce():
    """Neither helps by itself: the drop changes nothing, and for the other there is no room."""
    rng = np.random.default_rng(0)
    X = rng.random((500, 6)) < 0.5
    X[:, 4] |= X[:, 0]
    problem = Problem.from_arrays(X, (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3] & X[:, 5]), max_conditions=3)
    moves = counted(master := master_of(problem, SizeBound(7))).moves
    start = [Rule((0, 1, 4)), Rule((2, 3))]
    assert master.evaluate(start).complexity == 7
    assert set(moves.descend(start, Deadline(), rng)) == {Rule((0, 1)), Rule((2, 3, 5))}
