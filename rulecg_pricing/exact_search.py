"""Exact pricing by a compiled branch and bound over conjunctions, and the listing of all rules below a threshold."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from attrs import define, frozen

from rulecg_core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rulecg_core.limits import PricingLimits
from rulecg_core.pricing import NEGATIVE, Listing, Pricer, PricingProblem, PricingResult
from rulecg_core.rules import Rule
from rulecg_core.status import Stop

from ._toy import run_once

PARTS = 48
"""Into how many parts the search below the root is cut at most."""
LAG = 6
"""Part k knows what the parts up to k - LAG found: a fixed lag makes results independent of the number of threads,
which only decides how many parts run at a time."""
SLICE = 1_000_000
"""Work between two looks at the clock: some hundredths of a second."""
UNPROVEN = 10_000
"""How many rules a listing returns at most when it is not complete."""


@frozen(eq=False)
class ExactSearch(Pricer):
    """Finds the rule with the least reduced cost and proves it, by depth-first branch and bound on all cores."""

    can_list: ClassVar[bool] = True

    def prepare(self) -> None:
        run_once(self)

    def price(self, problem: PricingProblem, limits: PricingLimits, rng: np.random.Generator) -> PricingResult:
        """The best rules found, best first; the bound is the least reduced cost unless the deadline came first."""
        search = _Search(problem, cut=NEGATIVE, listing=False, keep=4 * limits.max_rules, limits=limits)
        search.run()
        found = search.found
        chosen = _distinct(problem, found.rules, found.values)[: limits.max_rules]
        rules = _as_rules(found.rules[chosen])
        bound = min([search.bound, *(problem.reduced_cost(rule) - search.slack for rule in rules[:1])])
        return PricingResult(rules, bound, search.stop)

    def list_below(
        self, problem: PricingProblem, threshold: float, most: int, limits: PricingLimits
    ) -> Listing:
        """Every rule with reduced cost at most the threshold, the shortest of those with equal covers."""
        search = _Search(problem, cut=threshold, listing=True, keep=most, limits=limits)
        search.run()
        part = search.found
        if search.stop is not Stop.COMPLETED:
            # Nobody waits beyond a deadline for a list that proves nothing.
            part.keep(np.argsort(part.values, kind="stable")[: min(most, UNPROVEN)])
        part.condense(problem)
        part.keep(np.lexsort((np.arange(len(part.values)), np.round(part.values, 9)))[:most])
        return Listing(_as_rules(part.rules), search.stop is Stop.COMPLETED, search.stop)


def _as_rules(rules: IntArray) -> tuple[Rule, ...]:
    return tuple(Rule(feature for feature in features if feature >= 0) for features in rules.tolist())


def _packed_rows(problem: PricingProblem) -> AnyArray:
    """64 features of a sample to a word, made once for all pricing problems over the same samples."""
    rows: AnyArray | None = problem.memo.get("exact-search.rows")
    if rows is None:
        rows = problem.memo["exact-search.rows"] = _words(problem.X)
    return rows


def _packed_columns(problem: PricingProblem) -> AnyArray:
    """64 samples of a feature to a word."""
    columns: AnyArray | None = problem.memo.get("exact-search.columns")
    if columns is None:
        columns = problem.memo["exact-search.columns"] = _words(problem.X.T)
    return columns


def _words(bits: BoolArray) -> AnyArray:
    """The bits of every row, 64 to a word."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)


def _lengths(problem: PricingProblem, rules: IntArray) -> FloatArray:
    return np.asarray(np.append(problem.feature_costs, 0.0)[rules].sum(axis=1))


def _distinct(problem: PricingProblem, rules: IntArray, values: FloatArray) -> IntArray:
    """The rules in order of value, length and features, without those whose cover an earlier one has."""
    from ._covers import all_as_first, hash_covers

    features = tuple(rules[:, position] for position in range(rules.shape[1] - 1, -1, -1))
    order = np.lexsort((*features, (rules >= 0).sum(axis=1), np.round(values, 9)))
    if len(order) == 0:
        return order
    columns = _packed_columns(problem)
    sorted_rules = np.ascontiguousarray(rules[order])
    hashes = np.empty(len(order), dtype=np.uint64)
    hash_covers(columns, sorted_rules, hashes)
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    if not all_as_first(columns, sorted_rules, first[inverse.reshape(-1)].astype(np.int64)):
        # Different covers with the same hash, once in a lifetime: compare the covers themselves.
        covers = np.array([Rule(rule[rule >= 0]).covers(problem.X) for rule in sorted_rules])
        _, first = np.unique(np.packbits(covers, axis=1), axis=0, return_index=True)
    return np.asarray(order[np.sort(first)])


@define(eq=False)
class _Part:
    """What the search below one condition of the root (or of the root itself) gave."""

    values: FloatArray
    rules: IntArray
    open_bound: float = math.inf
    """No rule that the part left out has a lower reduced cost: infinite when it left out none of interest."""
    full: bool = False

    def add(self, values: FloatArray, rules: IntArray) -> None:
        self.values = np.concatenate([self.values, values])
        self.rules = np.concatenate([self.rules, rules])

    def condense(self, problem: PricingProblem) -> None:
        """Drop rules whose cover a shorter one has."""
        self.keep(_distinct(problem, self.rules, _lengths(problem, self.rules)))

    def keep(self, chosen: IntArray) -> None:
        self.values, self.rules = self.values[chosen], self.rules[chosen]


@define(eq=False)
class _Workspace:
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


class _Search:
    """One search: prepares the root, runs the parts below it on threads, gathers rules and the bound."""

    def __init__(
        self, problem: PricingProblem, cut: float, listing: bool, keep: int, limits: PricingLimits
    ) -> None:
        from . import _search_kernel as kernel

        self.kernel = kernel
        self.problem = problem
        self.listing = listing
        self.keep = keep
        self.deadline = limits.deadline
        self.threads = max(1, limits.threads)
        self.prices = np.array(problem.condition_prices, dtype=np.float64)
        self.least_price = float(self.prices.min())
        # With a negative price two nested conditions can be better than one, and the chains say nothing.
        self.chains = np.array(
            problem.chains if self.least_price >= 0 else np.arange(problem.n_features), dtype=np.int64
        )
        self.depth = int(min(problem.max_conditions, problem.n_features))
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
        self.bound = min(self.cut, self.found.open_bound)

    def _empty_part(self) -> _Part:
        return _Part(np.empty(0), np.empty((0, self.depth), dtype=np.int64))

    def _take(self, part: _Part, workspace: _Workspace) -> bool:
        """Move found rules from the workspace to the part; whether a listing has more than may be kept."""
        count = int(workspace.state[self.kernel.FOUND])
        part.add(workspace.found_values[:count], workspace.found_rules[:count])
        workspace.state[self.kernel.FOUND] = 0
        return self._overfull(part)

    def _overfull(self, part: _Part) -> bool:
        if self.listing and len(part.values) > self.keep:
            part.condense(self.problem)
            part.full = len(part.values) > self.keep
        return part.full

    def _single_conditions(self) -> _Part:
        from . import _bits

        kernel, problem = self.kernel, self.problem
        self.rows = _packed_rows(problem)
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
        features = np.arange(problem.n_features, dtype=np.int64)
        gains = np.zeros(problem.n_features)
        costs = np.zeros(problem.n_features)
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
            kernel.promising(
                len(features), self.depth - 1, problem.constant, features, gains, costs, self.numbers[kernel.COST],
                self.prices, self.least_price, self.chains, self.cut, ints[0], floats[0], floats[1], ints[1],
                np.empty((self.depth + 1, 2)),
            )
            chosen = np.flatnonzero(ints[0])
            self.candidates = features[chosen].copy()
            self.gains, self.costs = gains[chosen].copy(), costs[chosen].copy()
            self.size = int(
                kernel.arrange(
                    len(chosen), self.candidates, np.zeros(len(chosen), dtype=np.int64), self.gains, self.costs,
                    self.numbers, self.covered, columns, words[3], self.prices, self.chains, self.listing,
                    ints, floats,
                )
            )
        return part

    def _workspace(self, width: int) -> _Workspace:
        kernel = self.kernel
        # A listing must have room for all rules of one row; otherwise the worse half is dropped when room runs out.
        capacity = 4096 + (width * (width + 1) // 2 if self.listing else 2 * self.keep)
        length = max(width, 64 * self.n_words + 64, self.depth + 2)
        return _Workspace(
            state=np.zeros(kernel.N_STATE, dtype=np.int64),
            numbers=np.zeros(kernel.N_FLOAT),
            found_values=np.empty(capacity),
            found_rules=np.empty((capacity, self.depth), dtype=np.int64),
            rule=np.zeros(self.depth, dtype=np.int64),
            ints=np.empty((kernel.N_INTS, length), dtype=np.int64),
            floats=np.empty((kernel.N_FLOATS, length)),
            bits=np.empty((kernel.N_BITS, max(64, self.n_words)), dtype=np.uint64),
        )

    def _grow(self, workspace: _Workspace, width: int) -> None:
        """Give a workspace the frames below the root and the levels of repacked samples."""
        from . import _bits

        kernel = self.kernel
        n_frames, n_pairs = self.depth - 2, max(1, self.depth - 4)
        frames = np.zeros((n_frames, kernel.N_FRAME), dtype=np.int64)
        frames[0, kernel.SIZE] = self.size
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

    def _start(self, workspace: _Workspace, cut: float, best: float) -> None:
        kernel = self.kernel
        workspace.state[:] = 0
        workspace.state[kernel.LISTING] = int(self.listing)
        workspace.numbers[kernel.CUT] = cut
        workspace.numbers[kernel.RECORD] = cut if self.listing else NEGATIVE
        workspace.numbers[kernel.BEST] = best
        workspace.numbers[kernel.SLACK] = self.slack

    def _merge(self, part: _Part) -> None:
        """Add what a part found; outside listing its best rule lowers the cut."""
        self.found.add(part.values, part.rules)
        self.found.open_bound = min(self.found.open_bound, part.open_bound)
        if not self.listing and len(part.values) and part.values.min() < self.best:
            self.best = float(part.values.min())
            self.cut = min(self.cut, self.best - self.slack)
        if part.open_bound < math.inf:
            self.stop = Stop.TIME_LIMIT
        if part.full or self._overfull(self.found):
            self.stop = Stop.OTHER_LIMIT

    # Pairs at the root, and the search below them ------------------------------------------------------------------

    def _pairs(self) -> None:
        self.pair_gains = np.empty((self.size, self.size))
        self.pair_costs = np.empty((self.size, self.size))
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

        def weigh_rows(workspace: _Workspace, chunk: int, cut: float, best: float) -> _Part:
            self._start(workspace, cut, best)
            part = self._empty_part()
            row, last = int(edges[chunk]), int(edges[chunk + 1])
            while row < last:
                if self._stopped():
                    part.open_bound = self._open_bound(self.problem.constant, self.gains, self.depth)
                    break
                row = self.kernel.weigh_rows(
                    row, last, self.size, self.depth - 2, self.numbers, self.candidates, self.gains, self.costs,
                    prices, chains, columns, self.covered, words, *plan, False, self.candidates,
                    self.pair_gains, self.least_price, workspace.state, workspace.numbers,
                    workspace.found_values, workspace.found_rules, workspace.rule, 0,
                    workspace.state[self.kernel.WORK] + SLICE, self.pair_gains, self.pair_costs,
                    dominated[chunk], workspace.ints, workspace.floats, workspace.bits,
                )
                if row < last and self._take(part, workspace):
                    return part
            self._take(part, workspace)
            return part

        if self._run_parts(len(edges) - 1, weigh_rows, lambda: self._workspace(self.size)) < len(edges) - 1:
            self.found.open_bound = self._open_bound(self.problem.constant, self.gains, self.depth)
        self.dominated = dominated.max(axis=0)

    def _below_pairs(self) -> None:
        live = np.triu(self.pair_gains > self.kernel.DEAD, 1) & (self.dominated == 0)
        n_live = live.sum(axis=1)
        width = int(n_live.max(initial=0))
        if width < 2:
            return
        kernel = self.kernel
        columns, words, ids, *plan = self.level
        # Parts of about equal work, which grows faster than the square of the number of candidates.
        work = np.cumsum(n_live.astype(np.float64) ** 2.5)
        edges = np.searchsorted(work, np.linspace(0.0, work[-1], PARTS + 1)[1:-1], side="right")
        edges = np.unique(np.concatenate([[0], edges, [self.size - 2]]).clip(0, self.size - 2))

        def make() -> _Workspace:
            workspace = self._workspace(width)
            self._grow(workspace, width)
            return workspace

        def search_below(workspace: _Workspace, number: int, cut: float, best: float) -> _Part:
            self._start(workspace, cut, best)
            part = self._empty_part()
            workspace.tree[0][0, kernel.CHILD] = edges[number]
            workspace.state[kernel.LAST] = edges[number + 1]
            while True:
                if self._stopped():
                    part.open_bound = self._open_tree_bound(workspace)
                    break
                outcome = kernel.search(
                    self.rows, self.weights, self.prices, self.least_price, self.chains, self.depth, SLICE,
                    workspace.state, workspace.numbers, *workspace.tree, workspace.rule, self.candidates, self.gains,
                    self.costs, self.pair_gains, self.pair_costs, self.dominated, columns, words, ids, *plan,
                    *workspace.levels, workspace.found_values, workspace.found_rules, workspace.ints, workspace.floats,
                    workspace.bits, workspace.used_blocks,
                )
                if outcome == kernel.FINISHED or (outcome == kernel.FULL and self._take(part, workspace)):
                    break
            self._take(part, workspace)
            return part

        merged = self._run_parts(len(edges) - 1, search_below, make)
        if merged < len(edges) - 1:
            left = self._open_bound(self.problem.constant, self.gains[edges[merged] :], self.depth)
            self.found.open_bound = min(self.found.open_bound, left)

    def _stopped(self) -> bool:
        return self.interrupted.is_set() or self.deadline.passed

    def _open_bound(self, price: float, gains: FloatArray, room: int) -> float:
        """No rule with one to ``room`` further conditions out of those with the gains costs less."""
        return price + min(self.least_price, room * self.least_price) - float(gains.max(initial=0.0))

    def _open_tree_bound(self, workspace: _Workspace) -> float:
        """The least bound of what a stopped search had not yet looked at."""
        kernel = self.kernel
        frames, frame_numbers, _, _, gains = workspace.tree[:5]
        depth = int(workspace.state[kernel.DEPTH])
        left = self.gains[frames[0, kernel.CHILD] : workspace.state[kernel.LAST]]
        bound = self._open_bound(self.problem.constant, left, self.depth) if len(left) else math.inf
        for level in range(1, depth + 1):
            size = int(frames[level, kernel.SIZE])
            first = int(frames[level, kernel.CHILD])
            price = float(frame_numbers[level, kernel.PRICE])
            bound = min(bound, self._open_bound(price, gains[level, first:size], self.depth - level))
        return bound

    def _run_parts(
        self, n_parts: int, work: Callable[[_Workspace, int, float, float], _Part], make: Callable[[], _Workspace]
    ) -> int:
        """Run the parts on the threads; merge in order, and let part k see what parts up to k - LAG found.

        Returns how many parts were merged: all, unless a limit was hit."""
        known = [(self.cut, self.best)]
        finished: dict[int, _Part] = {}
        errors: list[BaseException] = []
        changed = threading.Condition()
        taken = 0

        def next_part() -> int | None:
            nonlocal taken
            with changed:
                while self.stop is Stop.COMPLETED and not errors and taken < n_parts and taken - LAG >= len(known):
                    changed.wait()
                if self.stop is not Stop.COMPLETED or errors or taken >= n_parts:
                    return None
                taken += 1
                return taken - 1

        def take_parts() -> None:
            try:
                workspace = make()
                while (number := next_part()) is not None:
                    part = work(workspace, number, *known[max(0, number - LAG)])
                    with changed:
                        finished[number] = part
                        while self.stop is Stop.COMPLETED and len(known) - 1 in finished:
                            self._merge(finished.pop(len(known) - 1))
                            known.append((self.cut, self.best))
                        changed.notify_all()
            except BaseException as error:  # Also an interrupt: every thread must end before it is passed on.
                with changed:
                    errors.append(error)
                    self.interrupted.set()
                    changed.notify_all()

        helpers = [threading.Thread(target=take_parts, daemon=True) for _ in range(min(self.threads, n_parts) - 1)]
        for helper in helpers:
            helper.start()
        take_parts()
        for helper in helpers:
            helper.join()
        if errors:
            raise errors[0]
        return len(known) - 1
