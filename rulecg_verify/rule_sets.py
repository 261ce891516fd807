"""No rule set made of the list has a loss below the bound: searched by the sizes of its rules, then rule by rule.

A rule set of n rules and at most C rules and conditions fits *sizes*: numbers of which its rules, sorted, exceed none.
It is enough to look at all ways to divide C, or what n rules can have at most, into n sizes. For given sizes any prices
bound the loss of a rule set from below: the sum of the positives' prices, minus the price of each of the sizes, plus
the losses of its rules. How far this is below the bound is the *reach* of the losses of its rules together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .certificate_file import IntArray, Refused
from .table import BoolArray


@dataclass(frozen=True)
class Part:
    """What is left to show: further rules of these sizes, whose losses add up to the reach, do not beat the bound."""

    sizes: tuple[int, ...]
    chosen: tuple[int, ...]
    rules: IntArray
    """Those that may follow, and what each loses."""
    losses: IntArray
    reach: int
    is_open: BoolArray
    """The positives that no chosen rule covers."""
    prices: IntArray


def divisions(total: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
    """The ways to divide a total among so many rules: non-increasing sizes from 2 to the largest."""
    if count == 1:
        yield (total,)
    for size in range(min(largest, total - 2 * (count - 1)), 1, -1) if count > 1 else ():
        if size * count >= total:
            yield from ((size, *rest) for rest in divisions(total - size, count - 1, size))


@dataclass
class Search:
    """Goes through the nodes in the order of the certificate, and through everything between them."""

    covers: BoolArray
    """Rules × positives."""
    costs: IntArray
    sizes: IntArray
    """1 + number of conditions."""
    miss: IntArray
    """What missing each positive costs."""
    bound: int
    scale: int
    """Prices are in units of one over this."""
    nodes: Iterator[dict[str, Any]]

    def run(self, complexity: int, largest: int) -> None:
        """Search all divisions of the complexity."""
        everything, all_open = np.arange(len(self.sizes)), np.ones(len(self.miss), dtype=bool)
        for count in range(1, complexity // 2 + 1) if len(everything) else ():
            for sizes in divisions(min(complexity, count * largest), count, largest):
                self.with_new_prices(sizes, (), everything, all_open)
        if next(self.nodes, None) is not None:
            raise Refused("The certificate has nodes that belong nowhere.")

    def sums(self, rules: IntArray, weights: IntArray) -> IntArray:
        """For each rule, the sum of the weights of the positives it covers; float64 is exact below 2^53."""
        used = np.flatnonzero(weights)
        blocks = np.array_split(rules, len(rules) // 8192 + 1)
        parts = [self.covers[np.ix_(block, used)].astype(np.float64) @ weights[used] for block in blocks]
        return np.concatenate(parts).astype(np.int64)

    def with_new_prices(
        self, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, is_open: BoolArray
    ) -> None:
        """Search what is left with the prices of the next node."""
        node = next(self.nodes, None)
        if node is None or (tuple(node["sizes"]), tuple(node["chosen"])) != (sizes, chosen):
            raise Refused(f"The certificate lacks the node for rules of the sizes {list(sizes)} after {list(chosen)}.")
        positives, of_sizes = (np.array(node[name], dtype=np.int64) for name in ("positives", "prices"))
        if len(positives) != len(is_open) or (positives > self.scale * self.miss).any():
            raise Refused("A node's prices of positives are not one for each, at most what missing it costs.")
        prices = np.where(is_open, positives, 0)
        at_most = self.scale * int(self.costs[list(chosen)].sum()) + int(prices.sum())
        at_most -= sum(int(of_sizes[size - 2]) for size in sizes)
        losses = self.scale * self.costs[rules] + of_sizes[self.sizes[rules] - 2] - self.sums(rules, prices)
        reach = (self.bound - 1) * self.scale - at_most
        self.search(Part(sizes, chosen, rules, losses, reach, is_open, prices), frozenset(node["own"]))

    def search(self, part: Part, own: frozenset[int]) -> None:
        """Search a part; for the rules in ``own``, chosen next, nodes follow."""
        sizes, rule_sizes = part.sizes, self.sizes[part.rules]
        if not all((rule_sizes <= size).any() for size in sizes):
            return
        least = [int(part.losses[rule_sizes <= size].min()) for size in sizes]
        # A rule in the place of any size leaves at least the least losses of the other sizes to the others.
        kept = np.flatnonzero((part.losses <= part.reach - sum(least) + max(least)) & (rule_sizes <= max(sizes)))
        if sum(least) > part.reach:
            return
        kept = kept[np.argsort(part.losses[kept], kind="stable")]
        rules, losses = part.rules[kept], part.losses[kept]
        if len(sizes) == 1:
            miss = np.where(part.is_open, self.miss, 0)
            totals = int(self.costs[list(part.chosen)].sum() + miss.sum()) + self.costs[rules] - self.sums(rules, miss)
            if (totals < self.bound).any():
                raise Refused(f"A rule set of the list has a loss of {totals.min()}, below the bound.")
            return
        # For each rule: the rule sets of which it is the one with the least loss (the first of these in the list).
        for at, (rule, loss) in enumerate(zip(rules.tolist(), losses.tolist(), strict=True), 1):
            if len(sizes) * loss > part.reach:
                break
            end = int(np.searchsorted(losses, part.reach - loss * (len(sizes) - 1), side="right"))
            # The bound pays for a positive once: for one that the rule covers, too, the others lose its price.
            covered = self.covers[rule]
            raised = losses[at:end] + self.sums(rules[at:end], np.where(covered, part.prices, 0))
            near = raised <= part.reach - loss * (len(sizes) - 1)
            place = max(place for place, size in enumerate(sizes) if size >= self.sizes[rule])
            left, chosen, after = sizes[:place] + sizes[place + 1 :], (*part.chosen, rule), rules[at:end][near]
            if rule in own:
                self.with_new_prices(left, chosen, after, part.is_open & ~covered)
            else:
                prices, is_open = np.where(covered, 0, part.prices), part.is_open & ~covered
                self.search(Part(left, chosen, after, raised[near], part.reach - loss, is_open, prices), frozenset())
