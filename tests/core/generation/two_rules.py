"""A heuristic pricer for tests."""

from rulecg_core import Pricer, PricingResult
from rulecg_core.testing.brute_force import BruteForcePricer


class TwoRules(Pricer):
    """Brute force that claims no bound, and returns few rules."""

    def price(self, problem, limits, rng):
        return PricingResult(BruteForcePricer().price(problem, limits, rng).rules[:2])
