"""Columns that are no groups: refused at once, naming the column and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rulecg import RuleSetClassifier
from rulecg_core import ConfigurationError, Problem
from rulecg_fairness import DemographicParity, EqualizedOdds, GroupRecallFloor

ROWS = 600
RNG = np.random.default_rng(0)
LABELS = RNG.random(ROWS) < 0.5


def problem(**sensitive: Any) -> Problem:
    return Problem.from_arrays(np.ones((ROWS, 1)), LABELS, sensitive_groups=sensitive)


@pytest.mark.parametrize(
    ("sensitive", "message"),
    [
        ({"income": RNG.random(ROWS)}, r"'income' has 600 .* in 600 rows: it looks continuous.*pandas\.cut.*'income'"),
        ({"age": RNG.permutation(ROWS) // 2}, r"'age' has 300 different values in 600 rows: it looks continuous"),
        ({"id": [f"person {k}" for k in range(ROWS)]}, r"'id' has 600 .*looks like an identifier.*Choose another"),
        ({"town": [f"town {k % 250}" for k in range(ROWS)]}, r"250 groups of the sensitive feature 'town'.*groups="),
        (
            {"sex": np.where(RNG.random(ROWS) < 0.5, "f", "m"), "zip": [f"z{k % 150}" for k in range(ROWS)]},
            r"groups of sex × zip;.*'zip' has 150 different values.*coarser groups",
        ),
    ],
)
@pytest.mark.parametrize("constraint", [DemographicParity(0.1), EqualizedOdds(0.1), GroupRecallFloor(0.1)])
def test_columns_that_are_no_groups_are_refused(constraint: Any, sensitive: dict[str, Any], message: str) -> None:
    """The message counts the groups, names the column with the most values and says what it looks like."""
    data = problem(**sensitive)
    for ask in (constraint.rows, constraint.notes):
        with pytest.raises(ConfigurationError, match=message):
            ask(data)


def test_more_groups_than_can_be_compared_are_refused_unless_few_are_bounded() -> None:
    """60 groups are too many for pairs, but not when most are too small to be bounded or a few are chosen."""
    towns = np.array([f"town {k % 60}" if k < 120 else f"town {k % 4}" for k in range(ROWS)])
    data = problem(town=towns)
    with pytest.raises(ConfigurationError, match=r"cannot compare the 60 groups of the sensitive feature 'town'; 50"):
        DemographicParity(0.1).rows(data)
    large = DemographicParity(0.1, min_group_size=10)
    assert len(large.rows(data)) == 4 * 3
    assert len(DemographicParity(0.1, groups="town 0|town 1").rows(data)) == 2
    assert any("51 further groups are as small" in note for note in large.notes(data))


def test_a_fit_refuses_a_column_of_numbers() -> None:
    """A column of numbers as groups ends a fit with a sentence, before any row of a pair is solved."""
    X = RNG.random((ROWS, 3))
    with pytest.raises(ConfigurationError, match="'income' has 600 different values"):
        RuleSetClassifier(30, constraints=["demographic-parity:0.1"], time_limit=2).fit(
            X, LABELS, sensitive_features={"income": X[:, 0]}
        )
