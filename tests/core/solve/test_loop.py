"""Column generation: what it finds equals what listing every rule finds, and it keeps its limits."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import (
    ConfigurationError,
    Deadline,
    HammingMaster,
    InfeasibleError,
    IntegerLimits,
    Limits,
    LinearForm,
    Pricer,
    PricingResult,
    Problem,
    RelaxationOptions,
    Row,
    Rule,
    Start,
    Status,
    Stop,
    generate_columns,
    load_registry,
)
from rulecg_core.api.constraint import Constraint
from rulecg_core.api.master import Master
from rulecg_core.base.events import Branched, Finished, Note, RoundFinished, RulesListed, StagePriced, Started
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound
from rulecg_core.testing.recording import RecordingBackend, RecordingSession


@pytest.fixture(scope="module")
def highs():
    return load_registry().backend("highs")


@st.composite
def problems(draw):
    """Random problems small enough to list every rule (at most 8 features, 40 samples)."""
    n_conditions = draw(st.integers(1, 8))
    n_samples = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.random((n_samples, n_conditions)) < draw(st.floats(0.1, 0.9))
    y = rng.random(n_samples) < draw(st.floats(0.1, 0.9))
    weights = rng.integers(1, 4, n_samples) if draw(st.booleans()) else None
    return Problem.from_arrays(
        X,
        y,
        weights=weights,
        sensitive_groups=np.arange(n_samples) % 2,
        logic=draw(st.sampled_from(["dnf", "cnf"])),
        max_conditions=draw(st.integers(1, 3)),
    )


def constraints_for(problem, bound, eps):
    sides = [problem.labels, ~problem.labels]
    every_cell = all((group.members & side).any() for group in problem.sensitive_groups.crossed() for side in sides)
    with_rates = eps is not None and every_cell and len(problem.sensitive_groups.crossed()) == 2
    return [SizeBound(bound), *([MissedShareBound(eps)] if with_rates else [])]


@settings(max_examples=200, deadline=None)
@given(problem=problems(), bound=st.integers(2, 10), eps=st.sampled_from([None, 0.0, 0.1, 0.5]))
def test_relaxation_equals_the_one_over_all_rules_and_bounds_the_objective(problem, bound, eps):
    """The relaxation found by column generation equals the LP over all rules; no objective but that of covering
    everything, which stands alone, is below it."""
    backend = load_registry().backend("highs")
    constraints = constraints_for(problem, bound, eps)
    result = generate_columns(
        HammingMaster(problem, constraints, backend), [BruteForcePricer()], Limits(rules_per_call=3)
    )
    full = HammingMaster(problem, constraints, backend)
    full.add_rules(all_rules(problem))
    over_all = full.solve_relaxation(Deadline())
    assert result.relaxation == pytest.approx(over_all.value, abs=1e-5)
    everything = full.evaluate([Rule(())])
    covering_all = everything.objective if everything.keeps_rows else np.inf
    assert result.objective >= min(over_all.value, covering_all) - 1e-5
    assert result.lower_bound <= result.objective
    if not any(row.form.cover is not None for row in full.goal.rows):
        # Without proxies the proof by listing must reach the optimum over all rules.
        best = full.solve_integer(IntegerLimits()).candidates[0]
        assert result.status is Status.OPTIMAL
        assert result.objective == pytest.approx(min(best.objective, covering_all))


def cycling_problem():
    """The paper's example: two positives with the first feature, one with the second, a negative with none."""
    return Problem.from_arrays([[1, 0], [1, 0], [0, 1], [0, 0]], [1, 1, 1, 0], merge=False)


class StuckSession(RecordingSession):
    """Returns the same duals whatever was added, as solvers do that bound w by 1 behind the user's back."""

    def solve(self, deadline=Deadline()):  # noqa: B008 - Deadline is frozen
        solution = super().solve(deadline)
        return evolve(solution, dual=np.array([1.0, 1.0, 1.0, 0.0]))


class StuckBackend(RecordingBackend):
    def open_lp(self):
        self.sessions.append(StuckSession(self.inner.open_lp()))
        return self.sessions[-1]


class OneRulePricer(Pricer):
    """Returns only the best rule, known or not, as a single pricing IP would."""

    def price(self, problem, limits, rng):
        return PricingResult(BruteForcePricer().price(problem, limits, rng).rules[:1])


def test_cycling_example_with_stuck_duals_ends_and_finds_the_second_rule(highs):
    """Duals that never change must not make the loop cycle, and the second rule is still found."""
    options = RelaxationOptions(dual_form=False, merge_rows=False)
    master = HammingMaster(cycling_problem(), [SizeBound(10)], StuckBackend(highs), options=options)
    events = []
    result = generate_columns(
        master, [OneRulePricer(), BruteForcePricer()], Limits(iterations=50), on_event=events.append
    )
    assert {Rule([0]), Rule([1])} <= set(result.pool)
    assert result.objective == 0
    assert sum(isinstance(event, RoundFinished) for event in events) <= 3
    assert any("already in the master" in event.message for event in events if isinstance(event, Note))


def test_cycling_example_finds_both_rules_one_at_a_time(highs):
    """Without an upper bound on w the duals move on, and even one rule per call suffices."""
    master = HammingMaster(cycling_problem(), [SizeBound(10)], highs)
    result = generate_columns(master, [OneRulePricer()])
    assert set(result.pool) == {Rule([0]), Rule([1])}
    assert result.objective == 0


def noisy_problem(seed=0, n_samples=120, n_conditions=10, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.random((n_samples, n_conditions)) < 0.5
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3] & X[:, 4]) | (rng.random(n_samples) < noise)
    return Problem.from_arrays(X, y, max_conditions=3)


def test_events_tell_the_story_in_order(highs):
    """Started first, Finished last, one RoundFinished per iteration, each with its own number and time."""
    events = []
    result = generate_columns(
        HammingMaster(noisy_problem(), [SizeBound(12)], highs), [("oracle", BruteForcePricer())],
        Limits(rules_per_call=5), on_event=events.append,
    )
    assert isinstance(events[0], Started)
    assert isinstance(events[-1], Finished)
    rounds = [event for event in events if isinstance(event, RoundFinished)]
    assert [event.iteration for event in rounds] == list(range(1, len(rounds) + 1))
    assert list(result.history) == rounds
    assert {event.stage for event in events if isinstance(event, StagePriced)} == {"oracle"}
    seconds = [event.seconds for event in events]
    assert seconds == sorted(seconds)


def test_iteration_and_pool_limits_are_kept(highs):
    """A limit ends generation, is told as the reason, and no bound is claimed that was not proven."""
    problem = noisy_problem()
    one = generate_columns(
        HammingMaster(problem, [SizeBound(12)], highs), [BruteForcePricer()], Limits(iterations=1, rules_per_call=4)
    )
    assert len(one.history) == 1
    assert one.stop is Stop.OTHER_LIMIT
    assert one.status in (Status.BOUNDED, Status.HEURISTIC)
    few = generate_columns(
        HammingMaster(problem, [SizeBound(12)], highs), [BruteForcePricer()], Limits(pool=4, rules_per_call=2)
    )
    assert 4 <= few.pool_size < 4 + 2


def test_a_heuristic_alone_proves_nothing(highs):
    """A pricer that claims no bound leaves the result without one."""
    result = generate_columns(HammingMaster(noisy_problem(), [SizeBound(12)], highs), [OneRulePricer()])
    assert result.status is Status.HEURISTIC
    assert result.lower_bound is None
    assert result.gap is None


def test_same_seed_gives_the_same_result(highs):
    """Two runs with the same seed agree in every rule."""
    first, second = (
        generate_columns(HammingMaster(noisy_problem(), [SizeBound(12)], highs), [BruteForcePricer()], seed=7)
        for _ in range(2)
    )
    assert first.rules == second.rules
    assert first.pool == second.pool


def test_a_pool_can_start_another_run(highs):
    """Starting from the pool of a finished run, the relaxation is solved in one round."""
    problem = noisy_problem()
    first = generate_columns(HammingMaster(problem, [SizeBound(12)], highs), [BruteForcePricer()])
    again = generate_columns(
        HammingMaster(problem, [SizeBound(12)], highs), [BruteForcePricer()], start=Start(first.pool)
    )
    assert len(again.history) == 1
    assert again.objective == first.objective


class InterruptedPricer(Pricer):
    """Finds rules twice, then the user presses Ctrl-C."""

    def __init__(self):
        self.calls = 0

    def price(self, problem, limits, rng):
        self.calls += 1
        if self.calls > 2:
            raise KeyboardInterrupt
        return OneRulePricer().price(problem, limits, rng)


def test_interrupt_returns_the_best_so_far(highs):
    """Ctrl-C ends the run with a rule set from the rules so far, and says so."""
    result = generate_columns(HammingMaster(noisy_problem(), [SizeBound(12)], highs), [InterruptedPricer()])
    assert result.stop is Stop.INTERRUPTED
    assert len(result.history) == 2
    assert result.errors < HammingMaster(noisy_problem(), [SizeBound(12)], highs).evaluate(()).errors


class TooLongPricer(Pricer):
    """Breaks its contract: too many conditions, and none at all."""

    def price(self, problem, limits, rng):
        return PricingResult((Rule(range(problem.n_conditions)), Rule([])))


def test_rules_outside_the_limits_are_left_out_with_a_note(highs):
    """A pricer's rule with no or too many conditions never reaches the master."""
    events = []
    result = generate_columns(
        HammingMaster(noisy_problem(), [SizeBound(12)], highs), [TooLongPricer()], on_event=events.append
    )
    assert result.pool_size == 0
    assert any("left out" in event.message for event in events if isinstance(event, Note))


def test_no_pricer_is_an_error(highs):
    """Column generation without a pricer is refused."""
    with pytest.raises(ConfigurationError, match="at least one pricer"):
        generate_columns(HammingMaster(noisy_problem(), [SizeBound(12)], highs), [])


class RecallFloor(Constraint):
    """At least a share of the positives must be found: the empty rule set is not feasible."""

    def __init__(self, floor):
        self.floor = floor

    def rows(self, problem):
        return [(problem.true_positive_rate() >= self.floor).named("recall")]


def test_rows_that_the_empty_rule_set_breaks_are_reached_through_artificial_columns(highs):
    """A recall floor is met, and the certificate is about the constrained problem."""
    problem = noisy_problem()
    result = generate_columns(
        HammingMaster(problem, [SizeBound(12), RecallFloor(0.95)], highs), [BruteForcePricer()]
    )
    found = problem.predict(result.rules)
    assert problem.weights[found & problem.labels].sum() >= 0.95 * problem.weights[problem.labels].sum()
    assert result.lower_bound is not None


class Impossible(Constraint):
    """More than all positives must be found."""

    def rows(self, problem):
        return [(problem.true_positive_rate() >= 1.5).named("impossible recall")]


def test_infeasible_rows_are_named(highs):
    """When nothing is feasible, the error names the row and by how much it fails."""
    with pytest.raises(InfeasibleError, match="impossible recall") as caught:
        generate_columns(
            HammingMaster(noisy_problem(), [SizeBound(30), Impossible()], highs), [BruteForcePricer()]
        )
    assert caught.value.shortfalls == {"impossible recall": pytest.approx(0.5)}
    assert caught.value.proven


class TwoSided(Constraint):
    """Shares of found positives and of selected samples within narrow ranges: two-sided rows, both out of reach."""

    def rows(self, problem):
        recall, selected = problem.true_positive_rate(), problem.selection_rate()
        return [Row(recall, 0.5, 0.95, "recall range"), Row(selected, 0.2, 0.8, "selection range")]


def test_two_sided_rows_do_not_get_in_each_others_way(highs):
    """The artificial column restores every row at once, however narrow; reported values are in the rows' units."""
    result = generate_columns(
        HammingMaster(noisy_problem(), [SizeBound(12), TwoSided()], highs), [BruteForcePricer()]
    )
    assert 0.5 <= result.row_values["recall range"][1] <= 0.95
    assert 0.2 <= result.row_values["selection range"][1] <= 0.8


def test_rows_of_one_name_are_told_apart(highs):
    """Two constraints may use the same name; reports keep both."""
    master = HammingMaster(noisy_problem(), [SizeBound(12), SizeBound(6)], highs)
    assert [row.name for row in master.goal.rows] == ["size", "size (2)"]


class Soft(Constraint):
    """The share of missed positives above a tenth costs 100 each: an auxiliary variable in row and objective."""

    def rows(self, problem):
        return [(problem.false_negative_rate() - LinearForm.variable("excess") <= 0.1).named("soft recall")]

    def objective(self, problem):
        return LinearForm.variable("excess") * 100.0


def test_auxiliary_variables_take_part_in_objective_and_rows(highs):
    """A soft bound is paid for in the objective exactly by its excess."""
    problem = noisy_problem()
    master = HammingMaster(problem, [SizeBound(6), Soft()], highs)
    result = generate_columns(master, [BruteForcePricer()])
    missed = problem.weights[problem.labels & ~problem.predict(result.rules)].sum()
    excess = max(0.0, missed / problem.weights[problem.labels].sum() - 0.1)
    plain = HammingMaster(problem, [SizeBound(6)], highs).evaluate(result.rules).objective
    assert result.selected_objective == pytest.approx(plain + 100 * excess)


def test_listing_proves_optimality_and_tells_how_many_rules_mattered(highs):
    """When the restricted MIP leaves a gap, listing closes it and the event tells the number of rules."""
    for seed in range(6):
        events = []
        problem = noisy_problem(seed, noise=0.35)
        result = generate_columns(
            HammingMaster(problem, [SizeBound(8)], highs),
            [BruteForcePricer()],
            Limits(rules_per_call=2),
            on_event=events.append,
        )
        assert result.status is Status.OPTIMAL
        listed = [event for event in events if isinstance(event, RulesListed)]
        assert (result.rules_listed is None) == (not listed)
        if listed:
            assert result.rules_listed == listed[-1].n_rules


class Unbranched(HammingMaster):
    """A master that cannot be extended by branches."""

    with_constraints = Master.with_constraints


def test_a_capped_listing_claims_no_optimality(highs):
    """With a cap of one listed rule and no branching the gap stays open unless the relaxation already closed it."""
    open_gaps = 0
    for seed in range(6):
        problem = noisy_problem(seed, noise=0.35)
        result = generate_columns(
            Unbranched(problem, [SizeBound(8)], highs), [BruteForcePricer()], Limits(listed_rules=1)
        )
        if result.rules_listed is not None and result.rules_listed >= 1:
            open_gaps += result.status is Status.LP_OPTIMAL
            assert result.lower_bound >= result.relaxation - 1e-5
    assert open_gaps


def test_branching_closes_what_listing_leaves(highs):
    """With the same cap, branch and price proves the optimum that listing without a cap proves."""
    branched = 0
    for seed in range(6):
        problem = noisy_problem(seed, noise=0.35)
        events = []
        capped = generate_columns(
            HammingMaster(problem, [SizeBound(8)], highs),
            [BruteForcePricer()],
            Limits(listed_rules=1),
            on_event=events.append,
        )
        listed = generate_columns(HammingMaster(problem, [SizeBound(8)], highs), [BruteForcePricer()])
        branched += any(isinstance(event, Branched) and event.closed for event in events)
        assert capped.status is Status.OPTIMAL
        assert capped.objective == listed.objective
    assert branched


@pytest.mark.parametrize("weight", [1e-300, 1e-9, 1e-8, 1e-7, 1e-3, 1e9, 1e300])
def test_what_is_proven_does_not_depend_on_the_scale_of_the_weights(weight, highs):
    """However small or large all sample weights are, the same rule set is proven optimal, in the user's own weights."""
    rng = np.random.default_rng(5)
    X = rng.random((120, 8)) < 0.5
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3]) | (rng.random(120) < 0.1)
    results = []
    for weights in (np.ones(120), np.full(120, weight)):
        problem = Problem.from_arrays(X, y, weights=weights, max_conditions=2)
        results.append(generate_columns(HammingMaster(problem, [SizeBound(6)], highs), [BruteForcePricer()]))
    plain, scaled = results
    assert plain.status is scaled.status is Status.OPTIMAL
    assert scaled.objective == pytest.approx(plain.objective * weight, rel=1e-9)
    assert scaled.lower_bound == pytest.approx(plain.lower_bound * weight, rel=1e-9)
    assert scaled.rules == plain.rules
