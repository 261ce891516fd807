"""Proof of optimality over all rules, by listing every rule that could still improve the best rule set known.

Once the linear relaxation over all rules is solved with value z, a rule set with objective below U can only use rules
with reduced cost at most U - z. The exact pricer lists all of them; a search over rule sets made of the list (or, where
that takes too long or rows are about more than size, one integer program) then proves the best rule set optimal, or
finds a better one and proves that.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import frozen

from .arrays import AnyArray, BoolArray, FloatArray
from .assembly import assemble
from .events import Event, RulesListed
from .limits import Deadline, Limits, PricingLimits
from .master import Candidate, Master
from .pricing import Pricer, PricingProblem
from .rules import Rule
from .stages import reduced_costs

UNFINISHED_SHARE = 0.3
"""Share of a proof's time after which an unfinished list is given up."""
ASSEMBLY_SECONDS = 10.0
"""How long the search over rule sets may try before the integer program takes over."""
LONGEST = 30_000
"""A list that stays longer than this is given up: weeding it out alone would take longer than branching."""
FIRST_PASS = 2_000
"""A longer list is first searched for better rule sets among its most promising rules: each shortens the list."""


@frozen(eq=False)
class Proof:
    """What listing brought."""

    candidates: tuple[Candidate, ...]
    lower_bound: float
    """Valid over all rules; equal to the best objective when optimality is proven."""
    n_listed: int
    complete: bool
    """Whether every rule that could matter was listed."""


def prove(
    master: Master,
    lister: Pricer,
    pricing: PricingProblem,
    relaxation_bound: float,
    incumbent: Candidate,
    step: float,
    limits: Limits,
    deadline: Deadline,
    emit: Callable[[Event], None],
    now: Callable[[], float],
) -> Proof:
    """List, then solve. ``relaxation_bound`` is the bound that the pricing problem's duals prove; ``step`` is by how
    much an improvement lowers the objective at least (1 when it is whole-numbered)."""
    best = incumbent

    def reach() -> float:
        """The largest reduced cost that a rule of a better rule set can have."""
        return best.objective - step - relaxation_bound + 1e-6 * max(1.0, abs(best.objective))

    threshold = reach()
    if threshold < 0:
        return Proof((), best.objective, 0, True)
    patience = deadline.within(UNFINISHED_SHARE * deadline.remaining)
    listing = lister.list_below(
        pricing, threshold, limits.listed_rules, PricingLimits(deadline=patience, threads=limits.threads)
    )
    emit(RulesListed(now(), threshold, len(listing.rules), listing.complete))
    rules = list(listing.rules)
    costs = reduced_costs(master, pricing, rules)
    found: list[Candidate] = []
    n_listed = len(listing.rules)
    if not listing.complete:
        # Too many: the pool and the most promising of the list may still bring a better rule set, and a shorter list.
        rules = list(dict.fromkeys([*rules, *master.pool.rules]))
        costs = reduced_costs(master, pricing, rules)
        promising = np.argsort(costs, kind="stable")[:FIRST_PASS]
        share = deadline.within(deadline.remaining / 3)
        found += _solve(master, [rules[at] for at in promising], best, share, limits).candidates
        return Proof(tuple(found), relaxation_bound, n_listed, False)
    if len(rules) > FIRST_PASS:
        promising = np.argsort(costs, kind="stable")[:FIRST_PASS]
        first = _solve(master, [rules[at] for at in promising], best, deadline.within(deadline.remaining / 4), limits)
        found += first.candidates
        best = min([best, *first.candidates], key=lambda c: (c.objective, c.complexity))
        rules = [rules[at] for at in np.flatnonzero(costs <= reach())]
    if len(rules) > LONGEST:
        return Proof(tuple(found), relaxation_bound, n_listed, False)
    rules = without_dominated(master, rules)
    if master.counts_only_size and not master.counts_once:
        costs = reduced_costs(master, pricing, rules)
        patience = deadline.within(min(ASSEMBLY_SECONDS, deadline.remaining / 3))
        made = assemble(master, rules, pricing, costs, relaxation_bound, best.objective, step, patience)
        if made.rules is not None:
            found.append(master.evaluate(made.rules))
            best = min([best, found[-1]], key=lambda c: (c.objective, c.complexity))
        if made.complete:
            return Proof(tuple(found), best.objective, n_listed, True)
    last = _solve(master, rules, best, deadline, limits)
    found += last.candidates
    best = min([best, *last.candidates], key=lambda c: (c.objective, c.complexity))
    # Rule sets that use an unlisted rule are no better than the incumbent that set the threshold.
    over_list = -math.inf if last.bound is None else last.bound
    if last.infeasible:
        over_list = math.inf
    bound = max(relaxation_bound, min(over_list, best.objective))
    return Proof(tuple(found), bound, n_listed, True)


@frozen(eq=False)
class _Solved:
    candidates: tuple[Candidate, ...]
    bound: float | None
    infeasible: bool


def _solve(master: Master, rules: list[Rule], best: Candidate, deadline: Deadline, limits: Limits) -> _Solved:
    known = list(dict.fromkeys([*rules, *best.rules]))
    result = master.solve_integer(deadline, among=known, start=[best.rules], threads=limits.threads)
    feasible = tuple(c for c in result.candidates if c.proxy_violation <= 1e-6)
    return _Solved(feasible, result.bound, result.infeasible)


def without_dominated(master: Master, rules: list[Rule]) -> list[Rule]:
    """Leave out rules that another rule replaces at no loss in any rule set.

    Only the total weight of covered negatives matters to the Hamming objective, so a rule is dominated by one that
    covers at least its positives, costs no more and is no longer; valid while no row looks at covers or at zeta, and
    every cover counts.
    """
    if not master.counts_only_size or master.counts_once or master.objective.length < 0 or len(rules) < 2:
        return rules
    covers = master.problem.covers(rules)
    lengths = np.array([master.problem.length(rule) for rule in rules])
    costs = master.objective.coefficients(covers, lengths)
    positives = covers[:, np.flatnonzero(master.problem.y)].astype(np.float32)
    sizes = positives.sum(axis=1)
    # In this order a rule can only be dominated by an earlier one.
    order = np.lexsort((np.arange(len(rules)), lengths, costs, -sizes))
    positives, sizes, costs, lengths = positives[order], sizes[order], costs[order], lengths[order]
    kept = _undominated(positives, sizes, costs, lengths)
    return [rules[order[at]] for at in np.flatnonzero(kept)]


def _undominated(positives: AnyArray, sizes: FloatArray, costs: FloatArray, lengths: FloatArray) -> BoolArray:
    n, block = len(sizes), 1024
    kept = np.ones(n, dtype=bool)
    for at in range(0, n, block):
        rows = slice(at, min(at + block, n))
        candidates = np.flatnonzero(kept[: rows.stop])
        common = positives[rows] @ positives[candidates].T
        smaller = common >= sizes[rows][:, None] - 0.5
        no_dearer = (costs[candidates][None, :] <= costs[rows][:, None] + 1e-12) & (
            lengths[candidates][None, :] <= lengths[rows][:, None]
        )
        earlier = candidates[None, :] < np.arange(rows.start, rows.stop)[:, None]
        kept[rows] = ~(smaller & no_dearer & earlier).any(axis=1)
    return kept
