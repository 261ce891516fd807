"""A teacher's probabilities never come from a model that was fitted on the row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from rulecg.stakes.teachers import teacher_probabilities
from rulecg_core import ConfigurationError


def noise(n: int = 200) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers that say nothing about the label."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.random(n), "b": rng.random(n)}), rng.integers(0, 2, n)


@pytest.mark.parametrize("teacher", ["forest", DecisionTreeClassifier(), KNeighborsClassifier(1)], ids=str)
def test_no_label_is_repeated(teacher):
    """On noise, a teacher that had seen the row would know its label; out of bag or fold it knows nothing."""
    table, codes = noise()
    found = teacher_probabilities(teacher, table, codes, np.ones(len(codes)), 0)
    assert found.shape == (len(codes), 2)
    assert np.allclose(found.sum(axis=1), 1)
    assert 0.35 < np.mean((found[:, 1] > 0.5) == codes) < 0.65


@pytest.mark.parametrize("teacher", ["forest", LogisticRegression()], ids=str)
def test_the_order_of_rows_does_not_matter(teacher):
    """Shuffled rows get the same probabilities."""
    table, codes = noise()
    order = np.random.default_rng(1).permutation(len(codes))
    one = teacher_probabilities(teacher, table, codes, np.ones(len(codes)), 0)
    other = teacher_probabilities(teacher, table.iloc[order], codes[order], np.ones(len(codes)), 0)
    assert np.array_equal(one[order], other)


@pytest.mark.parametrize(
    "teacher",
    ["forest", RandomForestClassifier(10, random_state=0), make_pipeline(OneHotEncoder(), LogisticRegression())],
    ids=["forest", "classifier", "pipeline"],
)
def test_categories_and_missing_values_are_welcome(teacher):
    """Text becomes numbers, except for a pipeline, which is given the table as it is; each class has its column."""
    table = pd.DataFrame({"colour": ["red", "green", None] * 20, "size": [1.0, np.nan, 2.0] * 20})
    codes = np.array([0, 1, 2] * 20)
    found = teacher_probabilities(teacher, table, codes, np.ones(60), 0)
    assert np.array_equal(found.argmax(axis=1), codes)


@pytest.mark.parametrize(
    "teacher",
    ["tree", LinearRegression(), LogisticRegression, [0.5], np.full(200, 2.0), np.full((200, 3), 0.5), {"p": 1}],
    ids=str,
)
def test_what_is_no_teacher_is_refused(teacher):
    """The error says what a teacher is."""
    table, codes = noise()
    with pytest.raises(ConfigurationError, match="teacher"):
        teacher_probabilities(teacher, table, codes, np.ones(len(codes)), 0)


def test_a_lonely_class_is_refused():
    """Of a class with one row nothing can be learned without that row."""
    table, _ = noise(5)
    with pytest.raises(ConfigurationError, match="two rows of every class"):
        teacher_probabilities(LogisticRegression(), table, np.array([0, 0, 0, 0, 1]), np.ones(5), 0)
