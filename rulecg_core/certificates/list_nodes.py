"""The nodes that show that no rule set of a list beats the bound.

The search mirrors the one of the checker, which says in its own words why it is valid: by the sizes of the rules, then
rule by rule. Here it decides besides where new prices are worth their place in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, evolve, field, frozen

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


@frozen(eq=False)
class _Part:
    """What is left to look at: further rules of these sizes, whose losses add up to no more than the reach."""

    node: ListNode
    """Whose prices are used."""
    sizes: tuple[int, ...]
    chosen: tuple[int, ...]
    rules: IntArray
    losses: IntArray
    reach: int
    is_open: BoolArray
    prices: IntArray


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
        reach = (self.bound - 1) * SCALE - at_most
        self.search(_Part(node, sizes, chosen, rules, losses, reach, is_open, found.positives))

    def search(self, part: _Part) -> None:
        """Look at the rule sets of a part; with one or two rules left there is nothing to note."""
        left = self.left(part)
        if len(left) and len(part.sizes) > 2:
            self.rule_by_rule(evolve(part, rules=part.rules[left], losses=part.losses[left]))

    def left(self, part: _Part) -> IntArray:
        """Places of the rules that can be in a rule set within reach, the least loss first."""
        sizes, losses = part.sizes, part.losses
        rule_sizes, nothing = self.listed.sizes[part.rules], np.zeros(0, dtype=np.int64)
        if len(losses) < len(sizes) or not all((rule_sizes <= size).any() for size in sizes):
            return nothing
        least = [int(losses[rule_sizes <= size].min()) for size in sizes]
        kept = np.flatnonzero((losses <= part.reach - sum(least) + max(least)) & (rule_sizes <= max(sizes)))
        if sum(least) > part.reach or len(kept) < len(sizes):
            return nothing
        return kept[np.argsort(losses[kept], kind="stable")]

    def rule_by_rule(self, part: _Part) -> None:
        """For each rule, those rule sets of which it is the one with the least loss."""
        listed, n_rules = self.listed, len(part.sizes)
        for at, (rule, loss) in enumerate(zip(part.rules.tolist(), part.losses.tolist(), strict=True), 1):
            if n_rules * loss > part.reach:
                break
            place = max(place for place, size in enumerate(part.sizes) if size >= listed.sizes[rule])
            covered, chosen = listed.covers[rule], (*part.chosen, rule)
            end = int(np.searchsorted(part.losses, part.reach - loss * (n_rules - 1), side="right"))
            after = part.rules[at:end]
            losses = part.losses[at:end] + listed.sums(after, np.where(covered, part.prices, 0)).astype(np.int64)
            near = losses <= part.reach - loss * (n_rules - 1)
            left = _Part(
                node=part.node,
                sizes=part.sizes[:place] + part.sizes[place + 1 :],
                chosen=chosen,
                rules=after[near],
                losses=losses[near],
                reach=part.reach - loss,
                is_open=part.is_open & ~covered,
                prices=np.where(covered, 0, part.prices),
            )
            if part.chosen == part.node.chosen and self.is_much(left):
                part.node.own.append(rule)
                self.with_new_prices(left.sizes, chosen, left.rules, left.is_open)
            else:
                self.search(left)

    def is_much(self, part: _Part) -> bool:
        """Whether the part would take long without new prices."""
        left = self.left(part)
        if len(part.sizes) > 2:
            return len(left) > FEW_RULES
        losses = part.losses[left]
        return int(np.searchsorted(losses, part.reach - losses, side="right").sum()) // 2 > FEW_PAIRS
