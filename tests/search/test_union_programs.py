"""Programs over the rules of local optima: what they find is truly the best, and they keep to their share of time."""

from itertools import combinations

import numpy as np
import pytest

from rulecg_core import Deadline, IntegerResult, Problem, Rule, SearchLimits, SolveError, Stop, View, reduced_costs
from rulecg_core.testing.master_contract import SizeBound
from rulecg_core.testing.random_problems import planted_problem
from rulecg_search import union_programs
from rulecg_search.union_programs import LEAST, SHARE, UnionPrograms

from .opened import counted, improved, master_of

N_RULES = 12
TRUE = [Rule((2 * rule, 2 * rule + 1)) for rule in range(N_RULES)]


def planted_master():
    return master_of(planted_problem(N_RULES, n_samples=3_000, density=0.12), SizeBound(3 * N_RULES))


def programs_of(master, latest=lambda: None):
    return UnionPrograms(View(master, latest, is_large=True), merit)


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
    united.share.others += seconds


@pytest.fixture
def met():
    master = planted_master()
    return master, [half_true(master, seed) for seed in range(12)]


def test_a_union_takes_the_best_of_each(met):
    """No rule set met has more than half of the true rules; together they have all of them."""
    master, candidates = met
    known = min(candidates, key=merit)
    assert known.objective > 0
    united = programs_of(master)
    learn(united, candidates, 10.0)
    assert united.is_due
    found = united.solve(known, Deadline(), np.random.default_rng(0))
    assert min(found, key=merit).objective == 0
    assert set(min(found, key=merit).rules) == set(TRUE)


def test_what_comes_back_is_never_worse_than_what_was_known(met):
    """The best rule set known takes part, whatever else is drawn."""
    master, candidates = met
    best = master.evaluate(TRUE)
    united = programs_of(master)
    learn(united, candidates, 10.0)
    found = united.solve(best, Deadline(), np.random.default_rng(0))
    assert min(map(merit, found)) <= merit(best)


def test_rules_are_ranked_by_the_best_rule_set_they_were_in(met):
    """The rules of a better rule set come first, and a rule is remembered at its best."""
    master, _ = met
    better, worse = master.evaluate(TRUE[:6]), master.evaluate(TRUE[4:8])
    united = programs_of(master)
    learn(united, [worse, better], 1.0)
    assert set(united.rules[:6]) == set(TRUE[:6])
    assert set(united.rules) == set(TRUE[:8])
    learn(united, [worse], 1.0)
    assert set(united.rules[:6]) == set(TRUE[:6])


def answering(master, monkeypatch, stops):
    """A solver that finds nothing new and stops as told; how many rules each of its programs had."""
    sizes, stops = [], iter(stops)

    def solve_integer(limits, *, among, start, **options):
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
    master = planted_master()
    united, candidates = programs_of(master), many_rules(master)
    learn(united, candidates[:1], 10.0)
    assert len(candidates[0].rules) < LEAST
    assert not united.is_due
    learn(united, candidates, 0.0)
    assert united.is_due
    answering(master, monkeypatch, [Stop.TIME_LIMIT])
    clock = iter([0.0, 6.0])
    monkeypatch.setattr(union_programs, "now", lambda: next(clock))
    united.solve(candidates[0], Deadline(), np.random.default_rng(0))
    assert not united.is_due
    learn(united, [], 5.0)
    assert SHARE * (15.0 + 6.0) > 6.0
    assert not united.is_due
    learn(united, [], 3.0)
    assert united.is_due


def test_programs_grow_while_they_are_solved_and_shrink_when_they_are_not(monkeypatch):
    """But for one that had not all its time: that says nothing about its size."""
    master = planted_master()
    united, candidates = programs_of(master), many_rules(master)
    learn(united, candidates, 10.0)
    solved, late = Stop.COMPLETED, Stop.TIME_LIMIT
    sizes = answering(master, monkeypatch, [solved, solved, late, late, late])
    for deadline in [Deadline(), Deadline(), Deadline.after(0.1), Deadline(), Deadline()]:
        united.solve(candidates[0], deadline, np.random.default_rng(0))
    assert sizes[0] < sizes[1] < sizes[2]
    assert sizes[2] == sizes[3]
    assert sizes[3] > sizes[4]


def relaxed_with(master, rules):
    """The relaxation after it took in those of some rules that it lacked, as a run does it."""
    while True:
        relaxation = master.solve_relaxation(Deadline())
        costs = reduced_costs(master.problem, relaxation.pricing, rules)
        if not master.add_rules([rule for rule, cost in zip(rules, costs, strict=True) if cost < -1e-6]):
            return relaxation


def test_once_there_is_a_relaxation_every_second_program_is_over_the_rules_that_cost_least(met, monkeypatch):
    """The relaxation first takes in the rules of local optima that it lacks, so that their costs are those over all."""
    master, candidates = met
    known = min(candidates, key=merit)
    latest = []
    united, chosen = programs_of(master, lambda: latest[-1] if latest else None), []
    learn(united, candidates, 10.0)
    usual = master.solve_integer

    def note(limits, **options):
        chosen.append(set(options["among"]) - set(known.rules))
        return usual(limits, **options)

    monkeypatch.setattr(master, "solve_integer", note)
    drawn = []
    monkeypatch.setattr(united, "_drawn", lambda size, rng: drawn.append(1) or united.rules[:size])
    assert not united.ask()
    united.solve(known, Deadline(), np.random.default_rng(0))
    assert len(drawn) == 1
    master.add_rules(known.rules)
    latest.append(master.solve_relaxation(Deadline()))
    assert united.ask()
    assert not united.ask()
    latest.append(relaxed_with(master, united.rules))
    assert latest[1].value < latest[0].value
    found = united.solve(known, Deadline(), np.random.default_rng(0))
    assert len(drawn) == 1
    costs = dict(zip(united.rules, reduced_costs(master.problem, latest[1].pricing, united.rules), strict=True))
    assert min(costs.values()) > -1e-6
    left_out = [cost for rule, cost in costs.items() if rule not in chosen[-1] and rule not in known.rules]
    assert max(costs[rule] for rule in chosen[-1] if rule in costs) <= min(left_out, default=np.inf) + 1e-6
    assert min(found, key=merit).objective == 0
    assert not united.ask()
    united.solve(known, Deadline(), np.random.default_rng(0))
    assert len(drawn) == 2


def test_rules_have_no_cost_while_bounds_on_size_are_tightened(met):
    """A relaxation with tighter bounds says little about what rules are worth: programs go on with drawn rules."""
    master, candidates = met
    master.add_rules(TRUE)
    with master.tightened(0.5) as tight:
        relaxation = tight.solve_relaxation(Deadline())
    united = programs_of(master, lambda: relaxation)
    learn(united, candidates, 10.0)
    for _ in range(3):
        assert not united.ask()
        assert united.solve(candidates[0], Deadline(), np.random.default_rng(0))


def test_a_relaxation_that_was_asked_for_counts_as_time_of_the_program_but_a_long_absence_does_not(met, monkeypatch):
    """Between two turns of a search anything may happen, which is not the programs' doing."""
    master, candidates = met
    master.add_rules(TRUE)
    relaxation = master.solve_relaxation(Deadline())
    for asked, expected in ((9.5, 0.5), (1.0, 0.06 * 20.0)):
        united = programs_of(master, lambda: relaxation)
        learn(united, candidates, 20.0)
        clock = iter([asked])
        monkeypatch.setattr(union_programs, "now", lambda clock=clock: next(clock, 10.0))
        assert united.ask()
        united.solve(candidates[0], Deadline(), np.random.default_rng(0))
        assert united.share.spent == pytest.approx(expected)


def test_a_solver_that_fails_does_not_end_the_search(met, monkeypatch):
    """A program more is no necessity."""
    master, candidates = met

    def fail(*args, **options):
        raise SolveError("out of memory")

    monkeypatch.setattr(master, "solve_integer", fail)
    united = programs_of(master)
    learn(united, candidates, 10.0)
    assert united.solve(candidates[0], Deadline(), np.random.default_rng(0)) == ()


def test_data_that_is_too_large_for_programs_has_none(met, monkeypatch):
    """Rules × samples are limited, so that ten million rows do not become a program."""
    master, candidates = met
    monkeypatch.setattr(union_programs, "ENTRIES", 10 * master.problem.n_samples)
    united = programs_of(master)
    learn(united, candidates, 10.0)
    assert not united.is_due
    assert len(united.rules) == 10


def large_master():
    rng = np.random.default_rng(1)
    X = rng.random((5_500, 30)) < 0.3
    y = (X[:, :2].all(axis=1) | X[:, 2:4].all(axis=1) | X[:, 4:6].all(axis=1)) ^ (rng.random(len(X)) < 0.1)
    return master_of(Problem.from_arrays(X, y, max_conditions=3), SizeBound(20))


@pytest.mark.parametrize("wanted", [True, False])
def test_the_search_unites_on_large_data_unless_switched_off(wanted, monkeypatch):
    """The part has a name, and switching it off leaves it out; small data and true counts have none."""
    calls = []
    solve = UnionPrograms.solve
    monkeypatch.setattr(union_programs, "LEAST", 4)
    monkeypatch.setattr(UnionPrograms, "solve", lambda self, *args: calls.append(1) or solve(self, *args))
    search = counted(large_master(), is_large=True, unions=wanted)
    found = search.improve([], SearchLimits(restarts=60), np.random.default_rng(0))
    assert bool(calls) == wanted
    assert bool(found.rules) == wanted
    assert search.view.evaluate(found.rule_sets[0]).proxy_violation <= 1e-9
    for other in (counted(planted_master()), counted(large_master(), count_once=True, is_large=True)):
        assert other.improve([], SearchLimits(restarts=1), np.random.default_rng(0)).rules == ()


def waiting_search(latest, monkeypatch):
    """A search on large data that asked for a newer relaxation, with what it found until then."""
    monkeypatch.setattr(union_programs, "LEAST", 4)
    master = large_master()
    search = counted(master, is_large=True)
    search.view._latest = lambda: latest[-1]
    for kind in search.programs._kinds:
        kind.size = 12
    master.add_rules([Rule((feature,)) for feature in range(30)])
    latest.append(master.solve_relaxation(Deadline()))
    found = search.improve([], SearchLimits(restarts=60), np.random.default_rng(0))
    assert found.unfinished
    return search, master, found


def test_an_unfinished_search_goes_on_with_a_program_over_the_cheapest_rules_of_the_newer_relaxation(monkeypatch):
    """It asks with the rules of local optima in its hands; once the relaxation knows them, their costs decide."""
    latest, programs = [], []
    search, master, found = waiting_search(latest, monkeypatch)
    usual = master.solve_integer
    monkeypatch.setattr(
        master,
        "solve_integer",
        lambda limits, **options: programs.append(options) or usual(limits, **options),
    )
    assert set(found.rules) - set(master.pool.rules)
    latest.append(relaxed_with(master, found.rules))
    assert latest[1].value < latest[0].value
    after = search.improve([], SearchLimits(restarts=1), np.random.default_rng(0))
    first = programs[0]
    every = list(dict.fromkeys([*master.pool.rules, *found.rules]))
    costs = dict(zip(every, reduced_costs(master.problem, latest[1].pricing, every), strict=True))
    cheapest = sorted(costs.values())[11]
    assert {rule for rule in every if costs[rule] < cheapest - 1e-9} <= set(first["among"])
    assert all(costs[rule] <= cheapest + 1e-9 for rule in set(first["among"]) - set(first["start"][0]))
    best = [search.view.evaluate(rules).objective for rules in (found.rule_sets[0], after.rule_sets[0])]
    assert best[1] <= best[0]


def test_a_search_that_waits_does_not_forget_better_starts_that_came_meanwhile(monkeypatch):
    """Whoever found them: what it returns is no worse."""
    search, master, _ = waiting_search([], monkeypatch)
    planted = [Rule((0, 1)), Rule((2, 3)), Rule((4, 5))]
    search._going.archive.clear()
    search._keep(search._going.archive, ())
    monkeypatch.setattr(union_programs.UnionPrograms, "solve", lambda self, *args: ())
    after = search.improve([planted], SearchLimits(Deadline.after(0), 1), np.random.default_rng(0))
    assert search.view.evaluate(after.rule_sets[0]).objective <= master.evaluate(planted).objective


def test_a_search_ends_at_a_loss_that_nothing_can_be_below():
    """Rule sets without any error need no further search, however much time there is."""
    found = improved(counted(planted_master()), [TRUE], deadline=Deadline.after(60), restarts=1 << 40)
    assert found[0].objective == 0
