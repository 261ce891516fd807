"""Every pricer that rulecg registers is under the contract that a stranger's pricer is tested with."""

from __future__ import annotations

import sys
from typing import ClassVar

import numpy as np
import pytest
from attrs import evolve, frozen

from rulecg_core import (
    BackendUnavailable,
    Listing,
    Pricer,
    PricingLimits,
    PricingProblem,
    PricingResult,
    Rule,
    load_registry,
)
from rulecg_core.testing.brute_force import BruteForcePricer
from rulecg_core.testing.pricer_contract import PricerContract


class RegisteredContract(PricerContract):
    """The contract for a pricer that is found by name."""

    name: ClassVar[str]
    backend: ClassVar[str | None] = None

    @pytest.fixture
    def pricer(self) -> Pricer:
        registry = load_registry()
        return registry.pricer(self.name, registry.backend(self.backend))


class TestBruteForce(PricerContract):
    """The oracle passes its own contract, so that proofs may be tested with it."""

    exact = True
    n_problems = 100

    @pytest.fixture
    def pricer(self) -> Pricer:
        return BruteForcePricer()

    test_keeps_its_time_limit_on_a_hard_problem = None  # it looks at every rule, whatever the time


class TestBeam(RegisteredContract):
    name = "beam"


class TestWideBeam(RegisteredContract):
    name = "wide-beam"


class TestRandomBeam(RegisteredContract):
    name = "random-beam"


class TestNeighbours(RegisteredContract):
    name = "neighbours"


class TestSubsampledIP(RegisteredContract):
    name = "subsampled-ip"
    n_problems = 100


class TestExactIP(RegisteredContract):
    name = "exact-ip"
    exact = True


class TestExactIPOnCBC(TestExactIP):
    backend = "cbc"
    max_samples = 24
    max_features = 7


class TestExactIPOnSCIP(TestExactIP):
    backend = "scip"
    max_samples = 24
    max_features = 7


class TestExactIPOnGurobi(TestExactIP):
    backend = "gurobi"
    max_samples = 24
    max_features = 7

    @pytest.fixture
    def pricer(self) -> Pricer:
        registry = load_registry()
        try:
            return registry.pricer(self.name, registry.backend(self.backend))
        except BackendUnavailable as error:
            if "expired" in str(error):
                pytest.skip(f"Gurobi's restricted licence has expired: {error}")
            raise

    test_keeps_its_time_limit_on_a_hard_problem = None  # too large for the licence that comes with the wheel


class TestExactSearch(RegisteredContract):
    name = "exact-search"
    exact = True


def test_every_registered_pricer_is_under_contract() -> None:
    """A pricer that rulecg registers without testing it against brute force must not pass unnoticed."""
    contracts = [
        value
        for value in vars(sys.modules[__name__]).values()
        if isinstance(value, type) and issubclass(value, RegisteredContract) and value is not RegisteredContract
    ]
    registered = {entry.name for entry in load_registry() if entry.kind == "pricer" and entry.distribution == "rulecg"}
    assert registered == {contract.name for contract in contracts}


def test_exact_ip_is_under_contract_on_every_backend() -> None:
    """The integer program is compared with brute force on each solver that rulecg brings."""
    names = {entry.name for entry in load_registry() if entry.kind == "backend" and entry.distribution == "rulecg"}
    assert names - {load_registry().config.backend} == {c.backend for c in TestExactIP.__subclasses__()}


def test_every_exact_pricer_is_compared_with_brute_force_on_500_problems() -> None:
    """An exact pricer's claim rests on at least 500 random problems."""
    exact = [contract for contract in RegisteredContract.__subclasses__() if contract.exact]
    assert {contract.name for contract in exact} == {"exact-ip", "exact-search"}
    assert all(contract.n_problems >= 500 for contract in [*exact, *TestExactIP.__subclasses__()])


@frozen
class Flawed(BruteForcePricer):
    """Brute force with one fault."""

    fault: str

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        truth = super().price(problem, limits, rng)
        if self.fault == "misses the best rule":
            return evolve(truth, rules=truth.rules[1:])
        if self.fault == "claims too high a bound":
            return evolve(truth, bound=truth.bound + 0.1)
        if self.fault == "claims too low a bound":
            return evolve(truth, bound=truth.bound - 0.1)
        if self.fault == "returns rules twice":
            return evolve(truth, rules=truth.rules[:1] * 2)
        if self.fault == "returns rules that are not negative":
            return evolve(truth, rules=(*truth.rules, Rule([0])))
        if self.fault == "ignores max_rules":
            return super().price(problem, evolve(limits, max_rules=50), rng)
        if self.fault == "is moody":
            return evolve(truth, rules=truth.rules[:: int(np.random.default_rng().choice([1, -1]))])
        if self.fault == "claims an infinite bound" and not truth.rules:
            return evolve(truth, bound=np.inf)
        if self.fault == "claims no number as a bound":
            return evolve(truth, bound=np.nan)
        if self.fault == "changes the weights":
            problem.sample_weights[:] = 0
        return truth

    def list_below(self, problem: PricingProblem, threshold: float, most: int, limits: PricingLimits) -> Listing:
        listing = super().list_below(problem, threshold, most, limits)
        if self.fault == "changes the weights while it lists":
            problem.sample_weights[:] = 0
        return evolve(listing, rules=listing.rules[:-1]) if self.fault == "leaves a rule off the list" else listing


@pytest.mark.parametrize(
    "fault",
    [
        "misses the best rule",
        "claims too high a bound",
        "claims too low a bound",
        "returns rules twice",
        "returns rules that are not negative",
        "ignores max_rules",
        "is moody",
        "changes the weights",
        "changes the weights while it lists",
        "claims an infinite bound",
        "claims no number as a bound",
        "leaves a rule off the list",
    ],
)
def test_contract_catches(fault: str) -> None:
    """A pricer with a fault fails the contract; without one it passes."""

    class Contract(PricerContract):
        exact = True
        n_problems = 100

    def run(pricer: Pricer) -> None:
        contract = Contract()
        answers = PricerContract.answers.__wrapped__(contract, pricer)
        contract.test_rules_are_distinct_and_have_an_allowed_number_of_conditions(answers)
        contract.test_rules_are_negative_and_best_first(answers)
        contract.test_best_rule_and_bound_are_the_truth(answers)
        contract.test_bounds_are_finite_numbers_or_none(pricer, answers)
        contract.test_returns_no_more_rules_than_asked_for(pricer)
        contract.test_same_seed_gives_the_same_rules(pricer)
        contract.test_does_not_change_its_input(pricer)
        contract.test_lists_every_rule_below_a_threshold(pricer)

    run(Flawed("none"))
    with pytest.raises((AssertionError, ValueError, IndexError)):
        run(Flawed(fault))
