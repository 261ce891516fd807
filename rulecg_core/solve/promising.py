"""Which rules of the pool an integer program chooses among: those that can matter, as many as there is time for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ..api.pricing import reduced_costs
from ..api.relaxation import Relaxation
from ..base.arrays import FloatArray, IntArray
from ..base.bits import bit_count
from ..data.goal import KEPT
from ..data.rules import Rule
from .run import Run


@frozen(eq=False)
class Restriction:
    """The rules kept, and what is known of the others."""

    kept: IntArray
    outside: float
    """No rule set with a rule that is left out has an objective below this."""


def promising_rules(run: Run, start: Sequence[Sequence[Rule]], seconds: float) -> tuple[list[Rule], str | None]:
    """Choose the rules of the pool that are worth a place in an integer program.

    Parameters
    ----------
    run : whose pool, and whose relaxations tell promising rules from others
    start : rule sets whose rules take part in any case
    seconds : how long the program may take: large ones ignore their limits, so their size is what is limited

    Returns
    -------
    The rules, and a note when some were left out for want of time.
    """
    pool = run.master.pool
    guidance = run.guidance
    if guidance is None or not guidance.feasible:
        return list(pool.rules), None
    known = [run.master.evaluate(chosen) for chosen in start]
    cutoff = min((c.objective for c in known if c.proxy_violation <= KEPT), default=math.inf)
    counted = np.packbits(run.goal.tracked | run.goal.counts_once)
    policy = run.schedule.selection
    restriction = restrict(
        _least_objectives(run, run.relaxation),
        reduced_costs(run.problem, guidance.pricing, pool.rules),
        cutoff,
        np.array([bit_count(covers & counted) for covers in pool.packed], dtype=np.float64),
        min(policy.most_entries, policy.entries_per_second * seconds),
        pool.positions(rule for chosen in start for rule in chosen if rule in pool),
    )
    kept = [pool.rules[at] for at in restriction.kept]
    if len(kept) == len(pool) or restriction.outside > cutoff:
        return kept, None
    return kept, f"the integer program chooses among the {len(kept)} most promising of {len(pool)} rules"


def _least_objectives(run: Run, relaxation: Relaxation | None) -> FloatArray:
    """For every rule of the pool, what no rule set of the pool with that rule can be below: each chosen rule adds its
    reduced cost to what the duals prove."""
    if relaxation is None or relaxation.dual_value is None:
        return np.full(len(run.master.pool), -math.inf)
    return least_objectives(
        reduced_costs(run.problem, relaxation.pricing, run.master.pool.rules), relaxation.dual_value
    )


def least_objectives(costs: FloatArray, dual_value: float) -> FloatArray:
    """For every rule, what no rule set with that rule can be below: each chosen rule adds its reduced cost.

    ``dual_value`` is the bound that the duals behind the reduced costs prove for rule sets over these rules if no
    reduced cost is negative.
    """
    base = dual_value + float(np.minimum(costs, 0.0).sum())
    return np.asarray(base + np.maximum(costs, 0.0))


def restrict(
    least: FloatArray, merit: FloatArray, cutoff: float, entries: FloatArray, most: float, required: IntArray
) -> Restriction:
    """Leave out rules that no rule set up to the cutoff can use, and the least promising ones of too many.

    Parameters
    ----------
    least : for every rule, what no rule set with that rule can be below
    merit : orders the rules, the least first
    cutoff : rule sets above it are of no interest
    entries : how many entries each rule adds to the program
    most : how many entries it may have
    required : rules that take part in any case
    """
    is_kept = least <= cutoff + 1e-6 * max(1.0, abs(cutoff))
    is_kept[required] = False
    order = np.flatnonzero(is_kept)
    order = order[np.argsort(merit[order], kind="stable")]
    is_kept[order[np.cumsum(entries[order]) > most - entries[required].sum()]] = False
    is_kept[required] = True
    return Restriction(np.flatnonzero(is_kept), float(least[~is_kept].min(initial=math.inf)))
