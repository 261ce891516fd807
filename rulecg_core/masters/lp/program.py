"""The relaxation as a solver's session holds it: which variable and which row stands for what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ...api.backend import LPSession
from ...base.arrays import BoolArray, FloatArray, IntArray
from ...base.sparse import SparseVectors
from ...data.linear_form import LinearForm, Row
from .pool_columns import PoolColumns
from .positive_classes import PositiveClasses


@frozen(eq=False)
class Formulation:
    """What the linear program says, before any rule is in it."""

    objective: LinearForm
    """Nothing while rows are still to be reached."""
    rows: Sequence[Row]
    variables: Sequence[str]
    """Names of the auxiliary variables that forms use."""
    shortfalls: FloatArray
    """Entries of the artificial column, one per row."""
    artificial_cost: float
    """1 while the objective is to get rid of the artificial column; it is fixed to 0 otherwise."""
    positives: IntArray
    weights: FloatArray
    """Of the positives."""
    max_rules: float
    linked: bool
    """Whether missed positives are tracked exactly: then zeta is at most 1, and link rows may come."""

    def classes(self, *, merge: bool) -> PositiveClasses:
        """Positives that no form tells apart, as far as they may share their variable and their rows."""
        forms = [self.objective, *(row.form for row in self.rows)]
        zetas = [form.missed[self.positives] for form in forms if form.missed is not None]
        return PositiveClasses(self.weights, zetas, merge=merge)


class Program:
    """One session that grows by rules, by classes of positives as rules split them, and by link rows."""

    def __init__(
        self,
        session: LPSession,
        formulation: Formulation,
        columns: PoolColumns,
        is_linked: BoolArray,
        *,
        merge: bool,
    ) -> None:
        self.session = session
        self.formulation = formulation
        self._columns = columns
        self.is_linked = is_linked
        """Which positives have a link row, whatever class they are in."""
        inside = np.flatnonzero(columns.inside)
        self.classes = formulation.classes(merge=merge)
        for some in columns.chunks(inside):
            self.classes.refine(columns.covers(some))
        self._lay_out()
        linked = np.flatnonzero(self.classes.sums(is_linked.astype(np.float64)))
        for some in columns.chunks(inside):
            self.add_rules(some)
        if len(linked):
            self.add_links(linked)

    def _lay_out(self) -> None:
        """Variables of missed positives, auxiliary ones and the artificial column; covering and constraint rows."""
        what, n_zeta = self.formulation, len(self.classes)
        n_helpers = len(what.variables) + 1
        self.artificial_column = n_zeta + n_helpers - 1
        self._n_columns = n_zeta + n_helpers
        self._n_rows = n_zeta + len(what.rows)
        self.zeta_column: IntArray = np.arange(n_zeta, dtype=np.int64)
        self.cover_row: IntArray = np.arange(n_zeta, dtype=np.int64)
        self.constraint_row: IntArray = n_zeta + np.arange(len(what.rows), dtype=np.int64)
        self.link_row: IntArray = np.full(n_zeta, -1, dtype=np.int64)
        """-1 where a class has none."""
        self.rules: IntArray = np.zeros(0, dtype=np.int64)
        """Positions in the pool of the rules that take part, and their columns."""
        self.rule_column: IntArray = np.zeros(0, dtype=np.int64)
        upper = np.full(self._n_columns, np.inf)
        upper[:n_zeta] = self._most_missed
        upper[self.artificial_column] = np.inf if what.artificial_cost else 0.0
        costs = np.concatenate([self._zeta_costs(), self._helper_costs()])
        self.session.add_columns(costs, np.zeros(self._n_columns), upper, SparseVectors.empty(self._n_columns))
        entries = np.hstack([self._zeta_entries(), self._helper_entries()])
        self.session.add_rows(
            np.concatenate([np.ones(n_zeta), [row.lo for row in what.rows]]),
            np.concatenate([np.full(n_zeta, np.inf), [row.hi for row in what.rows]]),
            SparseVectors.stack([_singles(self.zeta_column), SparseVectors.from_dense(entries)]),
        )

    @property
    def _most_missed(self) -> float:
        # Without rows on zeta nothing pushes it above 1.
        return 1.0 if self.formulation.linked else np.inf

    def _zeta_costs(self) -> FloatArray:
        what = self.formulation
        if what.objective.missed is None:
            return np.zeros(len(self.classes))
        return self.classes.sums(what.objective.missed[what.positives])

    def _helper_costs(self) -> FloatArray:
        """Costs of the auxiliary variables and of the artificial column."""
        what = self.formulation
        return np.array([*(what.objective.variables.get(name, 0.0) for name in what.variables), what.artificial_cost])

    def _zeta_entries(self) -> FloatArray:
        """Constraint rows × classes."""
        what = self.formulation
        entries = np.zeros((len(what.rows), len(self.classes)))
        for position, row in enumerate(what.rows):
            if row.form.missed is not None:
                entries[position] = self.classes.sums(row.form.missed[what.positives])
        return entries

    def _helper_entries(self) -> FloatArray:
        """Constraint rows × auxiliary variables and artificial column."""
        what = self.formulation
        entries = np.zeros((len(what.rows), len(what.variables) + 1))
        for position, row in enumerate(what.rows):
            entries[position, :-1] = [row.form.variables.get(name, 0.0) for name in what.variables]
        entries[:, -1] = what.shortfalls
        return entries

    def add_rules(self, which: IntArray) -> None:
        """Rules of the pool become columns; classes that they split come first."""
        if not len(which):
            return
        covers, coefficients = self._columns.covers(which), self._columns.coefficients[which]
        self._split(self.classes.refine(covers))
        by_class = covers[:, self.classes.representatives]
        entries = _placed(SparseVectors.from_dense(by_class), self.cover_row)
        entries = entries.join(_placed(SparseVectors.from_dense(coefficients[:, 1:]), self.constraint_row))
        linked = np.flatnonzero(self.link_row >= 0)
        if len(linked):
            scaled = SparseVectors.from_dense(by_class[:, linked] / self.formulation.max_rules)
            entries = entries.join(_placed(scaled, self.link_row[linked]))
        n_new = len(which)
        # While rows are still to be reached, rules cost nothing.
        costs = np.zeros(n_new) if self.formulation.artificial_cost else coefficients[:, 0]
        self.session.add_columns(costs, np.zeros(n_new), np.full(n_new, np.inf), entries)
        self.rules = np.concatenate([self.rules, which])
        self.rule_column = np.concatenate([self.rule_column, self._new_columns(n_new)])

    def _split(self, parents: IntArray) -> None:
        """Variables and rows for new classes, each of which was part of a known one."""
        n_new, n_known = len(parents), len(self.cover_row)
        if not n_new:
            return
        new, changed = n_known + np.arange(n_new), np.unique(parents)
        costs, entries = self._zeta_costs(), self._zeta_entries()
        if entries.any():
            # Coefficients in a session cannot change: what is left of a class gets a new variable as well.
            old = self.zeta_column[changed]
            self.session.set_column_bounds(old, np.zeros(len(old)), np.zeros(len(old)))
            placed = _placed(SparseVectors.from_dense(entries[:, changed].T), self.constraint_row)
            placed = _singles(self.cover_row[changed]).join(placed).join(self._in_link_rows(changed))
            self.zeta_column[changed] = self._add_zeta(costs[changed], placed)
        elif np.any(costs):
            self.session.set_costs(self.zeta_column[changed], costs[changed])
        placed = _placed(SparseVectors.from_dense(entries[:, new].T), self.constraint_row)
        self.zeta_column = np.concatenate([self.zeta_column, self._add_zeta(costs[new], placed)])
        self.link_row = np.concatenate([self.link_row, np.full(n_new, -1, dtype=np.int64)])
        self.session.add_rows(np.ones(n_new), np.full(n_new, np.inf), self._class_rows(new, 1.0))
        self.cover_row = np.concatenate([self.cover_row, self._new_rows(n_new)])
        linked = new[self.link_row[parents] >= 0]
        if len(linked):
            self.add_links(linked)

    def _add_zeta(self, costs: FloatArray, entries: SparseVectors) -> IntArray:
        self.session.add_columns(costs, np.zeros(len(costs)), np.full(len(costs), self._most_missed), entries)
        return self._new_columns(len(costs))

    def _in_link_rows(self, classes: IntArray) -> SparseVectors:
        rows = self.link_row[classes]
        starts = np.concatenate([[0], np.cumsum(rows >= 0)]).astype(np.int64)
        return SparseVectors(starts, rows[rows >= 0], np.ones(int(starts[-1])))

    def _class_rows(self, classes: IntArray, entry: float) -> SparseVectors:
        """One row per class: 1 for its zeta, ``entry`` for the rules in the program that cover it."""
        covers = self._columns.covers_at(self.rules, self.classes.representatives[classes])
        zeta = _singles(self.zeta_column[classes])
        return zeta.join(_placed(SparseVectors.from_dense(covers.T * entry), self.rule_column))

    def add_links(self, which: IntArray) -> None:
        """Link rows for some classes."""
        entries = self._class_rows(which, 1.0 / self.formulation.max_rules)
        self.session.add_rows(np.full(len(which), -np.inf), np.ones(len(which)), entries)
        self.link_row[which] = self._new_rows(len(which))
        self.is_linked |= (self.link_row >= 0)[self.classes.of]

    def _new_columns(self, n_new: int) -> IntArray:
        self._n_columns += n_new
        return np.arange(self._n_columns - n_new, self._n_columns, dtype=np.int64)

    def _new_rows(self, n_new: int) -> IntArray:
        self._n_rows += n_new
        return np.arange(self._n_rows - n_new, self._n_rows, dtype=np.int64)


def _singles(places: IntArray) -> SparseVectors:
    """Vectors with a 1 at one place each."""
    return SparseVectors(np.arange(len(places) + 1, dtype=np.int64), places.copy(), np.ones(len(places)))


def _placed(vectors: SparseVectors, places: IntArray) -> SparseVectors:
    """The same vectors with other numbers for their entries."""
    return SparseVectors(vectors.starts, places[vectors.indices], vectors.values)
