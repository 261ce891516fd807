"""Every option changes how the relaxation is solved, never its value, and the duals stay duals of all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import Deadline, HammingMaster, Problem, RelaxationOptions, load_registry
from rulecg_core.masters.lp import pool_columns
from rulecg_core.masters.lp.positive_classes import PositiveClasses
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound

BACKENDS = ["highs", "cbc", "scip"]
PLAIN = RelaxationOptions(dual_form=False, merge_rows=False, put_aside=False)
EACH = {
    "dual form": RelaxationOptions(dual_form=True, merge_rows=False, put_aside=False),
    "merged rows": RelaxationOptions(dual_form=False, merge_rows=True, put_aside=False),
    "merged rows in dual form": RelaxationOptions(dual_form=True, merge_rows=True, put_aside=False),
    "put aside": RelaxationOptions(dual_form=False, merge_rows=False, put_aside=True),
    "all": RelaxationOptions(dual_form=True, merge_rows=True, put_aside=True),
    "default": RelaxationOptions(),
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


def masters(problem, eps, backend, options):
    constraints = [SizeBound(6), *([] if eps is None else [MissedShareBound(eps)])]
    return [HammingMaster(problem, constraints, backend, options=each) for each in (PLAIN, options)]


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("options", EACH.values(), ids=EACH)
def test_every_option_has_the_plain_masters_value_round_by_round(backend, options):
    """Whatever is switched on, with and without rows on groups: same value, valid duals, weights of that value."""
    backend = load_registry().backend(backend)

    @settings(max_examples=12 if backend.name == "highs" else 4, deadline=None)
    @given(problem=problems(), eps=st.sampled_from([None, 0.0, 0.2]), step=st.integers(1, 9))
    def check(problem, eps, step):
        plain, other = masters(problem, eps, backend, options)
        rules = all_rules(problem)
        for at in range(0, len(rules), step):
            for master in (plain, other):
                master.add_rules(rules[at : at + step])
            expected, found = plain.solve_relaxation(Deadline()), other.solve_relaxation(Deadline())
            assert found.feasible == expected.feasible
            assert found.value == pytest.approx(expected.value, abs=1e-6)
            assert min(found.pricing.reduced_cost(rule) for rule in other.pool.rules) > -1e-6
            if found.feasible:
                assert found.lower_bound(0.0) == pytest.approx(found.value, abs=1e-5)
            assert len(found.weights) == len(other.pool)

    check()


@pytest.mark.usefixtures("eager")
@settings(max_examples=40, deadline=None)
@given(problem=problems(), eps=st.sampled_from([None, 0.1]), n_rules=st.integers(0, 6))
def test_bounds_from_merged_rows_hold_for_all_rules(problem, eps, n_rules):
    """With few rules in the program, the bound from its divided duals stays below the relaxation over all rules."""
    backend = load_registry().backend("highs")
    full, few = masters(problem, eps, backend, RelaxationOptions(put_aside=True))
    full.add_rules(all_rules(problem))
    few.add_rules(all_rules(problem)[:n_rules])
    value = full.solve_relaxation(Deadline())
    relaxation = few.solve_relaxation(Deadline())
    bound = relaxation.lower_bound(min(0.0, *(relaxation.pricing.reduced_cost(rule) for rule in all_rules(problem))))
    if bound is not None and value.feasible:
        assert bound <= value.value + 1e-6


def noisy_master(options):
    rng = np.random.default_rng(3)
    X = rng.random((300, 8)) < 0.5
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]) | (X[:, 4] & X[:, 5] & X[:, 6])) ^ (rng.random(300) < 0.15)
    problem = Problem.from_arrays(X, y, max_conditions=3)
    return HammingMaster(problem, [SizeBound(12)], load_registry().backend("highs"), options=options)


def shuffled_rules(problem):
    rules = all_rules(problem)
    np.random.default_rng(0).shuffle(rules)
    return rules


def test_rules_are_put_aside_and_come_back(eager, monkeypatch):
    """Rules that idle leave the program; those that later rules make useful again come back, and the value is that of
    a program that never let any go."""
    returned = []
    returning = pool_columns.PoolColumns.returning

    def watched(self, costs):
        found = returning(self, costs)
        returned.extend(found)
        return found

    monkeypatch.setattr(pool_columns.PoolColumns, "returning", watched)
    plain, master = noisy_master(PLAIN), noisy_master(RelaxationOptions(put_aside=True))
    rules = shuffled_rules(master.problem)
    fewest = np.inf
    for some in (rules[::2], rules[1::2]):
        for each in (plain, master):
            each.add_rules(some)
        for _ in range(3):
            found = master.solve_relaxation(Deadline())
            fewest = min(fewest, len(master.linear._opened.rules) / len(master.pool))
        assert found.value == pytest.approx(plain.solve_relaxation(Deadline()).value, abs=1e-6)
    assert fewest < 1
    assert returned


@pytest.mark.usefixtures("eager")
def test_tightened_masters_put_aside_rules_of_their_own():
    """What idles under a tight bound on size may be needed under a loose one, and the other way round: solved in turns,
    each master has the value of a plain one."""
    plain, master = noisy_master(PLAIN), noisy_master(RelaxationOptions(put_aside=True))
    rules = shuffled_rules(master.problem)
    with plain.tightened(0.3) as plain_tight, master.tightened(0.3) as tight:
        for at in range(0, len(rules), 20):
            for each in (plain, master):
                each.add_rules(rules[at : at + 20])
            for one, other in ((plain_tight, tight), (plain, master), (plain_tight, tight)):
                expected, found = one.solve_relaxation(Deadline()), other.solve_relaxation(Deadline())
                assert found.value == pytest.approx(expected.value, abs=1e-6)
                program = master.linear
                if program._program is not None:
                    taking_part = np.flatnonzero(program.columns.inside[: program._n_known])
                    assert set(taking_part) == set(program._opened.rules)


def test_a_tightened_relaxation_proves_nothing():
    """Its value is that of a smaller bound on size, above the master's own; it claims no bound for the master."""
    master = noisy_master(PLAIN)
    master.add_rules(all_rules(master.problem))
    smaller = HammingMaster(master.problem, [SizeBound(6)], master.backend, pool=master.pool)
    with master.tightened(0.5) as tight:
        found = tight.solve_relaxation(Deadline())
    assert found.value == pytest.approx(smaller.solve_relaxation(Deadline()).value, abs=1e-6)
    assert found.value > master.solve_relaxation(Deadline()).value + 1e-6
    assert found.lower_bound(0.0) is None


@pytest.mark.parametrize("eps", [None, 0.1])
@pytest.mark.parametrize("options", EACH.values(), ids=EACH)
def test_many_rules_at_once_are_taken_in_warm(options, eps):
    """Classes may be split several times over by the rules of one round."""
    rng = np.random.default_rng(5)
    problem = Problem.from_arrays(
        rng.random((150, 8)) < 0.4, rng.random(150) < 0.5, sensitive_groups=np.arange(150) % 2, max_conditions=3
    )
    values = []
    for master in masters(problem, eps, load_registry().backend("highs"), options):
        for some in (all_rules(problem)[:2], all_rules(problem)[2:]):
            master.add_rules(some)
            values.append(master.solve_relaxation(Deadline()).value)
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
            assert len(master.linear._opened.classes) == len(np.unique(covers, axis=1).T)


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
