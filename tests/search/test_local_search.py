"""Local search: the values of neighbours are true values, answers keep every row, and small problems are solved."""

from itertools import combinations

import numpy as np
import pytest
from attrs import frozen

from rulecg_core import Deadline, HammingMaster, LinearForm, Problem, Rule, load_registry
from rulecg_core.api.constraint import Constraint
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem
from rulecg_core.testing.random_problems import random_problem
from rulecg_search.condition_moves import ConditionMoves
from rulecg_search.cover_state import CoverState
from rulecg_search.local_search import LocalSearch, improve
from rulecg_search.sample_bits import SampleBits
from rulecg_search.scoring import Scorer


@frozen
class WorstHalf(Constraint):
    """Three times the larger of two losses is part of the objective, through an auxiliary variable."""

    def rows(self, problem):
        half = np.arange(problem.n_samples) % 2 == 0
        worst = LinearForm.variable("worst")
        return [problem.hamming_loss(half) - worst <= 0, problem.hamming_loss(~half) - worst <= 0]

    def objective(self, problem):
        return LinearForm.variable("worst") * 3.0


@frozen
class AtLeastHalfCovered(Constraint):
    """Broken by the empty rule set: at least half of the positives must be covered."""

    def rows(self, problem):
        return [(problem.false_negative_rate() <= 0.5).named("coverage")]


CASES = {
    "complexity": (SizeBound(8),),
    "rates": (SizeBound(8), MissedShareBound(0.25)),
    "auxiliary variable": (SizeBound(8), WorstHalf()),
    "broken at first": (SizeBound(6), AtLeastHalfCovered()),
}


def master_of(seed, case):
    problem = small_problem(seed)
    master = HammingMaster(problem, CASES[case], load_registry().backend("highs"))
    master.add_rules(all_rules(problem))
    return master


def state_of(master, count_once=False):
    search = LocalSearch(master, count_once=count_once)
    return CoverState(search._table(master.pool.rules, np.random.default_rng(0)))


def visited(master, count_once, chosen):
    """The values of all forms for a subset, from a fresh state."""
    state = state_of(master, count_once)
    state.move_to(np.array(sorted(chosen), dtype=np.int64))
    return state.values


@pytest.mark.parametrize("case", CASES)
def test_state_counts_as_the_master_counts(case):
    """Objective and rows of a state equal the master's, in Hamming counts and in true counts."""
    for seed in range(5):
        master = master_of(seed, case)
        rng = np.random.default_rng(seed)
        for size in range(4):
            chosen = rng.permutation(len(master.pool))[:size]
            rules = [master.pool.rules[at] for at in chosen]
            rows = list(master.row_values(rules).values())
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
        master = master_of(seed, case)
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


def brute_force(master, count_once, most):
    """The best value over all subsets of up to ``most`` rules that keep every row."""
    best = np.inf
    for size in range(most + 1):
        for rules in combinations(master.pool.rules, size):
            found = master.evaluate(rules)
            violation = found.true_violation if count_once else found.proxy_violation
            if violation <= 1e-9:
                best = min(best, found.errors if count_once else found.objective)
    return best


@pytest.mark.parametrize(
    ("case", "count_once"),
    # In true counts, errors alone do not say what an auxiliary variable costs.
    [(case, False) for case in CASES] + [(case, True) for case in CASES if case != "auxiliary variable"],
)
def test_small_problems_are_solved_and_every_row_is_kept(case, count_once):
    """With restarts the search finds the best rule set among all, and what it returns keeps all rows."""
    for seed in range(3):
        problem = small_problem(seed, n_conditions=4)
        master = HammingMaster(problem, CASES[case], load_registry().backend("highs"))
        master.add_rules(all_rules(problem))
        found = improve(master, [], Deadline(), np.random.default_rng(0), count_once=count_once, restarts=60)
        best = found[0]
        assert (best.true_violation if count_once else best.proxy_violation) <= 1e-9
        assert (best.errors if count_once else best.objective) == pytest.approx(brute_force(master, count_once, 4))


def test_answers_are_distinct_ordered_and_the_same_for_the_same_seed():
    """Candidates come best first, each once, and depend on nothing but the master, the starts and the seed."""
    answers = []
    for _ in range(2):
        master = master_of(1, "rates")
        master.solve_relaxation(Deadline())
        answers.append(improve(master, [[master.pool.rules[0]]], Deadline(), np.random.default_rng(3)))
    assert [candidate.rules for candidate in answers[0]] == [candidate.rules for candidate in answers[1]]
    objectives = [candidate.objective for candidate in answers[0] if candidate.proxy_violation <= 1e-9]
    assert objectives == sorted(objectives)
    assert len({frozenset(candidate.rules) for candidate in answers[0]}) == len(answers[0])


def test_never_worse_than_a_feasible_start():
    """A start is a promise: the best answer is at least as good, also among few rules."""
    for seed in range(6):
        master = master_of(seed, "complexity")
        rng = np.random.default_rng(seed)
        start = [master.pool.rules[at] for at in rng.permutation(len(master.pool))[:2]]
        given = master.evaluate(start)
        assert given.proxy_violation == 0
        found = improve(master, [start], Deadline(), rng, among=start, restarts=1)
        assert found[0].objective <= given.objective
        assert set(found[0].rules) <= set(start)


def test_large_data_is_searched_on_a_sample_and_judged_on_all():
    """With a small budget only promising rules and some rows are looked at; the values returned are still exact."""
    master = master_of(0, "complexity")
    search = LocalSearch(master, table_entries=100)
    found = search.improve([], Deadline(), np.random.default_rng(0), restarts=5)
    assert all(candidate == master.evaluate(candidate.rules) for candidate in found)
    assert found[0].objective < master.evaluate([]).objective


@pytest.mark.parametrize("case", CASES)
def test_conditions_change_until_no_single_change_helps(case):
    """From any start the descent ends where no rule with one condition dropped, added or exchanged is better."""
    for seed in range(4):
        master = HammingMaster(small_problem(seed), CASES[case], load_registry().backend("highs"))
        problem = master.problem
        scorer = Scorer(master.objective, master.rows)
        # In true counts, errors alone do not say what an auxiliary variable costs.
        for count_once in (False,) if case == "auxiliary variable" else (False, True):
            bits = SampleBits.of(problem, (master.objective, *(row.form for row in master.rows)), count_once=count_once)
            rng = np.random.default_rng(seed)
            start = [Rule(rng.permutation(problem.n_conditions)[:2]) for _ in range(2)]
            end = ConditionMoves(problem, bits, scorer).descend(start, Deadline(), rng)

            def merit(rules, master=master, count_once=count_once):
                found = master.evaluate(rules)
                if count_once:
                    return round(found.true_violation, 9), found.errors
                return round(found.proxy_violation, 9), found.objective

            reached = merit(end)
            assert reached <= merit(dict.fromkeys(start))
            if case == "broken at first" and reached[0] > 0:
                continue
            for at, rule in enumerate(end):
                for other in all_rules(problem):
                    if other not in end and len(set(rule) - set(other)) <= 1 and len(set(other) - set(rule)) <= 1:
                        neighbour = merit((*end[:at], other, *end[at + 1 :]))
                        assert reached[0] == 0
                        assert neighbour >= reached


def test_rules_are_grown_without_any_pool():
    """An empty pool is no obstacle: rules grow from nothing, and are new to the pool."""
    problem = random_problem(5, max_samples=200, max_features=8, max_conditions=3)
    master = HammingMaster(problem, [SizeBound(12)], load_registry().backend("highs"))
    found = improve(master, [], Deadline(), np.random.default_rng(0))
    assert found[0].rules
    assert found[0].objective < master.evaluate([]).objective
    assert len(master.pool) == 0


def test_sums_over_bits_are_weighted_sums():
    """Sums by population counts equal sums of coefficients, also when similar coefficients had to be merged."""
    rng = np.random.default_rng(0)
    for fractional in (False, True):
        X, y = rng.random((3000, 6)) < 0.5, rng.random(3000) < 0.5
        weights = rng.random(3000) + 0.5 if fractional else rng.integers(1, 9, 3000)
        problem = Problem.from_arrays(X, y, weights=weights, merge=False)
        form = problem.hamming_loss()
        bits = SampleBits.of(problem, [form])
        assert bits.exact is not fractional
        sums = bits.sums(bits.features)[:, 0]
        expected = problem.X.T @ (form.cover - np.where(problem.y, form.missed, 0.0))
        np.testing.assert_allclose(sums, expected, atol=2.0 if fractional else 1e-9)


@pytest.mark.parametrize("n_samples", [2_000, 40_000])
def test_a_part_of_the_samples_stands_for_all(n_samples):
    """Sums over a random part are close to sums over all, and a price multiplies what covering costs."""
    rng = np.random.default_rng(0)
    X, y = rng.random((n_samples, 4)) < 0.5, rng.random(n_samples) < 0.3
    problem = Problem.from_arrays(X, y, weights=rng.integers(1, 4, n_samples), merge=False)
    bits = SampleBits.of(problem, [problem.hamming_loss()])
    part = bits.sampled(0.5, 1.0, rng)
    np.testing.assert_allclose(part.sums(part.features), bits.sums(bits.features), rtol=0.25)
    assert part.sums(part.filled[None]).item() != bits.sums(bits.filled[None]).item()
    dearer = bits.sampled(1.0, 3.0, rng)
    cost = bits.sums(bits.features & bits.always)
    np.testing.assert_allclose(dearer.sums(dearer.features), bits.sums(bits.features) + 2 * cost)


def test_a_row_on_samples_broken_at_a_price_moves_from_the_violation_into_the_objective():
    """The size bound stays a bound; what a rate exceeds costs the price, by the size of the bound."""
    master = master_of(3, "rates")
    strict = Scorer(master.objective, tuple(master.rows[:2]))
    soft = strict.softened(100.0, np.random.default_rng(0))
    assert strict.can_soften
    assert not Scorer(master.objective, (master.rows[0],)).can_soften
    values = np.array([[50.0, 50.0], [9.0, 8.0], [0.2, 0.5]])
    assert [row.hi for row in strict.rows] == [8.0, 0.25]
    objective, violation = strict(values)
    assert objective.tolist() == [50.0, 50.0]
    assert violation.tolist() == pytest.approx([1 / 8, 1.0])
    objective, violation = soft(values)
    assert objective.tolist() == pytest.approx([50.0, 50.0 + soft.price])
    assert violation.tolist() == pytest.approx([1 / 8, 0.0])


def test_rules_longer_than_allowed_take_no_part_in_descents():
    """Rules given to start with may come from a run that allowed more conditions."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 12)) < 0.7
    problem = Problem.from_arrays(X, X[:, 0] & X[:, 1], max_conditions=2)
    master = HammingMaster(problem, [SizeBound(12)], load_registry().backend("highs"))
    moves = LocalSearch(master)._moves
    for length in range(3, 9):
        start = [Rule(range(length)), Rule((2, 3))]
        rules = moves.descend(start, Deadline(), np.random.default_rng(length))
        assert all(len(rule) <= 2 for rule in rules)
        assert master.evaluate(rules).objective == 0
