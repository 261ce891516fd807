"""What all masters over a pool of rules share, whatever the loss: the goal, its relaxation, the integer program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import TypeVar

import numpy as np

from ..api.backend import Backend, MIPModel, MIPResult
from ..api.constraint import (
    Constraint,
    checked_max_rules,
    checked_objective,
    checked_rows,
    checked_rule_bounds,
)
from ..api.master import IntegerResult, Master
from ..api.provenance import fault_of
from ..api.relaxation import Relaxation
from ..base.errors import RulecgError, SolveError
from ..base.limits import MIP_ENTRY, MIP_SOLVE, Deadline, IntegerLimits, MIPLimits, is_counting, spend
from ..base.status import Solution
from ..data.goal import Goal
from ..data.linear_form import distinctly_named
from ..data.problem import Problem
from ..data.rule_pool import RulePool
from ..data.rules import Rule
from .lp.linear_master import LinearMaster
from .lp.options import RelaxationOptions
from .restricted_program import CoverModel, build_restricted

NODES = 500
"""Where work is counted, an integer program ends after so many nodes at most."""

Own = TypeVar("Own", bound="PoolMaster")


class PoolMaster(Master):
    """A master whose objective and rows are forms, and whose relaxations are linear programs over them.

    Subclasses say in :meth:`_linear_program` which relaxation is theirs. Masters may share a ``pool`` of rules.
    """

    counts_once = False
    """Whether a covered sample counts once, however many rules cover it."""
    cover_model: CoverModel | None = None
    """How the exact 0-1 model says "covered"; None chooses by size."""

    def __init__(
        self,
        problem: Problem,
        constraints: Sequence[Constraint],
        backend: Backend,
        *,
        options: RelaxationOptions = RelaxationOptions(),  # noqa: B008 - frozen
        pool: RulePool | None = None,
    ) -> None:
        self.constraints = tuple(constraints)
        self.backend = backend
        self.options = options
        self.goal = goal_of(problem, self.constraints, counts_once=self.counts_once)
        self.pool = _pool_for(self.goal) if pool is None else pool
        self._linear: LinearMaster | None = None

    @property
    def linear(self) -> LinearMaster:
        """The linear program behind the relaxation."""
        if self._linear is None:
            self._linear = self._linear_program()
        return self._linear

    def _linear_program(self) -> LinearMaster:
        return LinearMaster(self.goal, self.backend, self.options)

    def solve_relaxation(self, deadline: Deadline) -> Relaxation | None:
        return self.linear.solve(self.pool, deadline)

    def tightened(self, share: float) -> Master | None:
        return _Tightened(self, share) if any(row.bounds_size for row in self.goal.rows) else None

    def with_constraints(self: Own, constraints: Sequence[Constraint]) -> Own:
        # A copy, so that a subclass stays what it is, whatever its constructor asks for.
        master = copy(self)
        master.constraints = (*self.constraints, *constraints)
        master.goal = goal_of(self.problem, master.constraints, counts_once=self.counts_once)
        if len(master.goal.rule_bounds) > len(self.goal.rule_bounds) or master.goal.max_columns < self.goal.max_columns:
            # Some of the pool's rules may not be allowed any more.
            master.pool = _pool_for(master.goal)
            master.pool.add(self.pool.rules)
        master._linear = None
        return master

    def close(self) -> None:
        if self._linear is not None:
            self._linear.close()

    def solve_integer(
        self,
        limits: IntegerLimits,
        *,
        among: Sequence[Rule] | None = None,
        start: Sequence[Sequence[Rule]] = (),
        count_once: bool = False,
    ) -> IntegerResult:
        rules = list(self.pool.rules if among is None else among)
        count_once = count_once or self.goal.counts_once
        rules = list(self.goal.beside_kept(rules))
        model = build_restricted(
            self.goal.counting(count_once), rules, count_once=count_once, cover_model=self.cover_model
        )
        position = {rule: at for at, rule in enumerate(rules)}
        starts = map(self.goal.beside_kept, start)
        known = [[position[rule] for rule in chosen] for chosen in starts if all(rule in position for rule in chosen)]
        mip_limits = mip_limits_for(self.goal, model.mip, limits.deadline, limits.threads)
        try:
            result = self.backend.solve_mip(
                model.mip,
                mip_limits,
                start=[model.point(chosen) for chosen in known],
                pool_size=limits.pool_size,
                should_stop=_either(limits),
            )
            if not isinstance(result, MIPResult):
                raise TypeError(f"solve_mip() must return a MIPResult, not {result!r}")
        except RulecgError:
            raise
        except Exception as error:  # a stranger's code: anything may come
            fault = fault_of("backend", self.backend.name, self.backend, error)
            raise SolveError(f"{fault[0].upper()}{fault[1:]}. Choose another backend.") from error
        chosen_sets = [tuple(rules[at] for at in model.chosen(found.x)) for found in result.solutions]
        counts_as_goal = count_once == self.goal.counts_once
        candidates = sorted(
            (self.evaluate(chosen) for chosen in dict.fromkeys(chosen_sets)),
            key=lambda found: (found.objective if counts_as_goal else found.cost, found.complexity),
        )
        return IntegerResult(
            candidates=tuple(candidates),
            bound=result.bound,
            stop=result.stop,
            infeasible=result.solution is Solution.INFEASIBLE,
            notes=result.notes,
        )


class _Tightened(Master):
    """A master whose relaxations have bounds on size reduced to a share; everything else is as in the one it is of."""

    def __init__(self, master: PoolMaster, share: float) -> None:
        self.goal, self.constraints, self.backend, self.pool = (
            master.goal,
            master.constraints,
            master.backend,
            master.pool,
        )
        self._master = master
        # Columns say what rules are to the program's forms, and which rules take part in it: where forms differ or some
        # rules are put aside, each program needs its own.
        is_alike = master.linear.objective is master.goal.objective and not master.options.put_aside
        columns = master.linear.columns if is_alike else None
        self._linear = LinearMaster(master.goal, master.backend, master.options, size_share=share, columns=columns)

    def solve_relaxation(self, deadline: Deadline) -> Relaxation | None:
        return self._linear.solve(self.pool, deadline)

    def solve_integer(
        self,
        limits: IntegerLimits,
        *,
        among: Sequence[Rule] | None = None,
        start: Sequence[Sequence[Rule]] = (),
        count_once: bool = False,
    ) -> IntegerResult:
        return self._master.solve_integer(limits, among=among, start=start, count_once=count_once)

    def close(self) -> None:
        self._linear.close()


def goal_of(problem: Problem, constraints: Sequence[Constraint], *, counts_once: bool = False) -> Goal:
    """Put the loss, and what constraints add to objective and rows, into one goal."""
    objective = problem.loss()
    for constraint in constraints:
        extra = checked_objective(constraint, problem)
        if extra is not None:
            # Constraints speak of loss in the user's weights.
            objective = objective + (extra if problem.unit == 1 else extra / problem.unit)
    rows = distinctly_named(row for constraint in constraints for row in checked_rows(constraint, problem))
    max_rules = min((checked_max_rules(constraint, problem) for constraint in constraints), default=np.inf)
    goal = Goal(
        problem,
        objective,
        rows,
        max_rules,
        counts_once,
        rule_bounds=tuple(bound for constraint in constraints for bound in checked_rule_bounds(constraint, problem)),
        max_columns=min((constraint.max_columns(problem) for constraint in constraints), default=np.inf),
    )
    return goal.keeping([rule for constraint in constraints for rule in constraint.kept_rules(problem)])


def _pool_for(goal: Goal) -> RulePool:
    """A pool that takes in the rules that the goal allows."""
    return RulePool(goal.problem, goal.rule_bounds, columns_matter=math.isfinite(goal.max_columns))


def mip_limits_for(goal: Goal, model: MIPModel, deadline: Deadline, threads: int | None) -> MIPLimits:
    """What a solver may spend on an integer program until a deadline: nodes where work is counted, else seconds."""
    gap = 0.999 * goal.step if goal.step else 1e-6
    if not is_counting():
        seconds = deadline.remaining if deadline.is_finite else None
        return MIPLimits(seconds=seconds, absolute_gap=gap, threads=threads)
    entries = len(model.rows.values)
    left = deadline.remaining
    spend(MIP_SOLVE + MIP_ENTRY * entries)
    nodes = NODES if not math.isfinite(left) else int(min(NODES, max(1, left / (MIP_ENTRY * max(1, entries)))))
    return MIPLimits(absolute_gap=gap, threads=1, nodes=nodes)


def _either(limits: IntegerLimits) -> Callable[[], bool] | None:
    """What ends a solve early: the caller, or a deadline that was called off."""
    halt = limits.deadline.halt
    if halt is None:
        return limits.should_stop
    if limits.should_stop is None:
        return halt.is_set
    asked = limits.should_stop
    return lambda: halt.is_set() or asked()
