"""The exact search against brute force, and what it promises beyond the contract of every pricer."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from rulecg_core.api.pricing import NEGATIVE, Pricer, PricingProblem
from rulecg_core.base.limits import Deadline, PricingLimits
from rulecg_core.base.status import Stop
from rulecg_core.data.rules import Rule
from rulecg_core.testing.brute_force import all_reduced_costs, all_rules
from rulecg_core.testing.pricer_contract import PricerContract, hard_problem
from rulecg_core.testing.random_problems import random_pricing_problem
from rulecg_pricing.exact.ordered import LAG
from rulecg_pricing.exact.pricer import ExactSearch

RNG = np.random.default_rng(0)


class TestExactSearch(PricerContract):
    """The contract, with brute force on 500 random problems."""

    exact = True

    @pytest.fixture
    def pricer(self) -> Pricer:
        return ExactSearch()


def thresholds_problem(
    seed: int, n_samples: int = 300, n_columns: int = 8, max_conditions: int = 5, n_cuts: int = 9
) -> PricingProblem:
    """Thresholds in both directions on random columns, priced as a master would: many words, repacked on the way."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_samples, n_columns))
    label = table[:, 0] * table[:, 1] + 0.5 * table[:, 2] + rng.normal(scale=0.7, size=n_samples) > 0.3
    cuts = np.quantile(table, np.linspace(0.1, 0.9, n_cuts), axis=0)
    below = [table[:, column] <= cut for column in range(n_columns) for cut in cuts[:, column]]
    X = np.column_stack([*below, *(~feature for feature in below)])
    chains = np.repeat(np.arange(2 * n_columns), len(cuts))
    weights = np.where(label, -rng.choice([0.0, 0.3, 0.5, 1.0, rng.random()], size=n_samples), 1.0)
    price = float(rng.choice([0.5, 1.0, 2.0]))
    return PricingProblem(X, weights, price, price, max_conditions, chains=chains)


def plain_least(problem: PricingProblem) -> float:
    """The least reduced cost by a search with no other bound than the sum of the negative weights."""
    prices = problem.condition_prices
    best = np.inf

    def extend(covered: np.ndarray, start: int, length: int, price: float) -> None:
        nonlocal best
        X = problem.X[covered, start:]
        weights = problem.sample_weights[covered]
        values = weights @ X + price + prices[start:]
        optimistic = np.minimum(weights, 0.0) @ X + price + prices[start:]
        if len(values):
            best = min(best, float(values.min()))
        if length + 1 == problem.max_conditions:
            return
        for place in np.flatnonzero(optimistic < best):
            if optimistic[place] < best:
                extend(
                    covered[X[:, place]], start + int(place) + 1, length + 1, price + float(prices[start + place])
                )

    extend(np.arange(problem.n_samples), 0, 0, problem.constant)
    return best


@pytest.mark.parametrize("seed", range(9))
def test_finds_the_least_reduced_cost_on_larger_problems(seed: int) -> None:
    """Also where samples fill many words and nodes are packed anew, the least value equals a plain search's."""
    problem = thresholds_problem(seed, n_samples=150 + 40 * seed, n_columns=4, max_conditions=3 + seed % 3, n_cuts=6)
    least = plain_least(problem)
    result = ExactSearch().price(problem, PricingLimits(), RNG)
    assert result.stop is Stop.COMPLETED
    assert result.bound is not None
    if least < NEGATIVE:
        assert result.bound == pytest.approx(least, abs=1e-7)
        assert problem.reduced_cost(result.rules[0]) == pytest.approx(least, abs=1e-7)
    else:
        assert result.rules == ()
        assert 2 * NEGATIVE <= result.bound <= least


@pytest.mark.parametrize("seed", range(6))
def test_one_and_two_threads_give_the_same(seed: int) -> None:
    """Threads change how long it takes, never which rules come back."""
    problem = thresholds_problem(seed)
    one, two = (ExactSearch().price(problem, PricingLimits(threads=threads), RNG) for threads in (1, 2))
    assert one.rules == two.rules
    assert one.bound == two.bound
    least = one.bound if one.bound is not None else 0.0
    first, second = (
        ExactSearch().list_below(problem, least + 2.0, 10_000, PricingLimits(threads=threads)) for threads in (1, 2)
    )
    assert first.complete
    assert first.rules == second.rules


@pytest.mark.parametrize("seed", range(4))
def test_listing_agrees_with_brute_force_on_larger_problems(seed: int) -> None:
    """Every cover of a rule below the threshold is listed once, on problems with many words too."""
    problem = thresholds_problem(seed, n_samples=200, n_columns=3, max_conditions=3 + seed % 2, n_cuts=4)
    rules = all_rules(problem)
    costs = all_reduced_costs(problem, rules)
    threshold = float(np.quantile(costs, 0.05))
    expected = {
        rule.covers(problem.X).tobytes() for rule, cost in zip(rules, costs, strict=True) if cost <= threshold
    }
    listing = ExactSearch().list_below(problem, threshold, len(rules), PricingLimits(threads=2))
    assert listing.complete
    covers = [rule.covers(problem.X).tobytes() for rule in listing.rules]
    assert len(set(covers)) == len(covers)
    assert expected <= set(covers)
    assert all(problem.reduced_cost(rule) <= threshold + 1e-7 for rule in listing.rules)


def test_samples_without_weight_still_tell_covers_apart() -> None:
    """Rules that differ only on samples of weight 0 are different rules in a listing."""
    X = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=bool)
    problem = PricingProblem(X, np.array([-1.0, 0.0, 0.0, 1.0]), 0.1, 0.0, 2)
    listing = ExactSearch().list_below(problem, 0.0, 10, PricingLimits())
    assert set(listing.rules) == {Rule([0]), Rule([1]), Rule([0, 1])}


def test_a_listing_that_is_cut_short_is_the_same_with_one_and_two_threads() -> None:
    """More rules than asked for: the listing says that it is incomplete, and why."""
    problem = thresholds_problem(1)
    listings = [ExactSearch().list_below(problem, 5.0, 100, PricingLimits(threads=threads)) for threads in (1, 2)]
    assert [listing.complete for listing in listings] == [False, False]
    assert listings[0].stop is Stop.OTHER_LIMIT
    assert listings[0].rules == listings[1].rules
    assert len(listings[0].rules) == 100


def test_a_listing_out_of_time_is_not_complete() -> None:
    """A deadline in the past gives an incomplete listing."""
    listing = ExactSearch().list_below(thresholds_problem(1), 5.0, 10**6, PricingLimits(deadline=Deadline.after(0.0)))
    assert not listing.complete
    assert listing.stop is Stop.TIME_LIMIT


@pytest.mark.parametrize("seconds", [0.002, 0.01, 0.05])
def test_bound_is_valid_when_stopped_early(seconds: float) -> None:
    """Whenever the deadline comes, no rule is below the bound, and the rules found are real."""
    for seed in range(3):
        problem = thresholds_problem(seed, n_samples=400, n_columns=12)
        least = ExactSearch().price(problem, PricingLimits(threads=2), RNG).bound
        stopped = ExactSearch().price(
            problem, PricingLimits(deadline=Deadline.after(seconds), threads=2), RNG
        )
        assert stopped.bound is not None
        assert least is not None
        assert stopped.bound <= least + 1e-9
        assert all(problem.reduced_cost(rule) < NEGATIVE for rule in stopped.rules)


class Countdown(Deadline):
    """A deadline that passes after a number of looks at it, and counts the looks."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        object.__setattr__(self, "looks", [0, looks])

    @property
    def passed(self) -> bool:
        looks: list[int] = self.looks  # type: ignore[attr-defined]
        looks[0] += 1
        return looks[0] > looks[1]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("looks", [0, 1, 5, 40])
def test_a_search_ends_at_the_first_look_at_a_passed_deadline(threads: int, looks: int) -> None:
    """No thread goes on with its work after it saw that the deadline has passed, in a search or in a listing."""
    problem = hard_problem()
    for ask in (
        lambda limits: ExactSearch().price(problem, limits, RNG).stop,
        lambda limits: ExactSearch().list_below(problem, -50.0, 10**6, limits).stop,
    ):
        deadline = Countdown(looks)
        assert ask(PricingLimits(deadline=deadline, threads=threads)) is Stop.TIME_LIMIT
        # A thread may still begin the parts that need not wait for others, to find the deadline passed.
        assert deadline.looks[0] <= looks + threads + LAG  # type: ignore[attr-defined]


def test_more_rules_than_asked_for_are_cut_to_the_best() -> None:
    """Fewer rules asked for are the first of more."""
    problem = thresholds_problem(3)
    many = ExactSearch().price(problem, PricingLimits(max_rules=50), RNG).rules
    few = ExactSearch().price(problem, PricingLimits(max_rules=3), RNG).rules
    assert len(many) > 3
    assert few[0] == many[0]
    assert len(few) == 3


@pytest.mark.parametrize("seed", range(20))
def test_rules_have_distinct_covers(seed: int) -> None:
    """Two rules that cover the same samples are one column of the master: only the better comes back."""
    problem = random_pricing_problem(seed)
    rules = ExactSearch().price(problem, PricingLimits(), RNG).rules
    covers = [rule.covers(problem.X).tobytes() for rule in rules]
    assert len(set(covers)) == len(covers)


def test_import_does_not_load_the_compiler() -> None:
    """Listing the plugins must stay fast: numba is loaded by the first search."""
    code = "import sys, rulecg_pricing.exact.pricer; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
