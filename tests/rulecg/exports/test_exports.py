"""Exports decide every row as the model does: in SQLite, in DuckDB, as a Python function and as JSON."""

import math
import sqlite3

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulecg.exports import to_json, to_python, to_sql
from rulecg.model.model_file import to_model
from rulecg_core import Condition, ConfigurationError, RuleSet


def rows_of(table):
    """Python values, None where missing."""
    return [
        {name: None if pd.isna(value) else value for name, value in row.items()}
        for row in table.astype(object).to_dict("records")
    ]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def by_sqlite(table, query):
    connection = sqlite3.connect(":memory:")
    names = list(table.columns)
    connection.execute(f"CREATE TABLE people ({', '.join(map(quoted, names))})")
    marks = ", ".join("?" for _ in names)
    connection.executemany(
        f"INSERT INTO people VALUES ({marks})",
        [tuple(v.item() if isinstance(v, np.generic) else v for v in row.values()) for row in rows_of(table)],
    )
    return [row[-1] for row in connection.execute(query)]


def by_duckdb(table, query):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
        return [row[-1] for row in connection.execute(query).fetchall()]


def by_python(table, source):
    space = {"__builtins__": {"hasattr": hasattr}}
    exec(compile(source, "exported", "exec"), space)
    return [space["predict"](row) for row in rows_of(table)]


@pytest.mark.parametrize("which", ["model", "fitted_cnf", "fitted_classes"])
def test_lending_decisions_are_the_same_everywhere(which, request, lending):
    """Missing values included; DNF, CNF and several classes alike."""
    found = request.getfixturevalue(which)
    model = found if which == "model" else to_model(found)
    table = lending.data.copy()
    table.loc[::7, "job"] = None
    table.loc[::5, "income"] = np.nan
    expected = model.predict(table).tolist()
    assert len(set(expected)) > 1
    query = to_sql(model, table="people", column="decision")
    assert by_sqlite(table, query) == expected
    assert by_duckdb(table, query) == expected
    assert by_python(table, to_python(model)) == expected
    if model.is_binary:
        again = RuleSet.from_json(to_json(model)).predict(table)
        assert [model.classes[int(positive)] for positive in again] == expected


TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.floats(-1e6, 1e6) | st.integers(-5, 5).map(float)


@st.composite
def rule_sets_with_tables(draw):
    """A rule set on columns with any names, and a table with values at, beside and far from what it compares with."""
    names = draw(st.lists(TEXTS, min_size=2, max_size=3, unique_by=lambda name: name.casefold()).filter(all))
    number, category = names[0], names[1]
    numbers, texts = draw(st.lists(NUMBERS, min_size=1, max_size=3)), draw(st.lists(TEXTS, min_size=1, max_size=3))
    conditions = st.one_of(
        st.builds(Condition, st.just(number), st.sampled_from(["<=", ">"]), st.sampled_from(numbers)),
        st.builds(Condition, st.just(category), st.sampled_from(["==", "!="]), st.sampled_from(texts)),
        st.builds(Condition, st.sampled_from([number, category]), st.sampled_from(["missing", "present"])),
    )
    clauses = draw(st.lists(st.lists(conditions, max_size=3), max_size=3))
    near = [f(n) for n in numbers for f in (float, lambda n: math.nextafter(n, math.inf), lambda n: n - 1)]
    row = st.tuples(st.sampled_from([None, *near]), st.sampled_from([None, *texts, "another"]))
    rows = draw(st.lists(row, min_size=1, max_size=8))
    table = pd.DataFrame(rows, columns=[number, category])
    table[number] = table[number].astype(float)
    table[category] = table[category].astype(object)
    logic = draw(st.sampled_from(["dnf", "cnf"]))
    return RuleSet.of(clauses, logic=logic, columns=names, outcome=draw(TEXTS.filter(bool))), table


@settings(max_examples=80, deadline=None)
@given(rule_sets_with_tables())
def test_any_rule_set_decides_the_same_everywhere(drawn):
    """Whatever the names, the categories and the thresholds."""
    rules, table = drawn
    expected = rules.predict(table).astype(int).tolist()
    query = to_sql(rules, table="people", column="decision of rules")
    assert by_sqlite(table, query) == expected
    assert by_python(table, to_python(rules)) == expected
    assert RuleSet.from_json(to_json(rules)).predict(table).astype(int).tolist() == expected


@settings(max_examples=15, deadline=None)
@given(rule_sets_with_tables())
def test_any_rule_set_decides_the_same_in_duckdb(drawn):
    """A second engine with real column types."""
    rules, table = drawn
    typed = table.astype({table.columns[1]: "string"})
    query = to_sql(rules, table="people", column="decision of rules")
    assert by_duckdb(typed, query) == rules.predict(table).astype(int).tolist()


def test_truth_values_are_compared_as_such():
    """A boolean column works in every export."""
    rules = RuleSet.of([[Condition("member")], [Condition("paid", "false")]])
    table = pd.DataFrame({"member": [True, False, False], "paid": [True, True, False]})
    query = to_sql(rules, table="people")
    assert by_sqlite(table, query) == by_duckdb(table, query) == by_python(table, to_python(rules)) == [1, 0, 1]


ATTACKS = [
    "'; DROP TABLE people; --",
    '" OR 1=1 --',
    "\\'; --",
    "x' || (SELECT 1) || '",
    '"""\nimport os\n',
    "a\nb",
    "%s",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_injections_stay_text(attack):
    """As a column, as a category and as an outcome: they are compared, never run."""
    rules = RuleSet.of([[Condition(attack, "==", attack)]], outcome=attack)
    table = pd.DataFrame({attack: [attack, "harmless", None]}, dtype=object)
    query = to_sql(rules, table="people")
    assert by_sqlite(table, query) == [1, 0, 0]
    assert by_duckdb(table, query) == [1, 0, 0]
    assert by_python(table, to_python(rules)) == [1, 0, 0]


def test_a_column_that_is_not_there_is_an_error_and_not_a_text():
    """SQLite would read an unknown quoted name as a text and answer without complaint."""
    query = to_sql(RuleSet.of([[Condition("age", ">", 3)]]), table="people")
    with pytest.raises(sqlite3.OperationalError, match="age"):
        by_sqlite(pd.DataFrame({"other": [1]}), query)


def test_characters_that_sql_cannot_hold_are_refused():
    """NUL would end the text early in some engines."""
    with pytest.raises(ConfigurationError, match="NUL"):
        to_sql(RuleSet.of([[Condition("a\x00b")]]))


LARGE = 2**53
NUMBER_COLUMNS = {
    "single precision": (np.array([0.1, 0.2, 0.30000001], dtype=np.float32), 0.1),
    "single precision above": (np.array([0.1, 0.7, 0.9], dtype=np.float32), 0.7),
    "integers beyond doubles": (np.array([LARGE, LARGE + 1, LARGE + 2, LARGE + 3], dtype=np.int64), LARGE),
    "a threshold beyond doubles": (np.array([LARGE + 2, LARGE + 3, LARGE + 4], dtype=np.int64), LARGE + 3),
    "unsigned": (np.array([2**64 - 1, 2**64 - 1025, 2**63], dtype=np.uint64), float(2**64 - 2048)),
}


@pytest.mark.parametrize("what", NUMBER_COLUMNS)
@pytest.mark.parametrize("operator", ["<=", ">"])
def test_numbers_of_every_type_are_compared_as_predict_does(what, operator):
    """Single precision, and integers that doubles cannot hold, are decided alike by the model and by every export."""
    values, threshold = NUMBER_COLUMNS[what]
    rules = RuleSet.of([[Condition("x", operator, threshold)]])
    table = pd.DataFrame({"x": values})
    expected = rules.predict(table).astype(int).tolist()
    query = to_sql(rules, table="people")
    assert by_duckdb(table, query) == expected
    assert by_python(table, to_python(rules)) == expected
    if values.dtype != np.uint64:  # which SQLite cannot store
        assert by_sqlite(table, query) == expected


def test_a_table_in_a_schema_is_quoted_part_by_part():
    """``sales.loans`` is the table loans of the schema sales; quotes keep a dot inside a name."""
    rules = RuleSet.of([[Condition("age", ">", 3)]])
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.execute('CREATE SCHEMA sales; CREATE TABLE sales."loans.2024" AS SELECT 5 AS age')
        assert connection.execute(to_sql(rules, table='sales."loans.2024"')).fetchall() == [(5, 1)]
    for wrong in ("", "a..b", ".a", "a.", 'a"b'):
        with pytest.raises(ConfigurationError, match="no name of a table"):
            to_sql(rules, table=wrong)


def test_a_column_without_a_name_is_refused_for_sql():
    """SQL has no identifier of length zero; the Python function can do it."""
    rules = RuleSet.of([[Condition("", ">", 3)]])
    with pytest.raises(ConfigurationError, match="name is empty"):
        to_sql(rules)
    assert by_python(pd.DataFrame({"": [5, 1]}), to_python(rules)) == [1, 0]
