"""Held-out verdicts: holds, violated, or not enough data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rulecg_core import ConfigurationError, Constraint
from rulecg_fairness import (
    Complexity,
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    ErrorRateParity,
    GroupRecallFloor,
    IntersectionalGroups,
    equalized_odds_difference,
    held_out_verdict,
)


def sample(n: int, rates: dict[str, tuple[float, float]], seed: int = 0) -> dict[str, Any]:
    """n rows per group and label; each group has its true and false positive rate."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(list(rates), 2 * n)
    y_true = np.tile(np.repeat([True, False], n), len(rates))
    chance = np.array([rates[g][0 if y else 1] for g, y in zip(groups, y_true, strict=True)])
    return {"y_true": y_true, "y_pred": rng.random(len(y_true)) < chance, "sensitive_features": groups}


EQUAL = {"a": (0.7, 0.2), "b": (0.7, 0.2)}
APART = {"a": (0.9, 0.2), "b": (0.5, 0.2)}


@pytest.mark.parametrize(
    ("constraint", "rates", "n", "expected"),
    [
        (EqualizedOdds(0.1), EQUAL, 2000, "holds"),
        (EqualizedOdds(0.1), EQUAL, 20, "not enough data"),
        (EqualizedOdds(0.1), APART, 500, "violated"),
        (EqualizedOdds(0.1), APART, 5, "not enough data"),
        (DemographicParity(ratio=0.8), EQUAL, 2000, "holds"),
        (DemographicParity(ratio=0.8), APART, 2000, "violated"),
        (GroupRecallFloor(0.6), EQUAL, 1000, "holds"),
        (GroupRecallFloor(0.6), APART, 1000, "violated"),
        (ErrorRateParity(0.1), EQUAL, 2000, "holds"),
        (Complexity(5), EQUAL, 100, "not enough data"),
    ],
)
def test_three_answers(constraint: Constraint, rates: Any, n: int, expected: str) -> None:
    """Clear cases are decided, small samples are not; a constraint that is not about predictions cannot be."""
    assert held_out_verdict(constraint, **sample(n, rates)).verdict == expected


def test_values_are_the_measured_ones() -> None:
    """The value of each row is the true difference of rates, between its bounds."""
    data = sample(100, APART)
    verdict = held_out_verdict(EqualizedOdds(0.1), **data)
    assert max(row.value for row in verdict.rows) == pytest.approx(equalized_odds_difference(**data))
    assert all(row.low <= row.value <= row.high for row in verdict.rows)
    assert verdict.comparisons == 4
    assert list(verdict.table()["verdict"]) == [row.verdict for row in verdict.rows]
    assert str(verdict).startswith("violated (95% confidence, 4 comparisons)")


def test_more_comparisons_need_more_evidence() -> None:
    """With more groups each bound gets a smaller share of the chance of error, so its interval is wider."""
    two, three = APART, {**APART, "c": (0.7, 0.2)}
    few = held_out_verdict(EqualityOfOpportunity(0.1), **sample(100, two))
    many = held_out_verdict(EqualityOfOpportunity(0.1, groups="a|b"), **sample(100, three))
    corrected = held_out_verdict(EqualityOfOpportunity(0.1), **sample(100, three))
    width = {v.comparisons: v.rows[0].high - v.rows[0].low for v in (few, many, corrected)}
    assert few.comparisons == many.comparisons == 2
    assert corrected.comparisons == 6
    assert width[6] > width[2]


def test_wrong_verdicts_are_rare() -> None:
    """When the true gap is exactly the bound, at most about 10 % of samples say "holds" or "violated"."""
    rates = {"a": (0.6, 0.2), "b": (0.5, 0.2)}
    decided = [held_out_verdict(EqualityOfOpportunity(0.1), **sample(150, rates, seed)).verdict for seed in range(200)]
    assert sum(answer != "not enough data" for answer in decided) <= 20


def test_unequal_weights_count_as_fewer_rows() -> None:
    """Equal weights change nothing, whatever their unit; unequal ones widen the bounds."""
    data = sample(200, EQUAL)
    n = len(data["y_true"])
    plain = held_out_verdict(EqualizedOdds(0.1), **data)
    same = held_out_verdict(EqualizedOdds(0.1), **data, sample_weight=np.full(n, 7.0))
    uneven = held_out_verdict(EqualizedOdds(0.1), **data, sample_weight=np.random.default_rng(0).exponential(size=n))
    for one, other, wider in zip(plain.rows, same.rows, uneven.rows, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
        assert wider.high - wider.low > one.high - one.low


def test_a_group_without_positives_is_not_enough_data() -> None:
    """Where a rate is undefined nothing can be said, and the note says why."""
    verdict = held_out_verdict(
        EqualityOfOpportunity(0.1), [1, 0, 0], [1, 0, 0], sensitive_features=["a", "a", "b"]
    )
    assert verdict.verdict == "not enough data"
    assert "'b' has no positives" in verdict.notes[0]


def test_intersectional_constraints_are_judged_too() -> None:
    """Any constraint linear in predictions gets a verdict, each part counted as a comparison."""
    data = sample(400, EQUAL)
    sex = np.random.default_rng(0).choice(["f", "m"], len(data["y_true"]))
    groups = {"race": data.pop("sensitive_features"), "sex": sex}
    verdict = held_out_verdict(
        IntersectionalGroups("equalized-odds", crossed=0.3, each=0.2), **data, sensitive_features=groups
    )
    assert verdict.verdict == "holds"
    assert verdict.comparisons == 24 + 8


def test_refuses_impossible_confidence() -> None:
    """Confidence is a number between 0 and 1."""
    with pytest.raises(ConfigurationError, match="confidence"):
        held_out_verdict(EqualizedOdds(0.1), **sample(10, EQUAL), confidence=1.0)


@pytest.mark.parametrize(
    ("constraint", "absent"),
    [
        (EqualizedOdds(0.1), ("c",)),
        (EqualizedOdds(0.1, groups="a|b"), ()),
    ],
)
def test_a_group_that_is_absent_from_held_out_data_is_noticed(constraint: Constraint, absent: tuple[str, ...]) -> None:
    """A constraint cannot be said to hold for a group of the training data that has no held-out row."""
    training = np.array(["a", "b", "c", None], dtype=object)
    data = sample(2000, EQUAL)
    assert held_out_verdict(constraint, **data).verdict == "holds"
    verdict = held_out_verdict(constraint, **data, training_features=training)
    assert verdict.absent == absent
    assert verdict.verdict == ("not enough data" if absent else "holds")
    assert any("group 'c' of the training data has no row here" in note for note in verdict.notes) == bool(absent)


def test_absent_crossings_are_noticed_where_crossings_count() -> None:
    """With several sensitive features it is the crossed groups that can be absent, unless each is judged alone."""
    data = sample(2000, EQUAL)
    race = data.pop("sensitive_features")
    here = {"race": race, "sex": np.where(race == "a", "f", np.where(np.arange(len(race)) % 2, "f", "m"))}
    training = {"race": ["a", "a", "b", "b"], "sex": ["f", "m", "f", "m"]}
    crossed = held_out_verdict(
        IntersectionalGroups("equalized-odds", crossed=0.1), **data, sensitive_features=here, training_features=training
    )
    each = held_out_verdict(
        IntersectionalGroups("equalized-odds", each=0.1), **data, sensitive_features=here, training_features=training
    )
    assert (crossed.absent, each.absent) == (("a & m",), ())
    with pytest.raises(ConfigurationError, match="no sensitive feature 'sex'"):
        held_out_verdict(
            EqualizedOdds(0.1), **data, sensitive_features=here, training_features={"race": training["race"]}
        )
