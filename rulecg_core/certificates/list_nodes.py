"""The nodes that show that no rule set of a list beats the bound.

The search mirrors the one of the checker, which says in its own words why it is valid: by the sizes of the rules, then
rule by rule. Here it decides besides where new prices are worth their place in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, field

from ..base.arrays import BoolArray, IntArray
from ..base.limits import Deadline
from .node_prices import ListedRules, PriceFinder
from .priced_list import SCALE, NoCertificateError

FEW_PAIRS = 300_000
"""So many pairs are tried rather than thinned out by new prices."""
FEW_RULES = 30
"""Where more than two rules are left to choose, so few candidates need no new prices."""
MOST_NODES = 50_000


@define(eq=False)
class ListNode:
    """Prices for the rule sets that hold the chosen rules and others of at most these sizes."""

    sizes: tuple[int, ...]
    chosen: tuple[int, ...]
    positives: IntArray
    prices: IntArray
    own: list[int] = field(factory=list)
    """The next rules for which a node of their own follows."""


def divisions(complexity: int, max_size: int) -> Iterator[tuple[int, ...]]:
    """Divide the complexity among rules in all ways: non-increasing sizes from 2 to the largest.

    Examples
    --------
    >>> list(divisions(7, 4))
    [(4,), (4, 3), (3, 2, 2)]
    """

    def parts(total: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
        if count == 0:
            yield ()
        for size in range(min(largest, total - 2 * (count - 1)), 1, -1) if count else ():
            if size * count >= total:
                yield from ((size, *rest) for rest in parts(total - size, count - 1, size))

    for count in range(1, complexity // 2 + 1):
        yield from parts(min(complexity, count * max_size), count, max_size)


class NodeSearch:
    """Searches a list and notes the nodes."""

    def __init__(self, listed: ListedRules, finder: PriceFinder, bound: int, deadline: Deadline) -> None:
        self.listed, self.finder, self.bound, self.deadline = listed, finder, bound, deadline
        self.nodes: list[ListNode] = []

    def run(self, complexity: int) -> list[ListNode]:
        """Search all divisions of the complexity.

        Raises
        ------
        NoCertificateError
            When the time is over first, or it takes too many nodes.
        """
        everything, open_ = np.arange(len(self.listed.costs)), np.ones(len(self.listed.miss), dtype=bool)
        for sizes in divisions(complexity, self.listed.max_size) if len(everything) else ():
            self.with_new_prices(sizes, (), everything, open_)
        return self.nodes

    def with_new_prices(
        self, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, is_open: BoolArray
    ) -> None:
        """Find prices for what is left, and search it with them."""
        if self.deadline.passed or len(self.nodes) >= MOST_NODES:
            raise NoCertificateError(f"No certificate: after {len(self.nodes)} nodes rule sets are left to look at.")
        listed = self.listed
        fitting = rules[listed.sizes[rules] <= max(sizes)]
        base = int(listed.costs[list(chosen)].sum())
        found = self.finder.prices(sizes, fitting, is_open, base, self.bound)
        node = ListNode(sizes, chosen, found.positives, found.sizes)
        self.nodes.append(node)
        at_most = SCALE * base + int(found.positives.sum()) - sum(int(found.sizes[size - 2]) for size in sizes)
        losses = SCALE * listed.costs[rules] + found.sizes[listed.sizes[rules] - 2]
        losses = losses - listed.sums(rules, found.positives).astype(np.int64)
        self.search(node, sizes, chosen, rules, losses, (self.bound - 1) * SCALE - at_most, is_open, found.positives)

    # The state of a search: what was chosen, what may follow, and what that may lose.
    def search(
        self, node: ListNode, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, losses: IntArray,
        reach: int, is_open: BoolArray, prices: IntArray,
    ) -> None:  # fmt: skip
        """Look at the further rules of these sizes that lose no more than the reach."""
        left = self.left(sizes, rules, losses, reach)
        if len(left) and len(sizes) > 2:
            self.rule_by_rule(node, sizes, chosen, rules[left], losses[left], reach, is_open, prices)

    def left(self, sizes: tuple[int, ...], rules: IntArray, losses: IntArray, reach: int) -> IntArray:
        """Places of the rules that can be in a rule set within reach, the least loss first."""
        rule_sizes, nothing = self.listed.sizes[rules], np.zeros(0, dtype=np.int64)
        if len(rules) < len(sizes) or not all((rule_sizes <= size).any() for size in sizes):
            return nothing
        least = [int(losses[rule_sizes <= size].min()) for size in sizes]
        kept = np.flatnonzero((losses <= reach - sum(least) + max(least)) & (rule_sizes <= max(sizes)))
        if sum(least) > reach or len(kept) < len(sizes):
            return nothing
        return kept[np.argsort(losses[kept], kind="stable")]

    def rule_by_rule(
        self, node: ListNode, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, losses: IntArray,
        reach: int, is_open: BoolArray, prices: IntArray,
    ) -> None:  # fmt: skip
        """For each rule, those rule sets of which it is the one with the least loss."""
        for at, (rule, loss) in enumerate(zip(rules.tolist(), losses.tolist(), strict=True)):
            if len(sizes) * loss > reach:
                break
            place = max((place for place, size in enumerate(sizes) if size >= self.listed.sizes[rule]), default=-1)
            if place < 0:
                continue
            left, after, covered = sizes[:place] + sizes[place + 1 :], rules[at + 1 :], self.listed.covers[rule]
            again = losses[at + 1 :] + self.listed.sums(after, np.where(covered, prices, 0)).astype(np.int64)
            near = again <= reach - loss * (len(sizes) - 1)
            after, again = after[near], again[near]
            is_own = chosen == node.chosen and self.is_much(left, after, again, reach - loss)
            if is_own:
                node.own.append(rule)
                self.with_new_prices(left, (*chosen, rule), after, is_open & ~covered)
            else:
                still = np.where(covered, 0, prices)
                self.search(node, left, (*chosen, rule), after, again, reach - loss, is_open & ~covered, still)

    def is_much(self, sizes: tuple[int, ...], rules: IntArray, losses: IntArray, reach: int) -> bool:
        """Whether what is left would take long without new prices."""
        left = self.left(sizes, rules, losses, reach)
        if len(sizes) > 2:
            return len(left) > FEW_RULES
        ordered = losses[left]
        return len(sizes) == 2 and int(np.searchsorted(ordered, reach - ordered, side="right").sum()) // 2 > FEW_PAIRS
