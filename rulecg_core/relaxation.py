"""The master's linear relaxation: one warm linear program that grows by rules and by violated link rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from .arrays import FloatArray, IntArray
from .backend import Backend, LPSession, LPSolution
from .classes import PositiveClasses
from .dual_form import DualForm
from .duals import Duals
from .errors import ConfigurationError, SolveError
from .forms import LinearForm, Row
from .limits import Deadline
from .parts import MasterParts
from .pool import RulePool
from .pool_columns import LEAST, PoolColumns
from .pricing import PricingProblem
from .problem import Problem
from .sparse import SparseVectors
from .status import Stop

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
    * Positives that nothing tells apart share their variable and their rows (:class:`PositiveClasses`).
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
        self._session: LPSession | None = None
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

    # Building: where variables and rows of the program stand in the session. -----------------------------------------

    def _open(self, pool: RulePool) -> LPSession:
        """A new session with everything known so far; also the cure for a solver that lost its way."""
        self.close()
        self._columns.extend(pool)
        inside = np.flatnonzero(self._columns.inside)
        self._classes = PositiveClasses(
            self.problem.weights[self.positives],
            [form.zeta[self.positives] for form in self._forms() if form.zeta is not None],
            merge=self.parts.merge_rows,
        )
        for some in self._columns.chunks(inside):
            self._classes.refine(self._columns.covers(some))
        session = DualForm(self.backend) if self.dual_form else self.backend.open_lp()
        n_zeta, n_helpers = len(self._classes), len(self.variables) + 1
        self._zeta_column: IntArray = np.arange(n_zeta, dtype=np.int64)
        self._artificial_column = n_zeta + n_helpers - 1
        self._n_columns = n_zeta + n_helpers
        self._cover_row: IntArray = np.arange(n_zeta, dtype=np.int64)
        self._constraint_row: IntArray = n_zeta + np.arange(len(self.rows), dtype=np.int64)
        self._link_row: IntArray = np.full(n_zeta, -1, dtype=np.int64)
        self._n_rows = n_zeta + len(self.rows)
        self._rules: IntArray = np.zeros(0, dtype=np.int64)
        self._rule_column: IntArray = np.zeros(0, dtype=np.int64)
        upper = np.full(self._n_columns, np.inf)
        upper[:n_zeta] = self._most_missed
        upper[self._artificial_column] = np.inf if self.phase_one else 0.0
        costs = np.concatenate([self._zeta_costs(), self._helper_costs()])
        session.add_columns(costs, np.zeros(self._n_columns), upper, SparseVectors.empty(self._n_columns))
        entries = np.hstack([self._zeta_entries(), self._helper_entries()])
        session.add_rows(
            np.concatenate([np.ones(n_zeta), [row.lo for row in self.rows]]),
            np.concatenate([np.full(n_zeta, np.inf), [row.hi for row in self.rows]]),
            SparseVectors.stack([_singles(self._zeta_column), SparseVectors.from_dense(entries)]),
        )
        self._session = session
        linked = np.flatnonzero(self._classes.sums(self._is_linked.astype(np.float64)))
        for some in self._columns.chunks(inside):
            self._add_rules(some)
        if len(linked):
            self._add_links(linked)
        return session

    @property
    def _most_missed(self) -> float:
        # Without rows on zeta nothing pushes it above 1.
        return 1.0 if self.needs_links else np.inf

    def _zeta_costs(self) -> FloatArray:
        if self.phase_one or self.objective.zeta is None:
            return np.zeros(len(self._classes))
        return self._classes.sums(self.objective.zeta[self.positives])

    def _helper_costs(self) -> FloatArray:
        """Costs of the auxiliary variables and of the artificial column."""
        if self.phase_one:
            return np.array([*(0.0 for _ in self.variables), 1.0])
        return np.array([*(self.objective.variables.get(name, 0.0) for name in self.variables), 0.0])

    def _zeta_entries(self) -> FloatArray:
        """Constraint rows × classes."""
        entries = np.zeros((len(self.rows), len(self._classes)))
        for position, row in enumerate(self.rows):
            if row.form.zeta is not None:
                entries[position] = self._classes.sums(row.form.zeta[self.positives])
        return entries

    def _helper_entries(self) -> FloatArray:
        """Constraint rows × auxiliary variables and artificial column."""
        entries = np.zeros((len(self.rows), len(self.variables) + 1))
        for position, row in enumerate(self.rows):
            entries[position, :-1] = [row.form.variables.get(name, 0.0) for name in self.variables]
        entries[:, -1] = self.shortfalls
        return entries

    def _add_rules(self, which: IntArray) -> None:
        """Rules of the pool become columns; classes that they split come first."""
        assert self._session is not None
        if not len(which):
            return
        covers, coefficients = self._columns.covers(which), self._columns.coefficients[which]
        self._split(self._classes.refine(covers))
        by_class = covers[:, self._classes.representatives]
        entries = _placed(SparseVectors.from_dense(by_class), self._cover_row)
        entries = entries.join(_placed(SparseVectors.from_dense(coefficients[:, 1:]), self._constraint_row))
        linked = np.flatnonzero(self._link_row >= 0)
        if len(linked):
            scaled = SparseVectors.from_dense(by_class[:, linked] / self.max_rules)
            entries = entries.join(_placed(scaled, self._link_row[linked]))
        n_new = len(which)
        costs = np.zeros(n_new) if self.phase_one else coefficients[:, 0]
        self._session.add_columns(costs, np.zeros(n_new), np.full(n_new, np.inf), entries)
        self._rules = np.concatenate([self._rules, which])
        self._rule_column = np.concatenate([self._rule_column, self._new_columns(n_new)])

    def _split(self, parents: IntArray) -> None:
        """Variables and rows for new classes, each of which was part of a known one."""
        assert self._session is not None
        n_new, n_known = len(parents), len(self._cover_row)
        if not n_new:
            return
        new, changed = n_known + np.arange(n_new), np.unique(parents)
        costs, entries = self._zeta_costs(), self._zeta_entries()
        if entries.any():
            # Coefficients in a session cannot change: what is left of a class gets a new variable as well.
            old = self._zeta_column[changed]
            self._session.set_column_bounds(old, np.zeros(len(old)), np.zeros(len(old)))
            placed = _placed(SparseVectors.from_dense(entries[:, changed].T), self._constraint_row)
            placed = _singles(self._cover_row[changed]).join(placed).join(self._in_link_rows(changed))
            self._zeta_column[changed] = self._add_zeta(costs[changed], placed)
        elif np.any(costs):
            self._session.set_costs(self._zeta_column[changed], costs[changed])
        placed = _placed(SparseVectors.from_dense(entries[:, new].T), self._constraint_row)
        self._zeta_column = np.concatenate([self._zeta_column, self._add_zeta(costs[new], placed)])
        self._link_row = np.concatenate([self._link_row, np.full(n_new, -1, dtype=np.int64)])
        self._session.add_rows(np.ones(n_new), np.full(n_new, np.inf), self._class_rows(new, 1.0))
        self._cover_row = np.concatenate([self._cover_row, self._new_rows(n_new)])
        linked = new[self._link_row[parents] >= 0]
        if len(linked):
            self._add_links(linked)

    def _add_zeta(self, costs: FloatArray, entries: SparseVectors) -> IntArray:
        assert self._session is not None
        self._session.add_columns(costs, np.zeros(len(costs)), np.full(len(costs), self._most_missed), entries)
        return self._new_columns(len(costs))

    def _in_link_rows(self, classes: IntArray) -> SparseVectors:
        rows = self._link_row[classes]
        starts = np.concatenate([[0], np.cumsum(rows >= 0)]).astype(np.int64)
        return SparseVectors(starts, rows[rows >= 0], np.ones(int(starts[-1])))

    def _class_rows(self, classes: IntArray, entry: float) -> SparseVectors:
        """One row per class: 1 for its zeta, ``entry`` for the rules in the program that cover it."""
        covers = self._columns.covers_at(self._rules, self._classes.representatives[classes])
        zeta = _singles(self._zeta_column[classes])
        return zeta.join(_placed(SparseVectors.from_dense(covers.T * entry), self._rule_column))

    def _add_links(self, which: IntArray) -> None:
        """Link rows for some classes."""
        assert self._session is not None
        entries = self._class_rows(which, 1.0 / self.max_rules)
        self._session.add_rows(np.full(len(which), -np.inf), np.ones(len(which)), entries)
        self._link_row[which] = self._new_rows(len(which))
        self._is_linked |= (self._link_row >= 0)[self._classes.of]

    def _new_columns(self, n_new: int) -> IntArray:
        self._n_columns += n_new
        return np.arange(self._n_columns - n_new, self._n_columns, dtype=np.int64)

    def _new_rows(self, n_new: int) -> IntArray:
        self._n_rows += n_new
        return np.arange(self._n_rows - n_new, self._n_rows, dtype=np.int64)

    # Solving --------------------------------------------------------------------------------------------------------

    def solve(self, pool: RulePool, deadline: Deadline) -> float | None:
        """The relaxation's value; None when the deadline came first."""
        if self._session is None or (self.parts.put_aside and self._columns.put_aside()):
            self._open(pool)
        for some in self._columns.chunks(self._columns.extend(pool)):
            self._add_rules(some)
        while True:
            solution = self._solve_once(pool, deadline)
            if solution is None:
                return None
            violated = self._violated_links(solution.primal)
            if len(violated):
                self._add_links(violated)
                continue
            self._solved = self._read(solution)
            if self.phase_one and solution.objective <= 1e-9:
                self._enter_phase_two(pool)
                continue
            if self.parts.put_aside and self._bring_back():
                continue
            return solution.objective + (0.0 if self.phase_one else self.objective.const)

    def _bring_back(self) -> bool:
        """Rules aside that price in become columns again; whether there were any."""
        if len(self._columns) < LEAST:
            return False
        costs = self._reduced_costs()
        returning = self._columns.returning(costs)
        if not len(returning):
            self._columns.watch(costs)
        for some in self._columns.chunks(returning):
            self._add_rules(some)
        return len(returning) > 0

    def _reduced_costs(self) -> FloatArray:
        """Of all rules of the pool, by the duals of the last solution."""
        duals, coefficients = self._duals, self._columns.coefficients
        costs = np.zeros(len(coefficients)) if self.phase_one else coefficients[:, 0]
        return costs - coefficients[:, 1:] @ duals.rows - self._columns.covered_sums(duals.of_covering(self.max_rules))

    def _read(self, solution: LPSolution) -> _Solved:
        """Weights in the order of the pool, and duals for every positive."""
        weights = np.zeros(len(self._columns))
        weights[self._rules] = solution.primal[self._rule_column]
        links = np.where(self._link_row >= 0, solution.dual[self._link_row], 0.0)
        duals = Duals.cleaned(
            self._classes.divided(solution.dual[self._cover_row]),
            self._classes.divided(links),
            solution.dual[self._constraint_row],
            self.rows,
        )
        return _Solved(weights, float(solution.primal[self._artificial_column]), duals)

    def _solve_once(self, pool: RulePool, deadline: Deadline) -> LPSolution | None:
        assert self._session is not None
        solution = self._session.solve(deadline)
        if not solution.is_optimal and solution.stop is not Stop.TIME_LIMIT:
            # Warm-started simplex codes can lose their way after many changes; a clean start cures it.
            solution = self._open(pool).solve(deadline)
        if solution.is_optimal:
            return solution
        if solution.stop in (Stop.TIME_LIMIT, Stop.INTERRUPTED):
            return None
        raise SolveError(
            f"The backend {self.backend.name!r} could not solve the master's relaxation "
            f"({solution.native_status or solution.solution}). Try another backend."
        )

    def _violated_links(self, primal: FloatArray) -> IntArray:
        open_links = np.flatnonzero(self._link_row < 0)
        if not self.needs_links or len(self.positives) > LINKED_POSITIVES or not len(open_links):
            return np.zeros(0, dtype=np.int64)
        chosen = primal[self._rule_column]
        used = np.flatnonzero(chosen)
        load = chosen[used] @ self._columns.covers_at(self._rules[used], self._classes.representatives[open_links])
        missed = primal[self._zeta_column[open_links]]
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
        if self._session is not None:
            self._session.close()
            self._session = None


def needs_links(objective: LinearForm, rows: Sequence[Row]) -> bool:
    """Whether missed positives must be tracked exactly: once a row, not only the objective, looks at them."""
    return any(row.form.uses_zeta for row in rows) or bool(
        objective.zeta is not None and np.any(objective.zeta < 0)
    )


def _singles(places: IntArray) -> SparseVectors:
    """Vectors with a 1 at one place each."""
    return SparseVectors(np.arange(len(places) + 1, dtype=np.int64), places.copy(), np.ones(len(places)))


def _placed(vectors: SparseVectors, places: IntArray) -> SparseVectors:
    """The same vectors with other numbers for their entries."""
    return SparseVectors(vectors.starts, places[vectors.indices], vectors.values)
