"""Exact search for the best rule set among listed rules, by what each rule set must lose against the relaxation.

With the relaxation's duals, the objective of a rule set exceeds the bound by the reduced costs of its rules, plus, for
every positive covered more than once, its dual for each time too many, plus terms that are never negative. The first
two only grow as rules are added. So a depth-first search over rule sets can drop every branch whose losses already
exceed the distance to the best rule set known; where that distance is small against the duals, this proves in
milliseconds what an integer program needs minutes for.

Valid while the rows look at nothing but size: see :attr:`Master.counts_only_size`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define, frozen

from .arrays import AnyArray, BoolArray, FloatArray, IntArray
from .limits import Deadline
from .master import Master
from .pricing import PricingProblem
from .rules import Rule


@frozen(eq=False)
class Assembled:
    """The best rule set found, None if none beats the known one; ``complete`` when no other can."""

    rules: tuple[Rule, ...] | None
    complete: bool
    n_nodes: int


@define(eq=False)
class _Node:
    """A rule set on the way, and the rules that may still join it."""

    candidates: IntArray
    losses: FloatArray
    """What each candidate would add to the loss: its reduced cost and the duals of what it covers again."""
    loss: float
    covered: BoolArray
    chosen: tuple[int, ...]


def assemble(
    master: Master,
    rules: Sequence[Rule],
    pricing: PricingProblem,
    losses: FloatArray,
    bound: float,
    known: float,
    step: float,
    deadline: Deadline,
) -> Assembled:
    """The best rule set of the listed rules with objective at most ``known - step``.

    ``losses`` are the rules' reduced costs, ``bound`` is what the duals of ``pricing`` prove.
    """
    order = np.argsort(losses, kind="stable")
    search = _Search(master, [rules[at] for at in order], pricing)
    root = _Node(np.arange(len(rules)), losses[order], 0.0, np.zeros(search.covers.shape[1], dtype=bool), ())
    stack, best, found, n_nodes = [root], known, None, 0
    slack = 1e-6 * max(1.0, abs(known))
    while stack:
        n_nodes += 1
        if deadline.passed:
            return Assembled(search.as_rules(found), False, n_nodes)
        node = stack.pop()
        objectives = search.objectives(node)
        at = int(np.argmin(objectives))
        if objectives[at] <= best - max(step, slack) + slack:
            best, found = float(objectives[at]), (*node.chosen, int(node.candidates[at]))
        children = search.children(node, best - step - bound + slack, deadline)
        stack.extend(reversed(children))
    return Assembled(search.as_rules(found), True, n_nodes)


class _Search:
    def __init__(self, master: Master, rules: list[Rule], pricing: PricingProblem) -> None:
        problem = master.problem
        self.rules = rules
        self.positives = np.flatnonzero(problem.y)
        covers = problem.covers(rules)
        lengths = np.array([problem.length(rule) for rule in rules])
        self.costs = master.objective.coefficients(covers, lengths)
        self.covers: AnyArray = covers[:, self.positives].astype(np.float32)
        self.duals = -pricing.sample_weights[self.positives]
        zeta = master.objective.zeta
        self.weights = np.zeros(len(self.positives)) if zeta is None else zeta[self.positives]
        rows = [row.normalised() for row in master.rows]
        self.sizes = np.stack([row.form.coefficients(covers, lengths) for row in rows]) if rows else np.zeros((0, 1))
        self.limits = np.array([row.hi for row in rows]) + 1e-9
        self.const = master.objective.const

    def as_rules(self, chosen: tuple[int, ...] | None) -> tuple[Rule, ...] | None:
        return None if chosen is None else tuple(self.rules[at] for at in chosen)

    def objectives(self, node: _Node) -> FloatArray:
        """The objective of the node's rule set with each candidate added; infinite where the size does not fit."""
        open_weights = np.where(node.covered, 0.0, self.weights)
        gained = self.covers[node.candidates] @ open_weights
        values = self.const + open_weights.sum() - gained + self.costs[list(node.chosen)].sum()
        values = values + self.costs[node.candidates]
        return np.where(self.fits(node.chosen, node.candidates), values, np.inf)

    def fits(self, chosen: tuple[int, ...], candidates: IntArray) -> BoolArray:
        if not len(self.limits):
            return np.ones(len(candidates), dtype=bool)
        used = self.sizes[:, list(chosen)].sum(axis=1)
        return np.asarray((used[:, None] + self.sizes[:, candidates] <= self.limits[:, None]).all(axis=0))

    def children(self, node: _Node, distance: float, deadline: Deadline) -> list[_Node]:
        """One node per candidate, with the candidates after it that can still be part of a better rule set."""
        kept = (node.loss + node.losses <= distance) & self.fits(node.chosen, node.candidates)
        candidates, losses = node.candidates[kept], node.losses[kept]
        children = []
        for at, rule in enumerate(candidates[:-1]):
            if deadline.passed:
                break
            later = candidates[at + 1 :]
            covers = self.covers[rule] > 0
            again = np.where(covers & ~node.covered, self.duals, 0.0)
            loss = node.loss + losses[at]
            # Losses are sums of positive parts: the cheap test first, the product only for who passes it.
            open_ = np.flatnonzero(loss + losses[at + 1 :] <= distance)
            open_ = open_[self.fits((*node.chosen, int(rule)), later[open_])]
            if not len(open_):
                continue
            later_losses = losses[at + 1 :][open_] + self.covers[later[open_]] @ again
            passing = loss + later_losses <= distance
            if passing.any():
                children.append(
                    _Node(
                        later[open_][passing],
                        later_losses[passing],
                        loss,
                        node.covered | covers,
                        (*node.chosen, int(rule)),
                    )
                )
        return children
