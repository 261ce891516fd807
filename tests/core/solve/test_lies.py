"""Whatever a plugin says, *optimal* is only said of what is, and whoever is refuted is named."""

import itertools
import math

import numpy as np
import pytest
from attrs import evolve

from rulecg_core import (
    Complexity,
    Constraint,
    Deadline,
    HammingMaster,
    Limits,
    LinearForm,
    Listing,
    PluginError,
    PricingProblem,
    PricingResult,
    Problem,
    Row,
    Schedule,
    Solution,
    Status,
    generate_columns,
    load_registry,
)
from rulecg_core.base.events import Note
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_core.testing.master_contract import MissedShareBound

BACKEND = load_registry().backend("highs")
EXACT = load_registry().pricer("exact-search", BACKEND)
BEAM = load_registry().pricer("beam", BACKEND)
TRUSTING = Schedule().with_settings({"trusted": ["liar"]})


def problem_of(seed, n_conditions=6):
    rng = np.random.default_rng(seed)
    X = rng.random((60, n_conditions)) < 0.5
    y = ((X[:, -1] & X[:, -2]) | (X[:, -3] & ~X[:, 0])) ^ (rng.random(60) < 0.15)
    return Problem.from_arrays(X, y, max_conditions=2, sensitive_groups=rng.integers(0, 2, 60))


def optimum_of(master):
    """By trying all rule sets of up to three rules."""
    sets = [each for size in range(3) for each in itertools.combinations(all_rules(master.problem), size)]
    found = [master.goal.evaluate(each) for each in sets]
    return min(each.objective for each in found if each.keeps_rows and each.is_feasible)


def run(pricers, schedule=None, seed=0, **options):
    """The result of a run on a noisy problem, its optimum, and everything that was told."""
    told = []
    master = options.pop("master", None) or HammingMaster(problem_of(seed), [Complexity(6)], BACKEND)
    result = generate_columns(
        master, pricers, Limits(seconds=20), schedule=schedule or Schedule(),
        on_event=lambda event: told.append(event.message) if isinstance(event, Note) else None, **options,
    )  # fmt: skip
    return result, optimum_of(master), " ".join([*told, result.certificate()])


class Liar(BruteForcePricer):
    """Honest, but for what a subclass changes."""

    def answer(self, result):
        return result

    def price(self, problem, limits, rng):
        return self.answer(super().price(problem, limits, rng))


class NothingBelowZero(Liar):
    def answer(self, result):
        return PricingResult((), 0.0)


class HalfOfTheConditions(Liar):
    def price(self, problem, limits, rng):
        half = problem.restrict(slice(None), np.arange(problem.n_conditions // 2))
        return super().price(half, limits, rng)

    def list_below(self, problem, threshold, most, limits):
        half = problem.restrict(slice(None), np.arange(problem.n_conditions // 2))
        return super().list_below(half, threshold, most, limits)


class NaN(Liar):
    def answer(self, result):
        return evolve(result, bound=math.nan)


class EmptyList(Liar):
    def list_below(self, problem, threshold, most, limits):
        return Listing((), True)


class Writer(Liar):
    def price(self, problem, limits, rng):
        problem.sample_weights[:] = 0.0


@pytest.mark.parametrize("beside", [(), (("beam", BEAM),), (("exact", EXACT),)])
@pytest.mark.parametrize("liar", [NothingBelowZero, HalfOfTheConditions, NaN, EmptyList, Writer])
@pytest.mark.parametrize("schedule", [Schedule(), TRUSTING])
@pytest.mark.parametrize("seed", range(2))
def test_a_lying_pricer_never_makes_a_false_optimum(schedule, liar, beside, seed):
    """Trusted by name or not: a false optimum is never called so while a rule that refutes it is known."""
    pricers = [("liar", liar()), *beside]
    if not beside and liar in (NaN, Writer):
        with pytest.raises(PluginError, match="'liar'"):
            run(pricers, schedule, seed)
        return
    result, optimum, told = run(pricers, schedule, seed)
    if result.status is Status.OPTIMAL:
        trusted_alone = schedule is TRUSTING and not any(name == "exact" for name, _ in beside)
        # Who is trusted by name and contradicted by nothing that is known is believed.
        assert result.objective == optimum or (trusted_alone and liar in (NothingBelowZero, HalfOfTheConditions))
    elif result.objective > optimum:
        assert result.status is not Status.OPTIMAL
    if liar in (NaN, Writer):
        assert "'liar'" in told


def test_a_trusted_pricer_that_another_one_refutes_is_named():
    """A rule that somebody finds below a trusted bound takes the bound back, and the run goes on without the liar."""
    result, optimum, told = run([("liar", NothingBelowZero()), ("exact", EXACT)], TRUSTING)
    assert result.status is Status.OPTIMAL
    assert result.objective == optimum
    assert "'liar' (tests.core.solve.test_lies.NothingBelowZero) says that no " in told


def test_a_list_that_lacks_a_known_rule_is_refused():
    """A complete list without a rule that the pool has is refuted, and closes nothing."""
    rng = np.random.default_rng(4)
    X, weights = rng.random((80, 8)) < 0.5, rng.integers(1, 9, 80)
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]) | (X[:, 4] & X[:, 5])
    problem = Problem.from_arrays(X, y ^ (rng.random(80) < 0.1), weights=weights, max_conditions=3)
    master = HammingMaster(problem, [Complexity(7)], BACKEND)
    result, _, told = run([("liar", EmptyList())], TRUSTING, master=master)
    assert result.relaxation < result.objective - 1
    assert "'liar' (tests.core.solve.test_lies.EmptyList) calls its list of all rules" in told


@pytest.mark.parametrize("name", ["X", "sample_weights", "condition_costs", "chains"])
def test_pricers_cannot_write_into_what_they_are_given(name):
    """Every array of a pricing problem is read-only, also those of a mixture or a part."""
    problem = PricingProblem(np.ones((2, 2), dtype=bool), np.ones(2), 0.0, 0.0, 1)
    for each in (problem, evolve(problem, sample_weights=np.ones(2)), problem.restrict(np.arange(1), np.arange(2))):
        with pytest.raises(ValueError, match="read-only"):
            getattr(each, name)[:] = 0


class Optimist(HammingMaster):
    """A stranger's master that says more than its duals prove."""

    shown = False

    def solve_relaxation(self, deadline):
        found = super().solve_relaxation(deadline)
        duals = np.zeros(self.problem.n_samples) if self.shown else None
        return evolve(found, dual_value=found.value + 9, cover_duals=duals)


def test_a_master_that_proves_more_than_its_value_is_refuted():
    """A dual value above the relaxation's own value is refused, with the master's name."""
    master = Optimist(problem_of(0), [Complexity(6)], BACKEND)
    result, _, told = run([EXACT], master=master)
    assert result.status is not Status.OPTIMAL
    assert "test_lies.Optimist) says that its duals prove" in told


class Shower(HammingMaster):
    """A stranger's master that shows duals: its own bound does not matter."""

    def solve_relaxation(self, deadline):
        found = super().solve_relaxation(deadline)
        weights = -found.pricing.sample_weights
        covers = np.where(self.goal.tracked, np.maximum(weights, 0.0), 0.0)
        false = evolve(found.pricing, constant=50.0)
        return evolve(found, cover_duals=covers, dual_value=1e6, max_rules=0.0, pricing=false)


def test_a_master_that_shows_its_duals_may_be_proven_optimal():
    """The core computes pricing problem and bound from the duals, whatever the master says of them."""
    master = Shower(problem_of(1), [Complexity(6)], BACKEND)
    result, optimum, _ = run([EXACT], master=master)
    assert result.status is Status.OPTIMAL
    assert result.objective == optimum


class Silent(HammingMaster):
    """A stranger's master that shows nothing."""

    def solve_relaxation(self, deadline):
        return super().solve_relaxation(deadline)


def test_a_master_that_shows_nothing_is_at_best_claimed():
    """Without its duals a stranger's relaxation proves nothing."""
    master = Silent(problem_of(1), [Complexity(6)], BACKEND)
    result, _, told = run([EXACT], master=master)
    assert result.status in (Status.CLAIMED, Status.HEURISTIC)
    assert result.status is not Status.CLAIMED or "test_lies.Silent" in told


def test_a_method_on_the_object_is_not_the_core_s():
    """A method that was put on an object of ours is not trusted."""
    master = HammingMaster(problem_of(1), [Complexity(6)], BACKEND)
    inner = master.solve_relaxation
    master.solve_relaxation = lambda deadline: inner(deadline)
    assert run([EXACT], master=master)[0].status is not Status.OPTIMAL


class LyingProgram:
    """HiGHS whose integer programs give a wrong answer, as public trackers tell of."""

    def __init__(self, change):
        self.change = change

    def __call__(self, model, *arguments, **options):
        return self.change(BACKEND.solve_mip(model, *arguments, **options))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lie", ["infeasible", "suboptimal"])
def test_an_integer_program_that_lies_is_refuted_or_contradicted(lie, seed):
    """A false "infeasible", or a bound on a suboptimal point, is never the end of a proof."""
    changes = {
        "infeasible": lambda found: evolve(found, solutions=(), solution=Solution.INFEASIBLE, bound=None),
        "suboptimal": lambda found: evolve(found, solutions=(), bound=1e3),
    }

    class Faulty(type(BACKEND)):
        def solve_mip(self, model, *arguments, **options):
            return LyingProgram(changes[lie])(model, *arguments, **options)

        def without_presolve(self):
            return BACKEND

    master = HammingMaster(problem_of(seed), [Complexity(6), MissedShareBound(0.1)], Faulty())
    result, optimum, told = run([EXACT], master=master)
    assert result.status is not Status.OPTIMAL or result.objective == optimum
    assert result.objective == optimum or "says that no rule set" in told or "contradict" in told


def test_two_solvers_that_agree_are_named():
    """Where an integer program closes the proof, the certificate names both solvers that solved it."""
    found = [
        run([EXACT], master=HammingMaster(problem_of(seed), [Complexity(6), MissedShareBound(0.1)], BACKEND))[0]
        for seed in range(8)
    ]
    closed = [result for result in found if result.closed_by]
    assert closed
    for result in closed:
        assert result.closed_by == ("highs", "highs without presolve")
        assert "on which highs and highs without presolve agree" in result.certificate()


class NaNRow(Constraint):
    def rows(self, problem):
        return [LinearForm(rule=1.0) <= math.nan]


class WrongNumber(Constraint):
    """Says that there can be one rule only, and bounds nothing."""

    def rows(self, problem):
        return []

    def max_rules(self, problem):
        return self.most


@pytest.mark.parametrize("most", [math.nan, -1.0, "many"])
def test_a_bound_that_is_no_number_names_its_constraint(most):
    """NaN as a row's bound, or as the number of rules, is refused with the constraint's name."""
    with pytest.raises(PluginError, match="NaNRow"):
        HammingMaster(problem_of(0), [NaNRow()], BACKEND)
    wrong = WrongNumber()
    wrong.most = most
    with pytest.raises(PluginError, match="WrongNumber"):
        HammingMaster(problem_of(0), [Complexity(6), wrong], BACKEND)


def test_a_wrong_number_of_rules_is_refuted_by_a_rule_set():
    """A rule set with more rules than a constraint allows in its count refutes it, and nothing is claimed."""
    wrong = WrongNumber()
    wrong.most = 1.0
    result, _, told = run([EXACT], master=HammingMaster(problem_of(2), [Complexity(6), wrong], BACKEND))
    assert len(result.rules) < 2 or ("WrongNumber" in told and result.status is not Status.OPTIMAL)


def test_bounds_in_a_chain_are_refused_and_equality_is_a_row():
    """Python would read a chain as its second half; ``==`` makes a row with two bounds."""
    form = LinearForm(rule=1.0)
    with pytest.raises(ValueError, match="between"):
        assert 2 <= form <= 5
    row = form == 3
    assert isinstance(row, Row)
    assert (row.lo, row.hi) == (3.0, 3.0)
    assert (form.between(2, 5).lo, form.between(2, 5).hi) == (2.0, 5.0)


@pytest.mark.parametrize("scale", [1e-9, 1e-8, 1.0, 1e9])
def test_the_scale_of_weights_changes_nothing(scale):
    """The same rules are optimal whatever unit weights are counted in."""
    plain, _, _ = run([EXACT])
    base = problem_of(0)
    X, y = base.X, base.labels
    scaled = Problem.from_arrays(X, y, weights=base.weights * scale, max_conditions=2)
    result, _, _ = run([EXACT], master=HammingMaster(scaled, [Complexity(6)], BACKEND))
    assert result.status is Status.OPTIMAL
    assert result.rules == plain.rules
    assert result.objective == pytest.approx(plain.objective * scale)


def test_a_relaxation_is_on_the_grid():
    """What pricers are given is exact: multiples of a power of two, few enough for any order of sums."""
    with HammingMaster(problem_of(0), [Complexity(6), MissedShareBound(0.1)], BACKEND) as master:
        master.add_rules(all_rules(master.problem)[:9])
        pricing = master.solve_relaxation(Deadline()).pricing
    assert pricing.is_exact
    order = np.random.default_rng(0).permutation(len(pricing.sample_weights))
    assert pricing.sample_weights[order].sum() == math.fsum(pricing.sample_weights)
