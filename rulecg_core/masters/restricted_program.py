"""The restricted master as a mixed-integer program: choose the best rule set among given rules.

Samples that the rules cannot tell apart share one variable, so the program has one row per *coverage pattern* and not
one per sample. One builder serves both losses: in the Hamming model every cover counts; in the exact 0-1 model
(``count_once``) a covered sample counts once, in the objective and in every row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from attrs import Factory, evolve, field, frozen

from ..api.backend import MIPModel
from ..base.arrays import BoolArray, FloatArray, IntArray
from ..base.bits import number_equal_lines
from ..base.sparse import SparseVectors
from ..data.goal import Goal, least_variables
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem
from ..data.rules import Rule
from .counted_once import netted
from .lp.linear_master import needs_links

CoverModel: TypeAlias = Literal["disaggregated", "aggregated"]
"""How a program says that a sample is covered when a rule that covers it is chosen: by one row for every such rule
(disaggregated), or by one row for their sum (aggregated)."""

DISAGGREGATED_ENTRIES = 2_000_000
"""Up to this many entries the disaggregated model is taken unless the other is asked for."""


@frozen(eq=False)
class _Patterns:
    """Classes of samples that no rule and no row tells apart."""

    covers: BoolArray
    """Classes × rules."""
    weights: FloatArray
    """Forms × classes: summed coefficients of the class in the objective and in each row."""

    def __len__(self) -> int:
        return len(self.covers)


@frozen(eq=False)
class RestrictedModel:
    """The program and how to read it. Columns: rules | missed classes | covered classes | columns of the table |
    auxiliary variables."""

    mip: MIPModel
    n_rules: int
    missed: BoolArray
    """Missed classes × rules."""
    covered: BoolArray
    """Covered classes × rules (none in the Hamming model)."""
    columns: BoolArray
    """Columns of the table × rules: which rules have conditions on each (none where any number may be used)."""
    variables: tuple[str, ...]
    rows: tuple[Row, ...]
    row_lines: FloatArray
    """Rows × columns: the rows as the program has them."""

    def chosen(self, x: FloatArray) -> IntArray:
        """Positions of the chosen rules in a solution."""
        return np.flatnonzero(x[: self.n_rules] > 0.5)

    def point(self, chosen: Sequence[int]) -> FloatArray:
        """The solution in which exactly these rules are chosen."""
        x = np.zeros(self.mip.n_columns)
        x[list(chosen)] = 1.0
        picked = x[: self.n_rules] > 0
        at = self.n_rules
        x[at : at + len(self.missed)] = ~(self.missed & picked).any(axis=1)
        at += len(self.missed)
        x[at : at + len(self.covered)] = (self.covered & picked).any(axis=1)
        at += len(self.covered)
        x[at : at + len(self.columns)] = (self.columns & picked).any(axis=1)
        at += len(self.columns)
        least = least_variables(self.rows, list(self.row_lines @ x))
        x[at:] = [float(least.get(name, 0.0)) for name in self.variables]
        return x


def build_restricted(
    goal: Goal, rules: Sequence[Rule], *, count_once: bool = False, cover_model: CoverModel | None = None
) -> RestrictedModel:
    """Write the goal over some rules as a mixed-integer program."""
    covers = goal.problem.covers(rules)
    goal = evolve(goal, rows=tuple(row.normalised() for row in goal.rows))
    if count_once:
        _, alike = number_equal_lines(np.packbits(covers.T, axis=1))
        goal = evolve(goal, objective=netted(goal.objective, alike))
    columns = used_columns(goal, rules)
    return _Builder(goal, covers, goal.problem.lengths(rules), columns, count_once, cover_model).build()


def used_columns(goal: Goal, rules: Sequence[Rule]) -> BoolArray:
    """Columns of the table × rules: which rules have conditions on each column that is not used anyway; no lines where
    the goal does not bound their number."""
    if math.isinf(goal.max_columns):
        return np.zeros((0, len(rules)), dtype=bool)
    of_rules = [goal.problem.columns_of([rule]) for rule in rules]
    names = sorted({name for columns in of_rules for name in columns} - columns_in_any_case(goal))
    return np.array([[name in columns for columns in of_rules] for name in names], dtype=bool).reshape(
        len(names), len(rules)
    )


def columns_in_any_case(goal: Goal) -> frozenset[str]:
    """The columns that kept rules and required conditions are on."""
    return goal.problem.columns_of(goal.kept)


@frozen(eq=False)
class _Builder:
    """One program over rules with given covers (rules × samples) and lengths."""

    goal: Goal
    covers: BoolArray
    lengths: FloatArray
    columns: BoolArray
    """Columns of the table × rules."""
    count_once: bool
    cover_model: CoverModel | None
    missed: _Patterns = field(init=False, default=Factory(lambda self: self._missed(), takes_self=True))
    covered: _Patterns = field(init=False, default=Factory(lambda self: self._covered(), takes_self=True))

    def _missed(self) -> _Patterns:
        vectors = [form.missed for form in self.goal.forms]
        return _patterns(self.goal.problem, self.covers, vectors)

    def _covered(self) -> _Patterns:
        """None in the Hamming model, where rules' own coefficients count covers."""
        if not self.count_once:
            return _Patterns(np.zeros((0, self.n_rules), dtype=bool), np.zeros((len(self.goal.forms), 0)))
        return _patterns(self.goal.problem, self.covers, [form.cover for form in self.goal.forms])

    @property
    def n_rules(self) -> int:
        return len(self.lengths)

    @property
    def n_columns(self) -> int:
        return self.first_column + len(self.columns) + len(self.goal.variables)

    @property
    def first_column(self) -> int:
        """Where the variables of the table's columns begin."""
        return self.n_rules + len(self.missed) + len(self.covered)

    @property
    def is_linked(self) -> bool:
        return needs_links(self.goal.objective, self.goal.rows)

    @property
    def is_fine(self) -> bool:
        """Whether covers are said rule by rule."""
        if self.cover_model is not None:
            return self.cover_model == "disaggregated"
        return bool(self.missed.covers.sum() + self.covered.covers.sum() <= DISAGGREGATED_ENTRIES)

    def build(self) -> RestrictedModel:
        lines, blocks = self._lines(), self._blocks()
        rows, own = self.goal.rows, SparseVectors.from_dense(lines[1:])
        bounds = [(lo, hi, len(block)) for block, lo, hi in blocks]
        mip = MIPModel(
            costs=lines[0],
            lower=np.zeros(self.n_columns),
            upper=self._upper(),
            integer=self._integer(),
            row_lower=np.concatenate([*(np.full(size, lo) for lo, _, size in bounds), [row.lo for row in rows]]),
            row_upper=np.concatenate([*(np.full(size, hi) for _, hi, size in bounds), [row.hi for row in rows]]),
            rows=SparseVectors.stack([*(block for block, _, _ in blocks), own]),
            offset=self.goal.objective.const,
        )
        return RestrictedModel(
            mip,
            self.n_rules,
            self.missed.covers,
            self.covered.covers,
            self.columns,
            self.goal.variables,
            rows,
            lines[1:],
        )

    def _lines(self) -> FloatArray:
        """Forms × columns: the coefficients of the objective and of each row."""
        lines = np.zeros((len(self.goal.forms), self.n_columns))
        for at, form in enumerate(self.goal.forms):
            per_rule = form.length * self.lengths + form.rule
            if not self.count_once:
                per_rule = form.coefficients(self.covers, self.lengths)
            helpers = [form.variables.get(name, 0.0) for name in self.goal.variables]
            free = np.zeros(len(self.columns))
            lines[at] = np.concatenate([per_rule, self.missed.weights[at], self.covered.weights[at], free, helpers])
        return lines

    def _blocks(self) -> list[tuple[SparseVectors, float, float]]:
        """Rows that say what missed and covered mean, in blocks with the same bounds."""
        missed, covered, most = self.missed.covers, self.covered.covers, self.goal.max_rules
        cover_rows = SparseVectors.from_dense(missed).join(_diagonal(len(missed), self.n_rules, 1.0))
        blocks = [(cover_rows, 1.0, math.inf)]
        if self.is_linked:
            blocks.append((_at_most_once(missed, self.n_rules, most, self.is_fine), -math.inf, 1.0))
        if self.count_once:
            at = self.n_rules + len(missed)
            blocks.append((_at_least_each(covered, at, most, self.is_fine), -math.inf, 0.0))
            if any(_rewards_covering(form, sign) for form, sign in _pressed(self.goal.objective, self.goal.rows)):
                # A covered class is covered by some chosen rule: without this, rows could pretend to cover samples.
                upper = SparseVectors.from_dense(-covered.astype(np.float64)).join(_diagonal(len(covered), at, 1.0))
                blocks.append((upper, -math.inf, 0.0))
        if len(self.columns):
            owners, rules = np.nonzero(self.columns)
            # A rule is chosen only with all its columns, and there are only so many of them.
            blocks.append((_pairs(rules, owners + self.first_column, (1.0, -1.0)), -math.inf, 0.0))
            every = SparseVectors(
                np.array([0, len(self.columns)], dtype=np.int64),
                np.arange(self.first_column, self.first_column + len(self.columns), dtype=np.int64),
                np.ones(len(self.columns)),
            )
            blocks.append((every, -math.inf, self.goal.max_columns - len(columns_in_any_case(self.goal))))
        return blocks

    def _integer(self) -> BoolArray:
        integer = np.zeros(self.n_columns, dtype=bool)
        integer[: self.n_rules] = True
        if not self.is_fine:
            first_covered = self.n_rules + len(self.missed)
            integer[self.n_rules : first_covered] = self.is_linked
            integer[first_covered : first_covered + len(self.covered)] = True
        # Solvers need not branch on the table's columns: each is 1 as soon as one of its rules is chosen.
        return integer

    def _upper(self) -> FloatArray:
        upper = np.ones(self.n_columns)
        upper[self.n_columns - len(self.goal.variables) :] = math.inf
        return upper


def _pressed(objective: LinearForm, rows: Sequence[Row]) -> list[tuple[LinearForm, float]]:
    """Forms that are better small (1) or better large (-1)."""
    pressed = [(objective, 1.0)]
    pressed += [(row.form, 1.0) for row in rows if math.isfinite(row.hi)]
    return pressed + [(row.form, -1.0) for row in rows if math.isfinite(row.lo)]


def _rewards_covering(form: LinearForm, sign: float) -> bool:
    return form.cover is not None and bool(np.any(form.cover * sign < 0))


def _patterns(problem: Problem, covers: BoolArray, vectors: Sequence[FloatArray | None]) -> _Patterns:
    """Merge the samples in use that the same rules cover and whose coefficients are in the same proportion."""
    used = np.zeros(problem.n_samples, dtype=bool)
    for vector in vectors:
        if vector is not None:
            used |= vector != 0
    samples = np.flatnonzero(used)
    table = np.zeros((len(vectors), len(samples)))
    for line, vector in zip(table, vectors, strict=True):
        if vector is not None:
            line[:] = vector[samples]
    sizes = problem.sizes[samples]
    scale = np.where(sizes > 0, sizes, 1.0)
    # Rounding makes equal proportions equal again after the division.
    shares = np.round(table / scale, 12) + 0.0
    key = np.concatenate(
        [np.packbits(covers[:, samples].T, axis=1), np.ascontiguousarray(shares.T).view(np.uint8)], axis=1
    )
    first, inverse = number_equal_lines(key)
    weights = np.stack([np.bincount(inverse, line, minlength=len(first)) for line in table]).astype(np.float64)
    return _Patterns(np.ascontiguousarray(covers[:, samples[first]].T), weights)


def _diagonal(size: int, offset: int, value: float) -> SparseVectors:
    return SparseVectors(
        np.arange(size + 1, dtype=np.int64), np.arange(offset, offset + size, dtype=np.int64), np.full(size, value)
    )


def _pairs(first: IntArray, second: IntArray, values: tuple[float, float]) -> SparseVectors:
    """Rows with two entries each."""
    return SparseVectors(
        np.arange(0, 2 * len(first) + 1, 2, dtype=np.int64),
        np.stack([first, second], axis=1).ravel().astype(np.int64),
        np.tile(np.array(values), len(first)),
    )


def _at_most_once(missed: BoolArray, offset: int, max_rules: float, fine: bool) -> SparseVectors:
    """``missed + w <= 1`` for every rule that covers the class, or ``missed + Σ w / max_rules <= 1``."""
    if fine:
        classes, rules = np.nonzero(missed)
        return _pairs(rules, classes + offset, (1.0, 1.0))
    return SparseVectors.from_dense(missed / _most(missed, max_rules)).join(_diagonal(len(missed), offset, 1.0))


def _at_least_each(covered: BoolArray, offset: int, max_rules: float, fine: bool) -> SparseVectors:
    """``w - covered <= 0`` for every rule that covers the class, or ``Σ w / max_rules - covered <= 0``."""
    if fine:
        classes, rules = np.nonzero(covered)
        return _pairs(rules, classes + offset, (1.0, -1.0))
    return SparseVectors.from_dense(covered / _most(covered, max_rules)).join(_diagonal(len(covered), offset, -1.0))


def _most(classes: BoolArray, max_rules: float) -> FloatArray:
    """How many chosen rules can cover each class at most (at least 1, to divide by), as a column."""
    return np.maximum(np.minimum(max_rules, classes.sum(axis=1, keepdims=True)), 1.0)
