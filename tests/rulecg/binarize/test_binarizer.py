"""The binarizer: which conditions it makes, and that they mean the same everywhere."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from rulecg.binarize.binarizer import Binarizer
from rulecg.inputs.table import as_frame
from rulecg_core import Condition, ConfigurationError


@parametrize_with_checks([Binarizer()])
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for transformers passes."""
    check(estimator)


def texts(table: Any, **options: Any) -> list[str]:
    return [str(condition) for condition in Binarizer(**options).fit(table).conditions_]


def test_numbers_get_both_directions_of_their_deciles() -> None:
    """Ten thresholds, from the minimum up, each with its opposite; the maximum is none."""
    conditions = Binarizer().fit(pd.DataFrame({"age": range(101)})).conditions_
    assert [c.value for c in conditions if c.operator == "<="] == [0, 10, 20, 30, 40, 50, 60, 70, 80, 90]
    assert [c.complement() for c in conditions[::2]] == conditions[1::2]
    assert len(Binarizer(include_minimum=False).fit(pd.DataFrame({"age": range(101)})).conditions_) == 18


def test_two_values_make_one_pair() -> None:
    """Columns with two values give one condition and its negation, in the words of the column."""
    table = pd.DataFrame(
        {"sex": ["f", "m", "f"], "code": [0, 1, 1], "smoker": [True, False, True], "dose": [0.5, 0.7, 0.5]}
    )
    assert texts(table) == [
        *("sex == m", "sex != m", "code == 1", "code != 1", "smoker", "not smoker", "dose <= 0.5", "dose > 0.5")
    ]


def test_categories_get_one_pair_each() -> None:
    """One-hot with negations, in sorted order."""
    assert texts(pd.DataFrame({"job": ["nurse", "cook", "judge"]})) == [
        *("job == cook", "job != cook", "job == judge", "job != judge", "job == nurse", "job != nurse")
    ]


def test_constant_columns_give_nothing() -> None:
    """A condition that holds for every row or for none is left out."""
    table = pd.DataFrame({"a": [1, 1], "b": ["x", "x"], "c": [np.nan, np.nan], "d": [None, None], "e": [True, True]})
    binarizer = Binarizer().fit(table)
    assert binarizer.conditions_ == []
    assert binarizer.transform(table).shape == (2, 0)


def test_missing_values_get_their_own_condition() -> None:
    """Missing is a condition of its own when it occurs; every other comparison with a missing value is false."""
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan], "c": ["a", None, "b", "c"], "full": [1, 2, 3, 4]})
    binarizer = Binarizer().fit(table)
    features = pd.DataFrame(binarizer.transform(table), columns=binarizer.get_feature_names_out())
    assert features.loc[3, "x is missing"]
    assert features.loc[1, "c is missing"]
    assert not features.loc[3, [name for name in features if name.startswith("x ") and name != "x is missing"]].any()
    assert not features.loc[1, [name for name in features if name.startswith("c ") and name != "c is missing"]].any()
    assert "full is missing" not in features


def test_missing_at_predict_time_only() -> None:
    """A column that was complete in fit may have gaps later: all its comparisons are false there."""
    binarizer = Binarizer().fit(pd.DataFrame({"x": [1.0, 2.0, 3.0], "c": ["a", "b", "c"]}))
    assert not binarizer.transform(pd.DataFrame({"x": [np.nan], "c": [None]})).any()


def test_unseen_category_is_unequal_to_all() -> None:
    """``==`` is false and ``!=`` is true for a category that fit never saw."""
    binarizer = Binarizer().fit(pd.DataFrame({"job": ["nurse", "cook", "judge"]}))
    features = binarizer.transform(pd.DataFrame({"job": ["pilot"]}))[0]
    assert [condition.operator == "!=" for condition in binarizer.conditions_] == features.tolist()


def test_many_categories_are_bounded_with_a_warning() -> None:
    """The most frequent categories keep their conditions, and the user is told."""
    column = ["often"] * 5 + ["seldom"] * 3 + [f"id{i}" for i in range(30)]
    with pytest.warns(UserWarning, match=r"'city' has 32 categories; only the 2 most frequent"):
        binarizer = Binarizer(max_categories=2).fit(pd.DataFrame({"city": column}))
    assert {condition.value for condition in binarizer.conditions_} == {"often", "seldom"}


mixed_rows = st.lists(
    st.tuples(
        st.none() | st.floats(-3, 3, width=16) | st.sampled_from([np.inf, -np.inf, 0.1]),
        st.none() | st.sampled_from(["a", "b", "c", "<b>", ""]),
        st.booleans(),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=30,
)


def frame(rows: list[Any]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["number", "word", "flag", "code"])
    table["number"] = table["number"].astype(float)
    return table


@given(mixed_rows, mixed_rows)
def test_transform_agrees_with_each_condition(train: list[Any], test: list[Any]) -> None:
    """The matrix holds what every condition says of the raw column, on rows seen and unseen."""
    binarizer = Binarizer().fit(frame(train))
    features = binarizer.transform(frame(test))
    for position, condition in enumerate(binarizer.conditions_):
        expected = condition.holds(frame(test)[condition.column])
        assert features[:, position].tolist() == expected.tolist(), condition


@given(mixed_rows)
def test_printed_condition_reads_back_as_the_same_prediction(rows: list[Any]) -> None:
    """A threshold parsed from the printed text splits every row as the condition itself does."""
    table = frame(rows)
    for condition in Binarizer().fit(table).conditions_:
        if condition.operator in ("<=", ">"):
            read_back = Condition(condition.column, condition.operator, float(str(condition).rsplit(" ", 1)[1]))
            assert read_back.holds(table["number"]).tolist() == condition.holds(table["number"]).tolist()


@given(mixed_rows)
def test_no_condition_is_constant(rows: list[Any]) -> None:
    """Every condition holds for some and fails for some of the rows it was made from."""
    features = Binarizer().fit_transform(frame(rows))
    assert not features.all(axis=0).any()
    assert features.any(axis=0).all()


@pytest.mark.parametrize(
    "column",
    [
        np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32),
        pd.array([1, 2, None, 4], dtype="Int64"),
        pd.array([1.5, 2.5, None, 4.5], dtype="Float64"),
        pd.array([True, None, False, True], dtype="boolean"),
        pd.array(["a", None, "b", "c"], dtype="string"),
        pd.Categorical(["low", "high", "mid", None]),
        pd.Categorical([1, 2, 3, 1]),
        pd.array(np.array([1, 2, None, 4], dtype=object)),
        np.array([True, False, None, True], dtype=object),
        np.array([1, 2, 3, 4], dtype=np.int8),
        np.array([-np.inf, 1.0, 2.0, np.inf]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_every_common_dtype(column: Any) -> None:
    """float32, nullable, categorical, boolean and object columns all give conditions that mean the same as holds()."""
    table = pd.DataFrame({"c": column})
    binarizer = Binarizer().fit(table)
    features = binarizer.transform(table)
    assert features.dtype == bool
    assert len(binarizer.conditions_) >= 2
    for position, condition in enumerate(binarizer.conditions_):
        assert features[:, position].tolist() == condition.holds(table["c"]).tolist()


def test_float32_and_float64_agree() -> None:
    """A value binarizes the same way whether it arrives as float32 or as the same number in float64."""
    narrow = np.random.default_rng(0).normal(size=(200, 2)).astype(np.float32)
    binarizer = Binarizer().fit(narrow)
    assert np.array_equal(binarizer.transform(narrow), binarizer.transform(narrow.astype(np.float64)))


def test_arrays_and_lists() -> None:
    """Arrays, lists of lists and lists that mix numbers and words work; columns are then x0, x1, …"""
    rows = [[1.0, "a"], [2.0, "b"], [3.0, "a"]]
    assert texts(rows) == texts(np.array(rows, dtype=object))
    assert texts(rows)[:2] == ["x0 <= 1", "x0 > 1"]
    assert texts([[1, 5], [2, 6], [3, 7]]) == texts(np.array([[1, 5], [2, 6], [3, 7]]))


def test_text_array_is_categories() -> None:
    """A numpy array of text is one of categories."""
    assert texts(np.array([["a"], ["b"], ["a"]])) == ["x0 == b", "x0 != b"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"when": pd.period_range("2020", periods=2, freq="M")}), r"'when' holds periods"),
        (pd.DataFrame({"mix": [1, "a"]}), r"'mix' holds values of different.*astype\(str\)"),
        (pd.DataFrame({"mix": [True, "a"]}), r"'mix' holds values of different"),
        (pd.DataFrame({"cut": pd.cut([1, 2, 3], 2)}), r"categories of column 'cut' are neither text nor numbers"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"Two columns are called 'a': rename"),
        (pd.DataFrame({"a": []}), r"empty.*0 sample"),
        (pd.DataFrame(index=[0, 1]), r"empty.*0 feature"),
    ],
)
def test_unusable_tables_say_what_to_do(table: pd.DataFrame, message: str) -> None:
    """Each error names the column and the way out."""
    with pytest.raises(ConfigurationError, match=message):
        Binarizer().fit(table)


@pytest.mark.parametrize("options", [{"n_quantiles": 1}, {"n_quantiles": 2.5}, {"max_categories": 0}])
def test_wrong_parameters(options: dict[str, Any]) -> None:
    """Parameters are checked in fit, as scikit-learn asks."""
    with pytest.raises(ConfigurationError, match="whole number"):
        Binarizer(**options).fit(pd.DataFrame({"a": [1, 2, 3]}))


def test_number_turned_text_is_refused() -> None:
    """A column of numbers that later holds text is an error that names the column."""
    binarizer = Binarizer().fit(pd.DataFrame({"age": [1, 2, 3]}))
    with pytest.raises(ConfigurationError, match="'age' was numeric"):
        binarizer.transform(pd.DataFrame({"age": ["old"]}))


def test_weights_count_as_repeated_rows() -> None:
    """Weighting rows and repeating them give the same conditions; weight 0 is absence."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=30), "c": rng.choice(list("abcdefg"), 30)})
    weights = rng.integers(0, 4, 30)
    weighted = Binarizer(max_categories=3)
    repeated = Binarizer(max_categories=3)
    with pytest.warns(UserWarning, match="categories"):
        weighted.fit(table, sample_weight=weights)
    with pytest.warns(UserWarning, match="categories"):
        repeated.fit(table.loc[table.index.repeat(weights)])
    assert weighted.conditions_ == repeated.conditions_


def test_names_survive_pipelines_clones_and_pickles() -> None:
    """Names out are the conditions, through a pipeline, a clone and a pickle."""
    table = pd.DataFrame({"age": [20, 30, 40]})
    pipeline = make_pipeline(Binarizer()).fit(table)
    expected = ["age <= 20", "age > 20", "age <= 30", "age > 30"]
    assert list(pipeline.get_feature_names_out()) == expected
    assert clone(Binarizer(5)).n_quantiles == 5
    assert pickle.loads(pickle.dumps(pipeline)).transform(table).tolist() == pipeline.transform(table).tolist()
    assert list(Binarizer().set_output(transform="pandas").fit_transform(table).columns) == expected


def test_columns_of_a_table_keep_their_order() -> None:
    """Names become text, in order, whatever they were made of, and the data is not copied."""
    assert list(as_frame(pd.DataFrame([[1, 2]], columns=[7, "b"]))) == ["7", "b"]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "object"])
@pytest.mark.parametrize("binarizer", ["deciles", "distinct", "trees"])
def test_whole_numbers_beyond_floats_are_told_apart(dtype, binarizer):
    """A column above 2^53 that separates the classes does so though neighbours are equal as floats; also with gaps."""
    values = [2**53 + place for place in range(20)]
    table = pd.DataFrame({"id": pd.Series(values * 5, dtype=dtype)})
    labels = np.array([value >= 2**53 + 11 for value in values * 5])
    settings = {"deciles": {"n_quantiles": 20}, "distinct": {"n_quantiles": 20, "thresholds": "distinct"}}
    fitted = Binarizer(**settings.get(binarizer, {"thresholds": "trees"})).fit(table, labels)
    wanted = Condition("id", ">", 2**53 + 10)
    assert wanted in fitted.conditions_
    assert fitted.transform(table)[:, fitted.conditions_.index(wanted)].tolist() == labels.tolist()
    if dtype in ("Int64", "object"):
        table.loc[0, "id"] = None
        assert fitted.transform(table)[:, fitted.conditions_.index(wanted)].tolist() == [False, *labels[1:]]


def test_unsigned_numbers_near_their_maximum_are_compared():
    """The largest numbers that a column can hold are more than the next smaller ones."""
    column = pd.Series(np.array([2**64 - 3, 2**64 - 2, 2**64 - 1], dtype=np.uint64))
    assert Condition("id", ">", 2**64 - 2).holds(column).tolist() == [False, False, True]
    assert Condition("id", "<=", 2**64 - 2).holds(column).tolist() == [True, True, False]
    assert Condition("id", "<=", 1e30).holds(column).all()
    assert Condition("id", ">", -1e30).holds(column).all()


def test_thresholds_of_single_precision_columns_mean_the_same_in_single_precision():
    """Databases round the threshold to the column's precision: that must split the rows in the same way."""
    rng = np.random.default_rng(0)
    column = np.float32(1) + np.arange(300, dtype=np.float32) * np.float32(2**-23)
    fitted = Binarizer(300).fit(pd.DataFrame({"x": rng.permutation(column)}))
    assert len(fitted.conditions_) > 500
    for condition in fitted.conditions_:
        rounded = np.float32(condition.value)
        expected = column <= rounded if condition.operator == "<=" else column > rounded
        assert condition.holds(column).tolist() == expected.tolist()
