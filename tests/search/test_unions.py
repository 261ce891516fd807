"""Programs over the rules of local optima: what they find is truly the best, and they keep to their share of time."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from rulecg_core import Deadline, HammingMaster, Problem, Rule, load_registry
from rulecg_core.api.master import IntegerResult
from rulecg_core.api.parts import SearchParts
from rulecg_core.base.errors import SolveError
from rulecg_core.base.status import Stop
from rulecg_core.data.problem import LARGE
from rulecg_core.generation.stages import reduced_costs
from rulecg_core.testing.master_contract import SizeBound
from rulecg_core.testing.random_problems import planted_problem
from rulecg_search import unions
from rulecg_search.local_search import LocalSearch
from rulecg_search.unions import LEAST, SHARE, Unions

N_RULES = 12


TRUE = [Rule((2 * rule, 2 * rule + 1)) for rule in range(N_RULES)]


def master_of(size=3 * N_RULES):
    problem = planted_problem(N_RULES, n_samples=3_000, density=0.12)
    return HammingMaster(problem, [SizeBound(size)], load_registry().backend("highs"))


def merit(candidate):
    return candidate.proxy_violation, candidate.objective, candidate.complexity


def half_true(master, seed):
    """Half of the true rules, and others."""
    rng = np.random.default_rng(seed)
    chosen = [TRUE[at] for at in rng.permutation(N_RULES)[: N_RULES // 2]]
    others = {Rule(sorted(rng.choice(2 * N_RULES, size=2, replace=False).tolist())) for _ in range(6)}
    return master.evaluate([*chosen, *(others - set(TRUE))])


def learn(united, candidates, seconds):
    """Local optima that took so many seconds to find."""
    united.learn(candidates)
    united.turns.others += seconds


@pytest.fixture
def met():
    master = master_of()
    return master, [half_true(master, seed) for seed in range(12)]


def test_a_union_takes_the_best_of_each(met):
    """No rule set met has more than half of the true rules; together they have all of them."""
    master, candidates = met
    known = min(candidates, key=merit)
    assert known.objective > 0
    united = Unions(master, merit)
    learn(united, candidates, 10.0)
    assert united.is_due
    found = united.solve(known, Deadline(), np.random.default_rng(0))
    assert min(found, key=merit).objective == 0
    assert set(min(found, key=merit).rules) == set(TRUE)


def test_what_comes_back_is_never_worse_than_what_was_known(met):
    """The best rule set known takes part, whatever else is drawn."""
    master, candidates = met
    best = master.evaluate(TRUE)
    united = Unions(master, merit)
    learn(united, candidates, 10.0)
    found = united.solve(best, Deadline(), np.random.default_rng(0))
    assert min(map(merit, found)) <= merit(best)


def test_rules_are_ranked_by_the_best_rule_set_they_were_in(met):
    """The rules of a better rule set come first, and a rule is remembered at its best."""
    master, _ = met
    better, worse = master.evaluate(TRUE[:6]), master.evaluate(TRUE[4:8])
    united = Unions(master, merit)
    learn(united, [worse, better], 1.0)
    assert set(united.rules[:6]) == set(TRUE[:6])
    assert set(united.rules) == set(TRUE[:8])
    learn(united, [worse], 1.0)
    assert set(united.rules[:6]) == set(TRUE[:6])


def answering(master, monkeypatch, stops):
    """A solver that finds nothing new and stops as told; how many rules each of its programs had."""
    sizes, stops = [], iter(stops)

    def solve_integer(deadline, *, among, start, **options):
        sizes.append(len(among))
        return IntegerResult((master.evaluate(start[0]),), None, next(stops))

    monkeypatch.setattr(master, "solve_integer", solve_integer)
    return sizes


def many_rules(master):
    """Local optima, so to speak, of every rule of two conditions."""
    rules = [Rule(pair) for pair in combinations(range(2 * N_RULES), 2)]
    return [master.evaluate(rules[at : at + 10]) for at in range(0, len(rules), 10)]


def test_programs_keep_to_their_share_of_the_time(monkeypatch):
    """Not due before there are enough rules, nor again before the search went on for its share; the share falls when a
    program is not solved."""
    master = master_of()
    united, candidates = Unions(master, merit), many_rules(master)
    learn(united, candidates[:1], 10.0)
    assert len(candidates[0].rules) < LEAST
    assert not united.is_due
    learn(united, candidates, 0.0)
    assert united.is_due
    answering(master, monkeypatch, [Stop.TIME_LIMIT])
    clock = iter([0.0, 6.0])
    monkeypatch.setattr(unions, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    united.solve(candidates[0], Deadline(), np.random.default_rng(0))
    assert not united.is_due
    learn(united, [], 5.0)
    assert SHARE * (15.0 + 6.0) > 6.0
    assert not united.is_due
    learn(united, [], 3.0)
    assert united.is_due


def test_programs_grow_while_they_are_solved_and_shrink_when_they_are_not(monkeypatch):
    """But for one that had not all its time: that says nothing about its size."""
    master = master_of()
    united, candidates = Unions(master, merit), many_rules(master)
    learn(united, candidates, 10.0)
    solved, late = Stop.COMPLETED, Stop.TIME_LIMIT
    sizes = answering(master, monkeypatch, [solved, solved, late, late, late])
    for deadline in [Deadline(), Deadline(), Deadline.after(0.1), Deadline(), Deadline()]:
        united.solve(candidates[0], deadline, np.random.default_rng(0))
    assert sizes[0] < sizes[1] < sizes[2]
    assert sizes[2] == sizes[3]
    assert sizes[3] > sizes[4]


def test_once_there_is_a_relaxation_every_second_program_is_over_the_rules_that_cost_least(met, monkeypatch):
    """The relaxation first takes in the rules of local optima that it lacks, so that their costs are those over all."""
    master, candidates = met
    known = min(candidates, key=merit)
    united, chosen = Unions(master, merit), []
    learn(united, candidates, 10.0)
    usual = master.solve_integer

    def note(deadline, **options):
        chosen.append(set(options["among"]) - set(known.rules))
        return usual(deadline, **options)

    monkeypatch.setattr(master, "solve_integer", note)
    drawn = []
    monkeypatch.setattr(united, "_drawn", lambda size, rng: drawn.append(1) or united.rules[:size])
    united.solve(known, Deadline(), np.random.default_rng(0))
    assert len(drawn) == 1
    master.add_rules(known.rules)
    before = master.solve_relaxation(Deadline()).objective
    found = united.solve(known, Deadline(), np.random.default_rng(0))
    assert len(drawn) == 1
    assert master.solve_relaxation(Deadline()).objective < before
    costs = dict(zip(united.rules, reduced_costs(master, master.pricing_problem(), united.rules), strict=True))
    assert min(costs.values()) > -1e-6
    left_out = [cost for rule, cost in costs.items() if rule not in chosen[-1] and rule not in known.rules]
    assert max(costs[rule] for rule in chosen[-1] if rule in costs) <= min(left_out, default=np.inf) + 1e-6
    assert min(found, key=merit).objective == 0
    united.solve(known, Deadline(), np.random.default_rng(0))
    assert len(drawn) == 2


def test_a_solver_that_fails_does_not_end_the_search(met, monkeypatch):
    """A program more is no necessity."""
    master, candidates = met

    def fail(*args, **options):
        raise SolveError("out of memory")

    monkeypatch.setattr(master, "solve_integer", fail)
    united = Unions(master, merit)
    learn(united, candidates, 10.0)
    assert united.solve(candidates[0], Deadline(), np.random.default_rng(0)) == ()


def test_data_that_is_too_large_for_programs_has_none(met, monkeypatch):
    """Rules × samples are limited, so that ten million rows do not become a program."""
    master, candidates = met
    monkeypatch.setattr(unions, "ENTRIES", 10 * master.problem.n_samples)
    united = Unions(master, merit)
    learn(united, candidates, 10.0)
    assert not united.is_due
    assert len(united.rules) == 10


def large_master():
    rng = np.random.default_rng(1)
    X = rng.random((LARGE + 500, 30)) < 0.3
    y = (X[:, :2].all(axis=1) | X[:, 2:4].all(axis=1) | X[:, 4:6].all(axis=1)) ^ (rng.random(len(X)) < 0.1)
    return HammingMaster(
        Problem.from_arrays(X, y, max_conditions=3), [SizeBound(20)], load_registry().backend("highs")
    )


@pytest.mark.parametrize("wanted", [True, False])
def test_the_search_unites_on_large_data_unless_switched_off(wanted, monkeypatch):
    """The part has a name, and switching it off leaves it out; small data and true counts have none."""
    calls = []
    solve = Unions.solve
    monkeypatch.setattr(unions, "LEAST", 4)
    monkeypatch.setattr(Unions, "solve", lambda self, *args: calls.append(1) or solve(self, *args))
    search = LocalSearch(large_master(), parts=SearchParts(unions=wanted))
    found = search.improve([], Deadline(), np.random.default_rng(0), restarts=60)
    assert bool(calls) == wanted
    assert bool(search.met_rules) == wanted
    assert found[0].proxy_violation <= 1e-9
    assert LocalSearch(master_of()).met_rules == []
    assert LocalSearch(large_master(), count_once=True).met_rules == []


def test_a_search_ends_at_a_loss_that_nothing_can_be_below():
    """Rule sets without any error need no further search, however much time there is."""
    master = master_of()
    found = LocalSearch(master).improve([TRUE], Deadline.after(60), np.random.default_rng(0), restarts=1 << 40)
    assert found[0].objective == 0
