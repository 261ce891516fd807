"""Every rule set over all rules whose objective is at most a limit: all optima, or all that are nearly as good.

Once the relaxation over all rules is solved with value z, the rules of such a rule set have reduced costs of at most
the limit less z. They are listed, one shortest rule for each cover, and searched: by number of rules and their sizes
where rows look at nothing but size, else rule by rule, each adding its reduced cost to z.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from attrs import field, frozen

from ...api.master import Master
from ...api.pricing import Pricer, reduced_costs
from ...base.limits import Deadline, PricingLimits
from ...data.goal import ROUNDING, Candidate, Goal
from ...data.rules import Rule
from ..certificate import Certificate
from ..checked_list import FalseListError, check_listing
from ..listed_search import ListBudget, can_search, search_all
from .tie_order import tie_key


@frozen
class EnumerationBudget:
    """After how much an enumeration is given up; counts are the same on every machine, the deadline is not."""

    sets: int = 10_000
    """How many rule sets are wanted at most."""
    rules: int = 300_000
    """How many rules may be listed."""
    nodes: int = 20_000
    """How many partial rule sets may be looked at."""
    deadline: Deadline = field(factory=Deadline)
    threads: int = 1
    first: int = 1
    """How many rules the sets have that are looked for first; which sets are found does not depend on it."""


@frozen(eq=False)
class NearOptimal:
    """The rule sets within a limit."""

    candidates: tuple[Candidate, ...]
    """Least objective first, equal ones in the order of ties. Rules that cover no sample at all are in none of them,
    and of rules with equal covers only a shortest one."""
    complete: bool
    """Whether these are all: no other rule set over all rules keeps every row and the limit."""
    n_listed: int
    why: str = ""
    """Why they are not all."""


def near_optimal_sets(
    master: Master, certificate: Certificate, lister: Pricer, limit: float, budget: EnumerationBudget
) -> NearOptimal:
    """Enumerate every rule set whose objective is at most a limit.

    Parameters
    ----------
    master
        Its goal judges rule sets, its backend solves small linear programs.
    certificate
        The relaxation that was proven over all rules (``result.proof`` of a run).
    lister
        A trusted pricer that can list rules, such as ``registry.pricer("exact-search", backend)``.
    limit
        The largest objective of interest, for example ``1.01 * result.objective``, in the problem's unit.
    budget
        When to give up: what was found by then is returned as incomplete.

    Returns
    -------
    NearOptimal
        The rule sets; with them, whether they are all.

    Examples
    --------
    >>> from rulecg_core import Complexity, HammingMaster, Problem, generate_columns, load_registry
    >>> registry = load_registry()
    >>> problem = Problem.from_arrays([[1, 0], [1, 1], [0, 1]], [True, True, False], columns=["a", "b"])
    >>> master = HammingMaster(problem, [Complexity(4)], registry.backend("highs"))
    >>> lister = registry.pricer("exact-search", registry.backend())
    >>> result = generate_columns(master, [lister])
    >>> found = near_optimal_sets(master, result.proof, lister, result.objective + 1, EnumerationBudget())
    >>> [(candidate.objective, len(candidate.rules)) for candidate in found.candidates], found.complete
    ([(0.0, 1), (1.0, 1), (1.0, 1), (1.0, 2)], True)
    """
    goal, noise = master.goal, ROUNDING * max(1.0, abs(limit))
    if not goal.prefers_short_rules:
        return NearOptimal((), False, 0, "rows ask for long or many rules")
    listing = lister.list_below(
        certificate.relaxation.pricing,
        limit - certificate.bound + noise,
        budget.rules,
        PricingLimits(budget.deadline, threads=budget.threads),
    )
    try:
        pricing = certificate.relaxation.pricing
        check_listing(goal.problem, pricing, limit - certificate.bound - noise, listing, master.pool.rules)
    except FalseListError as error:
        return NearOptimal((), False, 0, str(error))
    allowed = goal.allowed(listing.rules)
    rules = [rule for rule, covers in zip(allowed, goal.problem.packed_covers(allowed), strict=True)
             if covers.any()]  # fmt: skip
    if not listing.complete:
        return NearOptimal((), False, len(rules), f"more than {len(rules)} rules would have to be looked at")
    if can_search(goal, len(rules)):
        first = min(budget.first, max(1, len(rules)))
        found = search_all(
            goal, master.backend, rules, limit, ListBudget(budget.sets, budget.nodes, budget.deadline, first)
        )
        sets, complete = found.sets, found.complete
    else:
        walk = _Walk(goal, certificate, rules, limit + noise, budget)
        sets, complete = tuple(walk.sets()), walk.complete
    candidates = [candidate for candidate in map(goal.evaluate, sets) if _is_within(candidate, limit)]
    constant = goal.constant_rule
    if constant is not None:
        candidates += [each for each in [goal.evaluate((constant,))] if _is_within(each, limit)]
    candidates.sort(key=lambda candidate: (candidate.objective, *tie_key(goal.problem, candidate)))
    why = "" if complete else f"there are more than {len(candidates)} of them, or too many partial ones"
    return NearOptimal(tuple(candidates), complete, len(rules), why)


def _is_within(candidate: Candidate, limit: float) -> bool:
    return candidate.is_feasible and candidate.keeps_rows and candidate.objective <= limit + 1e-9 * max(1.0, abs(limit))


class _Walk:
    """Rule by rule, the one with the least reduced cost first: each adds its reduced cost to what the duals prove."""

    def __init__(
        self, goal: Goal, certificate: Certificate, rules: Sequence[Rule], limit: float, budget: EnumerationBudget
    ) -> None:
        self.goal, self.budget, self.complete = goal, budget, True
        problem, relaxation = goal.problem, certificate.relaxation
        losses = reduced_costs(problem, relaxation.pricing, rules)
        order = np.argsort(losses, kind="stable")
        self.rules = [rules[at] for at in order]
        self.losses: list[float] = losses[order].tolist()
        least = min(0.0, self.losses[0] if self.losses else 0.0)
        proven = -math.inf if relaxation.dual_value is None else relaxation.dual_value
        # A rule may cost less than nothing by what rounding leaves: as many times as there can be rules.
        self.reach = limit - proven - least * min(relaxation.max_rules, len(self.losses))
        rows = [row for row in goal.rows if row.bounds_size]
        lengths = problem.lengths(self.rules)
        self.sizes = np.array([row.form.length * lengths + row.form.rule for row in rows]).reshape(len(rows), -1)
        self.room = np.array([row.hi - row.form.const for row in rows]) + 1e-9
        self.n_nodes = self.n_sets = 0
        self.limit = limit

    def sets(self) -> Iterator[tuple[Rule, ...]]:
        if not math.isfinite(self.reach):
            self.complete = False
            return
        yield from self._extend((), 0, self.reach, self.room)

    def _extend(
        self, chosen: tuple[Rule, ...], first: int, reach: float, room: np.ndarray[tuple[int], np.dtype[np.float64]]
    ) -> Iterator[tuple[Rule, ...]]:
        self.n_nodes += 1
        if self.n_nodes > self.budget.nodes or self.n_sets > self.budget.sets or self.budget.deadline.passed:
            self.complete = False
            return
        if self.goal.evaluate(chosen).objective <= self.limit:
            self.n_sets += 1
            yield chosen
        for at in range(first, len(self.rules)):
            if self.losses[at] > reach or not self.complete:
                return
            left = room - self.sizes[:, at]
            if np.all(left >= 0):
                yield from self._extend((*chosen, self.rules[at]), at + 1, reach - self.losses[at], left)
