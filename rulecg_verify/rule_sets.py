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

MOST_PAIRS, MOST_DIVISIONS, BLOCK = 20_000_000_000, 100_000, 512


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
        """For each rule, the sum of the weights of the positives it covers; float64 is exact below 2^53."""
        parts = np.array_split(rules, len(rules) // 8192 + 1)
        return np.concatenate([self.covers[some].astype(np.float64) @ weights for some in parts]).astype(np.int64)


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


def divisions(complexity: int, max_conditions: int) -> Iterator[tuple[int, ...]]:
    """The ways to divide the complexity among rules: non-increasing sizes from 2 to the largest size."""

    def parts(total: int, count: int, largest: int) -> Iterator[tuple[int, ...]]:
        if count == 0:
            yield ()
        for size in range(min(largest, total - 2 * (count - 1)), 1, -1) if count else ():
            if size * count >= total:
                yield from ((size, *rest) for rest in parts(total - size, count - 1, size))

    for count in range(1, complexity // 2 + 1):
        yield from parts(min(complexity, count * (max_conditions + 1)), count, max_conditions + 1)


class Search:
    """Goes through the nodes in the order of the certificate, and through everything between them."""

    def __init__(self, listed: List, nodes: list[dict[str, Any]]) -> None:
        self.listed, self.nodes, self.n_pairs, self.n_divisions = listed, iter(nodes), 0, 0

    def run(self, complexity: int, max_conditions: int) -> None:
        """Search all divisions of the complexity."""
        everything, all_open = np.arange(len(self.listed.sizes)), np.ones(len(self.listed.miss), dtype=bool)
        for sizes in divisions(complexity, max_conditions) if len(everything) else ():
            self.n_divisions += 1
            if self.n_divisions > MOST_DIVISIONS:
                raise Refused("The complexity can be divided in too many ways.")
            self.with_new_prices(sizes, (), everything, all_open)
        if next(self.nodes, None) is not None:
            raise Refused("The certificate has nodes that belong nowhere.")

    def with_new_prices(
        self, sizes: tuple[int, ...], chosen: tuple[int, ...], rules: IntArray, is_open: BoolArray
    ) -> None:
        """Search what is left with the prices of the next node."""
        listed, node = self.listed, next(self.nodes, None)
        if node is None or (tuple(node["sizes"]), tuple(node["chosen"])) != (sizes, chosen):
            raise Refused(f"The certificate lacks the node for rules of the sizes {list(sizes)} after {list(chosen)}.")
        positives, of_sizes = (np.array(node[name], dtype=np.int64) for name in ("positives", "prices"))
        if len(positives) != len(is_open) or (positives > listed.scale * listed.miss).any():
            raise Refused("A node's prices of positives are not one for each, at most what missing it costs.")
        prices = np.where(is_open, positives, 0)
        at_most = listed.scale * int(listed.costs[list(chosen)].sum()) + int(prices.sum())
        at_most -= sum(int(of_sizes[size - 2]) for size in sizes)
        losses = listed.scale * listed.costs[rules] + of_sizes[listed.sizes[rules] - 2] - listed.sums(rules, prices)
        part = Part(sizes, chosen, rules, losses, (listed.bound - 1) * listed.scale - at_most, is_open, prices)
        if self.search(part, frozenset(node["own"])) != set(node["own"]):
            raise Refused("A node announces others that are not needed.")

    def search(self, part: Part, own: frozenset[int]) -> set[int]:
        """Search a part; for which of the rules in ``own``, chosen next, nodes were read."""
        sizes, rule_sizes = part.sizes, self.listed.sizes[part.rules]
        if not all((rule_sizes <= size).any() for size in sizes):
            return set()
        least = [int(part.losses[rule_sizes <= size].min()) for size in sizes]
        if sum(least) > part.reach:
            return set()
        # A rule in the place of any size leaves at least the least losses of the other sizes to the others.
        kept = np.flatnonzero((part.losses <= part.reach - sum(least) + max(least)) & (rule_sizes <= max(sizes)))
        kept = kept[np.argsort(part.losses[kept], kind="stable")]
        part = Part(sizes, part.chosen, part.rules[kept], part.losses[kept], part.reach, part.is_open, part.prices)
        if len(sizes) > 2:
            return self.rule_by_rule(part, own)
        self.try_all(part)
        return set()

    def rule_by_rule(self, part: Part, own: frozenset[int]) -> set[int]:
        """For each rule: the rule sets of which it is the one with the least loss (the first of these in the list)."""
        met = set()
        for at, (rule, loss) in enumerate(zip(part.rules.tolist(), part.losses.tolist(), strict=True), 1):
            if len(part.sizes) * loss > part.reach:
                break
            place = max(place for place, size in enumerate(part.sizes) if size >= self.listed.sizes[rule])
            sizes, chosen = part.sizes[:place] + part.sizes[place + 1 :], (*part.chosen, rule)
            covered = self.listed.covers[rule]
            # The bound pays for a positive once: for one that the rule covers, too, the others lose its price.
            losses = part.losses[at:] + self.listed.sums(part.rules[at:], np.where(covered, part.prices, 0))
            near = losses <= part.reach - loss * (len(part.sizes) - 1)
            after, is_open = part.rules[at:][near], part.is_open & ~covered
            if rule in own:
                met.add(rule)
                self.with_new_prices(sizes, chosen, after, is_open)
            else:
                prices = np.where(covered, 0, part.prices)
                left = Part(sizes, chosen, after, losses[near], part.reach - loss, is_open, prices)
                self.search(left, frozenset())
        return met

    def try_all(self, part: Part) -> None:
        """Count the loss of every rule set with one or two further rules within reach."""
        listed, rules, miss = self.listed, part.rules, np.where(part.is_open, self.listed.miss, 0)
        base = int(listed.costs[list(part.chosen)].sum()) + int(miss.sum())
        values = base + listed.costs[rules] - listed.sums(rules, miss)
        if len(part.sizes) == 1 and (values < listed.bound).any():
            raise Refused(f"A rule set of the list has a loss of {values.min()}, below the bound.")
        # What two rules cover both, only one of them gains. Sums below 2^24 are exact in single precision.
        kind = np.float32 if listed.miss.sum() < 2**24 else np.float64
        for start in range(0, len(rules) if len(part.sizes) == 2 else 0, BLOCK):
            end = int(np.searchsorted(part.losses, part.reach - part.losses[start], side="right"))
            self.n_pairs += BLOCK * max(0, end - start)
            if self.n_pairs > MOST_PAIRS:
                raise Refused(f"The prices leave more than {MOST_PAIRS} pairs of rules to try.")
            left = listed.covers[rules[start : start + BLOCK]] * miss.astype(kind)
            for other in range(start, end, 8 * BLOCK):
                right = slice(other, min(end, other + 8 * BLOCK))
                both = left @ listed.covers[rules[right]].T.astype(kind)
                total = values[start : start + BLOCK, None] + (values[None, right] - base) + both
                for first, second in zip(*np.nonzero(total < listed.bound), strict=True):
                    pair = sorted((listed.sizes[rules[start + first]], listed.sizes[rules[other + second]]))
                    if start + first < other + second and pair[0] <= part.sizes[1] and pair[1] <= part.sizes[0]:
                        raise Refused("Two rules of the list bring a loss below the bound.")
