"""All families of rules within a threshold; where there are too many, as many as wanted and an estimate of all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from ...api.backend import Backend
from ...base.arrays import FloatArray, IntArray
from ...base.limits import Deadline
from ...data.goal import Goal
from ...data.rules import Rule
from .covers import CoverTable
from .tree import FamilyTree, Node


@frozen
class Estimate:
    """How many families there are, by walks down the search tree that choose a child by chance and count what is at
    their end by one over the chance of getting there: right in the mean, whatever the tree."""

    count: float
    standard_error: float
    n_walks: int


@frozen(eq=False)
class Families:
    """Families of covers whose objective is within a threshold, the least objective first."""

    table: CoverTable = field(repr=False)
    """The rules, one for every cover."""
    families: IntArray = field(repr=False)
    """Families × places: positions of rules in the table, ascending; -1 where a family has fewer rules than others."""
    objectives: FloatArray = field(repr=False)
    complete: bool
    """Whether no other family of the rules is within the threshold."""
    estimate: Estimate | None = None
    """How many there are, where they are not complete and there was time to walk."""

    def __len__(self) -> int:
        return len(self.families)

    def rules(self, at: int) -> tuple[Rule, ...]:
        """The rules of one family."""
        return tuple(self.table.rules[rule] for rule in self.families[at] if rule >= 0)


def families_within(  # what is listed and what may be spent: a class would only give the same things other names
    goal: Goal,
    backend: Backend,
    rules: Sequence[Rule],
    threshold: float,
    *,
    most: int = 1_000_000,
    deadline: Deadline = Deadline(),  # noqa: B008 - frozen
    likely_number: int = 1,
    walk_share: float = 0.2,
    seed: int = 0,
) -> Families:
    """List the families of some rules with an objective up to a threshold, without redundant rules.

    Rules with the same cover are one. A rule is redundant where the others of its family cover all that it does. The
    family without rules is one too.

    Parameters
    ----------
    goal : what families are judged by; its rows must look at nothing but size
    backend : solves linear programs
    rules : what families are made of
    threshold : the largest objective
    most : how many families are listed at most
    deadline : when to stop
    likely_number : how many rules the best family probably has
    walk_share : the share of the time that is kept for an estimate, where the list will not be complete
    seed : for the walks
    """
    table = CoverTable.of(goal, rules)
    listing_end = deadline.within((1 - walk_share) * deadline.remaining) if deadline.is_finite else deadline
    tree = FamilyTree(goal, backend, table, threshold, listing_end)
    found: list[IntArray] = []
    n_empty = int(goal.objective.const + float(table.missed.sum()) <= tree.threshold)
    if n_empty:
        found.append(np.zeros((1, 0), dtype=np.int64))
    complete = _collect(tree, found, most, likely_number)
    estimate = None
    if not complete and not deadline.passed:
        tree.deadline = tree.programs.deadline = deadline
        estimate = _estimated(tree, likely_number, n_empty, seed)
    families, objectives = _sorted(table, found, most)
    return Families(table, families, objectives, complete, estimate)


def _collect(tree: FamilyTree, found: list[IntArray], most: int, likely_number: int) -> bool:
    """List families until there are as many as wanted or the time is up; whether these are all."""
    count = sum(map(len, found))
    try:
        for root in tree.roots(likely_number):
            open_nodes = [root]
            while open_nodes:
                node = tree.tightened(open_nodes.pop())
                if node is None:
                    continue
                if tree.deadline.passed:
                    raise TimeoutError
                if not tree.is_leaf(node):
                    children = (tree.child(node, at) for at, _ in reversed(tree.children(node)))
                    open_nodes += [child for child in children if child is not None]
                    continue
                for block in tree.families(node):
                    found.append(block)
                    count += len(block)
                    if count > most:
                        return False
    except TimeoutError:
        return False
    return True


def _sorted(table: CoverTable, found: Sequence[IntArray], most: int) -> tuple[IntArray, FloatArray]:
    """The least objectives first, then fewer conditions, then by rules: the same in whatever order they were found."""
    widest = max((block.shape[1] for block in found), default=0)
    families = np.full((sum(map(len, found)), widest), -1, dtype=np.int64)
    objectives, sizes = np.empty(len(families)), np.empty(len(families))
    at = 0
    for block in found:
        own = slice(at, at + len(block))
        families[own, : block.shape[1]] = np.sort(block, axis=1)
        objectives[own] = table.objectives(block)
        sizes[own] = table.lengths[block].sum(axis=1) + block.shape[1]
        at += len(block)
    order = np.lexsort((*families.T[::-1], sizes, objectives))[:most]
    return families[order], objectives[order]


# Walks ----------------------------------------------------------------------------------------------------------------


LEAST_WALKS, MOST_WALKS = 30, 400
"""How many walks each number of rules gets, if there is time."""
LEAST_ARRIVALS = 20
"""With fewer walks than this that count anything, their spread says nothing about the error."""


def _estimated(tree: FamilyTree, likely_number: int, n_empty: int, seed: int) -> Estimate | None:
    """Walk down from every root in turn until the time is up; None when there was not even time for a few walks."""
    rng = np.random.default_rng(seed)
    samples: list[list[float]] = []
    try:
        roots = list(tree.roots(likely_number))
        samples = [[] for _ in roots]
        for _ in range(MOST_WALKS):
            for root, of_root in zip(roots, samples, strict=True):
                of_root.append(_walk(tree, root, rng))
    except TimeoutError:
        pass
    arrivals = sum(sum(counted > 0 for counted in of_root) for of_root in samples)
    if not samples or min(map(len, samples)) < LEAST_WALKS or arrivals < LEAST_ARRIVALS:
        return None
    count = sum(float(np.mean(of_root)) for of_root in samples)
    variance = sum(float(np.var(of_root, ddof=1)) / len(of_root) for of_root in samples)
    return Estimate(n_empty + count, math.sqrt(variance), sum(map(len, samples)))


def _walk(tree: FamilyTree, root: Node, rng: np.random.Generator) -> float:
    """What one walk counts."""
    node: Node | None = root
    factor = 1.0
    while True:
        node = None if node is None else tree.tightened(node)
        if node is None:
            return 0.0
        if tree.deadline.passed:
            raise TimeoutError
        if tree.is_leaf(node):
            return factor * sum(map(len, tree.families(node)))
        children = tree.children(node)
        if not children:
            return 0.0
        # Any chances will do; those that follow how much is below a child make the error small.
        chances = np.array([size for _, size in children]) + 1.0
        chances /= chances.sum()
        chosen = int(rng.choice(len(children), p=chances))
        factor /= float(chances[chosen])
        node = tree.child(node, children[chosen][0])
