"""Branch and price: split on how often one sample is covered, and price rules for each part.

A branch is one more row, "sample i is covered at most (at least) so often". It is linear in which samples a rule
covers, so the pricing problem of a branch is the same problem with other weights: no pricer needs to know of it.

Where a covered sample counts once, the split is on the number of rules: bounds divide by the most rules there can be.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from ..api.constraint import Constraint
from ..api.master import Master
from ..api.pricing import NEGATIVE
from ..api.relaxation import Relaxation
from ..base.limits import Deadline, PricingLimits
from ..data.linear_form import LinearForm, Row
from ..data.problem import Problem
from ..generation.stages import price

if TYPE_CHECKING:
    from ..solve.run import Run

INTEGRAL = 1e-6
"""How far a number may be from a whole one and still count as whole."""


@frozen
class Branch(Constraint):
    """How often one sample is covered."""

    sample: int
    least: float = -math.inf
    most: float = math.inf

    def rows(self, problem: Problem) -> Sequence[Row]:
        at = np.zeros(problem.n_samples)
        at[self.sample] = 1.0
        return [Row(LinearForm(cover=at), self.least, self.most, f"branch on sample {self.sample}")]


@frozen
class RuleCount(Constraint):
    """Exactly so many rules."""

    n_rules: int

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [Row(LinearForm(rule=1.0), self.n_rules, self.n_rules, "branch on the number of rules")]

    def max_rules(self, problem: Problem) -> float:
        return float(self.n_rules)


@frozen(eq=False)
class _Solved:
    """A node's proven bound (infinite when it holds no rule set) and the branches it splits into."""

    bound: float
    branches: tuple[Constraint, ...]


@frozen
class Branching:
    """What branching proved."""

    lower_bound: float
    n_nodes: int
    closed: bool


def branch_and_price(run: Run, root_bound: float, deadline: Deadline) -> Branching:
    """Split the run's problem, best bound first, until no part can hold a rule set better than the best known.

    Parameters
    ----------
    run : whose stages price each part, and whose incumbents are improved on the way
    root_bound : proven for the whole
    deadline : when to end
    """
    best, step = run.incumbents.best, run.goal.step
    known = math.inf if best is None else best.objective
    queue: list[tuple[float, int, tuple[Constraint, ...]]] = [(root_bound, 0, ())]
    n_nodes = n_pushed = 0
    stuck = math.inf
    while queue:
        bound, _, branches = queue[0]
        if bound > _worth(known, step):
            return Branching(min(known, stuck), n_nodes, stuck >= known)
        node = None if deadline.passed else _solve(run, branches, deadline)
        if node is None:
            return Branching(min(bound, stuck, known), n_nodes, False)
        heapq.heappop(queue)
        n_nodes += 1
        best = run.incumbents.best
        known = math.inf if best is None else best.objective
        bound = max(bound, node.bound)
        if math.isinf(bound):
            continue
        if not node.branches and bound <= _worth(known, step):
            stuck = min(stuck, bound)
        for branch in node.branches:
            n_pushed += 1
            heapq.heappush(queue, (bound, n_pushed, (*branches, branch)))
    return Branching(min(known, stuck), n_nodes, stuck >= known)


def _worth(known: float, step: float) -> float:
    """A part with a bound above this holds no rule set better than the known one."""
    noise = 1e-6 * max(1.0, abs(known)) if math.isfinite(known) else 0.0
    return known - step + noise if step else known - noise


def _solve(run: Run, branches: tuple[Constraint, ...], deadline: Deadline) -> _Solved | None:
    """Column generation at one node; None when the time is over or no stage proves the relaxation."""
    node = run.master.with_constraints(branches)
    if node is None:
        return None
    limits = PricingLimits(deadline, run.limits.rules_per_call, run.limits.threads)
    with node:
        while True:
            relaxation = node.solve_relaxation(deadline)
            if relaxation is None:
                return None
            for stage in run.stages:
                priced = price(stage, node, relaxation.pricing, limits, run.rng)
                if node.add_rules(priced.rules):
                    break
                if priced.bound is None or priced.bound < NEGATIVE * 2 or not run.trusts(stage):
                    continue
                if not relaxation.feasible:
                    return _Solved(math.inf, ())
                bound = relaxation.lower_bound(priced.bound)
                return None if bound is None else _Solved(bound, _split(run, node, relaxation))
            else:
                return None


def _split(run: Run, node: Master, relaxation: Relaxation) -> tuple[Constraint, ...]:
    """The branches of a node; none when it cannot be split further."""
    return _by_rule_count(run, node) if node.goal.counts_once else _by_sample(run, node, relaxation)


def _by_rule_count(run: Run, node: Master) -> tuple[Constraint, ...]:
    """One branch for every number of rules but none at all, which is one known rule set."""
    if not math.isfinite(node.goal.max_rules) or any(isinstance(part, RuleCount) for part in node.constraints):
        return ()
    run.take([run.master.evaluate(())], "branch and price")
    n_kept = len(node.goal.kept)
    return tuple(RuleCount(n_kept + n_rules) for n_rules in range(1, math.floor(node.goal.max_rules) + 1))


def _by_sample(run: Run, node: Master, relaxation: Relaxation) -> tuple[Constraint, ...]:
    """Two branches on the sample whose number of covers is farthest from whole; none when all are whole."""
    weights, problem = relaxation.weights, node.problem
    used = np.flatnonzero(weights > INTEGRAL)
    if np.all(np.abs(weights[used] - np.round(weights[used])) <= INTEGRAL):
        run.take([run.master.evaluate([node.pool.rules[at] for at in used])], "branch and price")
    counts = weights[used] @ node.pool.covers(used)
    fractions = counts - np.floor(counts)
    # Positives missed or covered decide most; among equals the heavier sample does.
    merit = np.minimum(fractions, 1 - fractions) * np.where(problem.y & (counts < 1), 2.0, 1.0)
    sample = int(np.argmax(merit + 1e-9 * problem.weights / problem.weights.max()))
    if merit[sample] <= INTEGRAL:
        return ()
    floor = math.floor(counts[sample])
    return (Branch(sample, most=float(floor)), Branch(sample, least=float(floor + 1)))
