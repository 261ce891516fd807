"""Goals of every kind on small problems: bounds on size, on rates, auxiliary variables, rows broken at first."""

import numpy as np
from attrs import frozen

from rulecg_core import Constraint, LinearForm
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound, small_problem

from .opened import master_of


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


def master_of_case(case, seed, n_conditions=5):
    """The master of a case on a small problem, with every rule in its pool."""
    problem = small_problem(seed, n_conditions=n_conditions)
    master = master_of(problem, *CASES[case])
    master.add_rules(all_rules(problem))
    return master
