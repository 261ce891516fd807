"""Proof of optimality over all rules, by listing every rule that could still improve the best rule set known.

Once the linear relaxation over all rules is solved with value z, a rule set with objective below U can only use rules
with reduced cost at most U - z. The exact pricer lists all of them; a search over rule sets made of the list, for a
target U that rises from z, then finds the best rule set and proves it optimal. Where that takes too long or rows are
about more than size, one integer program over the list of all that may matter does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import define, evolve, field, frozen

from ..api.pricing import Listing, Pricer, reduced_costs
from ..api.provenance import describe, is_trusted
from ..base.events import RulesListed
from ..base.limits import Deadline, IntegerLimits, PricingLimits, is_counting, now
from ..data.goal import Candidate, Goal
from ..data.rules import Rule
from .certificate import Certificate
from .checked_list import check_listing
from .confirmation import confirm, name_of
from .dominance import without_dominated
from .listed_search import can_search, search_list

if TYPE_CHECKING:
    from ..solve.run import Run


@frozen(eq=False)
class Proof:
    """What listing brought."""

    candidates: tuple[Candidate, ...]
    lower_bound: float
    """Valid over all rules; equal to the best objective when optimality is proven."""
    n_listed: int
    complete: bool
    """Whether every rule that could matter was listed."""


def prove(run: Run, certificate: Certificate, lister: Pricer, incumbent: Candidate, deadline: Deadline) -> Proof:
    """List the rules that could still improve the incumbent, then search or solve.

    Parameters
    ----------
    run : whose goal is proven; it is asked for better rule sets on the way
    certificate : the proven relaxation
    lister : a pricer that can list rules
    incumbent : the best rule set known
    deadline : when to end
    """
    bound = certificate.bound if run.lower_bound is None else max(certificate.bound, run.lower_bound)
    search = _Proof(run, certificate, lister, incumbent, bound)
    if search.step > 0 and can_search(run.goal, 0):
        search.raise_targets(deadline.within(run.schedule.proof.search_share * deadline.remaining))
    if not search.is_closed:
        search.solve_all(deadline)
    if search.is_closed:
        return Proof(tuple(search.found), search.best.objective, search.n_listed, True)
    return Proof(tuple(search.found), search.bound, search.n_listed, search.complete)


@define(eq=False)
class _Proof:
    run: Run
    certificate: Certificate
    lister: Pricer
    best: Candidate
    bound: float
    found: list[Candidate] = field(factory=list)
    n_listed: int = 0
    complete: bool = False
    began: float = field(factory=now)
    took: float = 0.0
    """How many seconds the last search took."""
    may_go_beyond: bool = True
    """Whether searches for all that is better than the best rule set known ended within the time they had."""

    @property
    def goal(self) -> Goal:
        return self.run.goal

    @property
    def step(self) -> float:
        return self.goal.step

    @property
    def is_closed(self) -> bool:
        # Covering everything may be better than all rule sets that the bound is about.
        return self.bound >= self.best.objective or self.bound > self.best.objective - self.step + self.noise

    @property
    def noise(self) -> float:
        return 1e-6 * max(1.0, abs(self.best.objective))

    @property
    def likely_number(self) -> int:
        """How many rules the best rule set probably has: as many as the relaxation uses."""
        relaxation = self.run.guidance or self.certificate.relaxation
        return round(float(relaxation.weights.sum()))

    def take(self, candidates: Iterable[Candidate]) -> None:
        """Keep rule sets that were found."""
        candidates = tuple(candidates)
        self.found += candidates
        self.best = min([self.best, *candidates], key=lambda c: (c.objective, c.complexity))

    def list_up_to(self, target: float, deadline: Deadline) -> Listing:
        """Every rule of rule sets with objective up to the target."""
        run = self.run
        threshold = target - self.certificate.bound + self.noise
        limits = PricingLimits(deadline, threads=run.limits.threads)
        pricing = self.certificate.relaxation.pricing
        listing = self.lister.list_below(pricing, threshold, run.limits.listed_rules, limits)
        if self.goal.rule_bounds:
            # A lister may overlook them: what it lists beyond is in no rule set.
            listing = evolve(listing, rules=tuple(self.goal.allowed(listing.rules)))
        run.emit(RulesListed(run.now(), threshold, len(listing.rules), listing.complete))
        known = [*run.master.pool.rules, *(rule for rule in self.best.rules if len(rule))]
        check_listing(self.goal.problem, pricing, threshold - 2 * self.noise, listing, known)
        self.n_listed, self.complete = len(listing.rules), listing.complete
        return listing

    @property
    def lowest_target(self) -> float:
        """The least objective that a rule set may have by all that is proven: a whole multiple of the step."""
        return self.step * math.ceil((self.bound - self.noise) / self.step)

    def raise_targets(self, deadline: Deadline) -> None:
        """Search for rule sets up to a target that rises from the relaxation's bound: each target without a rule set
        is a bound, and no list is much longer than it must be, however good the best rule set known is."""
        unfinished_share = self.run.schedule.proof.unfinished_share
        target = self.lowest_target
        within_limits = math.inf
        before: tuple[float, int] | None = None
        growth = math.inf
        while not self.is_closed and not deadline.passed:
            target = min(max(self.lowest_target, min(target, within_limits)), self.best.objective - self.step)
            listing = self.list_up_to(target, deadline.within(unfinished_share * deadline.remaining))
            rules = list(listing.rules)
            if not listing.complete or not can_search(self.goal, len(rules)):
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
        policy = self.run.schedule.proof
        room = self.run.limits.listed_rules / max(1, n_rules)
        longer = min(policy.longer, room, deadline.remaining / max(1e-9, self.took))
        steps = math.floor(math.log(max(1.0, longer)) / math.log(max(1.1, growth)))
        steps = max(steps, math.floor(policy.target_rise * (target - self.certificate.bound) / self.step))
        target = self.bound + self.step * max(0, steps - 1)
        last = self.best.objective - self.step
        # A list more than needed costs more than a last one that is longer than it had to be.
        return last if target + self.step >= last else target

    def search_beyond(self, rules: list[Rule], target: float, deadline: Deadline) -> bool:
        """Search the list of a target for rule sets up to it; whether all were looked at.

        First, for a while, all of the list's rule sets that are better than the best one known are searched for: each
        that is found shortens the lists to come.
        """
        policy = self.run.schedule.proof
        so_far = now() - self.began
        patience = min(max(policy.least_look_seconds, so_far), policy.look_share * deadline.remaining)
        beyond = self.best.objective - self.step
        if target < beyond and self.may_go_beyond:
            self.may_go_beyond = self.search(rules, beyond, deadline.within(patience))
            if self.may_go_beyond:
                return True
        elif target < beyond and len(rules) > policy.long_list:
            self.look_at(rules, deadline.within(min(patience, policy.most_look_seconds)))
        return self.is_closed or self.search(rules, min(target, self.best.objective - self.step), deadline)

    def look_at(self, rules: Sequence[Rule], deadline: Deadline) -> None:
        """Ask the run for a better rule set, with the most promising of some rules, best first, in its pool."""
        self.run.master.add_rules(rules[: self.run.schedule.selection.near_misses])
        found = self.run.searching.deeply(deadline)
        self.take([] if found is None else [found])

    def search(self, rules: list[Rule], target: float, deadline: Deadline) -> bool:
        """Search the rule sets of some rules for those up to the target; whether all were looked at."""
        policy, first = self.run.schedule.proof, self.likely_number
        if len(rules) <= (policy.longest_list if first > 3 else policy.short_list):
            rules = without_dominated(self.goal, rules)
        began = now()
        known = target + self.step if self.step else self.best.objective
        searched = search_list(self.goal, self.run.master.backend, rules, known, self.step, deadline, first)
        self.took = now() - began
        self.take(map(self.run.master.evaluate, searched.sets))
        return searched.complete

    def solve_all(self, deadline: Deadline) -> None:
        """One integer program over all rules that could be part of a better rule set."""
        policy = self.run.schedule.proof
        patience = deadline.within(policy.unfinished_share * deadline.remaining)
        listing = self.list_up_to(self.best.objective - self.step, patience)
        rules = list(listing.rules)
        if not listing.complete:
            # Too many: the pool and the best of the list may still bring a better rule set, and a shorter list.
            rules = list(dict.fromkeys([*rules, *self.run.master.pool.rules]))
        if not listing.complete or len(rules) > policy.first_pass_rules:
            rules = self.first_pass(rules, deadline.within(deadline.remaining * policy.first_pass_share))
        if not listing.complete or len(rules) > policy.longest_list:
            self.complete = False
            return
        rules = without_dominated(self.goal, rules)
        patience = deadline.within(policy.search_share * deadline.remaining)
        may_search = self.step == 0 and can_search(self.goal, len(rules))
        if may_search and self.search(rules, self.best.objective, patience):
            self.bound = self.best.objective
            return
        if not is_trusted(self.run.master, "solve_integer"):
            return
        share = self.run.schedule.proof.confirming_share
        over_list = self.solve(rules, deadline.within((1 - share) * deadline.remaining))
        is_listed = self.best.has_conditions and self.best.keeps_rows
        if is_listed and over_list > self.best.objective + self.noise:
            # The best rule set took part: whoever says that there is none, or none so good, is refuted by it.
            run = self.run
            run.note(
                f"the backend {describe(run.master.backend.name, run.master.backend)} says that no rule set of a list "
                f"is below {over_list:.6g}, but one has {self.best.objective:.6g}: nothing is claimed of it"
            )
            return
        if over_list > self.best.objective - self.step - self.noise and not self.confirmed(rules, deadline):
            return
        # Rule sets that use an unlisted rule are no better than the incumbent that set the threshold.
        self.bound = max(self.bound, min(over_list, self.best.objective))

    def confirmed(self, rules: list[Rule], deadline: Deadline) -> bool:
        """Ask a second solver; false where the two contradict each other."""
        run, first = self.run, self.run.master.backend
        second = run.second_backend
        if second is None or (is_counting() and not second.counts_work):
            second = first.without_presolve()
        run.closed_by = (first.name,)
        if second is None or not rules:
            return True
        known = list(dict.fromkeys([*rules, *(self.best.rules if self.best.has_conditions else ())]))
        found = confirm(self.goal, (first, second), known, self.best, deadline)
        if found.note:
            run.note(found.note)
        self.take(found.candidates)
        if found.agrees:
            run.closed_by = (first.name, name_of(second, first))
        return found.agrees or not found.candidates

    def first_pass(self, rules: list[Rule], deadline: Deadline) -> list[Rule]:
        """An integer program over the most promising of some rules; those that may still matter after it."""
        costs = reduced_costs(self.goal.problem, self.certificate.relaxation.pricing, rules)
        promising = np.argsort(costs, kind="stable")[: self.run.schedule.proof.first_pass_rules]
        self.solve([rules[at] for at in promising], deadline)
        reach = self.best.objective - self.step - self.certificate.bound + self.noise
        return [rules[at] for at in np.flatnonzero(costs <= reach)]

    def solve(self, rules: list[Rule], deadline: Deadline) -> float:
        """An integer program over some rules; the bound over their rule sets."""
        start = [self.best.rules] if self.best.has_conditions else []
        known = list(dict.fromkeys([*rules, *(rule for chosen in start for rule in chosen)]))
        limits = IntegerLimits(deadline, self.run.limits.threads)
        result = self.run.master.solve_integer(limits, among=known, start=start)
        self.take(candidate for candidate in result.candidates if candidate.keeps_rows)
        if result.infeasible:
            return math.inf
        return -math.inf if result.bound is None else result.bound
