"""Held-out verdicts: holds, violated, or not enough data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from attrs import frozen

from rulecg_core import ConfigurationError, Constraint, Problem, Row
from rulecg_fairness import (
    Complexity,
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    ErrorRateParity,
    GroupRecallFloor,
    IntersectionalGroups,
    TrainingRows,
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


def test_only_violations_pay_for_the_number_of_comparisons() -> None:
    """With more groups the bounds that must hold together widen; those of each row, which decide "holds", do not."""
    two, three = APART, {**APART, "c": (0.7, 0.2)}
    few = held_out_verdict(EqualityOfOpportunity(0.1), **sample(100, two))
    many = held_out_verdict(EqualityOfOpportunity(0.1), **sample(100, three))
    assert (few.comparisons, many.comparisons) == (2, 6)
    one, other = (next(r for r in v.rows if r.name == "false negative rate: a − b") for v in (few, many))
    assert (one.low, one.high) == pytest.approx((other.low, other.high))
    assert other.least < one.least < one.low
    assert other.most > one.most > one.high


def shares_of_answers(constraint: Constraint, rates: Any, n: int, draws: int = 300) -> dict[str, float]:
    answers = [held_out_verdict(constraint, **sample(n, rates, seed)).verdict for seed in range(draws)]
    return {answer: answers.count(answer) / draws for answer in ("holds", "violated", "not enough data")}


def test_wrong_verdicts_are_rare() -> None:
    """When the largest of several true gaps is exactly the bound, "holds" and "violated" are each said in about 5 %."""
    rates = {"a": (0.6, 0.2), "b": (0.5, 0.2), "c": (0.55, 0.2), "d": (0.55, 0.2)}
    said = shares_of_answers(EqualityOfOpportunity(0.1), rates, 300)
    assert said["holds"] <= 0.08
    assert said["violated"] <= 0.08


def test_what_holds_is_often_said_to_hold() -> None:
    """With no gap at all between four groups of 2000 and 2000 rows, a bound of 0.05 is found to hold in most draws."""
    rates = dict.fromkeys("abcd", (0.7, 0.2))
    assert shares_of_answers(EqualizedOdds(0.05), rates, 2000, draws=100)["holds"] >= 0.5


def test_a_group_below_the_minimum_size_is_judged_all_the_same() -> None:
    """A group that was bounded and has too few held-out positives does not vanish: the verdict cannot be "holds"."""
    rng = np.random.default_rng(0)
    few = sample(40, {"c": (0.2, 0.2)}, 1)
    rest = sample(2000, EQUAL)
    data = {name: np.concatenate([rest[name], few[name]]) for name in rest}
    constraint = EqualityOfOpportunity(0.1, min_group_size=50)
    training = TrainingRows(np.tile(["a", "b", "c"], 300), rng.random(900) < 0.5)
    for known in (None, training, TrainingRows(training.sensitive_features)):
        verdict = held_out_verdict(constraint, **data, training=known)
        assert verdict.verdict == "violated"
        assert "false negative rate: c − a" in {row.name for row in verdict.rows}
    never_bounded = TrainingRows(np.repeat(["a", "b", "c"], [300, 300, 40]), rng.random(640) < 0.5)
    assert held_out_verdict(constraint, **data, training=never_bounded).verdict == "holds"


def test_groups_are_merged_as_they_were_in_training() -> None:
    """The union that was bounded is judged, whatever the sizes of its parts in the held-out data."""
    data = sample(1000, {"a": (0.7, 0.2), "b": (0.7, 0.2), "c": (0.7, 0.2)})
    constraint = EqualityOfOpportunity(0.15, min_group_size=50, small_groups="merge")
    training = TrainingRows(np.repeat(["a", "b", "c"], [200, 40, 20]), [True] * 260)
    verdict = held_out_verdict(constraint, **data, training=training)
    assert {row.name for row in verdict.rows} == {
        "false negative rate: c + b − a",
        "false negative rate: a − c + b",
    }
    assert verdict.verdict == "holds"


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


def learned_from(*groups: Any, **columns: Any) -> TrainingRows:
    """Training rows with both labels for every group given, or for every combination of columns."""
    features: Any = np.tile(np.array(groups, dtype=object), 2) if groups else {k: v * 2 for k, v in columns.items()}
    n = len(groups) or len(next(iter(columns.values())))
    return TrainingRows(features, [True] * n + [False] * n)


@pytest.mark.parametrize(
    ("constraint", "absent"),
    [
        (EqualizedOdds(0.1), ("c",)),
        (EqualizedOdds(0.1, groups="a|b"), ()),
    ],
)
def test_a_group_that_is_absent_from_held_out_data_is_noticed(constraint: Constraint, absent: tuple[str, ...]) -> None:
    """A constraint cannot be said to hold for a group of the training data that has no held-out row."""
    data = sample(2000, EQUAL)
    assert held_out_verdict(constraint, **data).verdict == "holds"
    verdict = held_out_verdict(constraint, **data, training=learned_from("a", "b", "c", None))
    assert verdict.unjudged == absent
    assert verdict.verdict == ("not enough data" if absent else "holds")
    assert any("group 'c' has no positives here: it cannot be judged" in note for note in verdict.notes) == bool(absent)


def test_absent_crossings_are_noticed_where_crossings_count() -> None:
    """With several sensitive features it is the crossed groups that can be absent, unless each is judged alone."""
    data = sample(2000, EQUAL)
    race = data.pop("sensitive_features")
    here = {"race": race, "sex": np.where(race == "a", "f", np.where(np.arange(len(race)) % 2, "f", "m"))}
    training = learned_from(race=["a", "a", "b", "b"], sex=["f", "m", "f", "m"])
    crossed = held_out_verdict(
        IntersectionalGroups("equalized-odds", crossed=0.1), **data, sensitive_features=here, training=training
    )
    each = held_out_verdict(
        IntersectionalGroups("equalized-odds", each=0.1), **data, sensitive_features=here, training=training
    )
    assert (crossed.unjudged, each.unjudged) == (("a & m",), ())
    with pytest.raises(ConfigurationError, match="no sensitive feature 'sex'"):
        held_out_verdict(
            EqualizedOdds(0.1), **data, sensitive_features=here, training=learned_from(race=["a", "b"])
        )


def test_names_of_bounded_rows_tell_what_was_bounded() -> None:
    """Rows that were not bounded are left out, those that have no counterpart are named, and the size is no matter."""
    data = sample(2000, {**EQUAL, "new": (0.1, 0.9)})
    names = ["complexity", "false negative rate: a − b", "false negative rate: b − a"]
    verdict = held_out_verdict(EqualityOfOpportunity(0.1), **data, training=pd.Series(names))
    assert (verdict.verdict, verdict.comparisons) == ("holds", 2)
    verdict = held_out_verdict(EqualityOfOpportunity(0.1), **data, training=[*names, "false negative rate: a − gone"])
    assert (verdict.verdict, verdict.unjudged) == ("not enough data", ("false negative rate: a − gone",))
    assert "a − gone has no counterpart here" in verdict.notes[-1]


def test_a_constraint_may_be_given_as_text() -> None:
    """The text of a constraint means the constraint; anything else is refused with what to give."""
    data = sample(200, APART)
    assert held_out_verdict("equalized-odds:0.1", **data) == held_out_verdict(EqualizedOdds(0.1), **data)
    with pytest.raises(ConfigurationError, match=r"given as an object or as text .*, not float"):
        held_out_verdict(0.1, **data)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="training must be TrainingRows"):
        held_out_verdict(EqualizedOdds(0.1), **data, training="equalized-odds")


@frozen
class EveryGroup(Constraint):
    """Somebody's own constraint: in every group at most this share is selected."""

    share: float

    def rows(self, problem: Problem) -> list[Row]:
        groups = problem.sensitive_groups.crossed()
        return [(problem.selection_rate(group) <= self.share).named(f"selected: {group}") for group in groups]


def test_constraints_of_others_are_judged_too() -> None:
    """A stranger's rows are judged in their own units, and a row that only the training data has is named."""
    data = sample(1000, EQUAL)
    verdict = held_out_verdict(EveryGroup(0.6), **data)
    assert verdict.verdict == "holds"
    assert all(0.4 < row.value < 0.5 for row in verdict.rows)
    verdict = held_out_verdict(EveryGroup(0.6), **data, training=["selected: a", "selected: b", "selected: c"])
    assert (verdict.verdict, verdict.unjudged) == ("not enough data", ("selected: c",))


def test_a_single_group_here_is_not_enough_data() -> None:
    """Where the new data have one group only, nothing can be compared: no error, and the note says so."""
    verdict = held_out_verdict(EqualizedOdds(0.1), [1, 0], [1, 0], sensitive_features=["a", "a"])
    assert (verdict.verdict, verdict.rows) == ("not enough data", ())
    assert "needs at least 2 groups" in verdict.notes[0]
    chosen = held_out_verdict(EqualizedOdds(0.1, groups="a|z"), **sample(5, EQUAL))
    assert "Unknown group 'z'" in chosen.notes[0]
