"""Bounds that are to hold on new rows."""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

import numpy as np
import pytest
from attrs import evolve

from rulecg_core import ConfigurationError, Constraint, Judgement, Problem, load_registry
from rulecg_fairness import (
    DemographicParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    GroupRecallFloor,
    IntersectionalGroups,
    MinimaxError,
)
from rulecg_fairness.constraints.on_new_rows import KEPT_ASIDE, LEAST_ROOM, POWER


@cache
def people(n: int) -> Problem:
    """Of each of two groups n positives and n negatives."""
    y, group = np.repeat([1, 1, 0, 0], n), np.repeat(["a", "b", "a", "b"], n)
    return Problem.from_arrays(np.arange(4 * n)[:, None] % 2, y, sensitive_groups=group, merge=False)


@pytest.mark.parametrize("n", [50, 5000])
def test_bounds_are_tightened_by_the_sizes_of_cells(n: int) -> None:
    """While learning, a difference of two shares of n rows is kept below its bound by the standard errors that
    confirming it takes, but never by all of its room."""
    (row, *_) = EqualityOfOpportunity(0.1, confidence=0.9).rows(people(n))
    z = NormalDist().inv_cdf(0.9) + NormalDist().inv_cdf(POWER)
    margin = z * np.sqrt(2 * 0.25 / (n * KEPT_ASIDE / (1 - KEPT_ASIDE)))
    assert row.hi == pytest.approx(max(0.1 - margin, LEAST_ROOM * 0.1))


@pytest.mark.parametrize("logic", ["dnf", "cnf"])
@pytest.mark.parametrize(
    "constraint",
    [
        EqualizedOdds(0.05, confidence=0.9),
        DemographicParity(0.1, ratio=0.8, confidence=0.9),
        GroupRecallFloor(0.5, confidence=0.9),
        IntersectionalGroups("equalized-odds", crossed=0.2, each=0.1, confidence=0.9),
    ],
    ids=repr,
)
def test_every_bound_becomes_tighter_and_means_the_same(constraint: Constraint, logic: str) -> None:
    """With a confidence each row keeps its name and form, has tighter bounds, and measures what it did."""
    rng = np.random.default_rng(0)
    sensitive = {"race": rng.choice(["x", "y"], 400), "sex": rng.choice(["f", "m"], 400)}
    X, y = rng.random((400, 3)) < 0.5, rng.random(400) < 0.5
    problem = Problem.from_arrays(X, y, sensitive_groups=sensitive, logic=logic)  # type: ignore[arg-type]
    plain = evolve(constraint, confidence=None)  # type: ignore[type-var, misc]
    for loose, tight in zip(plain.rows(problem), constraint.rows(problem), strict=True):
        assert loose.name == tight.name
        assert loose.lo <= tight.lo <= tight.hi <= loose.hi
        assert (loose.lo, loose.hi) != (tight.lo, tight.hi)
    y_pred = rng.random(problem.n_samples) < 0.5
    assert constraint.measure(problem, y_pred) == plain.measure(problem, y_pred)
    assert (plain.kept_aside, constraint.kept_aside) == (0, KEPT_ASIDE)


def judged(constraint: Constraint, n: int, rates: tuple[float, float], rng: np.random.Generator) -> Judgement:
    """What a constraint says of predictions with given true positive rates, by n rows of each kind kept aside."""
    samples = people(2 * n)
    is_aside = np.arange(8 * n) % 2 == 0
    rate = np.where(samples.sensitive_groups.codes[:, 0] == 0, *rates)
    y_pred = rng.random(8 * n) < np.where(samples.y, rate, 0.2)
    aside, training = (evolve(samples, weights=part.astype(float)) for part in (is_aside, ~is_aside))
    return constraint.judge_aside(aside, training, y_pred)


def test_a_gap_at_the_bound_is_seldom_confirmed() -> None:
    """Over draws of rows, a rule set whose true gap is the bound is returned in a tenth of them at most (confidence
    0.9, two standard errors allowed); one without a gap mostly is."""
    rng, constraint, draws = np.random.default_rng(0), EqualizedOdds(0.1, confidence=0.9), 150
    wrongly = np.mean([judged(constraint, 300, (0.6, 0.7), rng).holds for _ in range(draws)])
    assert wrongly <= 0.1 + 2 * np.sqrt(0.09 / draws)
    assert np.mean([judged(constraint, 600, (0.65, 0.65), rng).holds for _ in range(20)]) > 0.7


def test_too_few_rows_are_told_how_many_it_takes() -> None:
    """A bound that so few rows cannot confirm is not confirmed, and rows of that number mostly do confirm it."""
    rng, constraint = np.random.default_rng(3), EqualityOfOpportunity(0.05, confidence=0.9)
    judgement = next(
        found
        for found in (judged(constraint, 100, (0.7, 0.7), rng) for _ in range(100))
        if "it would take about" in found.text
    )
    assert not judgement.holds
    assert "positives of a" in judgement.text
    assert "positives of b" in judgement.text
    needed = 2 * 0.7 * 0.3 * (1.2816 + 0.8416) ** 2 / 0.05**2
    assert np.mean([judged(constraint, round(needed), (0.7, 0.7), rng).holds for _ in range(20)]) > 0.5


def test_notes_say_what_the_data_cannot_support() -> None:
    """Bounds finer than one row of a group, and bounds that so few rows can hardly confirm, are told beforehand."""
    assert any("moves in steps of 0.05" in note for note in EqualityOfOpportunity(0.04).notes(people(20)))
    assert not EqualityOfOpportunity(0.06).notes(people(20))
    (note,) = EqualityOfOpportunity(0.1, confidence=0.9).notes(people(50))
    assert f"it takes about {1.2816**2 / (2 * 0.1**2) / KEPT_ASIDE:.0f} positives of each group" in note
    assert not EqualityOfOpportunity(0.1, confidence=0.9).notes(people(500))


def test_confidence_is_read_from_text_and_checked() -> None:
    """Text makes constraints with a confidence; one that is no chance, or with nothing to confirm, is refused."""
    made = load_registry().constraint("equalized-odds:0.05,confidence=0.9")
    assert made == EqualizedOdds(0.05, confidence=0.9)
    for wrong in (0, 1, 90, "high"):
        with pytest.raises(ConfigurationError, match=r"confidence must be a number above 0 and below 1"):
            EqualizedOdds(0.05, confidence=wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="leave confidence out"):
        MinimaxError(confidence=0.9)
