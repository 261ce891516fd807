"""The phases of a run, in the order in which the loop goes through them.

A phase is a function of the run and a deadline. Those of :data:`GENERATION` share the time of column generation, those
of :data:`COMPLETION` what is left after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ..api.pricing import reduced_costs
from ..base.bits import covered_sums
from ..base.errors import SolveError
from ..base.events import Branched
from ..base.limits import Deadline, IntegerLimits, PricingLimits
from ..base.status import Stop
from ..data.goal import Candidate
from ..data.rules import Rule
from ..generation.rounds import Rounds
from ..proof.branching import branch_and_price
from ..proof.checked_list import FalseListError
from ..proof.listing_proof import prove
from ..proof.optima.first_optimum import first_optimum
from ..proof.optima.near_optimal import EnumerationBudget
from .near_misses import near_misses
from .promising import promising_rules
from .run import Run

Phase: TypeAlias = Callable[[Run, Deadline], None]

SINGLE_SAMPLES = 1 << 20
SINGLE_RULES, SINGLE_TRIES = 3, 50
"""How many of the best single conditions that keep every bound are rule sets to begin with, and how many are tried to
find them: whatever happens, there is an answer."""


def begin_with_single_conditions(run: Run, deadline: Deadline) -> None:
    """Count what the best conditions achieve alone: an answer that is there before anything else is."""
    problem, objective = run.problem, run.goal.objective
    gain = np.zeros(problem.n_samples) if objective.missed is None else objective.missed
    cost = -gain if objective.cover is None else objective.cover - gain
    # Beyond a million samples, which conditions are best is seen from a part of them.
    values = covered_sums(problem.packed_conditions[:, : SINGLE_SAMPLES // 8], cost[:SINGLE_SAMPLES])
    order = np.argsort(values + objective.length * problem.condition_costs, kind="stable")[:SINGLE_TRIES]
    found: list[Candidate] = []
    for rule in run.goal.allowed([Rule([at]) for at in order.tolist()]):
        found.append(run.master.evaluate((rule,)))
        if sum(candidate.is_feasible for candidate in found) == SINGLE_RULES:
            break
    run.take(found, "single conditions")


def search_first(run: Run, deadline: Deadline) -> None:
    """On large data, let heuristics search before the first relaxation: under a short limit that is worth most."""
    seconds, policy = run.limits.seconds, run.schedule.search
    if seconds is None or not run.is_large:
        return
    setup = run.searching.setup_seconds
    longest = max(policy.first_share * seconds, policy.first_seconds, policy.first_setups * setup)
    run.searching.first(deadline.within(longest))


def start_tight(run: Run, deadline: Deadline) -> None:
    """On large data, begin with tighter bounds on size, where every condition has its price."""
    if not run.is_large:
        return
    for share in run.schedule.generation.tight_shares:
        tight = run.guide.tightened(share)
        if tight is not None:
            with tight:
                rounds = Rounds(run, tight, run.stages[:1], may_stall=True)
                rounds.go(deadline.within(deadline.remaining * share))
    run.stop = Stop.COMPLETED


def follow_guide(run: Run, deadline: Deadline) -> None:
    """Where relaxations of another master lead to better rules, generate rules for that one first."""
    if run.guide is not run.master:
        Rounds(run, run.guide, run.stages).go(deadline)


def solve_relaxation(run: Run, deadline: Deadline) -> None:
    """Generate rules for the master's own relaxation until it is solved over all rules, or a limit is reached."""
    if run.stop is Stop.COMPLETED:
        Rounds(run, run.master, run.stages).go(deadline)


def add_near_misses(run: Run, deadline: Deadline) -> None:
    """Where rows look at samples, give the search more to combine than the relaxation needs."""
    best, policy = run.incumbents.best, run.schedule.selection
    if run.certificate is None or run.lister is None or best is None or run.goal.counts_only_size or run.reached_limit:
        return
    reach = best.objective - run.certificate.bound
    if reach > 0:
        within = deadline.within(policy.near_miss_share * deadline.remaining)
        limits = PricingLimits(within, policy.near_misses, run.limits.threads)
        pricing = run.certificate.relaxation.pricing
        run.master.add_rules(near_misses(run.lister, pricing, reach, limits, policy.near_miss_halvings))


def select(run: Run, deadline: Deadline) -> None:
    """Search, then solve the integer program over the pool from the best rule set; its solution pool takes part."""
    if not len(run.master.pool):
        return
    policy = run.schedule.selection
    deadline = _selection_deadline(run, deadline)
    if run.is_large or not run.goal.counts_only_size:
        share = policy.large_search_share if run.is_large else policy.search_share
        run.searching.thoroughly(deadline.within(share * deadline.remaining))
    else:
        longest = min(policy.small_search_seconds, policy.small_search_share * deadline.remaining)
        run.searching.thoroughly(deadline.within(longest))
    best = run.incumbents.best
    if best is not None and best.rules and deadline.passed:
        return
    start = [] if best is None or not best.has_conditions else [best.rules]
    promising, note = promising_rules(run, start, deadline.remaining)
    among = list(dict.fromkeys([*(rule for rules in start for rule in rules), *promising]))
    found = run.master.solve_integer(IntegerLimits(deadline, run.limits.threads), among=among, start=start)
    for text in (*([] if note is None else [note]), *found.notes):
        run.note(text)
    run.take(found.candidates, "integer program over the pool")


def _selection_deadline(run: Run, deadline: Deadline) -> Deadline:
    """What is left, but at least a moment: a run that used up its time still chooses a rule set."""
    if not deadline.is_finite:
        return deadline
    policy = run.schedule.selection
    least = min(policy.least_seconds, policy.least_share * (run.limits.seconds or 1.0))
    most = deadline.remaining
    if run.certificate is not None and run.goal.counts_only_size:
        most = min(policy.share_before_proof * most, max(least, run.now()))
    elif run.certificate is not None:
        most *= policy.share_with_samples
    return Deadline.after(max(most, least), deadline.halt)


def prove_by_listing(run: Run, deadline: Deadline) -> None:
    """List the rules that could still improve the best rule set; again when a long list only improved it."""
    policy = run.schedule.proof
    for _ in range(policy.attempts):
        before = run.incumbents.best
        if _list_once(run, deadline) or run.is_closed or run.certificate is None:
            return
        # The list was too long: every better rule set shortens it.
        longest = min(policy.improve_seconds, policy.improve_share * deadline.remaining)
        run.searching.deeply(deadline.within(longest))
        if run.incumbents.best is before:
            return


def _list_once(run: Run, deadline: Deadline) -> bool:
    """One proof by listing, if the relaxation is proven; whether there was one and its list was complete."""
    best, lister, certificate = run.incumbents.best, run.lister, run.certificate
    if certificate is None or best is None or lister is None or run.is_closed:
        return False
    others_follow = run.master.can_branch or run.incumbents.needs_repair
    share = run.schedule.proof.listing_share if others_follow else 1.0
    try:
        proof = prove(run, certificate, lister, best, deadline.within(deadline.remaining * share))
    except SolveError as error:
        run.note(f"the proof by listing was given up: {error}")
        return True
    except FalseListError as error:
        stage = next(stage for stage in run.stages if stage.pricer is lister)
        run.tell([run.ledger.refute(run.who(stage), str(error))])
        return True
    run.take(proof.candidates, "proof by listing")
    run.raise_bound(proof.lower_bound, certificate.who)
    run.rules_listed = proof.n_listed
    return proof.complete


def branch(run: Run, deadline: Deadline) -> None:
    """Branch and price with the time that is left, where listing left a gap."""
    if run.certificate is None or run.is_closed or not run.master.can_branch or np.isfinite(run.goal.max_columns):
        # Branches on samples do not bring the number of columns down.
        return
    share = run.schedule.proof.branching_share if run.incumbents.needs_repair else 1.0
    certificate = run.certificate
    branching = branch_and_price(run, run.certificate.bound, deadline.within(deadline.remaining * share))
    run.raise_bound(branching.lower_bound, certificate.who)
    run.emit(Branched(run.now(), branching.n_nodes, branching.lower_bound, branching.closed))


def repair(run: Run, deadline: Deadline) -> None:
    """The exact 0-1 model over the generated rules: the fewest errors with every bound kept in true counts."""
    policy = run.schedule.selection
    if deadline.is_finite and run.incumbents.choose() is None:
        # While no rule set keeps every bound, at least a few moments to find one.
        deadline = deadline.at_least(min(policy.repair_seconds, policy.repair_share * (run.limits.seconds or 1.0)))
    if not len(run.master.pool) or deadline.passed or not run.incumbents.needs_repair:
        return
    run.note("the best rule set breaks a bound in true counts: solving the exact 0-1 model")
    chosen = run.incumbents.choose()
    start = [] if chosen is None or not chosen.has_conditions else [chosen.rules]
    among = _least_costly(run, [rule for rules in start for rule in rules], policy.repair_rules)
    limits = IntegerLimits(deadline, run.limits.threads)
    found = run.master.solve_integer(limits, among=among, start=start, count_once=True)
    if not found.candidates and len(among) < len(run.master.pool):
        found = run.master.solve_integer(limits, count_once=True)
    run.take(found.candidates, "exact 0-1 model")


def settle_ties(run: Run, deadline: Deadline) -> None:
    """Where optimality is proven, find the first of all optima in the order of ties: which one was met is chance."""
    best, lister, certificate, policy = run.incumbents.best_kept, run.lister, run.certificate, run.schedule.proof
    if run.prefers_errors or best is None or lister is None or certificate is None or not run.is_proven(best):
        return
    patience = deadline.within(max(policy.least_tie_seconds, run.now()))
    budget = EnumerationBudget(
        policy.tied_sets, policy.tied_rules, policy.tied_nodes, patience, run.limits.threads, max(1, len(best.rules))
    )
    try:
        found = first_optimum(run.master, certificate, lister, best.objective, budget)
    except SolveError as error:
        run.note(f"the enumeration of all optima was given up: {error}")
        return
    if found is not None:
        run.take([found.candidate], "the first of all optima")
        run.first_optimum = found


def _least_costly(run: Run, wanted: Sequence[Rule], most: int) -> list[Rule]:
    """The rules with the least reduced cost, and those wanted in any case."""
    rules: Sequence[Rule] = run.master.pool.rules
    if len(rules) > most and run.guidance is not None:
        order = np.argsort(reduced_costs(run.problem, run.guidance.pricing, rules), kind="stable")
        rules = [rules[at] for at in order[:most]]
    return list(dict.fromkeys([*wanted, *rules]))


GENERATION: tuple[Phase, ...] = (
    begin_with_single_conditions,
    search_first,
    start_tight,
    follow_guide,
    solve_relaxation,
)
COMPLETION: tuple[Phase, ...] = (add_near_misses, select, prove_by_listing, branch, repair, settle_ties)
