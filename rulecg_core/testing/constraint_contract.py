"""What every constraint must do. Subclass :class:`ConstraintContract` and give it one fixture."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import attrs
import numpy as np
import pytest
from attrs import frozen

from ..api.constraint import Constraint, checked_rows, checked_rule_bounds
from ..base.arrays import AnyArray, BoolArray, FloatArray
from ..base.errors import ConfigurationError
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem
from ..data.rules import Logic, Rule

N_FEATURES = 4
TOLERANCE = 1e-9


@frozen(eq=False)
class Case:
    """A small data set, row by row, before anything is merged or negated."""

    X: BoolArray
    y: BoolArray
    weights: FloatArray
    sensitive: dict[str, AnyArray]
    logic: Logic

    @classmethod
    def random(cls, seed: int, logic: Logic) -> Case:
        """Few features, so that equal rows occur; every combination of race, sex and label at least twice."""
        rng = np.random.default_rng(seed)
        cells = np.array([(r, s, y) for r in range(2) for s in range(2) for y in range(2)] * 2)
        cells = rng.permutation(np.vstack([cells, rng.integers(0, 2, size=(8, 3))]))
        race, sex, y = cells.T
        return cls(
            X=rng.random((len(cells), N_FEATURES)) < 0.6,
            y=y == 1,
            weights=rng.integers(1, 4, size=len(cells)).astype(np.float64),
            sensitive={"race": np.array(["Black", "White"])[race], "sex": np.array(["female", "male"])[sex]},
            logic=logic,
        )

    def problem(self, **changes: Any) -> Problem:
        settings: dict[str, Any] = {"logic": self.logic, "weights": self.weights, "sensitive_groups": self.sensitive}
        return Problem.from_arrays(self.X, self.y, **{**settings, **changes})

    def covered(self, rule: Rule) -> list[bool]:
        """Row by row: a DNF rule covers where all its features hold, a CNF clause (as learned) where none does."""
        wanted = self.logic == "dnf"
        return [all(bool(row[feature]) is wanted for feature in rule) for row in self.X]

    def predict(self, rules: Sequence[Rule]) -> BoolArray:
        covers = [self.covered(rule) for rule in rules]
        any_covers = [any(column) for column in zip(*covers, strict=True)] if covers else [False] * len(self.y)
        return np.array([covered is (self.logic == "dnf") for covered in any_covers])


def rule_sets(most: int = 3) -> Iterator[list[Rule]]:
    """Every set of up to ``most`` rules of one or two conditions."""
    rules = [Rule(features) for size in (1, 2) for features in combinations(range(N_FEATURES), size)]
    for size in range(most + 1):
        yield from (list(chosen) for chosen in combinations(rules, size))


def counted(form: LinearForm, case: Case, problem: Problem, rules: Sequence[Rule], hits: Sequence[int]) -> float:
    """The form's value, counted row by row of the original data and rule by rule (auxiliary variables left out).

    ``hits`` says how many of the rules cover each original row.
    """
    total = form.const
    for rule in rules:
        total += form.rule + form.length * sum(problem.condition_costs[feature] for feature in rule)
    for i, sample in enumerate(problem.inverse):
        part = case.weights[i] / problem.weights[sample]
        if form.missed is not None and not hits[i]:
            total += form.missed[sample] * part
        if form.cover is not None:
            total += form.cover[sample] * part * hits[i]
    return float(total)


def computed(form: LinearForm, problem: Problem, rules: Sequence[Rule]) -> float:
    """The form's value as the master computes it: one coefficient per rule, plus the missed samples."""
    covers = problem.covers(rules)
    coefficients = form.coefficients(covers, np.array([problem.length(rule) for rule in rules]))
    missed = ~covers.any(axis=0)
    zeta = 0.0 if form.missed is None else float(form.missed[missed].sum())
    return form.const + zeta + float(coefficients.sum())


class ConstraintContract:
    """What every constraint must do: subclass with a fixture ``constraint``.

    Override :meth:`expected` to have the meaning of the rows checked too. The data has sensitive features ``race``
    (Black, White) and ``sex`` (female, male). Every test looks at a fixed number of small rule sets, so the whole
    contract takes seconds.
    """

    @pytest.fixture
    def constraint(self) -> Constraint:
        raise NotImplementedError("Override the fixture `constraint` to return the constraint under test.")

    def expected(
        self,
        constraint: Constraint,
        y_true: BoolArray,
        y_pred: BoolArray,
        sensitive: dict[str, AnyArray],
        weights: FloatArray,
    ) -> dict[str, float] | None:
        """Compute the values that ``measure`` must give, your own way, from original rows; None skips the check.

        Parameters
        ----------
        constraint
            The constraint under test.
        y_true, y_pred
            Labels and predictions, row by row.
        sensitive
            The sensitive columns.
        weights
            How often each row counts.

        Returns
        -------
        dict or None
            Values by row name.
        """
        return None

    @pytest.fixture(params=[("dnf", 0), ("cnf", 1)], ids=lambda p: f"{p[0]}-{p[1]}")
    def case(self, request: pytest.FixtureRequest) -> Case:
        return Case.random(request.param[1], request.param[0])

    def test_rows_are_well_formed(self, constraint: Constraint, case: Case) -> None:
        """Rows are finite, bounded on at least one side, over the right samples, and have distinct readable names."""
        problem = case.problem()
        rows = checked_rows(constraint, problem)
        for row in rows:
            _check_form(row.form, problem, f"The row {row.name!r}")
            assert math.isfinite(row.lo) or math.isfinite(row.hi), f"The row {row.name!r} has no bound."
            assert row.name.strip(), "A row has no name."
            assert row.name != "row", "A row was not named: use Row(..., name=...) or row.named(...)."
        names = [row.name for row in rows]
        assert len(set(names)) == len(names), f"Two rows share a name: {sorted(names)}"

    def test_rows_count_what_rules_do(self, constraint: Constraint, case: Case) -> None:
        """On every small rule set each row has the value that counting by hand gives."""
        problem = case.problem()
        rows = list(constraint.rows(problem))
        for rules in rule_sets(2):
            covers = [case.covered(rule) for rule in rules]
            hits = [sum(cover[i] for cover in covers) for i in range(len(case.y))]
            for row in rows:
                by_hand = counted(row.form, case, problem, rules, hits)
                assert computed(row.form, problem, rules) == pytest.approx(by_hand, abs=TOLERANCE), (row.name, rules)

    def test_measures_every_row_about_predictions(self, constraint: Constraint, case: Case) -> None:
        """``measure`` gives a finite number for each row that predictions alone decide."""
        problem = case.problem()
        measured = constraint.measure(problem, problem.predict([Rule((0,))]))
        assert all(isinstance(value, float) and math.isfinite(value) for value in measured.values()), measured
        for row in constraint.rows(problem):
            if not row.form.beyond_predictions:
                assert row.name in measured, f"measure says nothing of the row {row.name!r}"

    def test_proxy_is_the_truth_when_rules_do_not_overlap(self, constraint: Constraint, case: Case) -> None:
        """Where no row is covered twice, a row's value and the measured one are the same."""
        problem = case.problem()
        rows = list(constraint.rows(problem))
        for rules in rule_sets(2):
            if problem.covers(rules).sum(axis=0).max(initial=0) <= 1:
                measured = constraint.measure(problem, problem.predict(rules))
                for row in rows:
                    if row.name in measured:
                        value = pytest.approx(computed(row.form, problem, rules), abs=TOLERANCE)
                        assert measured[row.name] == value, (row.name, rules)

    def test_measures_what_it_means(self, constraint: Constraint, case: Case) -> None:
        """``measure`` agrees with the author's own counting (:meth:`expected`) on every small rule set."""
        problem = case.problem()
        for rules in rule_sets(2):
            expected = self.expected(constraint, case.y, case.predict(rules), case.sensitive, case.weights)
            if expected is None:
                return
            assert constraint.measure(problem, problem.predict(rules)) == pytest.approx(expected, abs=TOLERANCE), rules

    def test_speaks_of_the_original_labels(self, constraint: Constraint, case: Case) -> None:
        """The same predictions measure the same whether the rules are in DNF or CNF."""
        y_pred = np.random.default_rng(5).random(len(case.y)) < 0.5
        dnf, cnf = (constraint.measure(case.problem(logic=logic, merge=False), y_pred) for logic in ("dnf", "cnf"))
        assert dnf == pytest.approx(cnf, abs=TOLERANCE)

    def test_merging_equal_rows_changes_nothing(self, constraint: Constraint, case: Case) -> None:
        """Equal rows apart, merged, or with their weight as repetitions: the same rows and values."""
        again = np.repeat(np.arange(len(case.y)), case.weights.astype(int))[::-1]
        repeated = Case(
            case.X[again],
            case.y[again],
            np.ones(len(again)),
            {name: column[again] for name, column in case.sensitive.items()},
            case.logic,
        )
        problems = [case.problem(), case.problem(merge=False), repeated.problem(), repeated.problem(merge=False)]
        for rules in ([], [Rule((0,))], [Rule((0, 1)), Rule((2,)), Rule((1, 3))]):
            values = [_values(constraint, problem, rules) for problem in problems]
            for other in values[1:]:
                assert other == pytest.approx(values[0], abs=TOLERANCE), rules

    def test_is_pure(self, constraint: Constraint, case: Case) -> None:
        """Asking changes neither the constraint nor the problem: the second answer equals the first."""
        problem = case.problem()
        before = pickle.dumps((problem.X, problem.y, problem.weights, problem.sensitive_groups.codes))
        first, second = ([_plain(row) for row in constraint.rows(problem)] for _ in range(2))
        assert first == second
        assert list(constraint.notes(problem)) == list(constraint.notes(problem))
        y_pred = problem.predict([Rule((0,))])
        assert constraint.measure(problem, y_pred) == constraint.measure(problem, y_pred)
        assert pickle.dumps((problem.X, problem.y, problem.weights, problem.sensitive_groups.codes)) == before

    def test_is_a_value(self, constraint: Constraint) -> None:
        """Constraints can be hashed, compared and pickled: use a frozen attrs class (or dataclass)."""
        copy = pickle.loads(pickle.dumps(constraint))
        assert copy == constraint
        assert hash(copy) == hash(constraint)

    def test_refuses_wrong_settings_in_a_sentence(self, constraint: Constraint, case: Case) -> None:
        """A setting with a wrong value is refused by a ConfigurationError, or does no harm: no other exception."""
        made: Any = constraint  # that it is an attrs class is only known once it was asked
        for setting in attrs.fields(type(made)) if attrs.has(type(made)) else ():
            is_number = isinstance(getattr(made, setting.name), int | float)
            for value in (math.nan, math.inf, -1, 10**9, "nonsense", None) if setting.init and is_number else ():
                said = f"{setting.name}={value!r}"
                try:
                    checked_rows(attrs.evolve(made, **{setting.name: value}), case.problem())
                except ConfigurationError as error:
                    message = str(error)
                except Exception as error:
                    pytest.fail(
                        f"{said} raised {type(error).__name__}: {error}. Check settings when the constraint is made: "
                        "rulecg_core.settings has validators that speak plainly."
                    )
                else:
                    continue
                assert len(message) > 20, f"The message on {said} does not help: {message}"

    def test_limits_rules_truthfully(self, constraint: Constraint, case: Case) -> None:
        """No rule set that satisfies the rows has more rules than ``max_rules``."""
        problem = case.problem()
        rows = [row for row in constraint.rows(problem) if not row.form.variables]
        limit = constraint.max_rules(problem)
        for rules in rule_sets():
            if len(rules) > limit:
                values = [row.violation(computed(row.form, problem, rules)) for row in rows]
                assert any(value > TOLERANCE for value in values), f"{rules} satisfies the rows, yet max_rules={limit}"

    def test_bounds_on_single_rules_are_well_formed(self, constraint: Constraint, case: Case) -> None:
        """Bounds on single rules are finite forms over the right samples with readable names of their own, and mean the
        same whether equal rows are merged or not."""
        problem, apart = case.problem(), case.problem(merge=False)
        bounds = checked_rule_bounds(constraint, problem)
        names = [bound.name for bound in bounds]
        assert all(name.strip() and name != "rule bound" for name in names), "A bound on rules was not named."
        assert len(set(names)) == len(names), f"Two bounds on rules share a name: {sorted(names)}"
        rules = [Rule(features) for size in (1, 2) for features in combinations(range(N_FEATURES), size)]
        for bound, other in zip(bounds, checked_rule_bounds(constraint, apart), strict=True):
            merged = bound.values(problem.packed_covers(rules), problem.lengths(rules))
            by_row = other.values(apart.packed_covers(rules), apart.lengths(rules))
            assert merged.tolist() == pytest.approx(by_row.tolist(), abs=TOLERANCE), bound.name

    def test_objective_is_well_formed(self, constraint: Constraint, case: Case) -> None:
        """A term for the objective is finite, over the right samples, and its variables are those of the rows."""
        problem = case.problem()
        objective = constraint.objective(problem)
        if objective is not None:
            _check_form(objective, problem, "The objective")
            pushed_up = {
                name
                for row in constraint.rows(problem)
                for name, coefficient in row.form.variables.items()
                if (coefficient < 0 and math.isfinite(row.hi)) or (coefficient > 0 and math.isfinite(row.lo))
            }
            idle = [name for name, cost in objective.variables.items() if cost and name not in pushed_up]
            assert not idle, f"No row pushes the variables {idle} of the objective up, so they would be 0."

    def test_notes_are_sentences(self, constraint: Constraint, case: Case) -> None:
        """Notes for people are non-empty text."""
        some_missing = {name: [None, *column[1:]] for name, column in case.sensitive.items()}
        for problem in (case.problem(), case.problem(sensitive_groups=some_missing)):
            assert all(isinstance(note, str) and note.strip() for note in constraint.notes(problem))

    @pytest.mark.parametrize("lacking", ["groups", "second group", "labels", "positives", "negatives"])
    def test_says_what_is_wrong_with_the_data(self, constraint: Constraint, case: Case, lacking: str) -> None:
        """Data that the constraint cannot use makes a ConfigurationError with a message, or finite rows: no crash."""
        black = case.sensitive["race"] == "Black"
        nobody = np.full(len(case.y), None)
        keep = {"positives": ~(black & case.y), "negatives": ~(black & ~case.y)}.get(lacking, np.ones_like(black))
        groups: dict[str, Any] | None = {
            "groups": None,
            "second group": {name: np.full(len(case.y), column[0]) for name, column in case.sensitive.items()},
            "labels": dict.fromkeys(case.sensitive, nobody),
        }.get(lacking, {name: column[keep] for name, column in case.sensitive.items()})
        problem = Problem.from_arrays(case.X[keep], case.y[keep], sensitive_groups=groups, logic=case.logic)
        try:
            rows, message = list(constraint.rows(problem)), None
        except ConfigurationError as error:
            rows, message = [], str(error)
        assert message is None or len(message) > 20, f"The message does not help: {message}"
        for row in rows:
            _check_form(row.form, problem, f"The row {row.name!r}")


def _check_form(form: LinearForm, problem: Problem, what: str) -> None:
    fault = form.fault(problem.n_samples)
    assert fault is None, f"{what} cannot be used: {fault}."


def _values(constraint: Constraint, problem: Problem, rules: Sequence[Rule]) -> dict[str, float]:
    values = {f"row {row.name}": computed(row.form, problem, rules) for row in constraint.rows(problem)}
    return values | constraint.measure(problem, problem.predict(rules))


def _plain(row: Row) -> tuple[Any, ...]:
    form = row.form
    vectors = [None if vector is None else vector.tolist() for vector in (form.missed, form.cover)]
    return row.name, row.lo, row.hi, vectors, form.length, form.rule, form.const, dict(form.variables)
