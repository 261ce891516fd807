"""One exact search: prepares the root, runs the parts below it on threads, gathers rules and the bound."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import define

from rulecg_core import NEGATIVE, AnyArray, FloatArray, IntArray, PricingLimits, PricingProblem, Stop

from . import search_state as at
from .ordered import run_in_order
from .rule_arrays import Part, packed_rows

PARTS = 48
"""Into how many parts the search below the root is cut at most."""
SLICE = 1_000_000
"""Work between two looks at the clock: some hundredths of a second."""


@define(eq=False)
class Workspace:
    """The arrays that one thread searches in."""

    state: IntArray
    numbers: FloatArray
    found_values: FloatArray
    found_rules: IntArray
    rule: IntArray
    ints: IntArray
    floats: FloatArray
    bits: AnyArray
    tree: tuple[Any, ...] = ()
    levels: tuple[Any, ...] = ()
    used_blocks: Any = None


class Search:
    """One search: prepares the root, runs the parts below it on threads, gathers rules and the bound."""

    def __init__(
        self, problem: PricingProblem, cut: float, listing: bool, keep: int, limits: PricingLimits
    ) -> None:
        self.problem = problem
        self.listing = listing
        self.keep = keep
        self.deadline = limits.deadline
        self.threads = max(1, limits.threads)
        self.prices = np.array(problem.condition_prices, dtype=np.float64)
        self.lengths = np.array(problem.condition_costs, dtype=np.float64)
        self.least_price = float(self.prices.min())
        # With a negative price two nested conditions can be better than one, and the chains say nothing.
        self.chains = np.array(
            problem.chains if self.least_price >= 0 else np.arange(problem.n_conditions), dtype=np.int64
        )
        self.depth = int(min(problem.max_conditions, problem.n_conditions))
        self.weights = np.array(problem.sample_weights, dtype=np.float64)
        self.slack = 1e-10 + 1e-12 * float(np.abs(self.weights).sum() + abs(problem.constant))
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
        count = int(workspace.state[at.FOUND])
        part.add(workspace.found_values[:count], workspace.found_rules[:count])
        workspace.state[at.FOUND] = 0
        return self._overfull(part)

    def _overfull(self, part: Part) -> bool:
        if self.listing and len(part.values) > self.keep:
            part.condense(self.problem)
            part.full = len(part.values) > self.keep
        return part.full

    def _single_conditions(self) -> Part:
        from . import bits as _bits
        from . import pruning as _pruning

        problem = self.problem
        self.rows = packed_rows(problem)
        tiny = 1e-12 * max(1.0, float(np.abs(self.weights).max(initial=0.0)))
        gaining = np.flatnonzero(self.weights < -tiny)
        costing = np.flatnonzero(self.weights > tiny)
        weightless = np.flatnonzero(np.abs(self.weights) <= tiny) if self.listing else np.empty(0, dtype=np.int64)
        gaining = gaining[np.argsort(self.weights[gaining], kind="stable")]
        costing = costing[np.argsort(self.weights[costing], kind="stable")]
        sections = [gaining, costing, weightless]
        counts = np.array([len(section) for section in sections], dtype=np.int64)
        n_words = int(sum(-(-count // 64) for count in counts))
        n_blocks = self.rows.shape[1]
        self.n_words = max(1, n_words)
        columns = np.zeros((self.n_words, 64 * n_blocks), dtype=np.uint64)
        terms = np.ones(self.n_words, dtype=np.int64)
        masks = np.zeros((self.n_words, _bits.MOST_TERMS), dtype=np.uint64)
        values = np.zeros((self.n_words, _bits.MOST_TERMS))
        tables = np.empty((self.n_words, 8, 256))
        ids = np.concatenate(sections).astype(np.int64)
        words = np.zeros(4, dtype=np.int64)
        _bits.select_samples(
            self.rows, self.weights, ids, counts, np.ones(n_blocks, dtype=np.uint8), columns, words, terms, masks,
            values, tables, np.empty(64, dtype=np.uint64),
        )
        spread = np.zeros(64 * self.n_words, dtype=np.int64)
        self.covered = np.zeros(self.n_words, dtype=np.uint64)
        for section in range(3):
            samples = sections[section]
            start = 64 * int(words[section])
            spread[start : start + len(samples)] = samples
            filled = np.zeros(64 * int(words[section + 1] - words[section]), dtype=np.uint8)
            filled[: len(samples)] = 1
            packed = np.packbits(filled, bitorder="little").view("<u8")
            self.covered[words[section] : words[section + 1]] = packed
        self.level = (columns, words, spread, terms, masks, values, tables)
        features = np.arange(problem.n_conditions, dtype=np.int64)
        gains = np.zeros(problem.n_conditions)
        costs = np.zeros(problem.n_conditions)
        plan = (terms, masks, values, tables)
        _bits.weigh_range(gains, 0, len(features), self.covered, columns, 0, words[1], *plan)
        _bits.weigh_range(costs, 0, len(features), self.covered, columns, words[1], words[2], *plan)
        part = self._empty_part()
        singles = self.prices + problem.constant + costs - gains
        good = np.flatnonzero(singles < (self.cut if self.listing else NEGATIVE))
        rules = np.full((len(good), self.depth), -1, dtype=np.int64)
        rules[:, 0] = good
        part.add(singles[good], rules)
        self.numbers = np.array(
            [np.abs(self.weights[gaining]).sum(), self.weights[costing].sum(), problem.constant], dtype=np.float64
        )
        self.size = 0
        if self.depth > 1:
            ints = np.zeros((3, len(features)), dtype=np.int64)
            floats = np.empty((2, len(features)))
            _pruning.promising(
                len(features), self.depth - 1, problem.constant, features, gains, costs, self.numbers[at.COST],
                self.prices, self.least_price, self.chains, self.cut, ints[0], floats[0], floats[1], ints[1],
                np.empty((self.depth + 1, 2)),
            )
            chosen = np.flatnonzero(ints[0])
            self.candidates = features[chosen].copy()
            self.gains, self.costs = gains[chosen].copy(), costs[chosen].copy()
            self.size = int(
                _pruning.arrange(
                    len(chosen), self.candidates, np.zeros(len(chosen), dtype=np.int64), self.gains, self.costs,
                    self.numbers, self.covered, columns, words[3], self.prices, self.lengths, self.chains, self.listing,
                    ints, floats,
                )
            )
        return part

    def _workspace(self, width: int) -> Workspace:
        # A listing must have room for all rules of one row; otherwise the worse half is dropped when room runs out.
        capacity = 4096 + (width * (width + 1) // 2 if self.listing else 2 * self.keep)
        length = max(width, 64 * self.n_words + 64, self.depth + 2)
        return Workspace(
            state=np.zeros(at.N_STATE, dtype=np.int64),
            numbers=np.zeros(at.N_NUMBERS),
            found_values=np.empty(capacity),
            found_rules=np.empty((capacity, self.depth), dtype=np.int64),
            rule=np.zeros(self.depth, dtype=np.int64),
            ints=np.empty((at.N_INTS, length), dtype=np.int64),
            floats=np.empty((at.N_FLOATS, length)),
            bits=np.empty((at.N_BITS, max(64, self.n_words)), dtype=np.uint64),
        )

    def _grow(self, workspace: Workspace, width: int) -> None:
        """Give a workspace the frames below the root and the levels of repacked samples."""
        from . import bits as _bits

        n_frames, n_pairs = self.depth - 2, max(1, self.depth - 4)
        frames = np.zeros((n_frames, at.N_FRAME), dtype=np.int64)
        frames[0, at.SIZE] = self.size
        frame_numbers = np.zeros((n_frames, 3))
        frame_numbers[0] = self.numbers
        covered = np.zeros((n_frames, self.n_words), dtype=np.uint64)
        covered[0] = self.covered
        workspace.tree = (
            frames,
            frame_numbers,
            np.empty((n_frames, width), dtype=np.int64),
            np.empty((n_frames, width), dtype=np.int64),
            np.empty((n_frames, width)),
            np.empty((n_frames, width)),
            np.empty((n_frames, width)),
            np.empty((n_frames, width), dtype=np.int64),
            np.empty((n_frames, self.n_words, width), dtype=np.uint64),
            covered,
            np.empty((n_pairs, width, width)),
            np.empty((n_pairs, width, width)),
            np.empty((n_frames, width), dtype=np.int64),
        )
        n_levels = self.depth - 3
        workspace.levels = (
            np.empty((n_levels, self.n_words, 64 * self.rows.shape[1]), dtype=np.uint64),
            np.empty((n_levels, 4), dtype=np.int64),
            np.empty((n_levels, 64 * self.n_words), dtype=np.int64),
            np.empty((n_levels, self.n_words), dtype=np.int64),
            np.empty((n_levels, self.n_words, _bits.MOST_TERMS), dtype=np.uint64),
            np.empty((n_levels, self.n_words, _bits.MOST_TERMS)),
            np.empty((n_levels, self.n_words, 8, 256)),
        )
        workspace.used_blocks = np.zeros(self.rows.shape[1], dtype=np.uint8)

    def _start(self, workspace: Workspace, known: tuple[float, float]) -> None:
        cut, best = known
        workspace.state[:] = 0
        workspace.state[at.LISTING] = int(self.listing)
        workspace.numbers[at.CUT] = cut
        workspace.numbers[at.RECORD] = cut if self.listing else NEGATIVE
        workspace.numbers[at.BEST] = best
        workspace.numbers[at.SLACK] = self.slack

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
        from . import weighing as _weighing

        # Rules of up to three conditions are found without a look back at pairs.
        shape = (self.size, self.size) if self.depth > 3 else (1, 1)
        self.pair_gains, self.pair_costs = np.empty(shape), np.empty(shape)
        chosen = self.candidates[: self.size]
        prices, chains = self.prices[chosen], self.chains[chosen]
        # Early rows are the longest: chunks of equal numbers of pairs, the same for any number of threads.
        n_chunks = max(1, min(16, self.size // 8))
        shares = 1.0 - np.sqrt(1.0 - np.arange(n_chunks + 1) / n_chunks)
        edges = np.unique(np.round(shares * self.size).astype(np.int64))
        edges[-1] = self.size
        # Each chunk notes by itself what it finds dominated, so that no chunk depends on which ran before.
        dominated = np.zeros((len(edges) - 1, self.size), dtype=np.int64)
        columns, words, _, *plan = self.level
        columns = np.ascontiguousarray(columns[:, chosen])

        def weigh_rows(workspace: Workspace, chunk: int, known: tuple[float, float]) -> Part:
            self._start(workspace, known)
            part = self._empty_part()
            row, last = int(edges[chunk]), int(edges[chunk + 1])
            while row < last:
                if self._stopped():
                    part.open_bound = self._open_bound(self.problem.constant, self.gains, self.depth)
                    break
                row = _weighing.weigh_rows(
                    row, last, self.size, self.depth - 2, self.numbers, self.candidates, self.gains, self.costs,
                    prices, chains, columns, self.covered, words, *plan, False, self.candidates,
                    self.pair_gains, self.least_price, workspace.state, workspace.numbers,
                    workspace.found_values, workspace.found_rules, workspace.rule, 0,
                    workspace.state[at.WORK] + SLICE, self.pair_gains, self.pair_costs,
                    dominated[chunk], workspace.ints, workspace.floats, workspace.bits,
                )
                if row < last and self._take(part, workspace):
                    return part
            self._take(part, workspace)
            return part

        n_parts = len(edges) - 1
        if self._run_parts(n_parts, lambda: self._workspace(self.size), weigh_rows) < n_parts:
            self.found.open_bound = self._open_bound(self.problem.constant, self.gains, self.depth)
        self.dominated = dominated.max(axis=0)

    def _below_pairs(self) -> None:
        from . import search_kernel as _search_kernel

        live = np.triu(self.pair_gains > at.DEAD, 1) & (self.dominated == 0)
        n_live = live.sum(axis=1)
        width = int(n_live.max(initial=0))
        if width < 2:
            return
        columns, words, ids, *plan = self.level
        # Parts of about equal work, which grows faster than the square of the number of candidates.
        work = np.cumsum(n_live.astype(np.float64) ** 2.5)
        edges = np.searchsorted(work, np.linspace(0.0, work[-1], PARTS + 1)[1:-1], side="right")
        edges = np.unique(np.concatenate([[0], edges, [self.size - 2]]).clip(0, self.size - 2))

        def make() -> Workspace:
            workspace = self._workspace(width)
            self._grow(workspace, width)
            return workspace

        def search_below(workspace: Workspace, number: int, known: tuple[float, float]) -> Part:
            self._start(workspace, known)
            part = self._empty_part()
            workspace.tree[0][0, at.CHILD] = edges[number]
            workspace.state[at.LAST] = edges[number + 1]
            while True:
                if self._stopped():
                    part.open_bound = self._open_tree_bound(workspace)
                    break
                outcome = _search_kernel.search(
                    self.rows, self.weights, self.prices, self.lengths, self.least_price, self.chains, self.depth,
                    SLICE, workspace.state, workspace.numbers, *workspace.tree, workspace.rule, self.candidates,
                    self.gains, self.costs, self.pair_gains, self.pair_costs, self.dominated, columns, words, ids,
                    *plan, *workspace.levels, workspace.found_values, workspace.found_rules, workspace.ints,
                    workspace.floats, workspace.bits, workspace.used_blocks,
                )
                if outcome == at.FINISHED or (outcome == at.FULL and self._take(part, workspace)):
                    break
            self._take(part, workspace)
            return part

        merged = self._run_parts(len(edges) - 1, make, search_below)
        if merged < len(edges) - 1:
            left = self._open_bound(self.problem.constant, self.gains[edges[merged] :], self.depth)
            self.found.open_bound = min(self.found.open_bound, left)

    def _stopped(self) -> bool:
        return self.interrupted.is_set() or self.deadline.passed

    def _open_bound(self, price: float, gains: FloatArray, room: int) -> float:
        """No rule with one to ``room`` further conditions out of those with the gains costs less."""
        return price + min(self.least_price, room * self.least_price) - float(gains.max(initial=0.0))

    def _open_tree_bound(self, workspace: Workspace) -> float:
        """The least bound of what a stopped search had not yet looked at."""
        frames, frame_numbers, _, _, gains = workspace.tree[:5]
        depth = int(workspace.state[at.DEPTH])
        left = self.gains[frames[0, at.CHILD] : workspace.state[at.LAST]]
        bound = self._open_bound(self.problem.constant, left, self.depth) if len(left) else math.inf
        for level in range(1, depth + 1):
            size = int(frames[level, at.SIZE])
            first = int(frames[level, at.CHILD])
            price = float(frame_numbers[level, at.PRICE])
            bound = min(bound, self._open_bound(price, gains[level, first:size], self.depth - level))
        return bound
