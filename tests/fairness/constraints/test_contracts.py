"""Every constraint that this distribution registers keeps the contract, and means what its name says."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import TypeAlias

import numpy as np
import pytest
from attrs import frozen

from rulecg_core import Constraint, Problem, Row, load_registry
from rulecg_core.base.arrays import AnyArray, BoolArray, FloatArray
from rulecg_core.masters.size_bounds import Complexity, MaxColumns, MaxRules
from rulecg_core.testing.constraint_contract import Case, ConstraintContract
from rulecg_fairness.constraints.compared import GroupConstraint
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
from tests.core.masters import test_rate_bounds, test_rule_limits

Outcome: TypeAlias = tuple[bool, bool, float]
"""A row's label, its prediction and its weight."""


def share(outcomes: list[Outcome], among: Callable[[bool], bool], counts: Callable[[bool, bool], bool]) -> float:
    total = sum(w for y, _, w in outcomes if among(y))
    return sum(w for y, p, w in outcomes if among(y) and counts(y, p)) / total


RATES: dict[str, Callable[[list[Outcome]], float]] = {
    "false negative rate": lambda rows: share(rows, lambda y: y, lambda y, p: not p),
    "true positive rate": lambda rows: share(rows, lambda y: y, lambda y, p: p),
    "false positive rate": lambda rows: share(rows, lambda y: not y, lambda y, p: p),
    "selection rate": lambda rows: share(rows, lambda y: True, lambda y, p: p),
    "error rate": lambda rows: share(rows, lambda y: True, lambda y, p: y is not p),
    "accuracy": lambda rows: share(rows, lambda y: True, lambda y, p: y is p),
}

EXAMPLES: dict[str, list[Constraint]] = {
    "complexity": [Complexity(6), Complexity(4, per_rule=2, per_condition=0.5, penalty=0.25), Complexity(penalty=1)],
    "max-rules": [MaxRules(2)],
    "max-columns": [MaxColumns(2)],
    "equality-of-opportunity": [EqualityOfOpportunity(0.05), EqualityOfOpportunity(0.1, columns="sex")],
    "equalized-odds": [EqualizedOdds(0.05), EqualizedOdds(0.0, 0.2, columns="race")],
    "false-positive-rate-parity": [FalsePositiveRateParity(0.1, groups="Black & male|White & female")],
    "demographic-parity": [DemographicParity(0.1, columns="race"), DemographicParity(ratio=0.8)],
    "accuracy-parity": [AccuracyParity(0.1)],
    "error-rate-parity": [ErrorRateParity(0.1)],
    "group-recall-floor": [GroupRecallFloor(0.5)],
    "minimax-error": [MinimaxError(), MinimaxError(3.0, columns="sex")],
    "intersectional": [
        IntersectionalGroups("equalized-odds", crossed=0.1, each=0.05),
        IntersectionalGroups(EqualityOfOpportunity, each={"race": 0.05}),
        IntersectionalGroups("group-recall-floor", crossed=0.2),
    ],
}


def by_hand(
    constraint: GroupConstraint,
    y_true: BoolArray,
    y_pred: BoolArray,
    sensitive: dict[str, AnyArray],
    weights: FloatArray,
) -> dict[str, float]:
    """The measured values of a constraint on groups, with Python lists and nothing of the package under test."""
    columns = constraint.columns or tuple(sensitive)
    rows: dict[str, list[Outcome]] = {}
    for i, y in enumerate(y_true):
        name = " & ".join(str(sensitive[column][i]) for column in columns)
        rows.setdefault(name, []).append((bool(y), bool(y_pred[i]), float(weights[i])))
    groups = constraint.groups or tuple(rows)
    values = {}
    for rate in (rate.name for rate in constraint.rates):
        of = {group: RATES[rate](rows[group]) for group in groups}
        if isinstance(constraint, GroupRecallFloor | MinimaxError):
            values |= {f"{rate}: {group}": of[group] for group in groups}
        else:
            ratio = constraint.ratio if isinstance(constraint, DemographicParity) else None
            factor, text = (1.0, "") if ratio is None else (ratio, f"{ratio:g} × ")
            values |= {f"{rate}: {a} − {text}{b}": of[a] - factor * of[b] for a, b in permutations(groups, 2)}
        if isinstance(constraint, MinimaxError):
            values["worst group's error rate"] = max(of.values())
    return values


class TestOurConstraints(ConstraintContract):
    @pytest.fixture(params=[example for examples in EXAMPLES.values() for example in examples], ids=repr)
    def constraint(self, request: pytest.FixtureRequest) -> Constraint:
        return request.param

    def expected(
        self,
        constraint: Constraint,
        y_true: BoolArray,
        y_pred: BoolArray,
        sensitive: dict[str, AnyArray],
        weights: FloatArray,
    ) -> dict[str, float]:
        if isinstance(constraint, (Complexity, MaxColumns, MaxRules)):
            return {}
        if isinstance(constraint, GroupConstraint):
            return by_hand(constraint, y_true, y_pred, sensitive, weights)
        assert isinstance(constraint, IntersectionalGroups)
        wheres = [tuple(sensitive)] if constraint.crossed is not None else []
        each = constraint.each
        wheres += [] if each is None else [(c,) for c in (dict(each) if isinstance(each, tuple) else sensitive)]
        values = {}
        for columns in wheres:
            part = constraint.constraint(0.0, columns=columns)  # type: ignore[call-arg, arg-type]
            of_part = by_hand(part, y_true, y_pred, sensitive, weights)
            values |= {f"{name} ({' × '.join(columns)})": value for name, value in of_part.items()}
        return values


def test_every_registered_constraint_is_under_contract() -> None:
    """A constraint that is registered but not among the examples would be untested: add an example."""
    constraints = [entry for entry in load_registry() if entry.kind == "constraint"]
    ours = {entry.name: entry.factory for entry in constraints if entry.distribution == "rulecg"}
    tested = {name for room in (test_rate_bounds, test_rule_limits) for name in vars(room)}
    of_the_core = {name for name, kind in ours.items() if f"Test{kind.__name__}" in tested}
    assert set(ours) == set(EXAMPLES) | of_the_core
    for name, examples in EXAMPLES.items():
        assert {type(example) for example in examples} == {ours[name]}


def test_the_contract_catches_a_constraint_on_the_learners_labels() -> None:
    """A constraint that reads the learner's labels instead of the original ones fails the contract in CNF."""
    @frozen
    class Confused(Constraint):
        def rows(self, problem: Problem) -> list[Row]:
            black, white = problem.sensitive_groups.of_column("race")
            positives = [problem.hamming_loss(group.members & problem.y) for group in (black, white)]
            return [(positives[0] - positives[1] <= 0.1).named("missed")]

    contract = ConstraintContract()
    with pytest.raises(AssertionError):
        contract.test_speaks_of_the_original_labels(Confused(), Case.random(0, "dnf"))


def test_rows_have_the_papers_coefficients() -> None:
    """Equalized odds puts ±1/|P_g| on missed positives and ±1/|N_g| on covered negatives, nothing else (DNF)."""
    problem = Case.random(0, "dnf").problem()
    rows = {row.name: row for row in EqualizedOdds(0.05, 0.1, columns="race").rows(problem)}
    black, white = (group.members for group in problem.sensitive_groups.of_column("race"))
    signs = np.where(black, 1.0, -1.0)

    def shares(cell: BoolArray) -> FloatArray:
        total = np.where(black, problem.weights[black & cell].sum(), problem.weights[white & cell].sum())
        return np.where(cell, signs * problem.weights / total, 0.0)

    missed, covered = rows["false negative rate: Black − White"], rows["false positive rate: Black − White"]
    assert (missed.hi, covered.hi) == (0.05, 0.1)
    np.testing.assert_allclose(missed.form.missed, shares(problem.y))
    np.testing.assert_allclose(covered.form.cover, shares(~problem.y))
    assert missed.form.cover is None or not missed.form.cover.any()
    assert not covered.form.uses_missed
