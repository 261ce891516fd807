"""What every pricer must do. Subclass :class:`PricerContract` and give it one fixture, ``pricer``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import evolve, frozen

from ..api.pricing import NEGATIVE, Listing, Pricer, PricingProblem, PricingResult
from ..base.arrays import FloatArray
from ..base.limits import Deadline, PricingLimits
from ..base.status import Stop
from ..data.rules import Rule
from .brute_force import all_reduced_costs, all_rules
from .random_problems import random_pricing_problem, with_random_bounds
from .timing import within

TOLERANCE = 2e-6
"""Relative to the weights of the problem: solvers stop within their own tolerances."""


@frozen(eq=False)
class Case:
    """A random pricing problem and what there is to know about it."""

    seed: int
    problem: PricingProblem
    rules: list[Rule]
    costs: FloatArray

    @property
    def least(self) -> float:
        return float(self.costs.min())

    @property
    def tolerance(self) -> float:
        return TOLERANCE * max(1.0, float(np.abs(self.problem.sample_weights).sum()))


@cache
def _case(seed: int, max_samples: int, max_features: int) -> Case:
    problem = random_pricing_problem(seed, max_samples=max_samples, max_features=max_features)
    for _, array in _arrays(problem):
        array.flags.writeable = False
    rules = all_rules(problem)
    return Case(seed, problem, rules, all_reduced_costs(problem, rules))


class PricerContract:
    """Compares a pricer with brute force, and its claims with the truth.

    >>> class TestMyPricer(PricerContract):
    ...     exact = True
    ...
    ...     @pytest.fixture
    ...     def pricer(self):
    ...         return MyPricer()
    """

    exact: ClassVar[bool] = False
    """Whether the pricer claims to find the best rule, and to prove it, when it is given time."""
    n_problems: ClassVar[int] = 500
    max_samples: ClassVar[int] = 40
    max_features: ClassVar[int] = 8

    @pytest.fixture
    def pricer(self) -> Pricer:
        raise NotImplementedError("give the contract a fixture 'pricer' that returns the pricer under test")

    @pytest.fixture
    def answers(self, pricer: Pricer) -> list[tuple[Case, PricingResult]]:
        """The pricer's answer to every random problem; asked once per pricer."""
        known: list[tuple[Pricer, list[tuple[Case, PricingResult]]]] = type(self).__dict__.get("_answers", [])
        for asked, answers in known:
            if asked == pricer:
                return answers
        answers = [(case, _ask(pricer, case)) for case in self.cases()]
        type(self)._answers = [*known, (pricer, answers)]  # type: ignore[attr-defined]
        return answers

    def cases(self, share: float = 1.0) -> list[Case]:
        """The first of the random problems, or all of them."""
        count = max(1, round(share * self.n_problems))
        return [_case(seed, self.max_samples, self.max_features) for seed in range(count)]

    # What is returned -----------------------------------------------------------------------------------------------

    def test_rules_are_distinct_and_have_an_allowed_number_of_conditions(
        self, answers: list[tuple[Case, PricingResult]]
    ) -> None:
        """Every rule comes once, has 1 to max_conditions conditions, and only features that exist."""
        for case, answer in answers:
            assert len(set(answer.rules)) == len(answer.rules), _of(case)
            assert set(answer.rules) <= set(case.rules), _of(case)

    def test_rules_are_negative_and_best_first(self, answers: list[tuple[Case, PricingResult]]) -> None:
        """Only rules with negative reduced cost on the full data come back, in the order of that cost."""
        for case, answer in answers:
            costs = all_reduced_costs(case.problem, list(answer.rules))
            assert np.all(costs < NEGATIVE + 1e-9), _of(case)
            assert np.all(np.diff(costs) >= -case.tolerance), _of(case)

    def test_finds_rules(self, answers: list[tuple[Case, PricingResult]]) -> None:
        """Where rules with negative reduced cost exist, the pricer finds one: always if exact, else mostly."""
        found = [bool(answer.rules) for case, answer in answers if case.least < 10 * NEGATIVE]
        assert found, "no random problem had a negative rule: take more problems"
        assert np.mean(found) >= (1.0 if self.exact else 0.5)

    def test_returns_no_more_rules_than_asked_for(self, pricer: Pricer) -> None:
        """With max_rules=1 one rule comes back at most; of an exact pricer it is the best."""
        for case in self.cases(0.1):
            answer = _ask(pricer, case, max_rules=1)
            assert len(answer.rules) <= 1, _of(case)
            if self.exact and case.least < 10 * NEGATIVE:
                assert case.problem.reduced_cost(answer.rules[0]) <= case.least + case.tolerance, _of(case)

    # What is claimed ------------------------------------------------------------------------------------------------

    def test_best_rule_and_bound_are_the_truth(self, answers: list[tuple[Case, PricingResult]]) -> None:
        """An exact pricer's best rule and its bound are brute force's; a heuristic claims no bound."""
        for case, answer in answers:
            if not self.exact:
                assert answer.bound is None, _of(case)
                continue
            assert answer.stop is Stop.COMPLETED, _of(case)
            assert answer.bound is not None, _of(case)
            assert answer.bound <= case.least + case.tolerance, _of(case)
            if case.least < NEGATIVE:
                assert answer.bound >= case.least - case.tolerance, _of(case)
            else:
                # That there is nothing negative must be proven; how far above 0 the best is need not be known.
                assert answer.bound >= 2 * NEGATIVE, _of(case)
            if case.least < 10 * NEGATIVE:
                assert case.problem.reduced_cost(answer.rules[0]) <= case.least + case.tolerance, _of(case)

    def test_bounds_are_finite_numbers_or_none(self, pricer: Pricer, answers: list[tuple[Case, PricingResult]]) -> None:
        """A bound is a finite number or None, with time and without: nothing can be concluded from NaN or infinity."""
        hurried = [(case, _ask(pricer, case, deadline=Deadline.after(0.0))) for case in self.cases(0.05)]
        for case, answer in [*answers, *hurried]:
            assert answer.bound is None or np.isfinite(answer.bound), _of(case)

    def test_a_pricer_out_of_time_claims_nothing_false(self, pricer: Pricer) -> None:
        """With no time at all the answer still comes, and a bound, if any, is valid."""
        for case in self.cases(0.1):
            answer = _ask(pricer, case, deadline=Deadline.after(0.0))
            assert set(answer.rules) <= set(case.rules), _of(case)
            if answer.bound is not None:
                assert self.exact, _of(case)
                assert answer.bound <= case.least + case.tolerance, _of(case)

    def test_keeps_its_time_limit_on_a_hard_problem(self, pricer: Pricer) -> None:
        """A problem too hard for the time given ends within a second of the limit, with a valid bound or none."""
        _ask(pricer, self.cases(0.0)[0])  # whatever is loaded or compiled once is not part of the limit
        problem = hard_problem()
        answer = within(
            0.3 + 1.0,
            lambda: pricer.price(problem, PricingLimits(deadline=Deadline.after(0.3)), np.random.default_rng(0)),
        )
        best = min(problem.reduced_cost(Rule([feature])) for feature in range(problem.n_conditions))
        best = min([best, *(problem.reduced_cost(rule) for rule in answer.rules)])
        assert answer.bound is None or (self.exact and answer.bound <= best + TOLERANCE * problem.n_samples)

    # Bounds on single rules -----------------------------------------------------------------------------------------

    def test_keeps_bounds_on_single_rules(self, pricer: Pricer) -> None:
        """With bounds on single rules only rules that keep them come back; what an exact pricer finds, proves and lists
        is what brute force does over these rules."""
        found = []
        for case in self.cases(0.3):
            problem = with_random_bounds(case.problem, case.seed)
            rules = all_rules(problem)
            costs = all_reduced_costs(problem, rules)
            least = float(costs.min(initial=np.inf))
            bounded = Case(case.seed, problem, rules, costs)
            answer = _ask(pricer, bounded)
            assert set(answer.rules) <= set(rules), _of(case)
            if least < 10 * NEGATIVE:
                found.append(bool(answer.rules))
            if self.exact:
                assert answer.bound is not None, _of(case)
                assert answer.bound <= least + case.tolerance, _of(case)
                if least < 10 * NEGATIVE:
                    assert answer.bound >= least - case.tolerance, _of(case)
                    assert problem.reduced_cost(answer.rules[0]) <= least + case.tolerance, _of(case)
                else:
                    assert answer.bound >= 20 * NEGATIVE, _of(case)
            if pricer.can_list and rules:
                listing = pricer.list_below(problem, float(np.median(costs)), len(rules), PricingLimits())
                assert listing.complete, _of(case)
                _check_listing(bounded, float(np.median(costs)), listing)
        assert np.mean(found) >= (1.0 if self.exact else 0.5)

    # How it behaves -------------------------------------------------------------------------------------------------

    def test_same_seed_gives_the_same_rules(self, pricer: Pricer) -> None:
        """A run can be repeated: the same problem and seed give the same answer."""
        for case in self.cases(0.05):
            first, second = _ask(pricer, case), _ask(pricer, case)
            assert first.rules == second.rules, _of(case)
            assert first.bound == second.bound, _of(case)

    def test_does_not_change_its_input(self, pricer: Pricer) -> None:
        """The problem's arrays are the same afterwards, in pricing and in listing, though here they could be changed
        (elsewhere they are read-only)."""
        for case in self.cases(0.05):
            copies: dict[str, Any] = {name: array.copy() for name, array in _arrays(case.problem)}
            problem = evolve(case.problem, **copies)
            pricer.price(problem, PricingLimits(), np.random.default_rng(0))
            if pricer.can_list:
                pricer.list_below(problem, case.least + 0.5, len(case.rules), PricingLimits())
            for (_, after), (name, before) in zip(_arrays(problem), _arrays(case.problem), strict=True):
                np.testing.assert_array_equal(after, before, err_msg=name)
            assert problem.in_use == case.problem.in_use, _of(case)

    def test_preparations_are_not_mixed_up(self, pricer: Pricer) -> None:
        """What a pricer keeps from call to call is about the matrix alone: other weights and prices get their own
        answer."""
        for case in self.cases(0.05):
            other = random_pricing_problem(
                case.seed + 10**6, max_samples=self.max_samples, max_features=self.max_features
            )
            weights = np.resize(-other.sample_weights, case.problem.n_samples)
            changed: dict[str, Any] = {"sample_weights": weights, "condition_price": 0.25, "constant": 0.5}
            pricer.price(case.problem, PricingLimits(), np.random.default_rng(0))
            shared = pricer.price(evolve(case.problem, **changed), PricingLimits(), np.random.default_rng(0))
            changed["X"] = case.problem.X.copy()
            fresh = pricer.price(evolve(case.problem, **changed), PricingLimits(), np.random.default_rng(0))
            assert shared.rules == fresh.rules, _of(case)
            assert shared.bound == fresh.bound, _of(case)

    # Listing --------------------------------------------------------------------------------------------------------

    def test_lists_every_rule_below_a_threshold(self, pricer: Pricer) -> None:
        """Where listing is offered, a complete list leaves out only rules that a listed one makes superfluous; a list
        that was cut short at ``most`` is never called complete."""
        if not pricer.can_list:
            with pytest.raises(NotImplementedError):
                pricer.list_below(self.cases(0.0)[0].problem, 0.0, 10, PricingLimits())
            return
        for case in self.cases():
            for threshold in (case.least + 0.5, float(np.median(case.costs)), case.least - 1.0):
                whole = pricer.list_below(case.problem, threshold, len(case.rules), PricingLimits())
                assert whole.complete, _of(case)
                _check_listing(case, threshold, whole)
                most = max(1, len(whole.rules) // 2)
                cut = pricer.list_below(case.problem, threshold, most, PricingLimits())
                assert len(cut.rules) <= most, _of(case)
                _check_listing(case, threshold, cut)


@cache
def hard_problem() -> PricingProblem:
    """Random labels on many samples and features: nothing to find, and no bound closes early."""
    rng = np.random.default_rng(0)
    X = rng.random((4000, 120)) < 0.7
    return PricingProblem(X, rng.normal(size=len(X)) - 0.05, 0.1, 0.1, 8)


def _ask(pricer: Pricer, case: Case, *, max_rules: int = 50, deadline: Deadline | None = None) -> PricingResult:
    limits = PricingLimits(deadline=deadline or Deadline(), max_rules=max_rules)
    return pricer.price(case.problem, limits, np.random.default_rng(case.seed))


def _of(case: Case) -> str:
    """Which problem it was, to be made again by ``random_pricing_problem``."""
    return f"random_pricing_problem({case.seed})"


def _arrays(problem: PricingProblem) -> Sequence[tuple[str, Any]]:
    return [(name, getattr(problem, name)) for name in ("X", "sample_weights", "condition_costs", "chains")]


def _check_listing(case: Case, threshold: float, listing: Listing) -> None:
    problem = case.problem
    slack = 1e-9 * max(1.0, float(np.abs(problem.sample_weights).sum()))
    assert len(set(listing.rules)) == len(listing.rules), _of(case)
    assert set(listing.rules) <= set(case.rules), _of(case)
    assert all(problem.reduced_cost(rule) <= threshold + slack for rule in listing.rules), _of(case)
    if not listing.complete:
        return
    shortest: dict[bytes, float] = {}
    for rule in listing.rules:
        cover = rule.covers(problem.X).tobytes()
        shortest[cover] = min(shortest.get(cover, np.inf), float(problem.condition_costs[list(rule.features)].sum()))
    for rule, cost in zip(case.rules, case.costs, strict=True):
        if cost <= threshold - slack:
            length = float(problem.condition_costs[list(rule.features)].sum())
            assert shortest.get(rule.covers(problem.X).tobytes(), np.inf) <= length + 1e-12, (_of(case), rule)
