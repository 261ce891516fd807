"""Constraints on groups: which groups they bound, what they say about the rest, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rulecg_core import ConfigurationError, Constraint, Problem, load_registry
from rulecg_fairness.constraints.compared import GroupConstraint, UndefinedRateError
from rulecg_fairness.constraints.demographic import DemographicParity
from rulecg_fairness.constraints.intersectional import IntersectionalGroups
from rulecg_fairness.constraints.parity import (
    AccuracyParity,
    EqualityOfOpportunity,
    EqualizedOdds,
    ErrorRateParity,
    FalsePositiveRateParity,
)
from rulecg_fairness.constraints.worst import GroupRecallFloor, MinimaxError


def make_problem(cells: dict[tuple[Any, bool], int], **settings: Any) -> Problem:
    """As many rows of each group and label as given."""
    groups = [group for (group, _), count in cells.items() for _ in range(count)]
    labels = [label for (_, label), count in cells.items() for _ in range(count)]
    table = {"race": groups, **settings.pop("further", {})}
    return Problem.from_arrays(np.ones((len(labels), 1)), labels, sensitive_groups=table, **settings)


@pytest.fixture
def uneven() -> Problem:
    """Groups A (30 positives, 30 negatives), B (20, 20), C (3, 40), D (2, 1) and five rows without a group."""
    positives = {"A": 30, "B": 20, "C": 3, "D": 2, None: 2}
    negatives = {"A": 30, "B": 20, "C": 40, "D": 1, None: 3}
    cells = {(group, True): count for group, count in positives.items()}
    return make_problem(cells | {(group, False): count for group, count in negatives.items()})


def row_names(constraint: Constraint, problem: Problem) -> set[str]:
    return {row.name for row in constraint.rows(problem)}


def pairs(rate: str, groups: str) -> set[str]:
    return {f"{rate}: {a} − {b}" for a in groups for b in groups if a != b}


def test_every_ordered_pair_is_bounded(uneven: Problem) -> None:
    """Max − min over groups is bounded by bounding each ordered pair."""
    assert row_names(EqualityOfOpportunity(0.1), uneven) == pairs("false negative rate", "ABCD")


def test_small_groups_are_reported(uneven: Problem) -> None:
    """By default a small group has no row but is measured, and a note says so; size is counted on the rate's cell."""
    constraint = EqualizedOdds(0.1, min_group_size=10)
    fnr, fpr = pairs("false negative rate", "AB"), pairs("false positive rate", "ABC")
    assert row_names(constraint, uneven) == fnr | fpr
    measured = constraint.measure(uneven, np.zeros(uneven.n_samples, dtype=bool))
    assert set(measured) == pairs("false negative rate", "ABCD") | pairs("false positive rate", "ABCD")
    assert constraint.notes(uneven) == [
        "equalized odds: group 'C' has 3 positives, fewer than 10: its false negative rate is measured but not "
        "constrained.",
        "equalized odds: group 'D' has 2 positives, fewer than 10: its false negative rate is measured but not "
        "constrained.",
        "equalized odds: group 'D' has 1 negative, fewer than 10: its false positive rate is measured but not "
        "constrained.",
        "equalized odds: 5 rows have no label in race: they are fitted but not constrained.",
    ]


def test_small_groups_are_merged(uneven: Problem) -> None:
    """Under "merge" the two smallest are joined until the smallest is large enough, and a note names the union."""
    constraint = EqualityOfOpportunity(0.1, min_group_size=5, small_groups="merge")
    names = row_names(constraint, uneven)
    assert len(names) == 6
    assert "false negative rate: D + C − A" in names
    assert any("'D + C' has 5 positives" in note for note in constraint.notes(uneven))
    more = EqualityOfOpportunity(0.1, min_group_size=10, small_groups="merge")
    assert row_names(more, uneven) == {
        "false negative rate: D + C + B − A",
        "false negative rate: A − D + C + B",
    }


def test_merged_groups_have_pooled_rates() -> None:
    """The rate of a merged group is that of its members together."""
    problem = make_problem({("A", True): 8, ("B", True): 1, ("C", True): 3, ("A", False): 1})
    constraint = EqualityOfOpportunity(0.1, min_group_size=4, small_groups="merge")
    y_pred = np.zeros(problem.n_samples, dtype=bool)
    y_pred[problem.sensitive_groups.of_column("race")[2].members] = True
    assert constraint.measure(problem, y_pred)["false negative rate: A − B + C"] == pytest.approx(1 - 1 / 4)


def test_small_groups_are_constrained_when_asked(uneven: Problem) -> None:
    """Under "constrain" small groups keep their rows and get a note."""
    constraint = EqualityOfOpportunity(0.1, min_group_size=10, small_groups="constrain")
    assert row_names(constraint, uneven) == pairs("false negative rate", "ABCD")
    assert sum("has only" in note for note in constraint.notes(uneven)) == 2


def test_no_group_is_large_enough(uneven: Problem) -> None:
    """When fewer than two groups are large enough there are no rows, and a note says that nothing is constrained."""
    constraint = EqualityOfOpportunity(0.1, min_group_size=25)
    assert constraint.rows(uneven) == []
    assert any("not constrained at all" in note for note in constraint.notes(uneven))


def test_a_group_without_positives() -> None:
    """It has no true positive rate: an error that says what to do, or a note with min_group_size=1; FPR is fine."""
    problem = make_problem({("A", True): 3, ("A", False): 3, ("B", False): 3, ("C", True): 2, ("C", False): 2})
    with pytest.raises(UndefinedRateError, match=r"'B' has no positives.*min_group_size=1"):
        EqualityOfOpportunity(0.1).rows(problem)
    reporting = EqualityOfOpportunity(0.1, min_group_size=1)
    assert row_names(reporting, problem) == pairs("false negative rate", "AC")
    assert any("'B' has 0 positives" in note and "undefined" in note for note in reporting.notes(problem))
    merging = EqualityOfOpportunity(0.1, small_groups="merge")
    assert "false negative rate: A − B + C" in row_names(merging, problem)
    assert row_names(FalsePositiveRateParity(0.1), problem) == pairs("false positive rate", "ABC")


@pytest.mark.parametrize(
    "parity", [EqualityOfOpportunity, EqualizedOdds, FalsePositiveRateParity, DemographicParity, AccuracyParity]
)
def test_one_group_cannot_be_compared(parity: type[GroupConstraint]) -> None:
    """A parity over a single group is an error that names the group; no groups at all is one too."""
    with pytest.raises(ConfigurationError, match=r"at least 2 groups, but race has 1 \(A\)"):
        parity(0.1).rows(make_problem({("A", True): 3, ("A", False): 3}))  # type: ignore[call-arg, arg-type]
    without = Problem.from_arrays([[1], [0]], [1, 0])
    with pytest.raises(ConfigurationError, match="no sensitive features were given"):
        parity(0.1).rows(without)  # type: ignore[call-arg, arg-type]


def test_floors_and_worst_cases_work_with_one_group() -> None:
    """A recall floor and the worst group's error need no second group."""
    problem = make_problem({("A", True): 3, ("A", False): 3})
    assert row_names(GroupRecallFloor(0.5), problem) == {"true positive rate: A"}
    assert row_names(MinimaxError(), problem) == {"error rate: A − worst"}


def test_rows_without_a_group_are_fitted_but_not_constrained(uneven: Problem) -> None:
    """A missing label takes the sample out of every row, and a note counts such rows."""
    for row in EqualizedOdds(0.1).rows(uneven) + ErrorRateParity(0.1).rows(uneven):
        for vector in (row.form.missed, row.form.cover):
            assert vector is None or not vector[uneven.sensitive_groups.missing].any()
    assert "error rate parity: 5 rows have no label in race: they are fitted but not constrained." in (
        ErrorRateParity(0.1).notes(uneven)
    )


def test_chosen_groups_and_columns(uneven: Problem) -> None:
    """``groups`` bounds only the groups named; unknown groups and columns are refused with those known."""
    assert row_names(EqualityOfOpportunity(0.1, groups=["A", "C"]), uneven) == pairs("false negative rate", "AC")
    assert any("in none of the chosen groups" in n for n in EqualityOfOpportunity(0.1, groups="A|C").notes(uneven))
    with pytest.raises(ConfigurationError, match=r"Unknown group 'Z'; known: A, B, C, D"):
        EqualityOfOpportunity(0.1, groups="A|Z").rows(uneven)
    with pytest.raises(ConfigurationError, match=r"Unknown sensitive feature 'sex'; known: race"):
        EqualityOfOpportunity(0.1, columns="sex").rows(uneven)


def test_many_groups_get_a_note() -> None:
    """A column with many labels, such as an age in years, makes rows by the square: a note says how many."""
    cells = {(f"age {age}", label): 1 for age in range(30) for label in (True, False)}
    assert any("30 groups make 870 rows" in note for note in EqualityOfOpportunity(0.1).notes(make_problem(cells)))


@pytest.mark.parametrize("value", [-0.01, 1.01, 5, math.nan, math.inf, "x", None, True])
@pytest.mark.parametrize(
    "constraint",
    [EqualityOfOpportunity, EqualizedOdds, FalsePositiveRateParity, AccuracyParity, ErrorRateParity, GroupRecallFloor],
)
def test_bounds_are_shares(constraint: Any, value: Any) -> None:
    """A bound below 0, above 1 (a percentage?) or not a number is refused."""
    with pytest.raises(ConfigurationError, match="must be a number from 0 to 1"):
        constraint(value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EqualizedOdds(0.1, -0.1), "eps_fpr must be a number from 0 to 1"),
        (lambda: DemographicParity(), "needs eps"),
        (lambda: DemographicParity(ratio=-0.8), "ratio must be a number from 0 to 1"),
        (lambda: DemographicParity(-0.1), "eps must be a number from 0 to 1"),
        (lambda: MinimaxError(-1), "weight must be a number of at least 0"),
        (lambda: MinimaxError(0), "does nothing"),
        (lambda: EqualizedOdds(0.1, min_group_size=-1), "min_group_size must be a number of at least 0"),
        (lambda: EqualizedOdds(0.1, small_groups="drop"), "must be one of report, merge, constrain"),  # type: ignore
        (lambda: IntersectionalGroups("equalized-odds"), "needs a bound"),
        (lambda: IntersectionalGroups("equalised-odds", crossed=0.1), "Unknown constraint 'equalised-odds'"),
        (lambda: IntersectionalGroups(Problem, crossed=0.1), "takes the class or name"),
        (lambda: IntersectionalGroups("equalized-odds", crossed=-0.1), "crossed must be a number from 0 to 1"),
        (lambda: IntersectionalGroups("equalized-odds", each={"race": 2}), "each must be a number from 0 to 1"),
        (lambda: IntersectionalGroups("equalized-odds", each="race=1"), "neither a number nor like"),
        (lambda: IntersectionalGroups("equalized-odds", each=0.1, small_groups="drop"), "must be one of"),
    ],
)
def test_refuses_wrong_settings(make: Any, message: str) -> None:
    """Settings that mean nothing are refused when the constraint is made, not at the first fit."""
    with pytest.raises(ConfigurationError, match=message):
        make()


def test_four_fifths_rule() -> None:
    """The ratio rows hold exactly when the least selection rate is at least 0.8 times the greatest."""
    problem = make_problem({("A", True): 10, ("B", True): 10, ("A", False): 10, ("B", False): 10}, merge=False)
    constraint = DemographicParity(ratio=0.8)
    rows = {row.name: row for row in constraint.rows(problem)}
    a, b = (np.flatnonzero(group.members) for group in problem.sensitive_groups.of_column("race"))
    for selected_a in range(21):
        for selected_b in range(21):
            y_pred = np.zeros(40, dtype=bool)
            y_pred[a[:selected_a]] = y_pred[b[:selected_b]] = True
            measured = constraint.measure(problem, y_pred)
            holds = all(rows[name].violation(value) < 1e-9 for name, value in measured.items())
            low, high = sorted((selected_a, selected_b))
            assert holds == (5 * low >= 4 * high)


def test_minimax_adds_the_worst_groups_error() -> None:
    """At its least feasible value the auxiliary variable is the worst group's error rate; the objective scales it."""
    problem = make_problem({("A", True): 4, ("A", False): 4, ("B", True): 1, ("B", False): 3})
    constraint = MinimaxError(2.0)
    nothing = np.zeros(problem.n_samples)
    missed = problem.y.astype(float)
    worst = max(row.form.value(missed, nothing, 0, 0) - row.hi for row in constraint.rows(problem))
    assert worst == 0.5
    assert all(row.form.variables == {"worst group's error rate": -1.0} for row in constraint.rows(problem))
    assert constraint.objective(problem).variables == {"worst group's error rate": 2.0 * 12}
    assert constraint.measure(problem, np.zeros(problem.n_samples, dtype=bool)) == {
        "error rate: A": 0.5,
        "error rate: B": 0.25,
        "worst group's error rate": 0.5,
    }


@pytest.fixture
def crossed() -> Problem:
    rng = np.random.default_rng(0)
    race, sex = rng.choice(["Black", "White"], 80), rng.choice(["female", "male"], 80)
    groups = {"race": race, "sex": sex}
    return Problem.from_arrays(rng.random((80, 3)) < 0.5, rng.random(80) < 0.5, sensitive_groups=groups)


def test_intersectional_bounds_differ(crossed: Problem) -> None:
    """Crossed groups and each column's own groups are bounded together, each with its own eps."""
    rows = IntersectionalGroups("equality-of-opportunity", crossed=0.1, each={"race": 0.05, "sex": 0.02}).rows(crossed)
    bounds = {row.name: row.hi for row in rows}
    assert bounds["false negative rate: Black & female − White & male (race × sex)"] == 0.1
    assert bounds["false negative rate: Black − White (race)"] == 0.05
    assert bounds["false negative rate: male − female (sex)"] == 0.02
    assert len(bounds) == 12 + 2 + 2


def test_intersectional_instead_of_crossed(crossed: Problem) -> None:
    """With ``each`` alone the crossed groups are free, with ``crossed`` alone the columns are."""
    assert len(IntersectionalGroups(EqualityOfOpportunity, each=0.05).rows(crossed)) == 4
    assert len(IntersectionalGroups(EqualityOfOpportunity, crossed=0.05).rows(crossed)) == 12
    with pytest.raises(ConfigurationError, match="at least two sensitive features, but got race"):
        IntersectionalGroups(EqualityOfOpportunity, crossed=0.1, columns="race").rows(crossed)


def test_intersectional_applies_the_policy_on_small_groups(crossed: Problem) -> None:
    """min_group_size and small_groups reach every part, and notes say which part they are about."""
    constraint = IntersectionalGroups(EqualityOfOpportunity, crossed=0.1, each=0.2, min_group_size=12)
    notes = constraint.notes(crossed)
    assert notes
    assert all(note.endswith("(race × sex)") for note in notes)
    assert len(constraint.rows(crossed)) < 16


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("equality-of-opportunity:0.05", EqualityOfOpportunity(0.05)),
        ("equalized-odds:0.05,eps_fpr=0.1", EqualizedOdds(0.05, 0.1)),
        ("equalized-odds:0.05,columns=race|sex,min_group_size=30,small_groups=merge",
         EqualizedOdds(0.05, columns=["race", "sex"], min_group_size=30, small_groups="merge")),
        ("false-positive-rate-parity:0.1,groups=sex=1|sex=2", FalsePositiveRateParity(0.1, groups=["sex=1", "sex=2"])),
        ("demographic-parity:ratio=0.8", DemographicParity(ratio=0.8)),
        ("accuracy-parity:0.1", AccuracyParity(0.1)),
        ("error-rate-parity:0.1", ErrorRateParity(0.1)),
        ("group-recall-floor:0.5", GroupRecallFloor(0.5)),
        ("minimax-error", MinimaxError()),
        ("intersectional:equalized-odds,crossed=0.1,each=0.05",
         IntersectionalGroups(EqualizedOdds, crossed=0.1, each=0.05)),
        ("intersectional:equalized-odds,each=race:0.05|sex:0.1",
         IntersectionalGroups(EqualizedOdds, each={"race": 0.05, "sex": 0.1})),
    ],
)
def test_constraints_by_name(text: str, expected: Constraint) -> None:
    """Every constraint can be asked for as text, with the same options as in Python."""
    assert load_registry().constraint(text) == expected


def test_a_tiny_group_that_is_bounded_gets_a_note() -> None:
    """One positive decides about everybody: the note names the group, its size and what to do."""
    problem = make_problem({("A", True): 50, ("A", False): 50, ("B", True): 1, ("B", False): 1})
    (positives, negatives) = EqualizedOdds(0.1).notes(problem)
    assert "group 'B' has only 1 positive: each of them moves its false negative rate by 100 points" in positives
    assert "may decide about the rules for everybody. Set min_group_size=10" in positives
    assert "group 'B' has only 1 negative" in negatives
    assert EqualizedOdds(0.1, min_group_size=1).notes(problem) == []
    assert not any("only" in note for note in EqualizedOdds(0.1, min_group_size=10).notes(problem))


def test_many_rows_of_little_weight_are_not_tiny() -> None:
    """Whether a group is tiny is a matter of its rows, not of the unit of the weights or of rows merged before."""
    cells = {(group, label): 20 for group in "AB" for label in (True, False)}
    assert EqualizedOdds(0.1).notes(make_problem(cells, weights=np.full(80, 1e-6))) == []
    cells = {(group, label): 2 for group in "AB" for label in (True, False)}
    assert EqualizedOdds(0.1).notes(make_problem(cells, weights=np.full(8, 10.0))) == []
