"""Explanations name the rules that decided, and the changes they propose are enough and the fewest possible."""

from itertools import combinations, product

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg.analysis.explain import explain_rule_set
from rulecg_core import Condition, ConfigurationError, RuleSet

LOANS = RuleSet.of(
    [
        [Condition("income", ">", 50), Condition("debt", "<=", 0.4)],
        [Condition("job", "==", "nurse"), Condition("age", ">", 30)],
    ],
    outcome="approved",
)


def test_accepted_rows_name_every_rule_that_fired():
    """The rules that hold for the row, as text."""
    table = pd.DataFrame({"income": [60], "debt": [0.1], "job": ["nurse"], "age": [40]})
    (explanation,) = explain_rule_set(LOANS, table)
    assert explanation.fired == (0, 1)
    assert explanation.rules == ("income > 50 and debt <= 0.4", "job == nurse and age > 30")
    assert explanation.ways == ()


def test_rejected_rows_get_the_smallest_change():
    """One change that is enough comes before two that would be."""
    table = pd.DataFrame({"income": [40.0], "debt": [0.1], "job": ["cook"], "age": [20]})
    (explanation,) = explain_rule_set(LOANS, table)
    (way,) = explanation.ways
    assert way.rule == 0
    assert str(way) == "income > 50 (is 40)"
    assert 50 < way.changes[0].nearest < 50.0001


def test_immutable_columns_are_never_proposed():
    """When the smallest way goes through a column that cannot change, another one is found, or none."""
    table = pd.DataFrame({"income": [40.0], "debt": [0.1], "job": ["cook"], "age": [20]})
    (explanation,) = explain_rule_set(LOANS, table, immutable=["income"])
    assert [change.column for change in explanation.ways[0].changes] == ["job", "age"]
    (explanation,) = explain_rule_set(LOANS, table, immutable=["income", "age"])
    assert explanation.ways == ()


def test_unknown_immutable_columns_are_refused_by_name():
    """A misspelt column would otherwise silently protect nothing."""
    with pytest.raises(ConfigurationError, match="Did you mean 'income'"):
        explain_rule_set(LOANS, {"income": [1], "debt": [1], "job": ["x"], "age": [1]}, immutable=["incom"])


def test_a_missing_value_can_be_stated():
    """Stating a value is a change like any other."""
    table = pd.DataFrame({"income": [None], "debt": [0.1], "job": ["cook"], "age": [20]}, dtype=object)
    (explanation,) = explain_rule_set(LOANS, table)
    assert str(explanation.ways[0]) == "income > 50 (is missing)"


CLAUSES_OF_CNF = RuleSet.of(
    [
        [Condition("income", ">", 50), Condition("job", "==", "nurse")],
        [Condition("debt", "<=", 0.4), Condition("age", ">", 30)],
    ],
    logic="cnf",
    outcome="approved",
)


def test_rows_that_clauses_accept_are_explained_by_all_of_them():
    """In CNF a row is accepted because every clause holds, and no clause is said to have failed."""
    table = pd.DataFrame({"income": [60], "debt": [0.1], "job": ["cook"], "age": [20]})
    (explanation,) = explain_rule_set(CLAUSES_OF_CNF, table, ["yes"])
    assert explanation.accepted
    assert explanation.fired == (0, 1)
    assert str(explanation) == "yes: (income > 50 or job == nurse) and (debt <= 0.4 or age > 30)"


def test_rows_that_a_clause_rejects_are_told_that_it_fails():
    """In CNF the reason for a rejection is a clause that does not hold, and it reads so."""
    table = pd.DataFrame({"income": [40], "debt": [0.1], "job": ["cook"], "age": [20]})
    (explanation,) = explain_rule_set(CLAUSES_OF_CNF, table, ["no"])
    assert explanation.fired == (0,)
    assert str(explanation).splitlines()[0] == "no: not (income > 50 or job == nurse)"


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
def test_without_rules_every_row_has_a_reason(logic):
    """A DNF without rules accepts nothing, a CNF without clauses everything."""
    rules = RuleSet.of([], logic=logic, columns=["income"])
    (explanation,) = explain_rule_set(rules, pd.DataFrame({"income": [1]}))
    assert str(explanation) == {"dnf": "False: no rule applies", "cnf": "True: always"}[logic]


def test_ways_beyond_floats_are_enough():
    """Whole numbers that floats cannot tell apart are proposed to the unit."""
    rules = RuleSet.of([[Condition("id", ">", 2**53 + 1)]])
    (explanation,) = explain_rule_set(rules, pd.DataFrame({"id": [2**53 + 1]}))
    assert explanation.ways[0].changes[0].nearest == 2**53 + 2


DOMAINS = {
    "n": [None, -1.0, 0.0, 0.5, 1.0, 2.0],
    "c": [None, "a", "b", "z"],
    "m": [None, 0.0, 1.0, 2.0],
    "t": [True, False],
}
CONDITIONS = st.one_of(
    st.builds(Condition, st.sampled_from("nm"), st.sampled_from(["<=", ">"]), st.integers(0, 1)),
    st.builds(Condition, st.just("c"), st.sampled_from(["==", "!="]), st.sampled_from(["a", "b"])),
    st.builds(Condition, st.sampled_from("nmc"), st.sampled_from(["missing", "present"])),
    st.builds(Condition, st.just("t"), st.sampled_from(["true", "false"])),
)
CLAUSES = st.lists(st.lists(CONDITIONS, min_size=1, max_size=4), min_size=1, max_size=4)
ROWS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in DOMAINS.items()})


def as_table(rows):
    table = pd.DataFrame(rows, columns=list(DOMAINS))
    return table.astype({"n": float, "m": float, "c": object, "t": bool})


def fewest_by_brute_force(rules, row, immutable, most):
    """Try every value of every set of columns, fewest columns first."""
    free = [name for name in DOMAINS if name not in immutable]
    for size in range(1, most + 1):
        for names in combinations(free, size):
            options = [[v for v in DOMAINS[name] if v is not None] for name in names]
            rows = [{**row, **dict(zip(names, values, strict=True))} for values in product(*options)]
            if rules.predict(as_table(rows)).any():
                return size
    return None


@settings(max_examples=100, deadline=None)
@given(CLAUSES, st.sampled_from(["dnf", "cnf"]), ROWS, st.sets(st.sampled_from("nct"), max_size=2))
def test_ways_are_enough_and_no_smaller_one_exists(clauses, logic, row, immutable):
    """Applying a way makes the rules accept, and trying everything finds no way with fewer columns."""
    rules = RuleSet.of(clauses, logic=logic, columns=list(DOMAINS))
    (explanation,) = explain_rule_set(rules, as_table([row]), immutable=sorted(immutable), max_reasons=3)
    if explanation.accepted:
        assert explanation.ways == ()
        return
    fewest = fewest_by_brute_force(rules, row, immutable, 3)
    assert {len(way.changes) for way in explanation.ways} == (set() if fewest is None else {fewest})
    for way in explanation.ways:
        # Where a column only has to be known, any value will do, and the proposal cannot know its type.
        nearest = {c.column: 0.0 if c.needed.endswith("is known") else c.nearest for c in way.changes}
        changed = {**row, **nearest}
        assert not immutable & {change.column for change in way.changes}
        assert rules.predict(as_table([changed])).all()
