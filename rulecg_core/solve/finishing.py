"""After generation: choose a rule set among the rules at hand, and prove what can be proven about it."""

from __future__ import annotations

import math

from ..base.events import Branched
from ..base.limits import Deadline, PricingLimits
from ..proof.branching import branch_and_price
from ..proof.listing_proof import prove
from .near_misses import nearby_rules
from .run import Run
from .selection import needs_repair, repair, select

LISTING_SHARE = 0.8
"""Share of the time left that the proof by listing may take before branching has its turn."""


def choose_and_prove(run: Run) -> None:
    """Restricted program, proof by listing, branching and repair, each within its share of the time left."""
    _add_nearby_rules(run)
    select(run.master, run.incumbents, _selection_deadline(run), run.limits.threads, run.emit, run.now)
    _close_gap(run)
    _branch(run)
    repair(run.master, run.incumbents, _repair_deadline(run), run.limits.threads, run.emit, run.now)


def _selection_deadline(run: Run) -> Deadline:
    """What is left, but at least a moment: a run that used up its time still chooses a rule set.

    Where a proof follows, the restricted MIP only prepares it and gets about as long as generation took; bounds on
    samples leave gaps that listing seldom closes, so there it gets most.
    """
    if math.isinf(run.deadline.moment):
        return run.deadline
    least = min(1.0, 0.1 * (run.limits.seconds or 1.0))
    most = run.deadline.remaining
    if run.certificate is not None:
        most = min(0.5 * most, max(least, run.now())) if run.master.counts_only_size else 0.7 * most
    return Deadline.after(max(most, least))


def _repair_deadline(run: Run) -> Deadline:
    """What is left; while no rule set keeps every bound in true counts, at least a few moments to find one."""
    if math.isinf(run.deadline.moment) or run.incumbents.choose() is not None:
        return run.deadline
    return Deadline.after(max(run.deadline.remaining, min(3.0, 0.2 * (run.limits.seconds or 1.0))))


def _add_nearby_rules(run: Run) -> None:
    """Where rows look at samples, give the search more to combine than the relaxation needs."""
    best = run.incumbents.best
    if run.certificate is None or run.lister is None or best is None or run.master.counts_only_size:
        return
    reach = best.objective - run.certificate.bound
    limits = PricingLimits(run.deadline.within(0.1 * run.deadline.remaining), threads=run.limits.threads)
    if reach > 0 and not run.reached_limit:
        run.master.add_rules(nearby_rules(run.lister, run.certificate.pricing, reach, limits))


def _close_gap(run: Run) -> None:
    """List the rules that could still improve the best rule set; again when a long list only improved it."""
    for _ in range(3):
        before = run.incumbents.best
        if _list_and_prove(run) or run.is_closed or run.certificate is None:
            return
        # The list was too long: every better rule set shortens it.
        run.incumbents.search_deeply(run.deadline.within(min(5.0, 0.1 * run.deadline.remaining)))
        if run.incumbents.best is before:
            return


def _list_and_prove(run: Run) -> bool:
    """One proof by listing, if the relaxation is proven; whether there was one and its list was complete."""
    best, lister = run.incumbents.best, run.lister
    if run.certificate is None or best is None or lister is None or run.is_closed:
        return False
    share = LISTING_SHARE if run.master.can_branch or needs_repair(run.incumbents) else 1.0
    proof = prove(
        run.master,
        lister,
        run.certificate.pricing,
        run.certificate.bound,
        best,
        run.step,
        run.limits,
        run.deadline.within(run.deadline.remaining * share),
        run.incumbents.search_deeply,
        run.emit,
        run.now,
        lower_bound=run.certificate.bound if run.lower_bound is None else run.lower_bound,
    )
    run.incumbents.add(proof.candidates, "proof by listing")
    run.raise_bound(proof.lower_bound)
    run.rules_listed = proof.n_listed
    return proof.complete


def _branch(run: Run) -> None:
    """Branch and price with the time that is left, where listing left a gap."""
    if run.certificate is None or not run.master.can_branch or run.is_closed:
        return
    branching = branch_and_price(
        run.master,
        run.stages,
        run.incumbents,
        run.certificate.bound,
        run.step,
        run.limits,
        run.deadline.within(run.deadline.remaining * (0.6 if needs_repair(run.incumbents) else 1.0)),
        run.rng,
    )
    run.raise_bound(branching.lower_bound)
    run.emit(Branched(run.now(), branching.n_nodes, branching.lower_bound, branching.closed))
