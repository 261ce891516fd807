"""Descents by single conditions: they end in local optima and keep to what the problem allows."""

import numpy as np
import pytest

from rulecg_core import Deadline, Problem, Rule
from rulecg_core.testing.brute_force import all_rules
from rulecg_core.testing.master_contract import SizeBound, small_problem
from rulecg_search.conditions.moves import ConditionMoves
from rulecg_search.conditions.sample_bits import SampleBits
from rulecg_search.scoring import Scorer

from ..cases import CASES
from ..opened import counted, master_of


@pytest.mark.parametrize("case", CASES)
def test_conditions_change_until_no_single_change_helps(case):
    """From any start the descent ends where no rule with one condition dropped, added or exchanged is better."""
    for seed in range(4):
        master = master_of(small_problem(seed), *CASES[case])
        problem = master.problem
        scorer = Scorer(master.goal.objective, master.goal.rows)
        # In true counts, errors alone do not say what an auxiliary variable costs.
        for count_once in (False,) if case == "auxiliary variable" else (False, True):
            bits = SampleBits.of(problem, master.goal.forms, count_once=count_once)
            rng = np.random.default_rng(seed)
            start = [Rule(rng.permutation(problem.n_conditions)[:2]) for _ in range(2)]
            end = ConditionMoves(problem, bits, scorer).descend(start, Deadline(), rng)

            def merit(rules, master=master, count_once=count_once):
                found = master.evaluate(rules)
                if count_once:
                    return round(found.true_violation, 9), found.errors
                return round(found.proxy_violation, 9), found.objective

            reached = merit(end)
            assert reached <= merit(dict.fromkeys(start))
            if case == "broken at first" and reached[0] > 0:
                continue
            for at, rule in enumerate(end):
                for other in all_rules(problem):
                    if other not in end and len(set(rule) - set(other)) <= 1 and len(set(other) - set(rule)) <= 1:
                        neighbour = merit((*end[:at], other, *end[at + 1 :]))
                        assert reached[0] == 0
                        assert neighbour >= reached


def test_rules_longer_than_allowed_take_no_part_in_descents():
    """Rules given to start with may come from a run that allowed more conditions."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 12)) < 0.7
    problem = Problem.from_arrays(X, X[:, 0] & X[:, 1], max_conditions=2)
    master = master_of(problem, SizeBound(12))
    moves = counted(master).moves
    for length in range(3, 9):
        start = [Rule(range(length)), Rule((2, 3))]
        rules = moves.descend(start, Deadline(), np.random.default_rng(length))
        assert all(len(rule) <= 2 for rule in rules)
        assert master.evaluate(rules).objective == 0
