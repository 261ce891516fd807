"""The goal in sums over cells: what rule sets are judged by when rows are only counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from rulecg_core import Backend, Constraint, Goal, HammingMaster, LinearForm, Problem, Rule, Stakes, least_variables
from rulecg_core.base.arrays import AnyArray, FloatArray, IntArray
from rulecg_core.data.goal import KEPT, NEARLY_KEPT

from .manifest import Manifest


@frozen(eq=False)
class Judged:
    """What rule sets are worth, one number for each."""

    objective: FloatArray
    proxy_violation: FloatArray
    true_violation: FloatArray


@frozen
class Verdict:
    """A rule set with everything that decides whether it is better than another one."""

    rules: tuple[Rule, ...]
    objective: float
    errors: int
    complexity: float
    proxy_violation: float
    true_violation: float

    @property
    def is_feasible(self) -> bool:
        """Whether every row of the goal holds in true counts."""
        return self.true_violation <= KEPT

    @property
    def keeps_rows(self) -> bool:
        """Whether every row of the goal holds as the master counts."""
        return self.proxy_violation <= NEARLY_KEPT

    @property
    def merit(self) -> tuple[float, float, float]:
        """The less, the better: how far bounds are missed, the objective, the complexity."""
        return max(self.true_violation - KEPT, 0.0), self.objective, self.complexity


@frozen(eq=False)
class CellGoal:
    """The objective and the rows, for rule sets of which every cell's covered weight is known.

    Rows with the same label and the same groups count alike in every form, so a form is one number per cell.
    """

    goal: Goal
    """The same goal on a problem whose samples are the cells."""
    weights: IntArray
    lengths: FloatArray
    """What each condition adds to the length of a rule."""

    @classmethod
    def of(
        cls,
        manifest: Manifest,
        constraints: Sequence[Constraint],
        backend: Backend,
        *,
        logic: str = "dnf",
        costs: tuple[float, float] = (1.0, 1.0),
    ) -> CellGoal:
        """Make the goal of packed data; ``costs`` are those of a false positive and of a false negative."""
        problem = Problem.from_arrays(
            np.ones((len(manifest.cells), 1), dtype=bool),
            manifest.labels,
            weights=manifest.weights.astype(np.float64),
            sensitive_groups=manifest.groups,
            logic=logic,  # type: ignore[arg-type]
            merge=False,
            stakes=stakes_of(manifest.labels, manifest.weights.astype(np.float64), costs),
        )
        goal = HammingMaster(problem, constraints, backend).goal
        return cls(goal, manifest.weights, np.ones(len(manifest.conditions)))

    def length(self, rule: Rule) -> float:
        """The length of a rule: what its conditions add up to."""
        return float(self.lengths[list(rule.features)].sum())

    def judge(self, once: AnyArray, covered: AnyArray, length: AnyArray, n_rules: AnyArray) -> Judged:
        """Judge rule sets by the weight that any rule covers and that rules cover one by one, both … × cells."""
        goal, unit = self.goal, self.goal.problem.unit
        missed, once, covered = (self.weights - once) / unit, once / unit, covered / unit

        def value(form: LinearForm, covers: AnyArray) -> AnyArray:
            total = form.const + form.length * length + form.rule * n_rules
            for coefficients, counts in ((form.missed, missed), (form.cover, covers)):
                if coefficients is not None:
                    total = total + (counts * (coefficients / goal.problem.weights)).sum(axis=-1)
            return np.asarray(total, dtype=np.float64)

        values = [value(row.form, covered) for row in goal.rows]
        variables = least_variables(goal.rows, values)
        objective = value(goal.objective, covered)
        for name, coefficient in goal.objective.variables.items():
            objective = objective + coefficient * variables[name]
        proxy = true = np.zeros(np.shape(objective))
        for row, found in zip(goal.rows, values, strict=True):
            for name, coefficient in row.form.variables.items():
                found = found + coefficient * variables[name]
            proxy = np.maximum(proxy, np.maximum(row.lo - found, found - row.hi))
            if not row.form.variables:
                counted = value(row.form, once)
                true = np.maximum(true, np.maximum(row.lo - counted, counted - row.hi))
        return Judged(objective * unit, proxy, true)

    def verdict(self, rules: Sequence[Rule], each: IntArray, once: IntArray) -> Verdict:
        """Judge one rule set by the weight that each rule covers in every cell, and that any covers."""
        length, n_rules = sum(map(self.length, rules)), float(len(rules))
        judged = self.judge(once, each.sum(axis=0), np.float64(length), np.float64(n_rules))
        truth = self.goal.problem.truth
        return Verdict(
            rules=tuple(sorted(rules)),
            objective=float(judged.objective),
            errors=int(np.where(truth, self.weights - once, once).sum()),
            complexity=length + n_rules,
            proxy_violation=float(judged.proxy_violation),
            true_violation=float(judged.true_violation),
        )


def stakes_of(labels: AnyArray, weights: FloatArray, costs: tuple[float, float]) -> Stakes | None:
    """What errors cost: None where each costs its weight."""
    if costs == (1.0, 1.0):
        return None
    return Stakes.from_labels(labels, weights, fp=costs[0], fn=costs[1])
