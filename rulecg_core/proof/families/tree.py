"""The tree that is searched for families of rules within a threshold.

For every number of rules there is a root. Duals bound the objective of all families below a node: what its bound and
the losses of further rules add up to must stay within the threshold. A child has one more rule, the one of its family
that loses least, so that every family is below exactly one child. Near the leaves, the last two rules are found by
trying all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import evolve, frozen

from ...api.backend import Backend
from ...base.arrays import AnyArray, FloatArray, IntArray
from ...base.limits import Deadline
from ...data.goal import Goal
from ..list_duals import ListDuals, Part
from ..listed_covers import ListedCovers, sums
from ..listed_pairs import fitting_pairs, n_pairs
from .covers import CoverTable

MOST_PAIRS = 200_000
"""With more pairs in reach than this, duals are sought anew before pairs are tried."""
WORTH_DUALS = 3_000
"""New duals are sought where more families than this may be below a node, by the losses known."""


@frozen(eq=False)
class Node:
    """What is left to choose, and what it may lose."""

    part: Part
    """Candidates ordered by their losses, least first."""
    losses: FloatArray
    reach: float
    """What the losses of further rules may add up to."""
    duals: FloatArray
    fresh: bool = False
    """Whether the duals were sought for this very node."""


class FamilyTree:
    """The families of listed rules with an objective up to a threshold.

    Parameters
    ----------
    goal : its rows must look at nothing but size
    backend : solves the duals' linear programs
    table : the rules
    threshold : families above it are of no interest
    deadline : when to give up, by a TimeoutError
    """

    def __init__(
        self, goal: Goal, backend: Backend, table: CoverTable, threshold: float, deadline: Deadline
    ) -> None:
        self.table, self.deadline = table, deadline
        self.slack = 1e-6 * max(1.0, abs(threshold))
        self.threshold = threshold + self.slack
        positives = np.flatnonzero(table.missed > 0)
        self.weights = table.missed[positives]
        n_bytes = -(-len(table.missed) // 8)
        packed = np.ascontiguousarray(table.words).view(np.uint8)[:, :n_bytes]
        blocks = (packed[at : at + 2_000] for at in range(0, len(packed), 2_000))
        self.covers = ListedCovers(
            (np.unpackbits(some, axis=1, count=len(table.missed)).view(np.bool_)[:, positives] for some in blocks),
            self.weights,
        )
        rows = [row.normalised() for row in goal.rows]
        self.sizes = np.array([row.form.length * table.lengths + row.form.rule for row in rows])
        self.sizes = self.sizes.reshape(len(rows), len(table))
        self.limits = np.array([row.hi for row in rows]) + 1e-9
        self.programs = ListDuals(backend, table.costs, self.covers, self.weights, deadline)

    def roots(self, likely_number: int = 1) -> Iterator[Node]:
        """A node for every number of rules that some family within the threshold may have, none included.

        Parameters
        ----------
        likely_number : the number of rules to begin with
        """
        everything = np.ones(len(self.weights), dtype=bool)
        fitting = np.flatnonzero((self.sizes <= self.limits[:, None]).all(axis=0))
        part = Part(fitting, 0, self.table.const, everything, self.sizes, self.limits)
        first = max(1, likely_number)
        fewer = range(min(first, len(fitting) + 1) - 1, 0, -1)
        for numbers, side in ((range(first, len(fitting) + 1), 1), (fewer, -1)):
            for number in numbers:
                solved = self.programs.bound(evolve(part, n_rules=number), self.threshold)
                if solved.bound > self.threshold:
                    if side * solved.per_rule >= 0:
                        # The same duals show that going on in this direction only makes it worse.
                        break
                    continue
                reach = self.threshold - solved.bound
                yield self._node(evolve(part, n_rules=number), solved.losses, reach, solved.duals)

    def _node(self, part: Part, losses: FloatArray, reach: float, duals: FloatArray) -> Node:
        kept = np.flatnonzero(losses <= reach)
        order = kept[np.argsort(losses[kept], kind="stable")]
        return Node(evolve(part, candidates=part.candidates[order]), losses[order], reach, duals, fresh=True)

    def tightened(self, node: Node) -> Node | None:
        """The node with duals of its own where that is worth their time; None where nothing is below it."""
        part = node.part
        if len(part.candidates) < part.n_rules:
            return None
        if node.fresh or self.likely_size(node) <= WORTH_DUALS:
            return node
        if self.deadline.passed:
            raise TimeoutError
        solved = self.programs.bound(part, self.threshold)
        if solved.bound > self.threshold:
            return None
        node = self._node(part, solved.losses, self.threshold - solved.bound, solved.duals)
        return node if len(node.losses) >= part.n_rules else None

    def likely_size(self, node: Node) -> float:
        """More families than are below a node, roughly: by how many rules are in reach if all lose alike."""
        n = node.part.n_rules
        if n == 1:
            return float(len(node.losses))
        each = np.searchsorted(node.losses, node.reach / n * np.arange(1, n + 1), side="right").astype(np.float64)
        return float(np.prod(each / np.arange(1, n + 1)))

    def is_leaf(self, node: Node) -> bool:
        """Whether the families below a node are found at once."""
        return node.part.n_rules == 1 or (
            node.part.n_rules == 2 and n_pairs(node.losses, node.reach) <= MOST_PAIRS
        )

    def children(self, node: Node) -> list[tuple[int, float]]:
        """Positions of the rules of a node's children, with roughly how many families are below each."""
        losses, n = node.losses, node.part.n_rules
        ends = int(np.searchsorted(losses, node.reach / n, side="right"))
        near = np.searchsorted(losses, node.reach - (n - 1) * losses[:ends], side="right")
        left = np.maximum(near - np.arange(1, ends + 1), 0)
        return [(at, float(left[at]) ** (n - 1)) for at in range(ends) if left[at] >= n - 1]

    def child(self, node: Node, at: int) -> Node | None:
        """The families of a node with the rule at a position and none before it; None where there are none."""
        part, losses = node.part, node.losses
        rule, loss = int(part.candidates[at]), float(losses[at])
        if part.chosen and not self.table.none_is_redundant(np.array([[*part.chosen, rule]], dtype=np.int64))[0]:
            return None
        limits = part.limits - part.rows[:, rule]
        each = node.reach - loss - max(0, part.n_rules - 2) * loss
        near = np.arange(at + 1, np.searchsorted(losses, each, side="right"))
        near = near[(part.rows[:, part.candidates[near]] <= limits[:, None]).all(axis=0)]
        if len(near) < part.n_rules - 1:
            return None
        own = self.covers.of(rule)
        again = np.where(part.is_open & own, node.duals, 0.0)
        new_losses = losses[near] + sums(self.covers.by_byte(part.candidates[near]), again)
        passing = np.flatnonzero(new_losses <= each)
        passing = passing[np.argsort(new_losses[passing], kind="stable")]
        if len(passing) < part.n_rules - 1:
            return None
        further = part.candidates[near[passing]]
        child = Part(
            further,
            part.n_rules - 1,
            part.constant + float(self.table.costs[rule]),
            part.is_open & ~own,
            part.rows,
            limits,
            (*part.chosen, rule),
        )
        return Node(child, new_losses[passing], node.reach - loss, np.where(child.is_open, node.duals, 0.0))

    def families(self, node: Node) -> Iterator[IntArray]:
        """Blocks of families below a leaf: those within the threshold, without redundant rules."""
        for block in self._pairs(node) if node.part.n_rules == 2 else [node.part.candidates[:, None]]:
            chosen = np.broadcast_to(np.array(node.part.chosen, dtype=np.int64), (len(block), len(node.part.chosen)))
            found = np.concatenate([chosen, block], axis=1)
            if len(found):
                found = found[self.table.objectives(found) <= self.threshold]
                found = found[self.table.none_is_redundant(found)]
            if len(found):
                yield found

    def _pairs(self, node: Node) -> Iterator[IntArray]:
        part, candidates = node.part, node.part.candidates
        values = self.table.costs[candidates] - self.covers.gains(candidates, part.is_open)
        base = part.constant + float(self.weights[part.is_open].sum())
        # Rounded sums find the pairs that may do, their true objectives decide.
        rounding = 1e-5 * (1.0 + float(self.weights.sum()))
        for one, other in fitting_pairs(part.rows[:, candidates], part.limits, node.losses, node.reach):
            if self.deadline.passed:
                raise TimeoutError
            overlaps: AnyArray = self.covers.overlaps(candidates[one], candidates[other], part.is_open)
            most = (self.threshold + rounding - base - values[one])[:, None] - values[other]
            left, right = np.nonzero(overlaps <= most)
            if one[0] == other[0]:
                # Blocks of one kind of rules hold pairs both ways.
                once = one[left] < other[right]
                left, right = left[once], right[once]
            pairs = np.stack([candidates[one[left]], candidates[other[right]]], axis=1)
            fits = (part.rows[:, pairs].sum(axis=2) <= part.limits[:, None]).all(axis=0)
            for at in range(0, int(fits.sum()), 4_096):
                yield pairs[fits][at : at + 4_096]
