"""The master's linear relaxation: one warm linear program that grows by rules and by violated link rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from ...api.backend import Backend, LPSolution
from ...api.relaxation import Relaxation
from ...base.arrays import FloatArray, IntArray, read_only
from ...base.errors import ConfigurationError, SolveError
from ...base.limits import Deadline
from ...base.status import Stop
from ...data.goal import Goal
from ...data.linear_form import LinearForm, Row
from ...data.rule_pool import RulePool
from .dual_form import DualForm
from .duals import Duals
from .options import RelaxationOptions
from .pool_columns import LEAST, PoolColumns
from .program import Formulation, Program

LINK_TOLERANCE = 1e-7
"""By how much a link row must be violated to enter: below it is what solvers leave."""
IN_USE = 1e-6
"""A rule with less weight than this is not part of the relaxation: solvers leave such traces."""


@frozen(eq=False)
class _Read:
    """What is kept of a solution, independent of how the program was laid out."""

    weights: FloatArray
    """Of the pool's first rules."""
    artificial: float
    duals: Duals


class LinearMaster:
    """``min objective`` over ``zeta in [0, 1]`` and ``w >= 0``, subject to, for every tracked sample i
    (the *positives*: those that some form looks at when missed; without other stakes and rows, the positive labels),
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
        goal: Goal,
        backend: Backend,
        options: RelaxationOptions = RelaxationOptions(),  # noqa: B008 - frozen
        *,
        size_share: float = 1.0,
        columns: PoolColumns | None = None,
    ) -> None:
        """``size_share`` tightens the bounds of rows on size to a share; ``columns`` may be shared by programs over
        the same pool whose forms are the same."""
        self.problem = goal.problem
        self.objective = goal.objective
        self.rule_bounds, self.max_columns = goal.rule_bounds, goal.max_columns
        self.size_share = size_share
        self.rows = tuple(_tightened(row.normalised(), size_share) for row in goal.rows)
        # A bound below one rule still needs a link row that can be written down.
        self.max_rules = max(1.0, goal.max_rules)
        self.backend = backend
        self.options = options
        self.positives: IntArray = np.flatnonzero(goal.tracked)
        self.variables = goal.variables
        self.needs_links = needs_links(goal.objective, goal.rows)
        if self.needs_links and not math.isfinite(goal.max_rules):
            raise ConfigurationError(
                "A constraint on missed positives needs a bound on the number of rules: add a complexity constraint."
            )
        # With link rows every missed positive has several entries and the dual form loses its point.
        self.dual_form = not self.needs_links if options.dual_form is None else options.dual_form
        self.shortfalls = self._shortfalls()
        self.phase_one = bool(np.any(self.shortfalls))
        self._is_linked = np.zeros(len(self.positives), dtype=bool)
        if columns is None:
            columns = PoolColumns(self._forms(), self.positives, goal.problem.n_samples)
        self.columns = columns
        self._program: Program | None = None
        self._n_known = 0
        """How many rules of the columns the program was told of."""

    def _forms(self) -> list[LinearForm]:
        return [self.objective, *(row.form for row in self.rows)]

    def _shortfalls(self) -> FloatArray:
        """For every row, what the empty rule set lacks (positive) or exceeds (negative), else 0.

        As entries of the artificial column they make its value the share of the shortfall that is still there.
        """
        shortfalls = np.zeros(len(self.rows))
        missed, nothing = np.ones(self.problem.n_samples), np.zeros(self.problem.n_samples)
        for position, row in enumerate(self.rows):
            value = row.form.value(missed, nothing, 0.0, 0.0)
            helpers = np.array(list(row.form.variables.values()))
            if value < row.lo - 1e-9 and not np.any(helpers > 0):
                shortfalls[position] = row.lo - value
            elif value > row.hi + 1e-9 and not np.any(helpers < 0):
                shortfalls[position] = row.hi - value
        return shortfalls

    # Building -------------------------------------------------------------------------------------------------------

    def _open(self, pool: RulePool) -> Program:
        """A new session with everything known so far; also the cure for a solver that lost its way."""
        self.close()
        self.columns.extend(pool)
        formulation = Formulation(
            self._target,
            self.rows,
            self.variables,
            self.shortfalls,
            1.0 if self.phase_one else 0.0,
            self.positives,
            self.problem.sizes[self.positives],
            self.max_rules,
            self.needs_links,
        )
        session = DualForm(self.backend) if self.dual_form else self.backend.open_lp()
        self._program = Program(session, formulation, self.columns, self._is_linked, merge=self.options.merge_rows)
        self._n_known = len(self.columns)
        return self._program

    # Solving --------------------------------------------------------------------------------------------------------

    def solve(self, pool: RulePool, deadline: Deadline) -> Relaxation | None:
        """Solve the relaxation over the pool; None when the deadline came first."""
        if self._program is None or (self.options.put_aside and self.columns.put_aside()):
            self._open(pool)
        self.columns.extend(pool)
        self._add_rules(np.arange(self._n_known, len(self.columns)))
        self._n_known = len(self.columns)
        while True:
            solution = self._solve_once(pool, deadline)
            if solution is None:
                return None
            violated = self._violated_links(solution.primal)
            if len(violated):
                self._opened.add_links(violated)
                continue
            if self.phase_one and solution.objective <= 1e-9:
                self._enter_phase_two(pool)
                continue
            read = self._read(solution)
            if self.options.put_aside and self._bring_back(read.duals):
                continue
            return self._relaxation(solution.objective, read, pool)

    def _relaxation(self, objective: float, read: _Read, pool: RulePool) -> Relaxation:
        """Everything that one solution says, as a value."""
        rounded = read.duals.on_grid(self.problem, self._target, self.rows, self.positives, self.max_rules)
        duals, pricing = rounded.duals, rounded.pricing
        dual_value = duals.bound(self._target, self.rows, self.positives)
        row_duals = dict.fromkeys((row.name for row in self.rows), 0.0)
        # A row between two bounds may be two rows here.
        for row, dual in zip(self.rows, duals.rows.tolist(), strict=True):
            row_duals[row.name] += dual
        return Relaxation(
            value=objective + (0.0 if self.phase_one else self.objective.const),
            feasible=not self.phase_one,
            weights=read_only(read.weights),
            pricing=evolve(
                pricing,
                in_use=tuple(pool.rules[at] for at in np.flatnonzero(read.weights > IN_USE)),
                bounds=self.rule_bounds,
                columns=self.problem.column_numbers if math.isfinite(self.max_columns) else None,
            ),
            row_duals=row_duals,
            dual_value=None if self.phase_one or self.size_share < 1 or not math.isfinite(dual_value) else dual_value,
            max_rules=self.max_rules,
            size_share=self.size_share,
            shortfalls=self._conflict(read) if self.phase_one else {},
        )

    @property
    def _opened(self) -> Program:
        assert self._program is not None, "Programs are solved once they are open."
        return self._program

    def _add_rules(self, which: IntArray) -> None:
        for some in self.columns.chunks(which):
            self._opened.add_rules(some)

    def _bring_back(self, duals: Duals) -> bool:
        """Rules aside that price in become columns again; whether there were any."""
        if len(self.columns) < LEAST:
            return False
        costs = self._reduced_costs(duals)
        returning = self.columns.returning(costs)
        if not len(returning):
            self.columns.watch(costs)
        self._add_rules(returning)
        return len(returning) > 0

    def _reduced_costs(self, duals: Duals) -> FloatArray:
        """Of all rules of the pool; from its columns, which are at hand, where pricing problems look at the data."""
        coefficients = self.columns.coefficients
        costs = np.zeros(len(coefficients)) if self.phase_one else coefficients[:, 0]
        return costs - coefficients[:, 1:] @ duals.rows - self.columns.covered_sums(duals.of_covering(self.max_rules))

    def _read(self, solution: LPSolution) -> _Read:
        """Weights in the order of the pool, and duals for every positive."""
        program = self._opened
        weights = np.zeros(len(self.columns))
        weights[program.rules] = solution.primal[program.rule_column]
        links = np.where(program.link_row >= 0, solution.dual[program.link_row], 0.0)
        duals = Duals.cleaned(
            program.classes.divided(solution.dual[program.cover_row]),
            program.classes.divided(links),
            solution.dual[program.constraint_row],
            self.rows,
        )
        return _Read(weights, float(solution.primal[program.artificial_column]), duals)

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
        if not self.needs_links or len(self.positives) > self.options.linked_positives or not len(open_links):
            return np.zeros(0, dtype=np.int64)
        chosen = primal[program.rule_column]
        used = np.flatnonzero(chosen)
        load = chosen[used] @ self.columns.covers_at(program.rules[used], program.classes.representatives[open_links])
        missed = primal[program.zeta_column[open_links]]
        return open_links[missed + load / self.max_rules > 1 + LINK_TOLERANCE]

    def _enter_phase_two(self, pool: RulePool) -> None:
        self.phase_one = False
        self._open(pool)

    @property
    def _target(self) -> LinearForm:
        return LinearForm() if self.phase_one else self.objective

    def _conflict(self, read: _Read) -> dict[str, float]:
        """The rows that hold each other back, and by how much each still misses its bound."""
        return {
            row.name: abs(float(shortfall)) * read.artificial
            for row, shortfall, dual in zip(self.rows, self.shortfalls, read.duals.rows, strict=True)
            if abs(dual) > 1e-9
        }

    def close(self) -> None:
        if self._program is not None:
            self._program.session.close()
            self._program = None


def needs_links(objective: LinearForm, rows: Sequence[Row]) -> bool:
    """Whether missed positives must be tracked exactly: once a row, not only the objective, looks at them."""
    return any(row.form.uses_missed for row in rows) or bool(
        objective.missed is not None and np.any(objective.missed < 0)
    )


def _tightened(row: Row, share: float) -> Row:
    return evolve(row, hi=row.hi * share) if share < 1 and row.bounds_size else row
