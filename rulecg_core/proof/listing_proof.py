"""Proof of optimality over all rules, by listing every rule that could still improve the best rule set known.

Once the linear relaxation over all rules is solved with value z, a rule set with objective below U can only use rules
with reduced cost at most U - z. The exact pricer lists all of them; a search over rule sets made of the list, for a
target U that rises from z, then finds the best rule set and proves it optimal. Where that takes too long or rows are
about more than size, one integer program over the list of all that may matter does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

import numpy as np
from attrs import define, field, frozen

from ..api.master import Candidate, Master
from ..api.pricing import Listing, Pricer, PricingProblem
from ..base.arrays import BoolArray, FloatArray
from ..base.events import Event, RulesListed
from ..base.limits import Deadline, Limits, PricingLimits
from ..data.rules import Rule
from ..generation.stages import reduced_costs
from ..solve.near_misses import MOST as NEARBY
from .listed_covers import ListedCovers
from .listed_search import can_search, search_list

UNFINISHED_SHARE = 0.3
"""Share of a proof's time after which an unfinished list is given up."""
SEARCH_SHARE = 0.8
"""Share of the time that the search over rule sets may try before the integer program takes over."""
LOOK_SHARE = 0.2
"""Share of the time left that looking for a better rule set may take before a list is searched up to its target."""
LEAST_SECONDS, MOST_SECONDS = 3.0, 5.0
"""It takes as long as the proof so far, but no less than this; local search no more than that."""
TARGET_RISE = 0.3
"""By what share of its distance from the relaxation's bound the search's target rises at least."""
LONGER = 30.0
"""The target rises by more than a step where the next list is not expected to be so many times as long."""
LONG = 4_000
"""Before a longer list is searched, local search looks for a better rule set."""
SHORT = 3_000
"""Longer lists for at most three rules are searched faster than thinned out by comparing rules with each other."""
LONGEST = 30_000
"""Longer lists are neither thinned out by comparing rules with each other nor given to an integer program."""
FIRST_PASS = 2_000
"""An integer program over a longer list is first tried on its most promising rules: it may shorten the list."""


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
    improve: Callable[[Deadline], Candidate | None],
    emit: Callable[[Event], None],
    now: Callable[[], float],
    *,
    lower_bound: float = -math.inf,
) -> Proof:
    """List, then solve. ``relaxation_bound`` is the bound that the pricing problem's duals prove; ``step`` is by how
    much an improvement lowers the objective at least (1 when it is whole-numbered). ``improve`` searches the master's
    pool for a better rule set until a deadline and gives the best one known. ``lower_bound`` was proven before."""
    bound = max(relaxation_bound, lower_bound)
    search = _Proof(master, lister, pricing, relaxation_bound, bound, step, limits, improve, emit, now, incumbent)
    if step > 0 and can_search(master, 0):
        search.raise_targets(deadline.within(SEARCH_SHARE * deadline.remaining))
    if not search.is_closed:
        search.solve_all(deadline)
    if search.is_closed:
        return Proof(tuple(search.found), search.best.objective, search.n_listed, True)
    return Proof(tuple(search.found), search.bound, search.n_listed, search.complete)


@define(eq=False)
class _Proof:
    master: Master
    lister: Pricer
    pricing: PricingProblem
    relaxation_bound: float
    bound: float
    step: float
    limits: Limits
    improve: Callable[[Deadline], Candidate | None]
    emit: Callable[[Event], None]
    now: Callable[[], float]
    best: Candidate
    found: list[Candidate] = field(factory=list)
    n_listed: int = 0
    complete: bool = False
    began: float = field(factory=time.perf_counter)
    took: float = 0.0
    """How many seconds the last search took."""
    may_go_beyond: bool = True
    """Whether searches for all that is better than the best rule set known ended within the time they had."""

    @property
    def is_closed(self) -> bool:
        return self.bound > self.best.objective - self.step + self.noise

    @property
    def noise(self) -> float:
        return 1e-6 * max(1.0, abs(self.best.objective))

    @property
    def likely_number(self) -> int:
        """How many rules the best rule set probably has: as many as the relaxation uses."""
        weights = self.master.rule_weights()
        return 1 if weights is None else round(float(weights.sum()))

    def take(self, candidates: Iterable[Candidate]) -> None:
        """Keep rule sets that were found."""
        candidates = tuple(candidates)
        self.found += candidates
        self.best = min([self.best, *candidates], key=lambda c: (c.objective, c.complexity))

    def list_up_to(self, target: float, deadline: Deadline) -> Listing:
        """Every rule of rule sets with objective up to the target."""
        threshold = target - self.relaxation_bound + self.noise
        listing = self.lister.list_below(
            self.pricing, threshold, self.limits.listed_rules, PricingLimits(deadline, threads=self.limits.threads)
        )
        self.emit(RulesListed(self.now(), threshold, len(listing.rules), listing.complete))
        self.n_listed, self.complete = len(listing.rules), listing.complete
        return listing

    @property
    def lowest_target(self) -> float:
        """The least objective that a rule set may have by all that is proven: a whole multiple of the step."""
        return self.step * math.ceil((self.bound - self.noise) / self.step)

    def raise_targets(self, deadline: Deadline) -> None:
        """Search for rule sets up to a target that rises from the relaxation's bound: each target without a rule set
        is a bound, and no list is much longer than it must be, however good the best rule set known is."""
        target = self.lowest_target
        within_limits = math.inf
        before: tuple[float, int] | None = None
        growth = math.inf
        while not self.is_closed and not deadline.passed:
            target = min(max(self.lowest_target, min(target, within_limits)), self.best.objective - self.step)
            listing = self.list_up_to(target, deadline.within(UNFINISHED_SHARE * deadline.remaining))
            rules = list(listing.rules)
            if not listing.complete or not can_search(self.master, len(rules)):
                if target <= self.lowest_target:
                    return
                # The step was too large: from here on one after the other.
                within_limits = self.lowest_target
                continue
            if not self.search_beyond(rules, target, deadline) or self.is_closed:
                return
            self.bound = max(self.bound, min(target + self.step, self.best.objective))
            if before is not None and target > before[0]:
                growth = (len(rules) / max(1, before[1])) ** (self.step / (target - before[0]))
            before = target, len(rules)
            target = self.next_target(target, len(rules), growth, deadline)

    def next_target(self, target: float, n_rules: int, growth: float, deadline: Deadline) -> float:
        """How far to go after a target whose list had so many rules, if with every step it grows by this factor."""
        longer = min(LONGER, self.limits.listed_rules / max(1, n_rules), deadline.remaining / max(1e-9, self.took))
        steps = math.floor(math.log(max(1.0, longer)) / math.log(max(1.1, growth)))
        steps = max(steps, math.floor(TARGET_RISE * (target - self.relaxation_bound) / self.step))
        target = self.bound + self.step * max(0, steps - 1)
        last = self.best.objective - self.step
        # A list more than needed costs more than a last one that is longer than it had to be.
        return last if target + self.step >= last else target

    def search_beyond(self, rules: list[Rule], target: float, deadline: Deadline) -> bool:
        """Search the list of a target for rule sets up to it; whether all were looked at.

        First, for a while, all of the list's rule sets that are better than the best one known are searched for: each
        that is found shortens the lists to come.
        """
        patience = min(max(LEAST_SECONDS, time.perf_counter() - self.began), LOOK_SHARE * deadline.remaining)
        beyond = self.best.objective - self.step
        if target < beyond and self.may_go_beyond:
            self.may_go_beyond = self.search(rules, beyond, deadline.within(patience))
            if self.may_go_beyond:
                return True
        elif target < beyond and len(rules) > LONG:
            self.look_at(rules, deadline.within(min(patience, MOST_SECONDS)))
        return self.is_closed or self.search(rules, min(target, self.best.objective - self.step), deadline)

    def look_at(self, rules: list[Rule], deadline: Deadline) -> None:
        """Try to improve on the best rule set by local search with the most promising of some rules, best first."""
        self.master.add_rules(rules[:NEARBY])
        found = self.improve(deadline)
        self.take([] if found is None else [found])

    def search(self, rules: list[Rule], target: float, deadline: Deadline) -> bool:
        """Search the rule sets of some rules for those up to the target; whether all were looked at."""
        if len(rules) <= (LONGEST if self.likely_number > 3 else SHORT):
            rules = without_dominated(self.master, rules)
        began = time.perf_counter()
        known = target + self.step if self.step else self.best.objective
        searched = search_list(self.master, rules, known, self.step, deadline, self.likely_number)
        self.took = time.perf_counter() - began
        self.take(map(self.master.evaluate, searched.sets))
        return searched.complete

    def solve_all(self, deadline: Deadline) -> None:
        """One integer program over all rules that could be part of a better rule set."""
        patience = deadline.within(UNFINISHED_SHARE * deadline.remaining)
        listing = self.list_up_to(self.best.objective - self.step, patience)
        rules = list(listing.rules)
        if not listing.complete:
            # Too many: the pool and the best of the list may still bring a better rule set, and a shorter list.
            rules = list(dict.fromkeys([*rules, *self.master.pool.rules]))
        costs = reduced_costs(self.master, self.pricing, rules)
        if not listing.complete or len(rules) > FIRST_PASS:
            promising = [rules[at] for at in np.argsort(costs, kind="stable")[:FIRST_PASS]]
            self.solve(promising, deadline.within(deadline.remaining / 4))
            reach = self.best.objective - self.step - self.relaxation_bound + self.noise
            rules = [rules[at] for at in np.flatnonzero(costs <= reach)]
        if not listing.complete or len(rules) > LONGEST:
            self.complete = False
            return
        rules = without_dominated(self.master, rules)
        patience = deadline.within(SEARCH_SHARE * deadline.remaining)
        may_search = self.step == 0 and can_search(self.master, len(rules))
        if may_search and self.search(rules, self.best.objective, patience):
            self.bound = self.best.objective
            return
        over_list = self.solve(rules, deadline)
        # Rule sets that use an unlisted rule are no better than the incumbent that set the threshold.
        self.bound = max(self.bound, min(over_list, self.best.objective))

    def solve(self, rules: list[Rule], deadline: Deadline) -> float:
        """An integer program over some rules; the bound over their rule sets."""
        known = list(dict.fromkeys([*rules, *self.best.rules]))
        result = self.master.solve_integer(
            deadline, among=known, start=[self.best.rules], threads=self.limits.threads
        )
        self.take(c for c in result.candidates if c.proxy_violation <= 1e-6)
        if result.infeasible:
            return math.inf
        return -math.inf if result.bound is None else result.bound


def without_dominated(master: Master, rules: list[Rule]) -> list[Rule]:
    """Leave out rules that another rule replaces at no loss in any rule set.

    In the Hamming objective every rule pays for itself, so a rule is dominated by one that is no longer and costs less
    by at least the weight of the positives that it does not cover. Valid while no row looks at covers or at zeta.
    """
    objective = master.objective
    if not master.counts_only_size or master.counts_once or objective.length < 0 or len(rules) < 2:
        return rules
    covers = master.problem.covers(rules)
    lengths = master.problem.lengths(rules)
    costs = objective.coefficients(covers, lengths)
    zeta = np.zeros(master.problem.n_samples) if objective.missed is None else objective.missed
    if costs.min() < 0 or zeta.min() < 0:
        return rules
    weights = zeta[master.problem.y]
    is_exact = master.has_integer_objective and max(weights.sum(), costs.max()) < 2**23
    if not is_exact:
        # Sums in single precision are exact for whole numbers only: else only covers at least as large dominate.
        weights = np.ones(len(weights))
    gains = covers[:, master.problem.y] @ weights
    # In this order a rule can only be dominated by an earlier one.
    order = np.lexsort((np.arange(len(rules)), costs, costs - gains if is_exact else -gains, lengths))
    listed = ListedCovers([covers[order][:, master.problem.y]], weights)
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
