"""One exact search: prepares the root, runs the parts below it on threads, gathers rules and the bound."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import define, evolve

from rulecg_core import NEGATIVE, FloatArray, IntArray, PricingLimits, PricingProblem, Stop

from . import search_state as at
from .ordered import run_in_order
from .records import Ahead, Candidates, Given, Levels, Node, Packed, Progress, Root, Scratch, Tree
from .rule_arrays import Part, packed_rows

PARTS = 48
"""Into how many parts the search below the root is cut at most."""
SLICE = 1_000_000
"""Work between two looks at the clock: some hundredths of a second."""


@define(eq=False)
class Workspace:
    """The arrays that one thread searches in."""

    progress: Progress
    scratch: Scratch
    tree: Any = None
    levels: Any = None


class Search:
    """One search: prepares the root, runs the parts below it on threads, gathers rules and the bound."""

    def __init__(
        self, problem: PricingProblem, cut: float, listing: bool, keep: int, limits: PricingLimits
    ) -> None:
        self.problem = problem
        self.listing = listing
        self.is_exact = listing or bool(problem.bounds)
        """Whether rules that differ in samples without weight are different."""
        self.keep = keep
        self.deadline = limits.deadline
        self.threads = max(1, limits.threads)
        self.prices = np.array(problem.condition_prices, dtype=np.float64)
        self.weights = np.array(problem.sample_weights, dtype=np.float64)
        self.depth = int(min(problem.max_conditions, problem.n_conditions))
        least_price = float(self.prices.min())
        # With a negative price two nested conditions can be better than one, and the chains say nothing.
        chains = problem.chains if least_price >= 0 else np.arange(problem.n_conditions)
        self.given = Given(
            rows=packed_rows(problem.X),
            weights=self.weights,
            prices=self.prices,
            lengths=np.array(problem.condition_costs, dtype=np.float64),
            chains=np.array(chains, dtype=np.int64),
            least_price=least_price,
            max_conditions=self.depth,
            columns=np.zeros(len(chains), dtype=np.int64) if problem.columns is None else np.array(problem.columns),
            is_listing=self.is_exact,
        )
        self.on_grid = problem.is_exact
        # On a grid sums are what they are: half a step tells equal from less.
        rounding = 1e-10 + 1e-12 * float(np.abs(self.weights).sum() + abs(problem.constant))
        self.slack = problem.grid / 2 if self.on_grid else rounding
        from rulecg_kernels.rule_bounds import limits_of, which_keep  # loads the compiler

        self.keeps = which_keep
        self.limits = limits_of(problem.X, problem.condition_costs, problem.bounds)
        self.cut = cut + self.slack if listing else cut
        self.best = math.inf
        self.bound = math.inf
        self.stop = Stop.COMPLETED
        self.found = self._empty_part()
        self.interrupted = threading.Event()

    # The root ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        root = self._single_conditions()
        self._merge(root)
        if self.depth > 1 and self.size > 1:
            self._pairs()
            if self.depth > 3 and self.stop is Stop.COMPLETED:
                self._below_pairs()
        self.bound = min(self.cut, self.found.open_bound) - self.slack

    def _empty_part(self) -> Part:
        return Part(np.empty(0), np.empty((0, self.depth), dtype=np.int64))

    def _take(self, part: Part, workspace: Workspace) -> bool:
        """Move found rules from the workspace to the part; whether a listing has more than may be kept."""
        progress = workspace.progress
        count = int(progress.state[at.FOUND])
        part.add(progress.values[:count], progress.rules[:count])
        progress.state[at.FOUND] = 0
        return self._overfull(part)

    def _overfull(self, part: Part) -> bool:
        if self.listing and len(part.values) > self.keep:
            part.condense(self.problem)
            part.full = len(part.values) > self.keep
        return part.full

    def _single_conditions(self) -> Part:
        """Pack the samples, weigh every condition alone, and choose those that may be part of longer rules."""
        from .bits import weigh_range

        problem = self.problem
        sections = self._sections()
        scratch = self._pack(sections)
        n_conditions = problem.n_conditions
        gains, costs = np.zeros(n_conditions), np.zeros(n_conditions)
        for sums, section in ((gains, at.GAINS), (costs, at.COSTS)):
            weigh_range(sums, 0, n_conditions, self.covered, self.packed.columns, self.packed, section)
        part = self._empty_part()
        singles = self.prices + problem.constant + costs - gains
        good = self._keeping(np.flatnonzero(singles < (self.cut if self.listing else NEGATIVE)), hopeful=False)
        rules = np.full((len(good), self.depth), -1, dtype=np.int64)
        rules[:, 0] = good
        part.add(singles[good], rules)
        totals = [np.abs(self.weights[sections[at.GAINS]]).sum(), self.weights[sections[at.COSTS]].sum()]
        self.numbers = np.array([*totals, problem.constant], dtype=np.float64)
        self.size = 0
        if self.depth > 1:
            self._choose(gains, costs, scratch)
        return part

    def _keeping(self, conditions: IntArray, hopeful: bool) -> IntArray:
        """Of conditions those that, alone, are rules that keep their bounds, or may be part of such rules."""
        if not len(self.limits.least):
            return conditions
        kept = [self.keeps(self.limits, np.array([each]), 1, int(hopeful)) for each in conditions]
        return conditions[np.array(kept, dtype=bool)]

    def _sections(self) -> list[IntArray]:
        """The samples with negative, with positive and (in a listing) without weight, each in order of weight."""
        tiny = 0.0 if self.on_grid else 1e-12 * max(1.0, float(np.abs(self.weights).max(initial=0.0)))
        gaining = np.flatnonzero(self.weights < -tiny)
        costing = np.flatnonzero(self.weights > tiny)
        weightless = np.flatnonzero(np.abs(self.weights) <= tiny) if self.is_exact else np.empty(0, dtype=np.int64)
        gaining = gaining[np.argsort(self.weights[gaining], kind="stable")]
        costing = costing[np.argsort(self.weights[costing], kind="stable")]
        return [gaining, costing, weightless]

    def _pack(self, sections: list[IntArray]) -> Scratch:
        """Pack the samples of the sections; the room that it took, for further use."""
        from .bits import pack_samples

        counts = np.array([len(section) for section in sections], dtype=np.int64)
        self.n_words = max(1, int(sum(-(-count // 64) for count in counts)))
        n_blocks = self.given.rows.shape[1]
        ids = np.zeros(64 * self.n_words, dtype=np.int64)
        ids[: counts.sum()] = np.concatenate(sections)
        self.packed = Packed(
            columns=np.zeros((self.n_words, 64 * n_blocks), dtype=np.uint64),
            words=np.zeros(4, dtype=np.int64),
            ids=ids,
            terms=np.ones(self.n_words, dtype=np.int64),
            masks=np.zeros((self.n_words, at.MOST_TERMS), dtype=np.uint64),
            values=np.zeros((self.n_words, at.MOST_TERMS)),
            tables=np.empty((self.n_words, 8, 256)),
        )
        self.covered = np.zeros(self.n_words, dtype=np.uint64)
        scratch = self._scratch(max(64 * self.n_words, self.problem.n_conditions))
        scratch.used_blocks[:] = 1
        scratch.counts[:] = counts
        pack_samples(self.given, self.packed, self.covered, scratch)
        return scratch

    def _choose(self, gains: FloatArray, costs: FloatArray, scratch: Scratch) -> None:
        """The conditions that may be part of rules of two conditions and more, in the order of the search."""
        from .pruning import arrange, promising

        n_conditions = len(gains)
        numbers = np.arange(n_conditions, dtype=np.int64)
        ahead = Ahead(n_conditions, self.depth - 1, self.problem.constant, self.numbers[at.COST], self.cut)
        promising(self.given, Candidates(numbers, numbers, gains, costs), ahead, scratch)
        chosen = self._keeping(np.flatnonzero(scratch.ints[0, :n_conditions]), hopeful=True)
        self.candidates = Candidates(chosen, np.zeros(len(chosen), dtype=np.int64), gains[chosen], costs[chosen])
        self.size = int(
            arrange(self.given, self.candidates, len(chosen), self.numbers, self.covered, self.packed, scratch)
        )

    def _scratch(self, length: int) -> Scratch:
        return Scratch(
            ints=np.zeros((at.N_INTS, length), dtype=np.int64),
            floats=np.empty((at.N_FLOATS, length)),
            bits=np.empty((at.N_BITS, max(64, self.n_words)), dtype=np.uint64),
            used_blocks=np.zeros(self.given.rows.shape[1], dtype=np.uint8),
            counts=np.zeros(3, dtype=np.int64),
            top=np.empty((self.depth + 1, 2)),
        )

    def _workspace(self, width: int) -> Workspace:
        # A listing must have room for all rules of one row; otherwise the worse half is dropped when room runs out.
        capacity = 4096 + (width * (width + 1) // 2 if self.listing else 2 * self.keep)
        progress = Progress(
            state=np.zeros(at.N_STATE, dtype=np.int64),
            numbers=np.zeros(at.N_NUMBERS),
            values=np.empty(capacity),
            rules=np.empty((capacity, self.depth), dtype=np.int64),
            rule=np.zeros(self.depth, dtype=np.int64),
            limits=self.limits,
        )
        return Workspace(progress, self._scratch(max(width, 64 * self.n_words + 64, self.depth + 2)))

    def _new_tree(self, width: int) -> Tree:
        """The frames below the root."""
        n_frames, n_pairs = self.depth - 2, max(1, self.depth - 4)
        shape = (n_frames, width)
        tree = Tree(
            frames=np.zeros((n_frames, at.N_FRAME), dtype=np.int64),
            numbers=np.zeros((n_frames, 3)),
            conditions=np.empty(shape, dtype=np.int64),
            parents=np.empty(shape, dtype=np.int64),
            gains=np.empty(shape),
            costs=np.empty(shape),
            prices=np.empty(shape),
            chains=np.empty(shape, dtype=np.int64),
            columns=np.empty((n_frames, self.n_words, width), dtype=np.uint64),
            covered=np.zeros((n_frames, self.n_words), dtype=np.uint64),
            pair_gains=np.empty((n_pairs, width, width)),
            pair_costs=np.empty((n_pairs, width, width)),
            dominated=np.empty(shape, dtype=np.int64),
        )
        tree.frames[0, at.SIZE] = self.size
        tree.numbers[0] = self.numbers
        tree.covered[0] = self.covered
        return tree

    def _new_levels(self) -> Levels:
        """Room for samples that are packed anew."""
        n_levels = self.depth - 3
        return Levels(
            columns=np.empty((n_levels, *self.packed.columns.shape), dtype=np.uint64),
            words=np.empty((n_levels, 4), dtype=np.int64),
            ids=np.empty((n_levels, 64 * self.n_words), dtype=np.int64),
            terms=np.empty((n_levels, self.n_words), dtype=np.int64),
            masks=np.empty((n_levels, self.n_words, at.MOST_TERMS), dtype=np.uint64),
            values=np.empty((n_levels, self.n_words, at.MOST_TERMS)),
            tables=np.empty((n_levels, self.n_words, 8, 256)),
        )

    def _start(self, workspace: Workspace, known: tuple[float, float]) -> None:
        cut, best = known
        state, numbers = workspace.progress.state, workspace.progress.numbers
        state[:] = 0
        state[at.LISTING], state[at.EXACT] = int(self.listing), int(self.is_exact)
        numbers[at.CUT] = cut
        numbers[at.RECORD] = cut if self.listing else NEGATIVE
        numbers[at.BEST] = best
        numbers[at.SLACK] = self.slack

    def _merge(self, part: Part) -> tuple[float, float] | None:
        """Add what a part found; outside listing its best rule lowers the cut. None when a limit is hit."""
        if self.stop is Stop.OTHER_LIMIT:
            return None
        self.found.add(part.values, part.rules)
        if not self.listing and len(self.found.values) > self.keep:
            self.found.keep(np.argsort(self.found.values, kind="stable")[: self.keep])
        self.found.open_bound = min(self.found.open_bound, part.open_bound)
        if not self.listing and len(part.values) and part.values.min() < self.best:
            self.best = float(part.values.min())
            self.cut = min(self.cut, self.best - self.slack)
        if part.open_bound < math.inf:
            self.stop = Stop.TIME_LIMIT
        if part.full or self._overfull(self.found):
            self.stop = Stop.OTHER_LIMIT
        return (self.cut, self.best) if self.stop is Stop.COMPLETED else None

    def _run_parts(
        self, n_parts: int, make: Callable[[], Workspace], work: Callable[[Workspace, int, tuple[float, float]], Part]
    ) -> int:
        return run_in_order(
            n_parts, self.threads, make, work, self._merge, (self.cut, self.best), self.interrupted
        )

    # Pairs at the root, and the search below them ------------------------------------------------------------------

    def _pairs(self) -> None:
        """Weigh all pairs of conditions (and, where rules may be no longer, triples)."""
        from .weighing import weigh_rows

        # Rules of up to three conditions are found without a look back at pairs.
        shape = (self.size, self.size) if self.depth > 3 else (1, 1)
        self.pair_gains, self.pair_costs = np.empty(shape), np.empty(shape)
        # Early rows are the longest: chunks of equal numbers of pairs, the same for any number of threads.
        n_chunks = max(1, min(16, self.size // 8))
        shares = 1.0 - np.sqrt(1.0 - np.arange(n_chunks + 1) / n_chunks)
        edges = np.unique(np.round(shares * self.size).astype(np.int64))
        edges[-1] = self.size
        # Each chunk notes by itself what it finds dominated, so that no chunk depends on which ran before.
        dominated = np.zeros((len(edges) - 1, self.size), dtype=np.int64)
        node = self._root_node()
        nodes = [node._replace(dominated=own) for own in dominated]

        def weigh_chunk(workspace: Workspace, chunk: int, known: tuple[float, float]) -> Part:
            self._start(workspace, known)
            part = self._empty_part()
            progress, scratch = workspace.progress, workspace.scratch
            row, last = int(edges[chunk]), int(edges[chunk + 1])
            while row < last:
                if self._stopped():
                    part.open_bound = self._open_bound(self.problem.constant, self.candidates.gains, self.depth)
                    break
                spent_at = progress.state[at.WORK] + SLICE
                row = weigh_rows(nodes[chunk], self.packed, progress, scratch, row, last, spent_at)
                if row < last and self._take(part, workspace):
                    return part
            self._take(part, workspace)
            return part

        n_parts = len(edges) - 1
        if self._run_parts(n_parts, lambda: self._workspace(self.size), weigh_chunk) < n_parts:
            self.found.open_bound = self._open_bound(self.problem.constant, self.candidates.gains, self.depth)
        self.dominated = dominated.max(axis=0)

    def _root_node(self) -> Node:
        chosen = self.candidates.conditions[: self.size]
        return Node(
            size=self.size,
            depth=0,
            further=self.depth - 2,
            least_price=self.given.least_price,
            numbers=self.numbers,
            candidates=self.candidates,
            prices=self.prices[chosen],
            chains=self.given.chains[chosen],
            columns=np.ascontiguousarray(self.packed.columns[:, chosen]),
            covered=self.covered,
            pair_gains=self.pair_gains,
            pair_costs=self.pair_costs,
            dominated=np.zeros(self.size, dtype=np.int64),
            has_parent=False,
            up_pair_gains=self.pair_gains,
        )

    def _below_pairs(self) -> None:
        """Search for rules of more than three conditions, in parts."""
        from .search_kernel import search

        live = np.triu(self.pair_gains > at.DEAD, 1) & (self.dominated == 0)
        n_live = live.sum(axis=1)
        width = int(n_live.max(initial=0))
        if width < 2:
            return
        root = Root(self.packed, self.candidates, self.pair_gains, self.pair_costs, self.dominated)
        # Parts of about equal work, which grows faster than the square of the number of candidates.
        work = np.cumsum(n_live.astype(np.float64) ** 2.5)
        edges = np.searchsorted(work, np.linspace(0.0, work[-1], PARTS + 1)[1:-1], side="right")
        edges = np.unique(np.concatenate([[0], edges, [self.size - 2]]).clip(0, self.size - 2))

        def make() -> Workspace:
            return evolve(self._workspace(width), tree=self._new_tree(width), levels=self._new_levels())

        def search_below(workspace: Workspace, number: int, known: tuple[float, float]) -> Part:
            self._start(workspace, known)
            part = self._empty_part()
            progress, scratch, tree, levels = workspace.progress, workspace.scratch, workspace.tree, workspace.levels
            tree.frames[0, at.CHILD] = edges[number]
            progress.state[at.LAST] = edges[number + 1]
            while True:
                if self._stopped():
                    part.open_bound = self._open_tree_bound(tree, progress)
                    break
                outcome = search(self.given, root, tree, levels, progress, scratch, SLICE)
                if outcome == at.FINISHED or (outcome == at.FULL and self._take(part, workspace)):
                    break
            self._take(part, workspace)
            return part

        merged = self._run_parts(len(edges) - 1, make, search_below)
        if merged < len(edges) - 1:
            left = self._open_bound(self.problem.constant, self.candidates.gains[edges[merged] :], self.depth)
            self.found.open_bound = min(self.found.open_bound, left)

    def _stopped(self) -> bool:
        return self.interrupted.is_set() or self.deadline.passed

    def _open_bound(self, price: float, gains: FloatArray, room: int) -> float:
        """No rule with one to ``room`` further conditions out of those with the gains costs less."""
        least_price = self.given.least_price
        return price + min(least_price, room * least_price) - float(gains.max(initial=0.0))

    def _open_tree_bound(self, tree: Tree, progress: Progress) -> float:
        """The least bound of what a stopped search had not yet looked at."""
        depth = int(progress.state[at.DEPTH])
        left = self.candidates.gains[tree.frames[0, at.CHILD] : progress.state[at.LAST]]
        bound = self._open_bound(self.problem.constant, left, self.depth) if len(left) else math.inf
        for level in range(1, depth + 1):
            size = int(tree.frames[level, at.SIZE])
            first = int(tree.frames[level, at.CHILD])
            price = float(tree.numbers[level, at.PRICE])
            bound = min(bound, self._open_bound(price, tree.gains[level, first:size], self.depth - level))
        return bound
