"""Conditions, rules and rule sets: what they cover, how they read, and that JSON brings them back unchanged."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulecg_core import Condition, ConfigurationError, Rule, RuleSet

TABLE = pd.DataFrame(
    {
        "age": [20.0, 45.0, 46.0, np.nan],
        "sex": ["f", "m", None, "f"],
        "member": [True, False, True, False],
    }
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("age", "<=", 45), [True, True, False, False]),
        (Condition("age", ">", 45), [False, False, True, False]),
        (Condition("age", "missing"), [False, False, False, True]),
        (Condition("age", "present"), [True, True, True, False]),
        (Condition("sex", "==", "f"), [True, False, False, True]),
        (Condition("sex", "!=", "f"), [False, True, False, False]),
        (Condition("sex", "missing"), [False, False, True, False]),
        (Condition("member"), [True, False, True, False]),
        (Condition("member", "false"), [False, True, False, True]),
    ],
)
def test_conditions_hold_where_they_say_and_never_for_missing_values(condition, expected):
    """Every comparison with a missing value is false; 'is missing' is the only condition that holds there."""
    assert condition.holds(TABLE[condition.column]).tolist() == expected


def test_thresholds_compare_in_double_precision():
    """A float32 column is not compared at float32 precision, where 0.1 would equal 0.1 rounded."""
    column = np.array([0.1], dtype=np.float32)
    assert Condition("x", "<=", 0.1).holds(column).tolist() == [float(column[0]) <= 0.1]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_printed_thresholds_read_back_as_the_same_number(threshold):
    """A threshold is never rounded for display."""
    shown = str(Condition("x", ">", threshold)).removeprefix("x > ")
    assert float(shown) == threshold


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "~", 3), "Unknown operator"),
        (("x", "<=", "high"), "finite number"),
        (("x", "<=", float("nan")), "finite number"),
        (("x", "<="), "got value None"),
        (("x", "missing", 3), "got value 3"),
    ],
)
def test_impossible_conditions_are_refused(arguments, message):
    """A condition that could not be evaluated cannot be made."""
    with pytest.raises(ConfigurationError, match=message):
        Condition(*arguments)


def test_rule_keeps_its_features_sorted_and_distinct():
    """Order and repetition do not make a different rule."""
    assert Rule([3, 1, 3]) == Rule((1, 3))


TWO_RULES = [[Condition("age", ">", 45)], [Condition("sex", "==", "f"), Condition("member")]]


def test_dnf_predicts_when_any_rule_holds():
    """An OR of ANDs."""
    rules = RuleSet.of(TWO_RULES, outcome="risk")
    assert rules.predict(TABLE).tolist() == [True, False, True, False]
    assert rules.complexity == 5
    assert str(rules) == "risk if\n  age > 45\n  or sex == f and member"


def test_cnf_predicts_when_every_clause_holds():
    """An AND of ORs, and it reads like one."""
    rules = RuleSet.of(TWO_RULES, logic="cnf", outcome="risk")
    assert rules.predict(TABLE).tolist() == [False, False, True, False]
    assert str(rules) == "risk if\n  age > 45\n  and (sex == f or member)"


@pytest.mark.parametrize(("logic", "text", "value"), [("dnf", "never", False), ("cnf", "always", True)])
def test_empty_rule_sets_are_constant(logic, text, value):
    """No rule predicts nothing; no clause forbids nothing."""
    rules = RuleSet.of([], logic=logic, columns=["age"])
    assert rules.predict(TABLE).tolist() == [value] * 4
    assert str(rules).startswith(text)


def test_rule_sets_read_frames_dicts_and_arrays():
    """A table may be a DataFrame, a dict of columns or a plain array with the columns in order."""
    rules = RuleSet.of([[Condition("b", "<=", 1.5)]], columns=["a", "b"])
    array = np.array([[0.0, 1.0], [0.0, 2.0]])
    expected = [True, False]
    assert rules.predict(array).tolist() == expected
    assert rules.predict(pd.DataFrame(array, columns=["a", "b"])).tolist() == expected
    assert rules.predict({"b": array[:, 1]}).tolist() == expected


def test_missing_columns_and_wrong_shapes_are_told():
    """The error names the column, or the columns that an array must have."""
    rules = RuleSet.of([[Condition("b", "<=", 1.5)]], columns=["a", "b"])
    with pytest.raises(ConfigurationError, match="lacks the column 'b'"):
        rules.predict(pd.DataFrame({"a": [1]}))
    with pytest.raises(ConfigurationError, match="2 columns"):
        rules.predict(np.zeros((3, 5)))


values = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**9), 10**9))
conditions = st.one_of(
    st.builds(Condition, st.text(), st.sampled_from(["<=", ">"]), values),
    st.builds(Condition, st.text(), st.sampled_from(["==", "!="]), st.one_of(st.text(), st.booleans(), values)),
    st.builds(Condition, st.text(), st.sampled_from(["missing", "present", "true", "false"])),
)


@given(st.lists(st.lists(conditions, min_size=1, max_size=4), max_size=5), st.sampled_from(["dnf", "cnf"]), st.text())
def test_json_round_trip_is_exact(clauses, logic, outcome):
    """Whatever the column names, values and form, reading back gives an equal rule set."""
    rules = RuleSet.of(clauses, logic=logic, outcome=outcome)
    assert RuleSet.from_json(rules.to_json()) == rules


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda entry: entry.update(format="other"), "expected a JSON object"),
        (lambda entry: entry.update(version=99), "version 99"),
        (lambda entry: entry.update(rules=[[7]]), "does not list"),
        (lambda entry: entry.update(logic="xnf"), "'dnf' or 'cnf'"),
        (lambda entry: entry.pop("conditions"), "conditions"),
        (lambda entry: entry["conditions"].append({"column": "a", "operator": "exec"}), "Unknown operator"),
        (lambda entry: entry["conditions"].append({"column": "a", "operator": "==", "value": {}}), "Not a value"),
    ],
)
def test_foreign_json_is_refused(change, message):
    """What is not a rule set of this version is refused with a reason."""
    entry = json.loads(RuleSet.of(TWO_RULES).to_json())
    change(entry)
    with pytest.raises(ConfigurationError, match=message):
        RuleSet.from_json(json.dumps(entry))


def test_text_that_is_not_json_is_refused():
    """Not even JSON."""
    with pytest.raises(ConfigurationError, match="not JSON"):
        RuleSet.from_json("age > 45")
