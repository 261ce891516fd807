"""Tables over given rules: which rules they hold, what each adds, and that a part of the samples stands for all."""

import numpy as np
import pytest

from rulecg_core import Deadline, Problem, Rule, reduced_costs
from rulecg_core.testing.master_contract import SizeBound
from rulecg_search.given_rules import rule_tables

from ..cases import CASES, master_of_case
from ..opened import counted, master_of


def test_few_rules_are_all_promising_and_those_of_starts_come_first():
    """Also rules that the pool does not have."""
    master = master_of_case("complexity", 0)
    known, strange = master.pool.rules[:-1], master.pool.rules[-1]
    assert counted(master).tables.promising(known, [[strange], [known[3], strange]]) == [
        strange, known[3], *(rule for rule in known if rule != known[3])
    ]  # fmt: skip


@pytest.mark.parametrize("has_relaxation", [False, True])
def test_of_too_many_rules_the_cheapest_are_promising(has_relaxation, monkeypatch):
    """By reduced cost once there is a relaxation, before that by what each rule alone adds to the objective."""
    monkeypatch.setattr(rule_tables, "LEAST_RULES", 4)
    master = master_of_case("complexity", 1)
    rules = list(master.pool.rules)
    relaxation = master.solve_relaxation(Deadline()) if has_relaxation else None
    tables = counted(master, relaxation=relaxation, table_entries=1).tables
    if relaxation is None:
        nothing = master.evaluate(()).objective
        costs = np.array([master.evaluate([rule]).objective - nothing for rule in rules])
    else:
        costs = reduced_costs(master.problem, relaxation.pricing, rules)
    chosen = tables.promising(rules, [])
    assert len(chosen) == 4
    assert max(costs[rules.index(rule)] for rule in chosen) <= np.sort(costs)[3] + 1e-9
    dearest = rules[int(np.argmax(costs))]
    assert tables.promising(rules, [[dearest]])[0] == dearest


@pytest.mark.parametrize("case", CASES)
def test_what_a_rule_adds_whatever_else_is_chosen(case):
    """Size and, where every cover counts, the samples it covers; the same when asked again."""
    master = master_of_case(case, 2)
    forms, problem = master.goal.forms, master.problem
    tables = counted(master).tables
    rules = master.pool.rules[:6]
    expected = np.array(
        [
            [
                form.length * problem.length(rule) + form.rule
                + (0.0 if form.cover is None else float(form.cover[rule.covers(problem.X)].sum()))
                for rule in rules
            ]
            for form in forms
        ]
    )  # fmt: skip
    np.testing.assert_allclose(tables.form_values(rules), expected, atol=1e-9)
    np.testing.assert_allclose(tables.form_values(rules[::-1]), expected[:, ::-1], atol=1e-9)


def test_weights_are_those_of_the_same_rules_in_the_relaxation():
    """Whatever their order; rules that the relaxation did not know have none, and neither has any before it."""
    master = master_of_case("complexity", 3)
    every = list(master.pool.rules)
    known = master_of(master.problem, *CASES["complexity"])
    known.add_rules(every[:-2])
    relaxation = known.solve_relaxation(Deadline())
    known.add_rules(every[-2:])
    weights = counted(known, relaxation=relaxation).tables.relaxed_weights(every[::-1])
    assert weights.any()
    assert not weights[:2].any()
    expected = np.where(relaxation.weights > 1e-6, relaxation.weights, 0.0)
    np.testing.assert_allclose(weights[2:][::-1], expected)
    assert not counted(known).tables.relaxed_weights(every).any()


def test_a_table_over_a_part_of_the_samples_stands_for_all():
    """What is missed while nothing is chosen is about the same, from a quarter of the covers."""
    rng = np.random.default_rng(0)
    X = rng.random((4_000, 12)) < 0.4
    problem = Problem.from_arrays(X, X[:, 0] ^ (rng.random(4_000) < 0.1), merge=False)
    master = master_of(problem, SizeBound(18))
    rules = [Rule((feature,)) for feature in range(12)]
    entries = len(rules) * problem.n_samples // 4
    values = []
    for settings in ({}, {"table_entries": entries}):
        tables = counted(master, **settings).tables
        table = tables.table(rules, np.random.default_rng(1))
        values.append(table.uncovered[0].sum() + table.constant[0])
        assert table.uncovered.shape[1] <= problem.n_samples
    assert values[0] == pytest.approx(master.evaluate(()).objective)
    assert values[1] == pytest.approx(values[0], rel=0.15)
    assert values[1] != values[0]
