"""Smoothed duals change which rules come first, never what is proven."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg_core import Deadline, HammingMaster, Limits, Problem, Schedule, Status, generate_columns, load_registry
from rulecg_core.generation.smoothing import Smoothing
from rulecg_core.testing.brute_force import BruteForcePricer, all_rules
from rulecg_core.testing.master_contract import MissedShareBound, SizeBound
from tests.core.generation.two_rules import TwoRules
from tests.core.masters.lp.test_linear_master import problems


@settings(max_examples=30, deadline=None)
@given(problem=problems(), eps=st.sampled_from([None, 0.1]))
def test_smoothed_duals_lead_to_the_same_certificate(problem, eps):
    """With stabilisation the run ends at the same relaxation, with a bound that is proven on the true duals."""
    backend = load_registry().backend("highs")
    constraints = [SizeBound(6), *([] if eps is None else [MissedShareBound(eps)])]
    plain, smooth = (
        generate_columns(
            HammingMaster(problem, constraints, backend),
            [TwoRules(), BruteForcePricer()],
            Limits(rules_per_call=3),
            schedule=Schedule().with_settings({"generation": {"smoothing": share}}),
        )
        for share in (0.0, 0.5)
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
        pricings.append(master.solve_relaxation(Deadline()).pricing)
    smoothing = Smoothing(share=0.25)
    smoothing.begin(pricings[0])
    mixed = smoothing.smoothed(pricings[1])
    first, second, found = (np.array([each.reduced_cost(rule) for rule in rules]) for each in (*pricings, mixed))
    assert not np.allclose(first, second)
    assert found == pytest.approx(0.25 * first + 0.75 * second)
