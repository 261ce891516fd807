"""What all masters over a pool of rules share, whatever the loss: forms, evaluation, the restricted integer program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve

from ..api.backend import Backend
from ..api.constraint import Constraint, checked_objective, checked_rows
from ..api.master import Candidate, IntegerResult, Master, Relaxation
from ..api.parts import MasterParts
from ..api.pricing import PricingProblem
from ..base.arrays import FloatArray
from ..base.bits import bit_count
from ..base.limits import Deadline, MIPLimits
from ..base.status import Solution
from ..data.linear_form import distinctly_named
from ..data.problem import Problem
from ..data.rule_pool import RulePool
from ..data.rules import Rule
from ..generation.stages import reduced_costs
from .lp.linear_master import LinearMaster
from .restricted_program import Formulation, build_restricted, least_objectives, restrict


class PoolMaster(Master):
    """A master whose objective and rows are forms, and whose relaxations are linear programs over them.

    Subclasses set :attr:`_linear`, the relaxation in use. Masters may share a ``pool`` of rules.
    """

    _linear: LinearMaster
    formulation: Formulation | None = None
    """How the exact 0-1 model says "covered"; None chooses by size."""

    def __init__(
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        backend: Backend,
        pool: RulePool | None = None,
        parts: MasterParts = MasterParts(),  # noqa: B008 - MasterParts is frozen
    ) -> None:
        self.problem = problem
        self.parts = parts
        self.constraints = tuple(constraints)
        self.backend = backend
        self.objective = problem.hamming_loss()
        for constraint in self.constraints:
            extra = checked_objective(constraint, problem)
            if extra is not None:
                self.objective = self.objective + extra
        self.rows = distinctly_named(row for one in self.constraints for row in checked_rows(one, problem))
        self.max_rules = min((constraint.max_rules(problem) for constraint in self.constraints), default=np.inf)
        self.pool = RulePool(problem) if pool is None else pool

    @property
    def has_integer_objective(self) -> bool:
        parts = [self.objective.missed, self.objective.cover, np.array([self.objective.length, self.objective.rule])]
        whole = all(part is None or np.array_equal(part, np.round(part)) for part in parts)
        costs_whole = self.objective.length == 0 or np.array_equal(
            self.problem.condition_costs, np.round(self.problem.condition_costs)
        )
        return whole and costs_whole and not any(self.objective.variables.values())

    @property
    def trivial_bound(self) -> float:
        form = self.objective
        parts = [form.missed, form.cover, np.array([form.length, form.rule, *form.variables.values()])]
        return form.const if all(part is None or np.all(part >= 0) for part in parts) else -np.inf

    def tighten(self, share: float) -> bool:
        self.is_tightened = self._linear.tighten(share) and share < 1
        return self.is_tightened

    def add_rules(self, rules: Sequence[Rule]) -> int:
        return len(self.pool.add(rules))

    def solve_relaxation(self, deadline: Deadline) -> Relaxation | None:
        value = self._linear.solve(self.pool, deadline)
        return None if value is None else Relaxation(value, feasible=not self._linear.phase_one)

    def pricing_problem(self) -> PricingProblem:
        return evolve(self._linear.pricing_problem(), in_use=self.rules_in_use())

    def row_duals(self) -> dict[str, float]:
        return dict(zip((row.name for row in self.rows), self._linear.row_duals().tolist(), strict=True))

    def rule_weights(self) -> FloatArray | None:
        return self._linear.weights() if self._linear.is_solved else None

    def lower_bound(self, pricing_bound: float) -> float | None:
        if self._linear.phase_one:
            return None
        bound = self._linear.dual_bound(pricing_bound)
        return bound if np.isfinite(bound) else None

    def conflict(self) -> dict[str, float]:
        return self._linear.conflict()

    def row_values(self, rules: Sequence[Rule]) -> dict[str, tuple[float, float]]:
        missed, counts, length, n_rules = self._counts(rules)
        once = np.minimum(counts, 1.0)
        counts = once if self.counts_once else counts
        return {
            row.name: (
                row.form.value(missed, counts, length, n_rules),
                row.form.value(missed, once, length, n_rules),
            )
            for row in self.rows
        }

    def _counts(self, rules: Sequence[Rule]) -> tuple[FloatArray, FloatArray, float, float]:
        """Missed positives, how often each sample is covered, total length, number of rules."""
        counts = np.zeros(self.problem.n_samples)
        for covers in self.problem.packed_covers(rules):
            counts += self.problem.unpack(covers[None])[0]
        missed = (self.problem.y & (counts == 0)).astype(np.float64)
        return missed, counts, sum(map(self.problem.length, rules)), float(len(rules))

    def evaluate(self, rules: Sequence[Rule]) -> Candidate:
        rules = tuple(rules)
        missed, counts, length, n_rules = self._counts(rules)
        once = np.minimum(counts, 1.0)
        counts = once if self.counts_once else counts
        variables = self._least_variables([row.form.value(missed, counts, length, n_rules) for row in self.rows])
        objective = self.objective.value(missed, counts, length, n_rules)
        objective += sum(self.objective.variables.get(name, 0.0) * value for name, value in variables.items())
        proxy = true = 0.0
        for row in self.rows:
            helped = sum(coefficient * variables[name] for name, coefficient in row.form.variables.items())
            proxy = max(proxy, row.violation(row.form.value(missed, counts, length, n_rules) + helped))
            if not row.form.variables:
                true = max(true, row.violation(row.form.value(missed, once, length, n_rules)))
        wrong = missed + np.where(self.problem.y, 0.0, once)
        # Not `@`: see LinearForm.value.
        return Candidate(
            rules=rules,
            objective=float(objective),
            errors=float(np.einsum("i,i->", wrong, self.problem.weights)),
            complexity=length + n_rules,
            proxy_violation=proxy,
            true_violation=true,
        )

    def _least_variables(self, values: Sequence[float]) -> dict[str, float]:
        """The least auxiliary variables that satisfy the rows they appear in."""
        least = dict.fromkeys(self._linear.variables, 0.0)
        for row, value in zip(self.rows, values, strict=True):
            for name, coefficient in row.form.variables.items():
                if coefficient < 0:
                    least[name] = max(least[name], (value - row.hi) / -coefficient)
                elif coefficient > 0:
                    least[name] = max(least[name], (row.lo - value) / coefficient)
        return least

    def solve_integer(
        self,
        deadline: Deadline,
        *,
        among: Sequence[Rule] | None = None,
        start: Sequence[Sequence[Rule]] = (),
        pool_size: int = 20,
        count_once: bool = False,
        threads: int | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> IntegerResult:
        rules = list(self.pool.rules if among is None else among)
        outside = math.inf
        notes: tuple[str, ...] = ()
        count_once = count_once or self.counts_once
        if among is None and count_once == self.counts_once and self._can_restrict:
            rules, outside, notes = self._promising(start, deadline)
        covers = self.problem.covers(rules)
        lengths = self.problem.lengths(rules)
        model = build_restricted(
            self.problem,
            self.objective,
            self.rows,
            self.max_rules,
            covers,
            lengths,
            count_once=count_once,
            formulation=self.formulation,
        )
        position = {rule: at for at, rule in enumerate(rules)}
        known = [[position[rule] for rule in chosen] for chosen in start if all(rule in position for rule in chosen)]
        result = self.backend.solve_mip(
            model.mip,
            MIPLimits(
                seconds=deadline.remaining if np.isfinite(deadline.moment) else None,
                absolute_gap=0.999 if self.has_integer_objective else 1e-6,
                threads=threads,
            ),
            start=[model.point(chosen) for chosen in known],
            pool_size=pool_size,
            should_stop=should_stop,
        )
        chosen_sets = [tuple(rules[at] for at in model.chosen(found.x)) for found in result.solutions]
        candidates = sorted(
            (self.evaluate(chosen) for chosen in dict.fromkeys(chosen_sets)),
            key=lambda found: (found.objective if count_once == self.counts_once else found.errors, found.complexity),
        )
        return IntegerResult(
            candidates=tuple(candidates),
            bound=None if result.bound is None else min(result.bound, outside),
            stop=result.stop,
            infeasible=result.solution is Solution.INFEASIBLE and outside == math.inf,
            notes=(*notes, *result.notes),
        )

    @property
    def _can_restrict(self) -> bool:
        """Whether a relaxation tells promising rules from others."""
        return self._linear.is_solved and not self._linear.phase_one

    def _promising(
        self, start: Sequence[Sequence[Rule]], deadline: Deadline
    ) -> tuple[list[Rule], float, tuple[str, ...]]:
        """The rules of the pool worth a place in the integer program, the least objective that any other rule allows,
        and a note when some were left out for want of time."""
        rules = self.pool.rules
        known = [self.evaluate(chosen) for chosen in start]
        cutoff = min((c.objective for c in known if c.proxy_violation <= 1e-9), default=math.inf)
        counted = np.packbits(self.problem.y | self.counts_once)
        least, merit = self._least_objectives()
        restriction = restrict(
            least,
            merit,
            cutoff,
            np.array([bit_count(covers & counted) for covers in self.pool.packed], dtype=np.float64),
            deadline.remaining,
            self.pool.positions(rule for chosen in start for rule in chosen if rule in self.pool),
        )
        kept = [rules[at] for at in restriction.kept]
        notes: tuple[str, ...] = ()
        if restriction.outside <= cutoff:
            notes = (f"the integer program chooses among the {len(kept)} most promising of {len(rules)} rules",)
        return kept, restriction.outside, notes

    def _least_objectives(self) -> tuple[FloatArray, FloatArray]:
        """For every rule of the pool, what no rule set of the pool with that rule can be below, and what orders the
        rules by promise, the least first."""
        costs = reduced_costs(self, self._linear.pricing_problem(), self.pool.rules)
        least = least_objectives(costs, self._linear.dual_bound(0.0))
        return least, least
