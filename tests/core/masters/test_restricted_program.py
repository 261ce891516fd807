"""The restricted integer program: merged samples count fully."""

import numpy as np
import pytest

from rulecg_core import HammingMaster, load_registry
from rulecg_core.masters.restricted_program import build_restricted
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import SizeBound, small_problem


@pytest.mark.parametrize("count_once", [False, True])
def test_merged_program_has_the_value_of_every_rule_set(count_once):
    """The point that stands for a rule set is feasible and costs what the master says."""
    for seed in range(5):
        problem = small_problem(seed)
        master = HammingMaster(problem, [SizeBound(8)], load_registry().backend("highs"))
        rules = all_rules(problem)
        assert master.goal.max_rules == 4.0
        model = build_restricted(master.goal, rules, count_once=count_once)
        assert model.mip.n_columns - len(rules) <= 2 * problem.n_samples
        chosen = np.random.default_rng(seed).permutation(len(rules))[:2].tolist()
        x = model.point(chosen)
        found = master.evaluate([rules[at] for at in chosen])
        assert model.mip.costs @ x + model.mip.offset == pytest.approx(found.errors if count_once else found.objective)
        activity = model.mip.rows.dot(x)
        assert np.all(activity >= model.mip.row_lower - 1e-9)
        assert np.all(activity <= model.mip.row_upper + 1e-9)
        assert sorted(model.chosen(x)) == sorted(chosen)
