"""No rule set made of the list has a loss below the bound: searched by the sizes of its rules, then rule by rule.

A rule set with n rules and at most C rules and conditions fits *sizes*: numbers of which its rules, sorted, exceed
none. It is enough to look at all ways to divide C, or what n rules can have at most, into n sizes. For given sizes any
prices bound the loss of a rule set from below: the sum of the positives' prices, minus the price of each of the sizes,
plus the losses of its rules. How far this is below the bound is the *reach* of the losses of its rules together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .certificate_file import IntArray, Node, Refused
from .table import BoolArray

MOST_PAIRS = 20_000_000_000
MOST_DIVISIONS = 100_000
BLOCK = 512


@dataclass(frozen=True)
class List:
    """Rules as the search sees them."""

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

    def sums(self, rules: IntArray, weights: IntArray) -> IntArray:
        """For each rule, the sum of the weights of the positives it covers."""
        found = [self.covers[some].astype(np.float64) @ weights for some in np.array_split(rules, len(rules) // 8192 + 1)]
        return np.concatenate(found).astype(np.int64)


def divisions(complexity: int, max_conditions: int) -> Iterator[tuple[int, ...]]:
    """The ways to divide the complexity among rules: non-increasing sizes from 2 to the largest size."""

    def parts(total: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
        if count == 0:
            yield ()
            return
        for size in range(min(largest, total - 2 * (count - 1)), 1, -1):
            if size * count >= total:
                yield from ((size, *rest) for rest in parts(total - size, count - 1, size))

    for count in range(1, complexity // 2 + 1):
        yield from parts(min(complexity, count * (max_conditions + 1)), count, max_conditions + 1)


class Search:
    """Goes through the nodes in the order of the certificate, and through everything between them."""

    def __init__(self, listed: List, nodes: tuple[Node, ...]) -> None:
        self.listed, self.nodes = listed, iter(nodes)
        self.n_pairs = 0

    def run(self, complexity: int, max_conditions: int) -> int:
        """Search all divisions of the complexity; how many there are."""
        everything = np.arange(len(self.listed.sizes))
        n_divisions = 0
        for sizes in divisions(complexity, max_conditions) if len(everything) else ():
            n_divisions += 1
            if n_divisions > MOST_DIVISIONS:
                raise Refused("The complexity can be divided in too many ways.")
            self.with_new_prices(sizes, (), everything, np.ones(len(self.listed.miss), dtype=bool))
        if next(self.nodes, None) is not None:
            raise Refused("The certificate has nodes that belong nowhere.")
        return n_divisions

    def with_new_prices(self, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, is_open: BoolArray) -> None:
        """Search what is left with the prices of the next node; ``is_open`` are the positives not covered yet."""
        node = next(self.nodes, None)
        if node is None or node.sizes != sizes or node.chosen != chosen or len(node.positives) != len(is_open):
            raise Refused(f"The certificate lacks the node for rules of the sizes {list(sizes)} after {list(chosen)}.")
        listed, prices = self.listed, np.where(is_open, node.positives, 0)
        if (prices > listed.scale * listed.miss).any():
            raise Refused("A node's price of a positive is more than missing it costs.")
        at_most = listed.scale * int(listed.costs[list(chosen)].sum()) + int(prices.sum())
        at_most -= sum(int(node.prices[size - 2]) for size in sizes)
        losses = listed.scale * listed.costs[rules] + node.prices[listed.sizes[rules] - 2] - listed.sums(rules, prices)
        reach = (listed.bound - 1) * listed.scale - at_most
        self.search(sizes, chosen, rules, losses, reach, is_open, prices, node.own)

    # The state of a search: what was chosen, what may follow, and what that may lose.
    def search(
        self, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, losses: IntArray, reach: int,
        is_open: BoolArray, prices: IntArray, own: frozenset[int],
    ) -> None:  # fmt: skip
        """Show that no further rules of these sizes lose no more than the reach, unless they do not beat the bound."""
        rule_sizes = self.listed.sizes[rules]
        if len(rules) < len(sizes) or not all((rule_sizes <= size).any() for size in sizes):
            self.expect_none(own)
            return
        least = [int(losses[rule_sizes <= size].min()) for size in sizes]
        # A rule in the place of any size leaves at least the least losses of the other sizes to the others.
        kept = np.flatnonzero((losses <= reach - sum(least) + max(least)) & (rule_sizes <= max(sizes)))
        if sum(least) > reach or len(kept) < len(sizes):
            self.expect_none(own)
            return
        kept = kept[np.argsort(losses[kept], kind="stable")]
        rules, losses = rules[kept], losses[kept]
        if len(sizes) <= 2:
            self.expect_none(own)
            self.try_all(sizes, chosen, rules, losses, reach, is_open)
            return
        self.rule_by_rule(sizes, chosen, rules, losses, reach, is_open, prices, own)

    def expect_none(self, own: frozenset[int]) -> None:
        """A node that is closed at once has no others below it."""
        if own:
            raise Refused("A node announces others where none are needed.")

    def rule_by_rule(
        self, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, losses: IntArray, reach: int,
        is_open: BoolArray, prices: IntArray, own: frozenset[int],
    ) -> None:  # fmt: skip
        """For each rule: the rule sets of which it is the one with the least loss (the first of these in the list)."""
        met = set()
        for at, (rule, loss) in enumerate(zip(rules.tolist(), losses.tolist(), strict=True)):
            if len(sizes) * loss > reach:
                break
            place = max((place for place, size in enumerate(sizes) if size >= self.listed.sizes[rule]), default=-1)
            if place < 0:
                continue
            left, after, covered = sizes[:place] + sizes[place + 1 :], rules[at + 1 :], self.listed.covers[rule]
            # The bound pays for a positive once: for one that the rule covers, too, the others lose its price.
            again = losses[at + 1 :] + self.listed.sums(after, np.where(covered, prices, 0))
            near = again <= reach - loss * (len(sizes) - 1)
            after, again, still_open = after[near], again[near], is_open & ~covered
            if rule in own:
                met.add(rule)
                self.with_new_prices(left, (*chosen, rule), after, still_open)
            else:
                still = np.where(covered, 0, prices)
                self.search(left, (*chosen, rule), after, again, reach - loss, still_open, still, frozenset())
        if met != own:
            raise Refused("A node announces others that are not needed.")

    def try_all(
        self, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, losses: IntArray, reach: int,
        is_open: BoolArray,
    ) -> None:  # fmt: skip
        """Count the loss of every rule set with one or two further rules within reach."""
        listed, open_miss = self.listed, np.where(is_open, self.listed.miss, 0)
        base = int(listed.costs[list(chosen)].sum()) + int(open_miss.sum())
        values = base + listed.costs[rules] - listed.sums(rules, open_miss)
        if len(sizes) == 1:
            if (values < listed.bound).any():
                raise Refused(f"A rule set of the list has a loss of {values.min()}, below the bound.")
            return
        # What two rules cover both, only one of them gains. Sums below 2^24 are exact in single precision.
        kind = np.float32 if listed.miss.sum() < 2**24 else np.float64
        for start in range(0, len(rules), BLOCK):
            one = slice(start, start + BLOCK)
            end = int(np.searchsorted(losses, reach - losses[start], side="right"))
            if end <= start:
                break
            self.n_pairs += (min(start + BLOCK, len(rules)) - start) * (end - start)
            if self.n_pairs > MOST_PAIRS:
                raise Refused(f"The prices leave more than {MOST_PAIRS} pairs of rules to try.")
            left = listed.covers[rules[one]] * open_miss.astype(kind)
            for other in range(start, end, 8 * BLOCK):
                two = slice(other, min(end, other + 8 * BLOCK))
                both = left @ listed.covers[rules[two]].T.astype(kind)
                total = values[one, None] + (values[None, two] - base) + both
                for first, second in zip(*np.nonzero(total < listed.bound), strict=True):
                    pair = sorted((listed.sizes[rules[start + first]], listed.sizes[rules[other + second]]))
                    if start + first < other + second and pair[0] <= sizes[1] and pair[1] <= sizes[0]:
                        raise Refused("Two rules of the list bring a loss below the bound.")
