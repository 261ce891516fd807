"""Rules that another listed rule replaces at no loss in any rule set."""

from __future__ import annotations

import numpy as np

from ..base.arrays import BoolArray, FloatArray
from ..data.goal import Goal
from ..data.rules import Rule
from .listed_covers import ListedCovers


def without_dominated(goal: Goal, rules: list[Rule]) -> list[Rule]:
    """Leave out rules that another rule replaces at no loss in any rule set.

    In the Hamming objective every rule pays for itself, so a rule is dominated by one that is no longer and costs less
    by at least the weight of the positives that it does not cover. Valid while no row looks at covers or at missed.
    """
    objective, problem = goal.objective, goal.problem
    if not goal.counts_only_size or objective.length < 0 or len(rules) < 2:
        return rules
    covers = problem.covers(rules)
    lengths = problem.lengths(rules)
    costs = objective.coefficients(covers, lengths)
    missed = np.zeros(problem.n_samples) if objective.missed is None else objective.missed
    if costs.min() < 0 or missed.min() < 0:
        return rules
    tracked = missed > 0
    weights, step = missed[tracked], goal.step
    is_exact = step > 0 and max(weights.sum(), costs.max()) < 2**23 * step
    if not is_exact:
        # Sums in single precision are exact for whole numbers only: else only covers at least as large dominate.
        weights = np.ones(len(weights))
    elif step != 1:
        weights, costs = weights / step, costs / step
    gains = covers[:, tracked] @ weights
    # In this order a rule can only be dominated by an earlier one.
    order = np.lexsort((np.arange(len(rules)), costs, costs - gains if is_exact else -gains, lengths))
    listed = ListedCovers([covers[order][:, tracked]], weights)
    kept = _undominated(listed, gains[order], costs[order], is_exact)
    return [rules[order[at]] for at in np.flatnonzero(kept)]


def _undominated(covers: ListedCovers, gains: FloatArray, costs: FloatArray, may_lose: bool) -> BoolArray:
    n, block = len(costs), 64
    kept = np.ones(n, dtype=bool)
    everything = np.ones(len(covers.weights), dtype=bool)
    nets, single = (gains - costs).astype(np.float32), costs.astype(np.float32)
    for at in range(0, n, block):
        rows = np.arange(at, min(at + block, n))
        others = np.flatnonzero(kept[: rows[-1] + 1])
        both = covers.overlaps(rows, others, everything)
        if may_lose:
            # What the rule covers and the other does not weighs no more than the other saves.
            dominated = both >= nets[rows, None] + single[others]
        else:
            dominated = (both >= gains[rows, None]) & (costs[others] <= costs[rows, None] + 1e-12)
        block_at = int(np.searchsorted(others, at))
        dominated[:, block_at:] &= others[block_at:] < rows[:, None]
        kept[rows] = ~dominated.any(axis=1)
    return kept
