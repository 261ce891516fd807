"""The master's linear relaxation: one warm linear program that grows by rules and by violated link rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import evolve

from .arrays import FloatArray, IntArray
from .backend import Backend, LPSession, LPSolution
from .dual_form import DualForm
from .errors import ConfigurationError, SolveError
from .forms import LinearForm, Row
from .limits import Deadline
from .pool import RulePool
from .pricing import PricingProblem
from .problem import Problem
from .sparse import SparseVectors
from .status import Stop

LINK_TOLERANCE = 1e-7
LINKED_POSITIVES = 3_000
"""With more positives than this the relaxation does without link rows: a little weaker, just as valid, far quicker."""


class LinearMaster:
    """``min objective`` over ``zeta in [0, 1]`` and ``w >= 0``, subject to, for every positive i,
    ``zeta_i + Σ_{k covers i} w_k >= 1``, the constraint rows, and the link rows
    ``zeta_i + Σ_{k covers i} w_k / max_rules <= 1`` (the paper's ``C zeta_i + Σ 2 w_k <= C``).

    * ``w`` has no upper bound: its dual would be missing from the pricing formula, and pricing would cycle.
    * Link rows exist only when a row uses zeta, and enter when violated: few of them ever bind. On large data they are
      left out, which leaves a relaxation all the same.
    * Without link rows the program is solved in its dual form, where rules are rows and positives are bounds.
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
        dual_form: bool | None = None,
    ) -> None:
        self.problem = problem
        self.objective = objective
        self.rows = self._true_rows = tuple(row.normalised() for row in rows)
        # A bound below one rule still needs a link row that can be written down.
        self.max_rules = max(1.0, max_rules)
        self.backend = backend
        self.positives: IntArray = np.flatnonzero(problem.y)
        self.variables = tuple(dict.fromkeys(name for form in self._forms() for name in form.variables))
        self.needs_links = needs_links(objective, rows)
        if self.needs_links and not math.isfinite(max_rules):
            raise ConfigurationError(
                "A constraint on missed positives needs a bound on the number of rules: add a complexity constraint."
            )
        # With link rows every zeta has several entries and the dual form loses its point.
        self.dual_form = not self.needs_links if dual_form is None else dual_form
        self.shortfalls = self._shortfalls()
        self.phase_one = bool(np.any(self.shortfalls))
        self._is_linked = np.zeros(len(self.positives), dtype=bool)
        self._links: IntArray = np.zeros(0, dtype=np.int64)
        self._n_rules = 0
        self._session: LPSession | None = None
        self._dual: FloatArray = np.zeros(0)
        self._primal: FloatArray = np.zeros(0)

    def _forms(self) -> list[LinearForm]:
        return [self.objective, *(row.form for row in self.rows)]

    # Layout: columns are zeta | auxiliary variables | artificial | rules; rows are covers | constraints | links.

    @property
    def _first_rule(self) -> int:
        return len(self.positives) + len(self.variables) + 1

    @property
    def _first_link(self) -> int:
        return len(self.positives) + len(self.rows)

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
        if self._session is not None:
            self._session.close()
            self._session = None
        return any(row.bounds_size for row in rows)

    # Building -------------------------------------------------------------------------------------------------------

    def _open(self, pool: RulePool) -> LPSession:
        """A new session with everything known so far; also the cure for a solver that lost its way."""
        if self._session is not None:
            self._session.close()
        session = DualForm(self.backend) if self.dual_form else self.backend.open_lp()
        n_zeta, n_fixed = len(self.positives), self._first_rule
        lower, upper = np.zeros(n_fixed), np.full(n_fixed, np.inf)
        if self.needs_links:
            # Without rows on zeta nothing pushes it above 1.
            upper[:n_zeta] = 1.0
        upper[n_fixed - 1] = np.inf if self.phase_one else 0.0
        session.add_columns(self._fixed_costs(), lower, upper, SparseVectors.empty(n_fixed))
        session.add_rows(
            np.concatenate([np.ones(n_zeta), [row.lo for row in self.rows]]),
            np.concatenate([np.full(n_zeta, np.inf), [row.hi for row in self.rows]]),
            SparseVectors.stack([_identity(n_zeta), SparseVectors.from_dense(self._fixed_entries())]),
        )
        self._session, self._n_rules = session, 0
        if len(self._links):
            links, self._links = self._links, np.zeros(0, dtype=np.int64)
            self._add_links(links, pool)
        self.add_rules(pool)
        return session

    def _fixed_costs(self) -> FloatArray:
        costs = np.zeros(self._first_rule)
        if self.phase_one:
            costs[-1] = 1.0
            return costs
        if self.objective.zeta is not None:
            costs[: len(self.positives)] = self.objective.zeta[self.positives]
        for position, name in enumerate(self.variables, start=len(self.positives)):
            costs[position] = self.objective.variables.get(name, 0.0)
        return costs

    def _fixed_entries(self) -> FloatArray:
        """Constraint rows × fixed columns."""
        entries = np.zeros((len(self.rows), self._first_rule))
        for position, row in enumerate(self.rows):
            if row.form.zeta is not None:
                entries[position, : len(self.positives)] = row.form.zeta[self.positives]
            for at, name in enumerate(self.variables, start=len(self.positives)):
                entries[position, at] = row.form.variables.get(name, 0.0)
        entries[:, -1] = self.shortfalls
        return entries

    def add_rules(self, pool: RulePool) -> None:
        """Bring in the pool's rules that are not yet columns."""
        if self._session is None or self._n_rules == len(pool):
            return
        new = slice(self._n_rules, len(pool))
        covers, lengths = pool.covers(new), pool.lengths[new]
        covered_positives = covers[:, self.positives]
        blocks = [SparseVectors.from_dense(covered_positives)]
        in_rows = [row.form.coefficients(covers, lengths) for row in self.rows]
        if in_rows:
            blocks.append(SparseVectors.from_dense(np.column_stack(in_rows), offset=len(self.positives)))
        if len(self._links):
            scaled = covered_positives[:, self._links] / self.max_rules
            blocks.append(SparseVectors.from_dense(scaled, offset=self._first_link))
        entries = blocks[0]
        for block in blocks[1:]:
            entries = entries.join(block)
        n_new = len(lengths)
        costs = np.zeros(n_new) if self.phase_one else self.objective.coefficients(covers, lengths)
        self._session.add_columns(costs, np.zeros(n_new), np.full(n_new, np.inf), entries)
        self._n_rules = len(pool)

    def _add_links(self, which: IntArray, pool: RulePool) -> None:
        """Link rows for some positives (numbered among the positives)."""
        assert self._session is not None
        present = pool.covers(slice(0, self._n_rules))[:, self.positives[which]].T / self.max_rules
        entries = SparseVectors(
            np.arange(len(which) + 1, dtype=np.int64), which.astype(np.int64), np.ones(len(which))
        ).join(SparseVectors.from_dense(present, offset=self._first_rule))
        self._session.add_rows(np.full(len(which), -np.inf), np.ones(len(which)), entries)
        self._links = np.concatenate([self._links, which])
        self._is_linked[which] = True

    # Solving --------------------------------------------------------------------------------------------------------

    def solve(self, pool: RulePool, deadline: Deadline) -> float | None:
        """The relaxation's value; None when the deadline came first."""
        if self._session is None:
            self._open(pool)
        self.add_rules(pool)
        while True:
            solution = self._solve_once(pool, deadline)
            if solution is None:
                return None
            violated = self._violated_links(solution.primal, pool)
            if len(violated):
                self._add_links(violated, pool)
                if self.is_solved:
                    # Should time run out before the next solution, the duals at hand are right with 0 for new rows.
                    self._dual = np.concatenate([self._dual, np.zeros(len(violated))])
                continue
            self._primal, self._dual = solution.primal, self._clean(solution.dual)
            if self.phase_one and solution.objective <= 1e-9:
                self._enter_phase_two(pool)
                continue
            return solution.objective + (0.0 if self.phase_one else self.objective.const)

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

    def _violated_links(self, primal: FloatArray, pool: RulePool) -> IntArray:
        if not self.needs_links or len(self.positives) > LINKED_POSITIVES or self._is_linked.all():
            return np.zeros(0, dtype=np.int64)
        open_links = np.flatnonzero(~self._is_linked)
        chosen = primal[self._first_rule :]
        used = np.flatnonzero(chosen)
        load = chosen[used] @ pool.covers(used)[:, self.positives[open_links]] if len(used) else 0.0
        return open_links[primal[open_links] + load / self.max_rules > 1 + LINK_TOLERANCE]

    def _enter_phase_two(self, pool: RulePool) -> None:
        self.phase_one = False
        self._open(pool)

    def _clean(self, dual: FloatArray) -> FloatArray:
        """Duals with the signs that theory demands, so that every bound computed from them is valid."""
        lower, upper = self._row_bounds()
        dual = np.where(np.isneginf(lower), np.minimum(dual, 0.0), dual)
        return np.where(np.isposinf(upper), np.maximum(dual, 0.0), dual)

    def _row_bounds(self) -> tuple[FloatArray, FloatArray]:
        n_zeta, n_links = len(self.positives), len(self._links)
        lower = np.concatenate([np.ones(n_zeta), [row.lo for row in self.rows], np.full(n_links, -np.inf)])
        upper = np.concatenate([np.full(n_zeta, np.inf), [row.hi for row in self.rows], np.ones(n_links)])
        return lower, upper

    # Pricing and bounds ---------------------------------------------------------------------------------------------

    def row_duals(self) -> FloatArray:
        """Duals of the constraint rows, in the order of the rows."""
        return self._dual[len(self.positives) : self._first_link]

    @property
    def is_solved(self) -> bool:
        return len(self._primal) > 0

    def conflict(self) -> dict[str, float]:
        """While infeasible: the rows that hold each other back, and by how much each still misses its bound."""
        share = float(self._primal[self._first_rule - 1]) if len(self._primal) else 1.0
        involved = np.abs(self.row_duals()) > 1e-9 if len(self._dual) else np.ones(len(self.rows), dtype=bool)
        return {
            row.name: abs(float(shortfall)) * share
            for row, shortfall, binding in zip(self.rows, self.shortfalls, involved, strict=True)
            if binding
        }

    def weights(self) -> FloatArray:
        """Rule weights ``w`` of the last relaxation, in the order of the pool."""
        return self._primal[self._first_rule :]

    def pricing_problem(self) -> PricingProblem:
        """The one place where duals become a pricing problem."""
        problem, duals = self.problem, self.row_duals()
        target = LinearForm() if self.phase_one else self.objective
        sample_weights = np.zeros(problem.n_samples) if target.cover is None else target.cover.copy()
        length, rule = target.length, target.rule
        for row, dual in zip(self.rows, duals, strict=True):
            if dual == 0.0:
                continue
            if row.form.cover is not None:
                sample_weights -= dual * row.form.cover
            length -= dual * row.form.length
            rule -= dual * row.form.rule
        sample_weights[self.positives] -= self._dual[: len(self.positives)]
        sample_weights[self.positives[self._links]] -= self._dual[self._first_link :] / self.max_rules
        return PricingProblem(
            X=problem.X,
            sample_weights=sample_weights,
            condition_price=float(length),
            constant=float(rule),
            max_conditions=problem.max_conditions,
            feature_costs=problem.feature_costs,
            chains=problem.chains,
            memo=problem.memo,
        )

    def dual_bound(self, pricing_bound: float) -> float:
        """The Lagrangian bound: valid for any duals of the right sign, so it holds whatever the LP solver's accuracy.

        ``pricing_bound`` is a proven lower bound on all reduced costs; at most ``max_rules`` rules can use it.
        """
        lower, upper = self._row_bounds()
        with np.errstate(invalid="ignore"):
            at_bound = np.where(self._dual > 0, self._dual * lower, self._dual * upper)
        bound = float(np.where(self._dual == 0, 0.0, at_bound).sum())
        fixed = self._fixed_costs()
        n_zeta = len(self.positives)
        reduced = fixed - self.row_duals() @ self._fixed_entries() if self.rows else fixed.copy()
        reduced[:n_zeta] -= self._dual[:n_zeta]
        reduced[self._links] -= self._dual[self._first_link :]
        bound += float(np.minimum(reduced[:n_zeta], 0.0).sum())
        if np.any(reduced[n_zeta : self._first_rule - 1] < -1e-7):
            return -math.inf
        if pricing_bound < 0:
            bound += pricing_bound * self.max_rules
        return bound + (0.0 if self.phase_one else self.objective.const)

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def needs_links(objective: LinearForm, rows: Sequence[Row]) -> bool:
    """Whether missed positives must be tracked exactly: once a row, not only the objective, looks at them."""
    return any(row.form.uses_zeta for row in rows) or bool(
        objective.zeta is not None and np.any(objective.zeta < 0)
    )


def _identity(size: int) -> SparseVectors:
    return SparseVectors(np.arange(size + 1, dtype=np.int64), np.arange(size, dtype=np.int64), np.ones(size))
