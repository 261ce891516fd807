"""Rounds of relaxation and pricing, until nothing is left to find or a limit is reached."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..api.master import Relaxation
from ..api.pricing import NEGATIVE, PricingProblem
from ..base.errors import InfeasibleError
from ..base.events import RoundFinished, StagePriced
from ..base.limits import Deadline, PricingLimits
from ..base.status import Stop
from ..solve.incumbents import FIRST_SHARE
from ..solve.run import Certificate, Run
from .smoothing import Smoothing
from .stages import Stage, price

WARM_UP_SHARES = (0.25, 0.5)
"""On large data, generation starts with size bounds reduced to these shares (see :func:`generate`)."""
FIRST_SECONDS = 1.0
"""The search before the first relaxation on large data may take at least so long: under a short limit it is worth more
than any relaxation."""
FIRST_SETUPS = 2.0
"""It may also take so many times as long as its preparations, which are some seconds on ten million rows."""
SLOW_SHARE = 0.25
"""A relaxation that takes more than this share of the time left is the last one: searching brings more."""
LATER_STAGE_SHARE, LATER_STAGE_SECONDS = 0.1, 1.0
"""On large data a stage after the first may take this share of the time left, and at least so long: exact pricing could
take all of it, while searching for rule sets brings more."""
STALLED_ROUNDS, STALLED_GAIN = 4, 0.002
"""A warm-up ends when this many rounds together lowered the relaxation by less than this share."""


def generate(run: Run) -> None:
    """Rounds of relaxation and pricing until nothing is left to find or a limit is reached.

    With a loose size bound a condition costs nothing at first, and pricing drifts into long, useless rules. On
    larger data the rounds therefore begin with tighter bounds, where every condition has its price.
    """
    seconds, share = run.limits.seconds, run.limits.generation_share
    deadline = run.deadline if seconds is None else run.deadline.within(seconds * share)
    if seconds is not None:
        setup = run.incumbents.setup_seconds if run.master.problem.is_large else 0.0
        run.incumbents.search_first(deadline.within(max(FIRST_SHARE * seconds, FIRST_SECONDS, FIRST_SETUPS * setup)))
    if run.master.problem.is_large and run.search.tight_first:
        for tightness in WARM_UP_SHARES:
            if run.master.tighten(tightness):
                _rounds(run, deadline.within(deadline.remaining * tightness), run.stages[:1])
        run.master.tighten(1.0)
        run.stop = Stop.COMPLETED
    _rounds(run, deadline, run.stages)
    if run.master.is_guided and run.stop is Stop.COMPLETED:
        # The guide has nothing more to find: what is left of the time goes to what can be proven.
        run.master.certify()
        _rounds(run, deadline, run.stages)


def _rounds(run: Run, deadline: Deadline, stages: tuple[Stage, ...]) -> None:
    """Solve and price until the stages find nothing, a limit is reached, or a warm-up stalls."""
    values: list[float] = []
    smoothing = Smoothing() if run.master.parts.stabilise and len(run.stages) > 1 else None
    while True:
        if deadline.passed:
            run.stop = Stop.TIME_LIMIT
            return
        if run.reached_limit:
            run.stop = Stop.OTHER_LIMIT
            return
        began = time.perf_counter()
        relaxation = run.master.solve_relaxation(deadline)
        took = time.perf_counter() - began
        if relaxation is None:
            run.stop = Stop.TIME_LIMIT
            return
        run.relaxation = relaxation
        added = _price_round(run, relaxation, deadline, stages, smoothing)
        run.incumbents.search_briefly(deadline)
        values.append(relaxation.objective)
        if not added or (run.master.is_tightened and _has_stalled(values)):
            return
        if took > SLOW_SHARE * run.deadline.remaining:
            run.stop = Stop.TIME_LIMIT
            run.note(f"the relaxation takes {took:.1f} s: what is left goes to the search")
            return


def _price_round(
    run: Run, relaxation: Relaxation, deadline: Deadline, stages: tuple[Stage, ...], smoothing: Smoothing | None
) -> int:
    """Try the stages in order until one finds rules; how many came in."""
    problem = run.master.pricing_problem()
    iteration, added, stage = len(run.history) + 1, 0, stages[0]
    for stage in stages:
        limits = PricingLimits(_stage_deadline(run, stage, deadline), run.limits.rules_per_call, run.limits.threads)
        # Only what does not prove anything may look at other duals than the relaxation's.
        can_smooth = relaxation.feasible and stage is run.stages[0]
        priced = price(stage, run.master, problem, limits, run.rng, smoothing if can_smooth else None)
        for note in priced.notes:
            run.note(note)
        run.emit(
            StagePriced(
                run.now(), iteration, stage.name, len(priced.rules), priced.best, priced.bound, priced.stop
            )
        )
        if priced.bound is not None:
            _learn_bound(run, problem, priced.bound, relaxation)
        added = run.master.add_rules(priced.rules)
        if added:
            break
        if deadline.passed:
            run.stop = Stop.TIME_LIMIT
            break
    best = run.incumbents.best
    event = RoundFinished(
        run.now(),
        iteration,
        relaxation.objective,
        run.lower_bound,
        None if best is None else best.objective,
        len(run.master.pool),
        added,
        stage.name,
    )
    run.history.append(event)
    run.emit(event)
    return added


def _stage_deadline(run: Run, stage: Stage, deadline: Deadline) -> Deadline:
    seconds = run.limits.pricing_seconds
    if seconds is not None:
        return deadline.within(seconds)
    if stage is run.stages[0] or not run.master.problem.is_large:
        return deadline
    return deadline.within(max(LATER_STAGE_SECONDS, LATER_STAGE_SHARE * deadline.remaining))


def _learn_bound(run: Run, problem: PricingProblem, pricing_bound: float, relaxation: Relaxation) -> None:
    """A proven bound on all reduced costs bounds the objective over all rules."""
    if run.master.is_tightened or run.master.is_guided:
        return
    is_optimal = pricing_bound >= NEGATIVE * 2
    if not relaxation.feasible:
        # Where rows are a proxy, a rule set may still keep every bound in true counts: the repair looks for it.
        if is_optimal and run.master.counts_truly:
            raise InfeasibleError(run.master.conflict())
        return
    bound = run.master.lower_bound(min(pricing_bound, 0.0))
    if bound is None:
        return
    run.raise_bound(bound)
    if is_optimal:
        run.certificate = Certificate(problem, bound)


def _has_stalled(values: Sequence[float]) -> bool:
    if len(values) <= STALLED_ROUNDS:
        return False
    return values[-1 - STALLED_ROUNDS] - values[-1] < STALLED_GAIN * abs(values[-1])
