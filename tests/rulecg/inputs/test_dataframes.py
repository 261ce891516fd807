"""Tables of other libraries: the same rules under the same names, whatever the table came in."""

import datetime
import re

import numpy as np
import pandas as pd
import pytest

from rulecg import RuleSetClassifier, build_report
from rulecg.inputs.dataframes import header, plain_column, plain_table
from rulecg.inputs.table import ColumnTypeError
from rulecg.model.model_file import to_model

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

GRADES = ["low", "medium", "high"]


@pytest.fixture(scope="module")
def people():
    """A polars table with every kind of column and missing values, and labels that follow a rule."""
    rng = np.random.default_rng(1)
    n = 240
    day = np.datetime64("2023-01-01") + rng.integers(0, 700, n).astype("m8[D]")
    grade = rng.choice(GRADES, n)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "day": day,
            "grade": pl.Series(grade.tolist(), dtype=pl.Enum(GRADES)),
            "wait": (rng.integers(0, 10**6, n) * 1000).astype("m8[ms]"),
            "job": rng.choice(["cook", "nurse", "clerk"], n),
            "member": rng.random(n) < 0.5,
        }
    )
    gaps = pl.Series(rng.random(n) < 0.1)
    frame = frame.with_columns(pl.when(gaps).then(None).otherwise(pl.col(name)).alias(name) for name in ("age", "job"))
    truth = (day > np.datetime64("2023-09-15")) & (grade != "low")
    return frame, pl.Series("approved", truth)


@pytest.fixture(scope="module")
def classifier(people):
    frame, truth = people
    settings = {"max_complexity": 6, "time_limit": 10}
    weights = pl.Series("w", np.ones(len(frame)))
    return RuleSetClassifier(**settings, forbid=["age"]).fit(frame, truth, sample_weight=weights)


def test_names_dates_and_orders_are_kept(classifier):
    """Rules speak of the columns by name, of dates as dates, of ordered categories by level, and of the label."""
    text = str(classifier.rule_set_)
    assert text.startswith("approved if")
    assert "grade > low" in text
    assert re.search(r"day > 2023-\d\d-\d\d", text)


def test_all_libraries_predict_alike(people, classifier):
    """polars, lazy polars, Arrow, a record batch, DuckDB and pandas: one table, one prediction."""
    frame, _ = people
    arrow = frame.to_arrow()
    expected = classifier.predict(frame)
    pandas = plain_table(frame)
    assert isinstance(pandas["grade"].dtype, pd.CategoricalDtype)
    assert pandas["grade"].dtype.ordered
    relation = duckdb.sql("SELECT * FROM arrow")
    for same in (frame.lazy(), arrow, arrow.to_batches()[0], relation, pandas, arrow.to_pandas()):
        assert classifier.predict(same).tolist() == expected.tolist()
        assert classifier.model_.predict(same).tolist() == expected.tolist()


def test_learning_from_any_library_gives_the_same_rules(people, classifier):
    """Arrow, with labels and sensitive columns of Arrow, too."""
    frame, truth = people
    arrow = frame.to_arrow()
    again = RuleSetClassifier(max_complexity=6, time_limit=10, forbid=["age"], constraints=["demographic-parity:0.9"])
    again.fit(arrow, truth.to_arrow(), sensitive_features=arrow.select(["job"]))
    assert again.rule_set_.clauses() == classifier.rule_set_.clauses()


def test_reports_take_any_table(people, classifier):
    """A report on a polars table is the report on the pandas table."""
    frame, truth = people
    model = to_model(classifier, target="approved")
    page = build_report(model, frame.with_columns(truth))
    assert page == build_report(model, plain_table(frame.with_columns(truth)))


def test_only_what_rules_look_at_is_taken_from_a_table():
    """A column that no rule uses is not even read, so that it may hold anything."""
    table = pa.table({"age": [1, 2], "notes": [[1], [2]]})
    assert list(plain_table(table, columns=["age", "absent"]).columns) == ["age"]
    assert list(header(table).columns) == ["age", "notes"]
    with pytest.raises(ColumnTypeError, match="'notes' holds values of type List"):
        plain_table(table)


def test_numbers_come_in_without_a_copy():
    """The DataFrame looks at the memory of the other table."""
    numbers = pl.Series("x", np.arange(1000.0))
    assert np.shares_memory(plain_table(numbers.to_frame())["x"].to_numpy(), numbers.to_numpy())


def test_every_kind_of_column_keeps_its_values_and_its_gaps():
    """Numbers, whole numbers beyond doubles, truth values, texts, dates, moments with a zone, durations, decimals."""
    when = datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.timezone.utc)
    columns = {
        "whole": [2**60 + 1, None],
        "flag": [True, None],
        "text": ["a", None],
        "none": pa.array([None, None]),
        "day": [datetime.date(2024, 1, 1), None],
        "moment": [when, None],
        "length": [datetime.timedelta(1), None],
        "money": pa.array([1, None]).cast(pa.decimal128(30, 2)),
    }
    found = plain_table(pa.table(columns))
    assert found.isna().iloc[1].all()
    first = found.iloc[0]
    assert (first["whole"], first["flag"], first["text"], first["money"]) == (2**60 + 1, True, "a", 1.0)
    assert (first["day"], first["moment"], first["length"]) == (
        pd.Timestamp("2024-01-01"), pd.Timestamp(when), pd.Timedelta(days=1),
    )  # fmt: skip


def test_plain_values_are_given_back_as_they_are():
    """Lists, arrays and pandas' own go through untouched."""
    for values in ([1, 2], np.array([1]), pd.Series([1]), None):
        assert plain_column(values) is values
        assert plain_table(values) is values
