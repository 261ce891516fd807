"""Annealing: what it comes to is told truthfully and keeps every row, from seed to answer without a clock."""

import itertools
import time

import numpy as np
import pytest

from rulecg_core import Deadline, Problem, Rule, SolveError
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem
from rulecg_core.testing.random_problems import planted_problem, random_problem
from rulecg_search.annealing import Annealing
from rulecg_search.counted_search import CountedSearch

from .opened import counted, improved, master_of

N_RULES = 6
TRUE = {Rule((2 * rule, 2 * rule + 1)) for rule in range(N_RULES)}


def search_in(problem, *constraints, **settings):
    return counted(master_of(problem, *constraints), **settings)


def planted_search(**settings):
    return search_in(planted_problem(N_RULES), SizeBound(3 * N_RULES), **settings)


def wrong_start(search):
    """As many rules as the true ones, of conditions that do not belong together."""
    return search.view.evaluate([Rule((rule, 2 * N_RULES - 1 - rule)) for rule in range(N_RULES)])


def legs(search, n_legs, n_lines=1, seed=0):
    rng, start = np.random.default_rng(seed), wrong_start(search)
    return [found for _ in range(n_legs) for found in search.annealing.leg([start], n_lines, Deadline(), rng)]


def test_planted_rules_are_found_from_wrong_ones():
    """Some run comes to all of them."""
    met = legs(planted_search(), 8)
    assert min(found.objective for found in met) == 0
    assert any(set(found.rules) == TRUE for found in met)


@pytest.mark.parametrize("n_lines", [1, 2])
def test_the_same_seed_gives_the_same_runs(n_lines):
    """Whichever thread is faster."""
    one, other = (legs(planted_search(), 5, n_lines, seed=3) for _ in range(2))
    assert one
    assert [found.rules for found in one] == [found.rules for found in other]


@pytest.mark.parametrize("count_once", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_what_is_found_keeps_the_bound_on_size_and_is_worth_what_the_kernel_says(seed, count_once):
    """At any temperature, with weights, with conditions of several prices; each rule once, no two nested conditions."""
    costs = np.random.default_rng(seed).integers(1, 4, size=20)
    problem = random_problem(seed, max_samples=60)
    problem = Problem.from_arrays(
        problem.X, problem.labels, weights=problem.weights, max_conditions=3,
        condition_costs=costs[: problem.n_conditions].astype(float),
    ) if seed % 2 else problem  # fmt: skip
    search = search_in(problem, SizeBound(9), count_once=count_once)
    moves, rng = search.moves, np.random.default_rng(seed)
    state = moves.begin(moves.descend((), Deadline(), rng), rng)
    memory = moves.memory()
    for temperature in (10.0, 1.0, 0.1):
        found = moves.nothing_found(state)
        assert moves.anneal(state, found, np.full(20, temperature), 0, memory) == 20
        for rules in (moves.rules_of(state), moves.rules_of(found)):
            assert len(set(rules)) == len(rules)
            assert all(1 <= len(rule) <= problem.max_conditions for rule in rules)
            assert search.view.evaluate(rules).proxy_violation == 0
            for rule in rules:
                chains = problem.chains[list(rule.features)]
                assert len(set(chains)) == len(chains)
        if moves.rules_of(found):
            candidate = search.view.evaluate(moves.rules_of(found))
            worth = candidate.errors if count_once else candidate.objective
            assert found.objective[0] == pytest.approx(worth)


def test_conditions_are_drawn_as_often_as_they_are_good():
    """One rule with one condition: after each sweep a feature stands there as often as its loss and the temperature
    say; those with equal losses are equally frequent."""
    rng = np.random.default_rng(1)
    X = rng.random((400, 5)) < 0.5
    y = np.where(rng.random(400) < 0.85, X[:, 0] | X[:, 1], rng.random(400) < 0.5)
    search = search_in(Problem.from_arrays(X, y, max_conditions=1), SizeBound(2))
    losses = np.array([search.view.evaluate([Rule((feature,))]).objective for feature in range(5)])
    temperature = (losses.max() - losses.min()) / 2
    expected = np.exp(-losses / temperature) / np.exp(-losses / temperature).sum()
    moves, memory = search.moves, search.moves.memory()
    state = moves.begin([Rule((4,))], rng)
    found, counts, n_sweeps = moves.nothing_found(state), np.zeros(5), 20_000
    for _ in range(n_sweeps):
        moves.anneal(state, found, np.full(1, temperature), 0, memory)
        counts[moves.rules_of(state)[0].features[0]] += 1
    assert counts / n_sweeps == pytest.approx(expected, abs=0.02)


def test_small_problems_are_solved():
    """The least loss over all rule sets, by brute force, is what annealing comes to."""
    for seed in range(4):
        problem = small_problem(seed)
        search = search_in(problem, SizeBound(8))
        rules = all_rules(problem)
        pairs = itertools.chain.from_iterable(itertools.combinations(rules, size) for size in range(4))
        sets = (search.view.evaluate(chosen) for chosen in pairs)
        least = min(candidate.objective for candidate in sets if candidate.proxy_violation == 0)
        starts, rng = [search.view.evaluate(rules[:size]) for size in (1, 2, 3)], np.random.default_rng(seed)
        met = [found for _ in range(10) for found in search.annealing.leg(starts, 1, Deadline(), rng)]
        assert min(found.objective for found in met if found.proxy_violation == 0) == pytest.approx(least)


def test_runs_go_on_from_leg_to_leg_and_become_longer():
    """A leg that ends in the middle of a run loses nothing of it."""
    search = planted_search()
    legs(search, 3)
    (line,) = search.annealing._lines
    before, run = line.n_sweeps, line.run
    legs(search, 40)
    assert line.n_sweeps > before
    assert run is not None
    assert len(line.run.temperatures) > len(run.temperatures)


def test_a_run_that_is_over_at_once_has_a_result(monkeypatch):
    """Also where all its sweeps are made in one go, and there is no time to look in between."""
    monkeypatch.setattr("rulecg_search.conditions.moves.BUDGET", 1 << 40)
    monkeypatch.setattr("rulecg_search.annealing.CALLS", 1)
    search = planted_search()
    assert len(legs(search, 1)) == 1
    assert search.annealing._lines[0].run is None


def test_a_deadline_ends_a_leg():
    """Nothing is begun after it."""
    search = planted_search()
    start = wrong_start(search)
    assert search.annealing.leg([start], 2, Deadline.after(0), np.random.default_rng(0)) == []
    assert all(line.run is None for line in search.annealing._lines)


def test_where_samples_are_very_many_nothing_is_annealed():
    """A sweep would take longer than a search's turn; nor is there any where data is small."""
    assert planted_search(is_large=True)._has_annealing
    assert not planted_search(is_large=True, annealed_samples=100)._has_annealing
    assert not planted_search()._has_annealing


@pytest.mark.parametrize(
    ("constraints", "wanted", "expected"),
    [
        ((SizeBound(12),), True, True),
        ((SizeBound(12),), False, False),
        ((SizeBound(12), MissedShareBound(0.2)), True, False),
    ],
)
def test_the_search_anneals_on_large_data_where_rows_bound_nothing_but_size(constraints, wanted, expected, monkeypatch):
    """The part has a name, and switching it off leaves it out."""
    called = []
    usual = Annealing.leg
    monkeypatch.setattr(Annealing, "leg", lambda self, *args: called.append(1) or usual(self, *args))
    search = search_in(small_problem(0), *constraints, is_large=True, annealing=wanted)
    monkeypatch.setattr(CountedSearch, "_is_perfect", lambda self, candidate: False)
    improved(search, restarts=10, deadline=Deadline.after(0.5))
    assert bool(called) == expected


def test_walks_and_annealing_go_on_beside_a_program_and_end_with_it():
    """What they meet is taken in, and a failure of the program arrives; without a further thread nothing goes on."""
    search, archive, rng = planted_search(), {}, np.random.default_rng(0)
    with search._exploring(archive, 1, Deadline(), rng):
        time.sleep(0.2)
    assert archive
    with pytest.raises(SolveError), search._exploring({}, 1, Deadline(), rng):
        raise SolveError("out of memory")
    nothing = {}
    with search._exploring(nothing, 0, Deadline(), rng):
        pass
    assert not nothing
