"""The master's linear relaxation: one warm linear program that grows by rules and by violated link rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from ...api.backend import Backend, LPSolution
from ...api.parts import MasterParts
from ...api.pricing import PricingProblem
from ...base.arrays import FloatArray, IntArray
from ...base.errors import ConfigurationError, SolveError
from ...base.limits import Deadline
from ...base.status import Stop
from ...data.linear_form import LinearForm, Row
from ...data.problem import Problem
from ...data.rule_pool import RulePool
from .dual_form import DualForm
from .duals import Duals
from .pool_columns import LEAST, PoolColumns
from .program import Formulation, Program

LINK_TOLERANCE = 1e-7
LINKED_POSITIVES = 3_000
"""With more positives than this the relaxation does without link rows: a little weaker, just as valid, far quicker."""


@frozen(eq=False)
class _Solved:
    """What is kept of the last solution, independent of how the program was laid out."""

    weights: FloatArray
    """Of the pool's first rules."""
    artificial: float
    duals: Duals


class LinearMaster:
    """``min objective`` over ``zeta in [0, 1]`` and ``w >= 0``, subject to, for every positive i,
    ``zeta_i + Σ_{k covers i} w_k >= 1``, the constraint rows, and the link rows
    ``zeta_i + Σ_{k covers i} w_k / max_rules <= 1`` (the paper's ``C zeta_i + Σ 2 w_k <= C``).

    * ``w`` has no upper bound: its dual would be missing from the pricing formula, and pricing would cycle.
    * Link rows exist only when a row uses zeta, and enter when violated: few of them ever bind. On large data they are
      left out, which leaves a relaxation all the same.
    * Positives that nothing tells apart share their variable and their rows (:class:`~.classes.PositiveClasses`).
    * Without link rows the program is solved in its dual form, where rules are rows and positives are bounds.
    * Rules of no use for long are put aside (:class:`PoolColumns`).
    * Rows that the empty rule set breaks share one artificial column; while it is needed, the objective is to get rid
      of it (phase one).
    """

    def __init__(
        self,
        problem: Problem,
        objective: LinearForm,
        rows: Sequence[Row],
        max_rules: float,
        backend: Backend,
        parts: MasterParts = MasterParts(),  # noqa: B008 - MasterParts is frozen
    ) -> None:
        self.problem = problem
        self.objective = objective
        self.rows = self._true_rows = tuple(row.normalised() for row in rows)
        # A bound below one rule still needs a link row that can be written down.
        self.max_rules = max(1.0, max_rules)
        self.backend = backend
        self.parts = parts
        self.positives: IntArray = np.flatnonzero(problem.y)
        self.variables = tuple(dict.fromkeys(name for form in self._forms() for name in form.variables))
        self.needs_links = needs_links(objective, rows)
        if self.needs_links and not math.isfinite(max_rules):
            raise ConfigurationError(
                "A constraint on missed positives needs a bound on the number of rules: add a complexity constraint."
            )
        # With link rows every zeta has several entries and the dual form loses its point.
        self.dual_form = not self.needs_links if parts.dual_form is None else parts.dual_form
        self.shortfalls = self._shortfalls()
        self.phase_one = bool(np.any(self.shortfalls))
        self._is_linked = np.zeros(len(self.positives), dtype=bool)
        self._columns = PoolColumns(self._forms(), self.positives, problem.n_samples)
        self._program: Program | None = None
        self._solved: _Solved | None = None

    def _forms(self) -> list[LinearForm]:
        return [self.objective, *(row.form for row in self.rows)]

    def _shortfalls(self) -> FloatArray:
        """For every row, what the empty rule set lacks (positive) or exceeds (negative), else 0.

        As entries of the artificial column they make its value the share of the shortfall that is still there.
        """
        shortfalls = np.zeros(len(self.rows))
        missed, nothing = self.problem.y.astype(np.float64), np.zeros(self.problem.n_samples)
        for position, row in enumerate(self.rows):
            value = row.form.value(missed, nothing, 0.0, 0.0)
            helpers = np.array(list(row.form.variables.values()))
            if value < row.lo - 1e-9 and not np.any(helpers > 0):
                shortfalls[position] = row.lo - value
            elif value > row.hi + 1e-9 and not np.any(helpers < 0):
                shortfalls[position] = row.hi - value
        return shortfalls

    def tighten(self, share: float) -> bool:
        """Reduce the upper bounds of rows on size (rules and conditions only) to a share; whether there are any."""
        rows = [row if not row.bounds_size else evolve(row, hi=row.hi * share) for row in self._true_rows]
        self.rows = tuple(rows)
        self.close()
        return any(row.bounds_size for row in rows)

    # Building -------------------------------------------------------------------------------------------------------

    def _open(self, pool: RulePool) -> Program:
        """A new session with everything known so far; also the cure for a solver that lost its way."""
        self.close()
        self._columns.extend(pool)
        formulation = Formulation(
            self._target,
            self.rows,
            self.variables,
            self.shortfalls,
            1.0 if self.phase_one else 0.0,
            self.positives,
            self.problem.weights[self.positives],
            self.max_rules,
            self.needs_links,
        )
        session = DualForm(self.backend) if self.dual_form else self.backend.open_lp()
        self._program = Program(session, formulation, self._columns, self._is_linked, merge=self.parts.merge_rows)
        return self._program

    # Solving --------------------------------------------------------------------------------------------------------

    def solve(self, pool: RulePool, deadline: Deadline) -> float | None:
        """The relaxation's value; None when the deadline came first."""
        if self._program is None or (self.parts.put_aside and self._columns.put_aside()):
            self._open(pool)
        self._add_rules(self._columns.extend(pool))
        while True:
            solution = self._solve_once(pool, deadline)
            if solution is None:
                return None
            violated = self._violated_links(solution.primal)
            if len(violated):
                self._opened.add_links(violated)
                continue
            self._solved = self._read(solution)
            if self.phase_one and solution.objective <= 1e-9:
                self._enter_phase_two(pool)
                continue
            if self.parts.put_aside and self._bring_back():
                continue
            return solution.objective + (0.0 if self.phase_one else self.objective.const)

    @property
    def _opened(self) -> Program:
        assert self._program is not None, "Programs are solved once they are open."
        return self._program

    def _add_rules(self, which: IntArray) -> None:
        for some in self._columns.chunks(which):
            self._opened.add_rules(some)

    def _bring_back(self) -> bool:
        """Rules aside that price in become columns again; whether there were any."""
        if len(self._columns) < LEAST:
            return False
        costs = self._reduced_costs()
        returning = self._columns.returning(costs)
        if not len(returning):
            self._columns.watch(costs)
        self._add_rules(returning)
        return len(returning) > 0

    def _reduced_costs(self) -> FloatArray:
        """Of all rules of the pool, by the duals of the last solution."""
        duals, coefficients = self._duals, self._columns.coefficients
        costs = np.zeros(len(coefficients)) if self.phase_one else coefficients[:, 0]
        return costs - coefficients[:, 1:] @ duals.rows - self._columns.covered_sums(duals.of_covering(self.max_rules))

    def _read(self, solution: LPSolution) -> _Solved:
        """Weights in the order of the pool, and duals for every positive."""
        program = self._opened
        weights = np.zeros(len(self._columns))
        weights[program.rules] = solution.primal[program.rule_column]
        links = np.where(program.link_row >= 0, solution.dual[program.link_row], 0.0)
        duals = Duals.cleaned(
            program.classes.divided(solution.dual[program.cover_row]),
            program.classes.divided(links),
            solution.dual[program.constraint_row],
            self.rows,
        )
        return _Solved(weights, float(solution.primal[program.artificial_column]), duals)

    def _solve_once(self, pool: RulePool, deadline: Deadline) -> LPSolution | None:
        solution = self._opened.session.solve(deadline)
        if not solution.is_optimal and solution.stop is not Stop.TIME_LIMIT:
            # Warm-started simplex codes can lose their way after many changes; a clean start cures it.
            solution = self._open(pool).session.solve(deadline)
        if solution.is_optimal:
            return solution
        if solution.stop in (Stop.TIME_LIMIT, Stop.INTERRUPTED):
            return None
        raise SolveError(
            f"The backend {self.backend.name!r} could not solve the master's relaxation "
            f"({solution.native_status or solution.solution}). Try another backend."
        )

    def _violated_links(self, primal: FloatArray) -> IntArray:
        program = self._opened
        open_links = np.flatnonzero(program.link_row < 0)
        if not self.needs_links or len(self.positives) > LINKED_POSITIVES or not len(open_links):
            return np.zeros(0, dtype=np.int64)
        chosen = primal[program.rule_column]
        used = np.flatnonzero(chosen)
        load = chosen[used] @ self._columns.covers_at(program.rules[used], program.classes.representatives[open_links])
        missed = primal[program.zeta_column[open_links]]
        return open_links[missed + load / self.max_rules > 1 + LINK_TOLERANCE]

    def _enter_phase_two(self, pool: RulePool) -> None:
        self.phase_one = False
        self._open(pool)

    # Pricing and bounds ---------------------------------------------------------------------------------------------

    @property
    def is_solved(self) -> bool:
        return self._solved is not None

    @property
    def _duals(self) -> Duals:
        """Of the last solution; 0 before the first one."""
        if self._solved is not None:
            return self._solved.duals
        n_positives = len(self.positives)
        return Duals(np.zeros(n_positives), np.zeros(n_positives), np.zeros(len(self.rows)))

    @property
    def _target(self) -> LinearForm:
        return LinearForm() if self.phase_one else self.objective

    def row_duals(self) -> FloatArray:
        """Duals of the constraint rows, in the order of the rows."""
        return self._duals.rows

    def conflict(self) -> dict[str, float]:
        """While infeasible: the rows that hold each other back, and by how much each still misses its bound."""
        share = 1.0 if self._solved is None else self._solved.artificial
        involved = np.ones(len(self.rows), dtype=bool) if self._solved is None else np.abs(self.row_duals()) > 1e-9
        return {
            row.name: abs(float(shortfall)) * share
            for row, shortfall, binding in zip(self.rows, self.shortfalls, involved, strict=True)
            if binding
        }

    def weights(self) -> FloatArray:
        """Rule weights ``w`` of the last relaxation, in the order of the pool."""
        return np.zeros(0) if self._solved is None else self._solved.weights

    def pricing_problem(self) -> PricingProblem:
        """The pricing problem for the duals of the last solution."""
        return self._duals.pricing_problem(self.problem, self._target, self.rows, self.positives, self.max_rules)

    def dual_bound(self, pricing_bound: float) -> float:
        """The Lagrangian bound: valid for any duals of the right sign, so it holds whatever the LP solver's accuracy.

        ``pricing_bound`` is a proven lower bound on all reduced costs; at most ``max_rules`` rules can use it.
        """
        bound = self._duals.bound(self._target, self.rows, self.positives)
        return bound + (pricing_bound * self.max_rules if pricing_bound < 0 else 0.0)

    def close(self) -> None:
        if self._program is not None:
            self._program.session.close()
            self._program = None


def needs_links(objective: LinearForm, rows: Sequence[Row]) -> bool:
    """Whether missed positives must be tracked exactly: once a row, not only the objective, looks at them."""
    return any(row.form.uses_missed for row in rows) or bool(
        objective.missed is not None and np.any(objective.missed < 0)
    )
