"""What a person is warned of: answers that treat all alike, rows and groups that are not constrained."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from rulecg import RuleSetClassifier
from rulecg_core import RulecgWarning


@pytest.fixture(scope="module")
def people() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One column that is the group itself and decides the label in nine rows of ten."""
    rng = np.random.default_rng(0)
    group = rng.random(800) < 0.5
    y = group ^ (rng.random(800) < 0.1)
    return np.column_stack([group, rng.random(800) < 0.5]).astype(float), y, np.where(group, "a", "b").astype(object)


def test_an_answer_that_selects_nobody_is_told(people: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Where only the group predicts, perfect parity leaves nobody selected, and the fit says so."""
    X, y, group = people
    classifier = RuleSetClassifier(max_complexity=2, constraints=["demographic-parity:0"], time_limit=10)
    with pytest.warns(RulecgWarning, match=r"selects (nobody|everybody): it keeps every bound"):
        classifier.fit(X, y, sensitive_features=group)
    assert len(set(classifier.predict(X).tolist())) == 1


def test_a_useful_fair_answer_is_not_warned_of(people: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Loose bounds let rules tell people apart: no warning."""
    X, y, group = people
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RuleSetClassifier(max_complexity=4, constraints=["equalized-odds:1"], time_limit=10).fit(
            X, y, sensitive_features=group
        )


def test_rows_without_a_group_are_counted(people: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Rows with a missing group are fitted but not constrained; the fit says how many they are."""
    X, y, group = people
    some = group.copy()
    some[:7] = None
    with pytest.warns(RulecgWarning, match="7 rows have no label in group"):
        classifier = RuleSetClassifier(max_complexity=4, constraints=["equalized-odds:1"], time_limit=10).fit(
            X, y, sensitive_features=some
        )
    (result,) = classifier.result_.runs.values()
    assert any("7 rows have no label" in note for note in result.notes)


def test_a_tiny_group_that_may_rule_the_fit_is_told(people: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """A group of one positive and one negative is bounded as others are; the fit names it and says what to do."""
    X, y, group = people
    some = group.copy()
    some[[np.flatnonzero(y)[0], np.flatnonzero(~y)[0]]] = "c"
    with pytest.warns(RulecgWarning, match=r"group 'c' has only 1 positive: .*Set min_group_size=10"):
        RuleSetClassifier(max_complexity=4, constraints=["equalized-odds:0.5"], time_limit=10).fit(
            X, y, sensitive_features=some
        )
