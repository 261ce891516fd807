"""Compiled passes over the data in blocks of rows: the matrix is read where it lies, whatever its size."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from rulecg_core import NEGATIVE, AnyArray, BoolArray, FloatArray, IntArray, PricingLimits, PricingProblem, Rule

BLOCK_ENTRIES = 4_000_000
"""Entries of the matrix that one thread looks at before the clock is read again."""
EXACT_ENTRIES = 4_000_000
"""Up to this size everything is summed in double precision; above, only the rules that are returned."""
LOOK_ENTRIES = 100_000_000
"""Entries of the matrix, times rules, that one compiled pass looks at: at most some tenths of a second."""
SINGLE_ROWS = 2048
"""How many rows are summed in single precision before the sum goes into double precision."""

Sums = TypeVar("Sums")


@frozen(eq=False)
class Block:
    """Some rows of the data."""

    X: NDArray[np.uint8]
    weights: FloatArray
    first_row: int
    """The number of its first row in the whole."""
    interrupted: threading.Event
    """Set when nobody waits for the answer any more."""

    def rows(self, start: int, stop: int) -> Block:
        return Block(self.X[start:stop], self.weights[start:stop], self.first_row + start, self.interrupted)


@frozen(eq=False)
class Extensions:
    """For every rule and every feature, the weights that are left once the feature is added to the rule."""

    negative: FloatArray
    """Sum of the negative weights of the samples still covered."""
    positive: FloatArray

    @property
    def covered(self) -> FloatArray:
        """Sum of all weights of the samples still covered."""
        return self.negative + self.positive


def extend(problem: PricingProblem, members: IntArray, limits: PricingLimits) -> Extensions | None:
    """Price every rule (a row of ``members``) with every feature added; None when time runs out."""
    from .row_kernels import add_extensions, add_extensions_single

    is_exact = problem.X.size <= EXACT_ENTRIES
    dtype: Any = np.float64 if is_exact else np.float32
    add = add_extensions if is_exact else add_extensions_single
    members = np.ascontiguousarray(members)
    # So many rows at a time that the compiled pass comes back soon, to an interpreter that hears Ctrl-C.
    n_rows = max(64, LOOK_ENTRIES // max(1, len(members) * problem.n_conditions))

    def add_rows(block: Block, sums: AnyArray, row: AnyArray) -> None:
        for first in range(0, len(block.X), n_rows):
            if not block.interrupted.is_set():
                add(block.X[first : first + n_rows], block.weights[first : first + n_rows], members, sums, row)

    def of_block(block: Block) -> FloatArray:
        sums = np.zeros((2, len(members), problem.n_conditions), dtype=dtype)
        row = np.empty(problem.n_conditions, dtype=dtype)
        if is_exact or len(block.X) <= SINGLE_ROWS:
            add_rows(block, sums, row)
            return sums
        total = np.zeros(sums.shape)
        for start in range(0, len(block.X), SINGLE_ROWS):
            sums[:] = 0
            add_rows(block.rows(start, start + SINGLE_ROWS), sums, row)
            total += sums
        return total

    found = _over_blocks(problem, of_block, limits)
    if found is None:
        return None
    total = found[0].astype(np.float64, copy=False)
    for sums in found[1:]:
        total += sums
    return Extensions(*total)


def cover_sums(
    problem: PricingProblem, rules: Sequence[Sequence[int]], *, all_rows: bool
) -> tuple[FloatArray, NDArray[np.uint64]]:
    """For each rule the sum of the weights it covers, and a key: equal for equal covers of all or of weighted rows."""
    from .row_kernels import add_covers

    features = np.array([feature for rule in rules for feature in rule], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(rule) for rule in rules])]).astype(np.int64)

    def of_block(block: Block) -> tuple[FloatArray, NDArray[np.uint64]]:
        sums, keys = np.zeros(len(rules)), np.zeros(len(rules), dtype=np.uint64)
        add_covers(block.X, block.weights, all_rows, block.first_row, features, starts, sums, keys)
        return sums, keys

    found = _over_blocks(problem, of_block, PricingLimits()) or []
    sums = np.sum([sums for sums, _ in found], axis=0)
    return sums, np.sum([keys for _, keys in found], axis=0, dtype=np.uint64)


def allowed_rules(problem: PricingProblem, rules: Sequence[Rule]) -> Sequence[Rule]:
    """Those that keep every bound on single rules."""
    for bound in problem.bounds:
        lengths = np.array([problem.condition_costs[list(rule.features)].sum() for rule in rules])
        values = bound.form.length * lengths + bound.form.rule + bound.form.const
        if bound.form.cover is not None:
            counted = evolve(problem, sample_weights=bound.form.cover)
            values = values + cover_sums(counted, [rule.features for rule in rules], all_rows=False)[0]
        kept = (values >= bound.lo - bound.slack) & (values <= bound.hi + bound.slack)
        rules = [rule for rule, is_kept in zip(rules, kept, strict=True) if is_kept]
    return rules


def bounded(problem: PricingProblem, members: IntArray, limits: PricingLimits) -> tuple[BoolArray, BoolArray] | None:
    """For every rule (a row of ``members``) and every feature: whether the rule with the feature keeps every bound on
    single rules, and whether it may with further features; None when time runs out."""
    shape = len(members), problem.n_conditions
    allowed, hopeful = np.ones(shape, dtype=bool), np.ones(shape, dtype=bool)
    for bound in problem.bounds:
        for form, least in bound.floors():
            value = np.full(shape, form.rule)
            if form.length:
                lengths = problem.condition_costs[members].sum(axis=1)[:, None] + problem.condition_costs
                value += form.length * lengths
            most = value
            if form.cover is not None:
                found = extend(evolve(problem, sample_weights=form.cover), members, limits)
                if found is None:
                    return None
                value, most = value + found.covered, value + found.positive
            # Sums here may be in single precision: what is returned is looked at again.
            slack = bound.slack if problem.X.size <= EXACT_ENTRIES else 1e-6 * abs(least)
            allowed &= value >= least - slack
            hopeful &= most >= least - slack
    return allowed, hopeful


def negative_rules(problem: PricingProblem, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Those with negative reduced cost, best first, of equal covers only the first; costs come from the full data, in
    double precision."""
    prices = problem.condition_prices
    rules = allowed_rules(problem, rules)
    covered, covers = cover_sums(problem, [rule.features for rule in rules], all_rows=True)
    costs = covered + [prices[list(rule.features)].sum() for rule in rules] + problem.constant
    # Rounding must not decide between rules of equal cost: the shorter one is wanted.
    order = np.lexsort(([len(rule) for rule in rules], np.round(costs, 9)))
    first = np.sort(np.unique(covers[order], return_index=True)[1])
    return tuple(rules[i] for i in order[first] if costs[i] < NEGATIVE)


def _over_blocks(
    problem: PricingProblem, of_block: Callable[[Block], Sums], limits: PricingLimits
) -> list[Sums] | None:
    """What the function says of each block of rows, in order; None when time ran out. Threads share the blocks."""
    X: NDArray[np.uint8] = np.ascontiguousarray(problem.X).view(np.uint8)
    whole = Block(X, np.ascontiguousarray(problem.sample_weights), 0, threading.Event())
    n_rows = max(SINGLE_ROWS, BLOCK_ENTRIES // max(1, problem.n_conditions))
    starts = range(0, max(1, problem.n_samples), n_rows)

    def run(start: int) -> Sums | None:
        if limits.deadline.passed:
            return None
        return of_block(whole.rows(start, start + n_rows))

    found: list[Sums] = []
    for sums in _mapped(run, starts, limits.threads, whole.interrupted):
        if sums is None:
            return None
        found.append(sums)
    return found


def _mapped(
    run: Callable[[int], Sums], starts: Sequence[int], threads: int, interrupted: threading.Event
) -> Iterator[Sums]:
    if threads < 2 or len(starts) < 2:
        yield from map(run, starts)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(run, starts)
    finally:
        # After Ctrl-C or out of time nobody waits for the other blocks: they end soon, or do not begin.
        interrupted.set()
        pool.shutdown(cancel_futures=True)
