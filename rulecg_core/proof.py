"""Proof of optimality over all rules, by listing every rule that could still improve the best rule set known.

Once the linear relaxation over all rules is solved with value z, a rule set with objective below U can only use rules
with reduced cost at most U - z. The exact pricer lists all of them; a search over rule sets made of the list, for a
target U that rises from z, then finds the best rule set and proves it optimal. Where that takes too long or rows are
about more than size, one integer program over the list of all that may matter does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from attrs import define, field, frozen

from .arrays import AnyArray, BoolArray, FloatArray
from .events import Event, RulesListed
from .limits import Deadline, Limits, PricingLimits
from .listed_search import can_search, search_list
from .master import Candidate, Master
from .nearby import MOST as NEARBY
from .pricing import Listing, Pricer, PricingProblem
from .rules import Rule
from .stages import reduced_costs

UNFINISHED_SHARE = 0.3
"""Share of a proof's time after which an unfinished list is given up."""
SEARCH_SHARE = 0.8
"""Share of the time that the search over rule sets may try before the integer program takes over."""
FIRST_SHARE = 0.15
"""Share of the time for local search and an integer program over the most promising rules of a long list."""
IMPROVE_SECONDS = 5.0
"""Local search for a better rule set takes no longer than this."""
TARGET_RISE = 0.3
"""By what share of its distance from the relaxation's bound the search's target rises at least."""
LONGEST = 30_000
"""Longer lists are neither thinned out by comparing rules with each other nor given to an integer program."""
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
    improve: Callable[[Deadline], Candidate | None],
    emit: Callable[[Event], None],
    now: Callable[[], float],
) -> Proof:
    """List, then solve. ``relaxation_bound`` is the bound that the pricing problem's duals prove; ``step`` is by how
    much an improvement lowers the objective at least (1 when it is whole-numbered). ``improve`` searches the master's
    pool for a better rule set until a deadline and gives the best one known."""
    search = _Proof(master, lister, pricing, relaxation_bound, step, limits, improve, emit, now, incumbent)
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
    step: float
    limits: Limits
    improve: Callable[[Deadline], Candidate | None]
    emit: Callable[[Event], None]
    now: Callable[[], float]
    best: Candidate
    found: list[Candidate] = field(factory=list)
    n_listed: int = 0
    complete: bool = False
    bound: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.bound = self.relaxation_bound

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

    def raise_targets(self, deadline: Deadline) -> None:
        """Search for rule sets up to a target that rises from the relaxation's bound: each target without a rule set
        is a bound, and no list is longer than it must be, however good the best rule set known is."""
        # Objectives are whole multiples of the step.
        target = self.step * math.ceil((self.relaxation_bound - self.noise) / self.step)
        tried = False
        while not self.is_closed and not deadline.passed:
            target = min(target, self.best.objective - self.step)
            listing = self.list_up_to(target, deadline.within(UNFINISHED_SHARE * deadline.remaining))
            rules = list(listing.rules)
            if not listing.complete or not can_search(self.master, len(rules)):
                return
            if len(rules) > 2 * FIRST_PASS and not tried:
                # Long lists take long to search: a better rule set ends that, and is often made of the top of the list.
                tried = True
                self.look_at(rules, deadline.within(FIRST_SHARE * deadline.remaining))
                if self.is_closed:
                    return
                target = min(target, self.best.objective - self.step)
            before = self.best
            if not self.search(rules, target, deadline):
                return
            self.bound = target + self.step if self.best is before else self.best.objective
            rise = TARGET_RISE * (target - self.relaxation_bound)
            target = self.bound + self.step * max(0, math.floor(rise / self.step) - 1)

    def look_at(self, rules: list[Rule], deadline: Deadline) -> None:
        """Try to improve on the best rule set with the most promising of some rules, best first."""
        self.master.add_rules(rules[:NEARBY])
        found = self.improve(deadline.within(min(IMPROVE_SECONDS, 0.5 * deadline.remaining)))
        self.take([] if found is None else [found])
        if not self.is_closed:
            self.solve(rules[:FIRST_PASS], deadline)

    def search(self, rules: list[Rule], target: float, deadline: Deadline) -> bool:
        """Search the rule sets of some rules for those up to the target; whether all were looked at."""
        if len(rules) <= LONGEST:
            rules = without_dominated(self.master, rules)
        known = target + self.step if self.step else self.best.objective
        searched = search_list(self.master, rules, known, self.step, deadline, self.likely_number)
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
    lengths = np.array([master.problem.length(rule) for rule in rules])
    costs = objective.coefficients(covers, lengths)
    zeta = np.zeros(master.problem.n_samples) if objective.zeta is None else objective.zeta
    if costs.min() < 0 or zeta.min() < 0:
        return rules
    covers = covers[:, master.problem.y]
    weights = zeta[master.problem.y]
    is_exact = master.has_integer_objective and weights.sum() < 2**24
    if not is_exact:
        # Sums in single precision are exact for whole numbers only: else only covers at least as large dominate.
        weights = np.ones(len(weights))
    net = costs - covers @ weights
    # In this order a rule can only be dominated by an earlier one.
    order = np.lexsort((np.arange(len(rules)), lengths, costs, net if is_exact else -covers.sum(axis=1)))
    kept = _undominated(covers[order].astype(np.float32), weights, costs[order], lengths[order], is_exact)
    return [rules[order[at]] for at in np.flatnonzero(kept)]


def _undominated(
    covers: AnyArray, weights: FloatArray, costs: FloatArray, lengths: FloatArray, may_lose: bool
) -> BoolArray:
    n, block = len(costs), 1024
    kept = np.ones(n, dtype=bool)
    weighted = covers * weights.astype(np.float32)
    gains = weighted.sum(axis=1)
    for at in range(0, n, block):
        rows = slice(at, min(at + block, n))
        candidates = np.flatnonzero(kept[: rows.stop])
        lost = gains[rows][:, None] - weighted[rows] @ covers[candidates].T
        saved = costs[rows][:, None] - costs[candidates][None, :]
        dominated = (saved >= -1e-12) & (lengths[candidates][None, :] <= lengths[rows][:, None])
        dominated &= lost <= (saved if may_lose else 0.0) + 0.5
        dominated &= candidates[None, :] < np.arange(rows.start, rows.stop)[:, None]
        kept[rows] = ~dominated.any(axis=1)
    return kept
