"""Every part of the master changes how the relaxation is solved, never its value, and the duals stay duals of all."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import (
    Deadline,
    HammingMaster,
    Limits,
    Pricer,
    PricingResult,
    Problem,
    Status,
    Stop,
    generate_columns,
    load_registry,
)
from rulecg_core.api.parts import MasterParts, SearchParts
from rulecg_core.base.events import IncumbentFound, Note, RoundFinished
from rulecg_core.generation.smoothing import Smoothing
from rulecg_core.masters.lp import pool_columns
from rulecg_core.masters.lp.positive_classes import PositiveClasses
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound

BACKENDS = ["highs", "cbc", "scip"]
PLAIN = MasterParts(dual_form=False, merge_rows=False, put_aside=False, stabilise=False)
EACH = {
    "dual form": MasterParts(dual_form=True, merge_rows=False, put_aside=False),
    "merged rows": MasterParts(dual_form=False, merge_rows=True, put_aside=False),
    "merged rows in dual form": MasterParts(dual_form=True, merge_rows=True, put_aside=False),
    "put aside": MasterParts(dual_form=False, merge_rows=False, put_aside=True),
    "all": MasterParts(dual_form=True, merge_rows=True, put_aside=True, stabilise=True),
    "default": MasterParts(),
}


@st.composite
def problems(draw):
    """Few features and many samples, so that many positives are alike; weights, groups, both forms."""
    n_conditions, n_samples = draw(st.integers(2, 6)), draw(st.integers(8, 50))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.random((n_samples, n_conditions)) < draw(st.floats(0.2, 0.8))
    y = rng.random(n_samples) < 0.5
    y[:4] = [True, True, False, False]
    weights = rng.integers(1, 4, n_samples) if draw(st.booleans()) else None
    return Problem.from_arrays(
        X, y, weights=weights, sensitive_groups=np.arange(n_samples) % 2, logic=draw(st.sampled_from(["dnf", "cnf"])),
        max_conditions=2, merge=draw(st.booleans()),
    )


@pytest.fixture
def eager(monkeypatch):
    """Rules are put aside after one idle solve, however few they are."""
    monkeypatch.setattr(pool_columns, "LEAST", 1)
    monkeypatch.setattr(pool_columns, "PATIENCE", 1)
    monkeypatch.setattr(pool_columns, "SHARE", 0.05)
    monkeypatch.setattr("rulecg_core.masters.lp.linear_master.LEAST", 1)


def masters(problem, eps, backend, parts):
    constraints = [SizeBound(6), *([] if eps is None else [MissedShareBound(eps)])]
    return [HammingMaster(problem, constraints, backend, parts=each) for each in (PLAIN, parts)]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("parts", EACH.values(), ids=EACH)
def test_every_part_has_the_plain_masters_value_round_by_round(backend, parts):
    """Whatever is switched on, with and without rows on groups: same value, valid duals, weights of that value."""
    backend = load_registry().backend(backend)

    @settings(max_examples=12 if backend.name == "highs" else 4, deadline=None)
    @given(problem=problems(), eps=st.sampled_from([None, 0.0, 0.2]), step=st.integers(1, 9))
    def check(problem, eps, step):
        plain, other = masters(problem, eps, backend, parts)
        rules = all_rules(problem)
        for at in range(0, len(rules), step):
            for master in (plain, other):
                master.add_rules(rules[at : at + step])
            expected, found = plain.solve_relaxation(Deadline()), other.solve_relaxation(Deadline())
            assert found.feasible == expected.feasible
            assert found.objective == pytest.approx(expected.objective, abs=1e-6)
            pricing = other.pricing_problem()
            assert min(pricing.reduced_cost(rule) for rule in other.pool.rules) > -1e-6
            if found.feasible:
                assert other.lower_bound(0.0) == pytest.approx(found.objective, abs=1e-5)
            assert len(other.rule_weights()) == len(other.pool)

    check()


@pytest.mark.usefixtures("eager")
@settings(max_examples=40, deadline=None)
@given(problem=problems(), eps=st.sampled_from([None, 0.1]), n_rules=st.integers(0, 6))
def test_bounds_from_merged_rows_hold_for_all_rules(problem, eps, n_rules):
    """With few rules in the program, the bound from its divided duals stays below the relaxation over all rules."""
    backend = load_registry().backend("highs")
    full, few = masters(problem, eps, backend, MasterParts(put_aside=True))
    full.add_rules(all_rules(problem))
    few.add_rules(all_rules(problem)[:n_rules])
    value = full.solve_relaxation(Deadline())
    few.solve_relaxation(Deadline())
    pricing = few.pricing_problem()
    bound = few.lower_bound(min(0.0, *(pricing.reduced_cost(rule) for rule in all_rules(problem))))
    if bound is not None and value.feasible:
        assert bound <= value.objective + 1e-6


def test_rules_are_put_aside_and_come_back(eager):
    """Under a tight bound on size some rules idle and leave the program; under a loose one they are needed again."""
    rng = np.random.default_rng(3)
    X = rng.random((200, 8)) < 0.4
    problem = Problem.from_arrays(X, rng.random(200) < 0.5, max_conditions=3)
    backend = load_registry().backend("highs")
    master = HammingMaster(problem, [SizeBound(40)], backend, parts=MasterParts(put_aside=True))
    master.add_rules(all_rules(problem))
    master.tighten(0.1)
    for _ in range(3):
        master.solve_relaxation(Deadline())
    linear = master._linear
    n_inside = len(linear._opened.rules)
    assert n_inside < len(master.pool)
    master.tighten(1.0)
    found = master.solve_relaxation(Deadline())
    assert len(linear._opened.rules) > n_inside
    plain = HammingMaster(problem, [SizeBound(40)], backend, parts=PLAIN)
    plain.add_rules(all_rules(problem))
    assert found.objective == pytest.approx(plain.solve_relaxation(Deadline()).objective, abs=1e-6)


@pytest.mark.parametrize("eps", [None, 0.1])
@pytest.mark.parametrize("parts", EACH.values(), ids=EACH)
def test_many_rules_at_once_are_taken_in_warm(parts, eps):
    """Classes may be split several times over by the rules of one round."""
    rng = np.random.default_rng(5)
    problem = Problem.from_arrays(
        rng.random((150, 8)) < 0.4, rng.random(150) < 0.5, sensitive_groups=np.arange(150) % 2, max_conditions=3
    )
    values = []
    for master in masters(problem, eps, load_registry().backend("highs"), parts):
        for some in (all_rules(problem)[:2], all_rules(problem)[2:]):
            master.add_rules(some)
            values.append(master.solve_relaxation(Deadline()).objective)
    assert values[2:] == pytest.approx(values[:2], abs=1e-6)


def test_merged_rows_are_as_many_as_the_rules_tell_apart():
    """One row per distinct cover of the positives by the rules so far, and no class mixes groups that rows look at."""
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 6)) < 0.5, np.ones(300, dtype=bool)
    y[:20] = False
    problem = Problem.from_arrays(X, y, sensitive_groups=np.arange(300) % 2, max_conditions=2, merge=False)
    backend = load_registry().backend("highs")
    for constraints, groups in (([SizeBound(6)], 1), ([SizeBound(6), MissedShareBound(0.5)], 2)):
        master = HammingMaster(problem, constraints, backend)
        for at in range(0, 12, 4):
            master.add_rules(all_rules(problem)[at : at + 4])
            master.solve_relaxation(Deadline())
            covers = problem.covers(master.pool.rules)[:, problem.y]
            if groups == 2:
                covers = np.vstack([covers, np.flatnonzero(problem.y) % 2 == 1])
            assert len(master._linear._opened.classes) == len(np.unique(covers, axis=1).T)


@given(seed=st.integers(0, 2**32 - 1), n_rules=st.integers(0, 150))
def test_classes_keep_sums_and_only_ever_split(seed, n_rules):
    """Sums over classes are kept, divided values sum to them, and members of a class are covered alike."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, 40).astype(float)
    kinds = rng.integers(0, 2, 40)
    classes = PositiveClasses(weights, [weights * 3, weights * np.where(kinds, 0.1, 0.7)], merge=True)
    covers = np.repeat(rng.random((n_rules, 10)) < 0.3, 4, axis=1)
    before = classes.of.copy()
    parents = classes.refine(covers)
    assert len(classes) == len(np.unique(np.vstack([covers, kinds]), axis=1).T)
    assert np.array_equal(np.unique(classes.of), np.arange(len(classes)))
    origins = np.concatenate([np.arange(before.max() + 1), parents])
    assert np.array_equal(origins[classes.of], before)
    values = rng.random(len(classes))
    assert classes.sums(classes.divided(values)) == pytest.approx(values)


class FirstOnly(Pricer):
    """A heuristic: brute force that claims no bound, and returns few rules."""

    def price(self, problem, limits, rng):
        return PricingResult(BruteForcePricer().price(problem, limits, rng).rules[:2])


@settings(max_examples=30, deadline=None)
@given(problem=problems(), eps=st.sampled_from([None, 0.1]))
def test_smoothed_duals_lead_to_the_same_certificate(problem, eps):
    """With stabilisation the run ends at the same relaxation, with a bound that is proven on the true duals."""
    backend = load_registry().backend("highs")
    plain, smooth = (
        generate_columns(
            HammingMaster(
                problem, [SizeBound(6), *([] if eps is None else [MissedShareBound(eps)])], backend,
                parts=MasterParts(stabilise=stabilise),
            ),
            [FirstOnly(), BruteForcePricer()],
            Limits(rules_per_call=3),
        )
        for stabilise in (False, True)
    )
    assert smooth.relaxation == pytest.approx(plain.relaxation, abs=1e-5)
    assert smooth.lower_bound is not None
    assert smooth.status in (Status.OPTIMAL, Status.LP_OPTIMAL, Status.BOUNDED)


def test_smoothing_mixes_pricing_problems():
    """Reduced costs under smoothed duals are the mixture of those under the mixed ones."""
    rng = np.random.default_rng(0)
    problem = Problem.from_arrays(rng.random((30, 4)) < 0.5, rng.random(30) < 0.5, max_conditions=2)
    master = HammingMaster(problem, [SizeBound(6)], load_registry().backend("highs"))
    rules = all_rules(problem)
    pricings = []
    for some in (rules[:1], rules[1:]):
        master.add_rules(some)
        master.solve_relaxation(Deadline())
        pricings.append(master.pricing_problem())
    smoothing = Smoothing(share=0.25)
    smoothing.begin(pricings[0])
    mixed = smoothing.smoothed(pricings[1])
    first, second, found = (np.array([each.reduced_cost(rule) for rule in rules]) for each in (*pricings, mixed))
    assert not np.allclose(first, second)
    assert found == pytest.approx(0.25 * first + 0.75 * second)


def large_problem(monkeypatch):
    monkeypatch.setattr("rulecg_core.data.problem.LARGE", 100)
    rng = np.random.default_rng(1)
    X = rng.random((400, 8)) < 0.5
    return Problem.from_arrays(X, (X[:, 0] & X[:, 1]) | (rng.random(400) < 0.1), max_conditions=2)


@pytest.mark.parametrize(
    "off", ["during_generation", "condition_moves", "subset_moves", "mixtures", "annealing", "unions", "tight_first"]
)
def test_parts_of_the_search_can_be_switched_off(off, monkeypatch):
    """Without one of its parts a run still ends with a rule set no worse than none, and generates what it returns."""
    master = HammingMaster(large_problem(monkeypatch), [SizeBound(6)], load_registry().backend("highs"))
    tightened = []
    monkeypatch.setattr(master, "tighten", lambda share: tightened.append(share) or False)
    result = generate_columns(
        master, [BruteForcePricer()], Limits(seconds=5, rules_per_call=5), search=SearchParts(**{off: False})
    )
    assert result.objective < master.evaluate(()).objective
    assert set(result.rules) <= set(result.pool)
    assert bool(tightened) == (off != "tight_first")


def test_a_slow_relaxation_is_the_last_one(monkeypatch):
    """When one relaxation takes more than a quarter of the time left, the search gets the rest, and that is told."""
    master = HammingMaster(large_problem(monkeypatch), [SizeBound(6)], load_registry().backend("highs"))
    solve = master.solve_relaxation

    def slow(deadline):
        time.sleep(0.6)
        return solve(deadline)

    monkeypatch.setattr(master, "solve_relaxation", slow)
    events = []
    result = generate_columns(
        master, [FirstOnly()], Limits(seconds=2.4), events.append,
        search=SearchParts(during_generation=False, tight_first=False),
    )
    assert len(result.history) == 1
    assert result.stop is Stop.TIME_LIMIT
    assert any("goes to the search" in event.message for event in events if isinstance(event, Note))
    assert result.objective < master.evaluate(()).objective


def test_large_data_has_an_answer_before_the_first_relaxation(monkeypatch):
    """The first rule set comes from a search, so that no relaxation can stand in its way."""
    master = HammingMaster(large_problem(monkeypatch), [SizeBound(6)], load_registry().backend("highs"))
    events = []
    generate_columns(master, [BruteForcePricer()], Limits(seconds=5), events.append)
    told = [event for event in events if isinstance(event, IncumbentFound | RoundFinished)]
    assert isinstance(told[0], IncumbentFound)
    assert told[0].objective < master.evaluate(()).objective
