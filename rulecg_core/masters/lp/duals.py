"""Duals of the master's relaxation, one number per positive and per row, whatever program they came from.

They are rounded to a grid of multiples of a power of two, so that every sum that follows from them is exact: reduced
costs, bounds and thresholds are the same on any machine and for any order of samples, threads or partitions. Any duals
of the right sign are feasible; what rounding takes away is in the bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from ...api.pricing import PricingProblem
from ...base.arrays import FloatArray, IntArray, below, grid_for, nearest, read_only
from ...data.linear_form import LinearForm, Row
from ...data.problem import Problem


@frozen(eq=False)
class Duals:
    """With the signs that theory demands, so that every bound computed from them is valid."""

    covers: FloatArray
    """Of "positive i is covered or missed", one per positive, at least 0."""
    links: FloatArray
    """Of the link rows, one per positive, at most 0; 0 where there is none."""
    rows: FloatArray
    """Of the constraint rows."""

    @classmethod
    def cleaned(cls, covers: FloatArray, links: FloatArray, values: FloatArray, rows: Sequence[Row]) -> Duals:
        lower = np.array([row.lo for row in rows])
        upper = np.array([row.hi for row in rows])
        values = np.where(np.isneginf(lower), np.minimum(values, 0.0), values)
        values = np.where(np.isposinf(upper), np.maximum(values, 0.0), values)
        return cls(np.maximum(covers, 0.0), np.minimum(links, 0.0), values)

    def on_grid(
        self, problem: Problem, objective: LinearForm, rows: Sequence[Row], positives: IntArray, max_rules: float
    ) -> Rounded:
        """Round the duals so that the pricing problem's numbers are multiples of a power of two."""
        first = self.pricing_problem(problem, objective, rows, positives, max_rules)
        longest = np.sort(np.abs(first.condition_prices))[-first.max_conditions :].sum()
        grid = grid_for(float(np.abs(first.sample_weights).sum() + longest + abs(first.constant)))
        # Sums of roundings may cross a power of two.
        grid *= 2.0
        duals = Duals(nearest(self.covers, grid), nearest(self.links, grid), nearest(self.rows, grid))
        exact = duals.pricing_problem(problem, objective, rows, positives, max_rules)
        # What rows and links leave between two multiples is rounded down: no reduced cost is then above its true value.
        return Rounded(
            duals,
            evolve(
                exact,
                sample_weights=read_only(below(exact.sample_weights, grid)),
                condition_price=float(below(np.array(exact.condition_price), grid)),
                constant=float(below(np.array(exact.constant), grid)),
                grid=grid,
            ),
        )

    def of_covering(self, max_rules: float) -> FloatArray:
        """What covering each positive is worth."""
        return self.covers + self.links / max_rules

    def pricing_problem(
        self, problem: Problem, objective: LinearForm, rows: Sequence[Row], positives: IntArray, max_rules: float
    ) -> PricingProblem:
        """The one place where duals become a pricing problem."""
        sample_weights = np.zeros(problem.n_samples) if objective.cover is None else objective.cover.copy()
        length, rule = objective.length, objective.rule
        for row, dual in zip(rows, self.rows, strict=True):
            if dual == 0.0:
                continue
            if row.form.cover is not None:
                sample_weights -= dual * row.form.cover
            length -= dual * row.form.length
            rule -= dual * row.form.rule
        sample_weights[positives] -= self.of_covering(max_rules)
        return PricingProblem(
            X=problem.X,
            sample_weights=read_only(sample_weights),
            condition_price=float(length),
            constant=float(rule),
            max_conditions=problem.max_conditions,
            condition_costs=problem.condition_costs,
            chains=problem.chains,
        )

    def bound(self, objective: LinearForm, rows: Sequence[Row], positives: IntArray) -> float:
        """The Lagrangian bound while no reduced cost of a rule is negative; minus infinity if there is none."""
        lower = np.array([row.lo for row in rows])
        upper = np.array([row.hi for row in rows])
        with np.errstate(invalid="ignore"):
            at_bound = np.where(self.rows > 0, self.rows * lower, self.rows * upper)
        parts = [self.covers, self.links, np.where(self.rows == 0, 0.0, at_bound)]
        missed = -(self.covers + self.links)
        if objective.missed is not None:
            missed += objective.missed[positives]
        for row, dual in zip(rows, self.rows, strict=True):
            if row.form.missed is not None and dual != 0.0:
                missed -= dual * row.form.missed[positives]
        parts.append(np.minimum(missed, 0.0))
        # Exactly rounded, so that the order of samples does not matter.
        bound = math.fsum(value for part in parts for value in part.tolist())
        for name in {name for form in (objective, *(row.form for row in rows)) for name in form.variables}:
            used = sum(dual * row.form.variables.get(name, 0.0) for row, dual in zip(rows, self.rows, strict=True))
            if objective.variables.get(name, 0.0) - used < -1e-7:
                return -math.inf
        return bound + objective.const


@frozen(eq=False)
class Rounded:
    """Duals on a grid, and the pricing problem that they make."""

    duals: Duals
    pricing: PricingProblem
