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
from attrs import frozen

from ..api.backend import MIPModel
from ..base.arrays import BoolArray, FloatArray, IntArray
from ..base.sparse import SparseVectors
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem
from .counted_once import classes_of, netted
from .lp.linear_master import needs_links

Formulation: TypeAlias = Literal["disaggregated", "aggregated"]
"""How a program says that a sample is covered when a rule that covers it is chosen: by one row for every such rule
(disaggregated), or by one row for their sum (aggregated)."""

DISAGGREGATED_ENTRIES = 2_000_000
"""Up to this many entries the disaggregated formulation is taken unless the other is asked for."""

ENTRIES_PER_SECOND = 50_000
MOST_ENTRIES = 500_000
"""Solvers look at their clocks too rarely to be trusted with a large program: one of 1.4 million entries spent 45
seconds in presolve with a limit of 5. So the size is what is limited, by the time there is."""


@frozen(eq=False)
class Restriction:
    """Which rules the integer program chooses among."""

    kept: IntArray
    outside: float
    """No rule set with a rule that is left out has an objective below this."""


def least_objectives(reduced_costs: FloatArray, relaxation: float) -> FloatArray:
    """For every rule, what no rule set with that rule can be below: each chosen rule adds its reduced cost.

    ``relaxation`` is the bound that the duals behind the reduced costs prove for rule sets over these rules if no
    reduced cost is negative.
    """
    base = relaxation + float(np.minimum(reduced_costs, 0.0).sum())
    return np.asarray(base + np.maximum(reduced_costs, 0.0))


def restrict(
    least: FloatArray,
    merit: FloatArray,
    cutoff: float,
    entries: FloatArray,
    seconds: float,
    required: IntArray,
) -> Restriction:
    """Leave out rules that no rule set up to the cutoff can use, and the least promising ones of too many.

    ``least`` is, for every rule, what no rule set with that rule can be below; ``merit`` orders them, the least first.
    """
    is_kept = least <= cutoff + 1e-6 * max(1.0, abs(cutoff))
    is_kept[required] = False
    order = np.flatnonzero(is_kept)
    order = order[np.argsort(merit[order], kind="stable")]
    budget = min(MOST_ENTRIES, ENTRIES_PER_SECOND * seconds) - entries[required].sum()
    is_kept[order[np.cumsum(entries[order]) > budget]] = False
    is_kept[required] = True
    return Restriction(np.flatnonzero(is_kept), float(least[~is_kept].min(initial=math.inf)))


@frozen(eq=False)
class _Patterns:
    """Classes of samples that no rule and no row tells apart."""

    covers: BoolArray
    """Classes × rules."""
    weights: FloatArray
    """Forms × classes: summed coefficients of the class in the objective and in each row."""


@frozen(eq=False)
class RestrictedModel:
    """The program and how to read it. Columns: rules | missed classes | covered classes | auxiliary variables."""

    mip: MIPModel
    n_rules: int
    missed: BoolArray
    """Missed classes × rules."""
    covered: BoolArray
    """Covered classes × rules (none in the Hamming model)."""
    variables: tuple[str, ...]
    forms: tuple[LinearForm, ...]

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
        raise_variables(x, self.mip, range(at, self.mip.n_columns))
        return x


def build_restricted(
    problem: Problem,
    objective: LinearForm,
    rows: Sequence[Row],
    max_rules: float,
    covers: BoolArray,
    lengths: FloatArray,
    *,
    count_once: bool = False,
    formulation: Formulation | None = None,
) -> RestrictedModel:
    """The program over the rules with these covers (rules × samples) and lengths."""
    rows = [row.normalised() for row in rows]
    if count_once:
        objective = netted(objective, problem.y, classes_of(np.packbits(covers.T, axis=1)))
    forms = (objective, *(row.form for row in rows))
    n_rules = len(lengths)
    linked = needs_links(objective, rows)
    missed = _patterns(problem, covers, [form.missed for form in forms], problem.y)
    covered = (
        _patterns(problem, covers, [form.cover for form in forms], np.ones(problem.n_samples, dtype=bool))
        if count_once
        else _Patterns(np.zeros((0, n_rules), dtype=bool), np.zeros((len(forms), 0)))
    )
    variables = tuple(dict.fromkeys(name for form in forms for name in form.variables))
    per_rule = [
        form.length * lengths + form.rule if count_once else form.coefficients(covers, lengths) for form in forms
    ]
    helpers = [[form.variables.get(name, 0.0) for name in variables] for form in forms]
    lines = [
        np.concatenate([rule, missed.weights[at], covered.weights[at], helper])
        for at, (rule, helper) in enumerate(zip(per_rule, helpers, strict=True))
    ]
    n_missed, n_covered = len(missed.covers), len(covered.covers)
    n_columns = n_rules + n_missed + n_covered + len(variables)

    blocks: list[tuple[SparseVectors, float, float]] = []
    cover_rows = SparseVectors.from_dense(missed.covers).join(_diagonal(n_missed, n_rules, 1.0))
    blocks.append((cover_rows, 1.0, math.inf))
    if formulation is None:
        fine = missed.covers.sum() + covered.covers.sum() <= DISAGGREGATED_ENTRIES
    else:
        fine = formulation == "disaggregated"
    if linked:
        blocks.append((_at_most_once(missed.covers, n_rules, max_rules, fine), -math.inf, 1.0))
    if count_once:
        at = n_rules + n_missed
        blocks.append((_at_least_each(covered.covers, at, max_rules, fine), -math.inf, 0.0))
        if any(_rewards_covering(form, sign) for form, sign in _pressed(objective, rows)):
            # A covered class is covered by some chosen rule: without this, rows could pretend to cover samples.
            upper = SparseVectors.from_dense(-covered.covers.astype(np.float64)).join(_diagonal(n_covered, at, 1.0))
            blocks.append((upper, -math.inf, 0.0))
    own_rows = SparseVectors.from_dense(np.array(lines[1:]).reshape(len(rows), n_columns))
    entries = SparseVectors.stack([*(block for block, _, _ in blocks), own_rows])
    row_lower = np.concatenate([np.full(len(block), lo) for block, lo, _ in blocks] + [[row.lo for row in rows]])
    row_upper = np.concatenate([np.full(len(block), hi) for block, _, hi in blocks] + [[row.hi for row in rows]])

    integer = np.zeros(n_columns, dtype=bool)
    integer[:n_rules] = True
    if not fine:
        integer[n_rules : n_rules + n_missed] = linked
        integer[n_rules + n_missed : n_rules + n_missed + n_covered] = True
    upper_bounds = np.ones(n_columns)
    upper_bounds[n_columns - len(variables) :] = math.inf
    mip = MIPModel(
        costs=lines[0],
        lower=np.zeros(n_columns),
        upper=upper_bounds,
        integer=integer,
        row_lower=row_lower,
        row_upper=row_upper,
        rows=entries,
        offset=objective.const,
    )
    return RestrictedModel(mip, n_rules, missed.covers, covered.covers, variables, forms)


def _pressed(objective: LinearForm, rows: Sequence[Row]) -> list[tuple[LinearForm, float]]:
    """Forms that are better small (1) or better large (-1)."""
    pressed = [(objective, 1.0)]
    pressed += [(row.form, 1.0) for row in rows if math.isfinite(row.hi)]
    return pressed + [(row.form, -1.0) for row in rows if math.isfinite(row.lo)]


def _rewards_covering(form: LinearForm, sign: float) -> bool:
    return form.cover is not None and bool(np.any(form.cover * sign < 0))


def _patterns(
    problem: Problem, covers: BoolArray, vectors: Sequence[FloatArray | None], members: BoolArray
) -> _Patterns:
    """Merge the members that the same rules cover and whose coefficients are in the same proportion everywhere."""
    used = np.zeros(problem.n_samples, dtype=bool)
    for vector in vectors:
        if vector is not None:
            used |= vector != 0
    samples = np.flatnonzero(used & members)
    table = np.zeros((len(vectors), len(samples)))
    for line, vector in zip(table, vectors, strict=True):
        if vector is not None:
            line[:] = vector[samples]
    scale = np.where(problem.weights[samples] > 0, problem.weights[samples], 1.0)
    # Rounding makes equal proportions equal again after the division.
    shares = np.round(table / scale, 12) + 0.0
    key = np.concatenate(
        [np.packbits(covers[:, samples].T, axis=1), np.ascontiguousarray(shares.T).view(np.uint8)], axis=1
    )
    inverse = classes_of(key)
    first = np.unique(inverse, return_index=True)[1]
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


def raise_variables(x: FloatArray, mip: MIPModel, columns: range) -> None:
    """Give auxiliary variables the least values that satisfy the rows, where raising one can."""
    if not len(columns):
        return
    dense_rows = mip.rows.owners()
    for column in columns:
        for entry in np.flatnonzero(mip.rows.indices == column):
            row, coefficient = dense_rows[entry], mip.rows.values[entry]
            span = slice(mip.rows.starts[row], mip.rows.starts[row + 1])
            value = float(mip.rows.values[span] @ x[mip.rows.indices[span]])
            if coefficient < 0 and value > mip.row_upper[row]:
                x[column] += (value - mip.row_upper[row]) / -coefficient
            elif coefficient > 0 and value < mip.row_lower[row]:
                x[column] += (mip.row_lower[row] - value) / coefficient
