"""Duals for choosing a fixed number of listed rules, by a linear program over as few of them as it takes."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from ..api.backend import Backend, LPSession
from ..base.arrays import BoolArray, FloatArray, IntArray, nearest
from ..base.errors import SolveError
from ..base.limits import Deadline
from ..base.sparse import SparseVectors
from ..base.status import Stop
from .listed_covers import ListedCovers, sums

FIRST, MORE = 100, 100
"""How many rules the linear program begins with, and how many come in with every round."""
GRID = 2.0**-24
"""Duals are rounded to multiples of this."""
CLOSE = 0.02
"""The program ends when what is proven is as near as this to what can be."""


@frozen(eq=False)
class Part:
    """Choose ``n_rules`` further rules out of the candidates."""

    candidates: IntArray
    n_rules: int
    constant: float
    """The objective so far, without what is still open."""
    is_open: BoolArray
    """Which positives no chosen rule covers."""
    rows: FloatArray
    """Rows × all listed rules: coefficients of bounds from above."""
    limits: FloatArray
    chosen: tuple[int, ...] = ()


@frozen(eq=False)
class Bound:
    """No choice has an objective below ``bound`` plus the losses of its rules (of the candidates, in their order)
    plus, for every positive covered more than once, its dual for each time too many."""

    bound: float
    losses: FloatArray
    duals: FloatArray
    """Of all positives; 0 for those that are covered already."""
    per_rule: float
    """What the bound grows by with each rule more."""


class ListDuals:
    """Solves the duals' linear program for parts of one list."""

    def __init__(
        self, backend: Backend, costs: FloatArray, covers: ListedCovers, weights: FloatArray, deadline: Deadline
    ) -> None:
        self.backend, self.deadline = backend, deadline
        self.costs, self.covers, self.weights = costs, covers, weights
        self.used = np.zeros(len(costs))
        """How often a rule was needed: the next program begins with such rules."""

    def bound(self, part: Part, worth: float) -> Bound:
        """Near the best bound; ended early once it exceeds ``worth``. Raises TimeoutError at the deadline."""
        open_ = np.flatnonzero(part.is_open)
        program = _Program(self, part, open_)
        covers = self.covers.by_byte(part.candidates)
        inside = np.zeros(len(part.candidates), dtype=bool)
        start = np.argsort(-self.used[part.candidates], kind="stable")[:FIRST]
        best: Bound | None = None
        try:
            program.add(start)
            inside[start] = True
            while True:
                duals, row_duals, per_rule = program.solve(self.deadline)
                spread = np.zeros(len(self.weights))
                spread[open_] = duals
                losses = self.costs[part.candidates] - sums(covers, spread)
                losses += row_duals @ part.rows[:, part.candidates] - per_rule
                least = float(losses.min())
                ceiling = part.constant + float(duals.sum() - row_duals @ part.limits) + part.n_rules * per_rule
                # Exactly so many rules are chosen: what the worst of them lacks, each may lack.
                bound = ceiling + part.n_rules * min(least, 0.0)
                if best is None or bound > best.bound:
                    best = Bound(bound, losses - min(least, 0.0), spread, per_rule + min(least, 0.0))
                outside = np.flatnonzero((losses < -1e-9) & ~inside)
                if best.bound > worth or best.bound >= ceiling - CLOSE or not len(outside):
                    break
                new = outside[np.argsort(losses[outside], kind="stable")[:MORE]]
                program.add(new)
                inside[new] = True
        finally:
            program.session.close()
        needed = part.candidates[inside][best.losses[inside] <= 1e-3]
        self.used *= 0.9
        self.used[needed] += 1.0
        return best


class _Program:
    """The dual of the relaxation: one variable per open positive, one per row, one for the number of rules."""

    def __init__(self, listed: ListDuals, part: Part, open_: IntArray) -> None:
        self.listed, self.part, self.open_ = listed, part, open_
        self.n_positives, self.n_rows = len(open_), len(part.limits)
        weights = listed.weights[open_]
        # Any duals within bounds are valid; without bounds there may be no optimum while rules are missing.
        most = float(listed.weights.sum() + np.abs(listed.costs).max(initial=0.0)) + 1.0
        n = self.n_positives + self.n_rows + 1
        self.session: LPSession = listed.backend.open_lp()
        self.session.add_columns(
            np.concatenate([-np.ones(self.n_positives), part.limits, [-float(part.n_rules)]]),
            np.concatenate([np.zeros(self.n_positives + self.n_rows), [-most]]),
            np.concatenate([weights, np.full(self.n_rows + 1, most)]),
            SparseVectors.empty(n),
        )

    def add(self, which: IntArray) -> None:
        """Rules as rows: no rule may cost less than its duals say."""
        listed, rules = self.listed, self.part.candidates[which]
        entries = np.concatenate(
            [
                listed.covers.of(rules)[:, self.open_],
                -self.part.rows[:, rules].T,
                np.ones((len(rules), 1)),
            ],
            axis=1,
        )
        self.session.add_rows(np.full(len(rules), -np.inf), listed.costs[rules], SparseVectors.from_dense(entries))

    def solve(self, deadline: Deadline) -> tuple[FloatArray, FloatArray, float]:
        solution = self.session.solve(deadline)
        if solution.stop in (Stop.TIME_LIMIT, Stop.INTERRUPTED):
            raise TimeoutError
        if not solution.is_optimal:
            raise SolveError(
                f"The backend {self.listed.backend.name!r} could not solve a linear program of the proof "
                f"({solution.native_status or solution.solution}). Try another backend."
            )
        # On a grid sums are exact, whatever their order; any duals within these bounds are valid.
        x = nearest(solution.primal, GRID)
        duals = np.clip(x[: self.n_positives], 0.0, self.listed.weights[self.open_])
        row_duals = np.maximum(x[self.n_positives : self.n_positives + self.n_rows], 0.0)
        return duals, row_duals, float(x[-1])

