"""Prices for rule sets of given sizes that hold chosen rules: a linear program over as few listed rules as it takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ..api.backend import Backend
from ..base.arrays import BoolArray, FloatArray, IntArray
from ..base.limits import Deadline
from ..base.sparse import SparseVectors
from .priced_list import SCALE, NoCertificateError

FIRST, MORE = 150, 150
"""How many rules the program begins with, and how many come in with every round."""
CLOSE = 0.02
"""The program ends when what is proven is as near as this to what can be."""
BLOCK = 8192


@frozen(eq=False)
class ListedRules:
    """Rules as the search sees them."""

    covers: BoolArray
    """Rules × positives."""
    costs: IntArray
    sizes: IntArray
    miss: IntArray
    """What missing each positive costs."""
    max_size: int

    def sums(self, rules: IntArray, weights: FloatArray | IntArray) -> FloatArray:
        """For each rule, the sum of the weights of the positives it covers."""
        used = np.flatnonzero(weights)
        blocks = [rules[at : at + BLOCK] for at in range(0, len(rules), BLOCK)]
        parts = [self.covers[np.ix_(some, used)].astype(np.float64) @ weights[used] for some in blocks]
        return np.concatenate([np.zeros(0), *parts])


@frozen(eq=False)
class NodePrices:
    """Whole prices of positives, and of rules of size 2, 3, ..., which do not fall."""

    positives: IntArray
    sizes: IntArray


class PriceFinder:
    """Finds prices for parts of one list."""

    def __init__(self, backend: Backend, listed: ListedRules, deadline: Deadline) -> None:
        self.backend, self.listed, self.deadline = backend, listed, deadline
        self.used = np.zeros(len(listed.costs))
        """How often a rule was needed: the next program begins with such rules."""

    def prices(self, sizes: Sequence[int], rules: IntArray, is_open: BoolArray, base: int, bound: int) -> NodePrices:
        """Find prices that prove nearly as much as prices can, or that no rule set is below the bound.

        Parameters
        ----------
        sizes : non-increasing sizes of the further rules
        rules : which may follow
        is_open : the positives that no chosen rule covers
        base : what the chosen rules cost
        bound : rule sets with this loss are of no interest
        """
        listed, open_ = self.listed, np.flatnonzero(is_open)
        program = _Program(self.backend, listed, sizes, open_)
        inside = np.zeros(len(rules), dtype=bool)
        start = np.argsort(-self.used[rules], kind="stable")[:FIRST]
        best, proven = NodePrices(np.zeros(len(is_open), np.int64), np.zeros(listed.max_size - 1, np.int64)), -np.inf
        try:
            program.add(rules[start])
            inside[start] = True
            while True:
                duals, prices = program.solve(self.deadline)
                spread = np.zeros(len(is_open))
                spread[open_] = duals
                losses = listed.costs[rules] + prices[listed.sizes[rules] - 2] - listed.sums(rules, spread)
                ceiling = base + float(duals.sum()) - sum(prices[size - 2] for size in sizes)
                least = [losses[listed.sizes[rules] <= size].min(initial=np.inf) for size in sizes]
                value = ceiling + float(np.minimum(least, 0.0).sum())
                if value > proven:
                    proven, best = value, _rounded(spread, prices, listed.miss, is_open)
                outside = np.flatnonzero((losses < -1e-9) & ~inside)
                if proven > bound - 1 + CLOSE or proven >= ceiling - CLOSE or not len(outside):
                    break
                new = outside[np.argsort(losses[outside], kind="stable")[:MORE]]
                program.add(rules[new])
                inside[new] = True
        finally:
            program.session.close()
        self.used *= 0.9
        self.used[rules[inside]] += losses[inside] <= 1e-3
        return best


def _rounded(duals: FloatArray, prices: FloatArray, miss: IntArray, is_open: BoolArray) -> NodePrices:
    positives = np.clip(np.round(duals * SCALE).astype(np.int64), 0, SCALE * np.where(is_open, miss, 0))
    return NodePrices(positives, np.maximum.accumulate(np.round(prices * SCALE).astype(np.int64)))


class _Program:
    """The dual of choosing rules: a price for each open positive, one of size 2, and what each size more adds."""

    def __init__(self, backend: Backend, listed: ListedRules, sizes: Sequence[int], open_: IntArray) -> None:
        self.listed, self.open_ = listed, open_
        weights = listed.miss[open_].astype(np.float64)
        # Any prices are valid; without bounds there may be no optimum while rules are missing.
        most = float(listed.miss.sum() + listed.costs.max(initial=0)) + 1.0
        n_steps = listed.max_size - 2
        reached = np.array([sum(size >= step for size in sizes) for step in range(3, listed.max_size + 1)], dtype=float)
        self.session = backend.open_lp()
        self.session.add_columns(
            np.concatenate([-np.ones(len(open_)), [float(len(sizes))], reached]),
            np.concatenate([np.zeros(len(open_)), [-most], np.zeros(n_steps)]),
            np.concatenate([weights, np.full(1 + n_steps, most)]),
            SparseVectors.empty(len(open_) + 1 + n_steps),
        )

    def add(self, rules: IntArray) -> None:
        """Rules as rows: none may cost less than the prices pay for it."""
        sizes = self.listed.sizes[rules]
        steps = -(sizes[:, None] >= np.arange(3, self.listed.max_size + 1)).astype(np.float64)
        entries = np.concatenate([self.listed.covers[rules][:, self.open_], -np.ones((len(rules), 1)), steps], axis=1)
        costs = self.listed.costs[rules].astype(np.float64)
        self.session.add_rows(np.full(len(rules), -np.inf), costs, SparseVectors.from_dense(entries))

    def solve(self, deadline: Deadline) -> tuple[FloatArray, FloatArray]:
        """Prices of the open positives, and of sizes 2, 3, ..."""
        solution = self.session.solve(deadline)
        if not solution.is_optimal:
            raise NoCertificateError(
                "No certificate: the time was over, or a linear program of it could not be solved."
            )
        n = len(self.open_)
        steps = np.maximum(solution.primal[n + 1 :], 0.0)
        return np.maximum(solution.primal[:n], 0.0), solution.primal[n] + np.concatenate([[0.0], np.cumsum(steps)])
