"""Rounds of relaxation and pricing, until nothing is left to find or a limit is reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from ..api.master import Master
from ..api.pricing import NEGATIVE
from ..api.relaxation import Relaxation
from ..base.errors import InfeasibleError, PluginError
from ..base.events import RoundFinished, StagePriced
from ..base.limits import Deadline, PricingLimits, now
from ..base.status import Stop
from ..proof.certificate import Certificate
from ..proof.ledger import Statement
from .smoothing import Smoothing
from .stages import Priced, Stage, price

if TYPE_CHECKING:
    from ..solve.run import Run


@define(eq=False)
class Rounds:
    """Solve and price one master's relaxation until the stages find nothing, a limit is reached, or, if
    ``may_stall``, little changes.

    Only rounds of the run's own master prove anything about it.
    """

    run: Run
    master: Master
    stages: tuple[Stage, ...]
    may_stall: bool = False
    _smoothing: Smoothing | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        share = self.run.schedule.generation.smoothing
        if share > 0 and len(self.run.stages) > 1:
            self._smoothing = Smoothing(share)

    def go(self, deadline: Deadline) -> None:
        """Go on until there is a reason to stop, which the run then knows."""
        run, policy, values = self.run, self.run.schedule.generation, []
        while True:
            if deadline.passed or run.reached_limit:
                run.stop = Stop.TIME_LIMIT if deadline.passed else Stop.OTHER_LIMIT
                return
            began = now()
            relaxation = run.relax(self.master, deadline)
            took = now() - began
            if relaxation is None:
                run.stop = Stop.TIME_LIMIT
                return
            added = self._price(relaxation, deadline)
            run.searching.briefly(deadline)
            values.append(relaxation.value)
            if not added or (self.may_stall and self._has_stalled(values)):
                return
            if took > policy.slow_share * run.deadline.remaining:
                run.stop = Stop.TIME_LIMIT
                run.note(f"the relaxation takes {took:.1f} s: what is left goes to the search")
                return

    def _price(self, relaxation: Relaxation, deadline: Deadline) -> int:
        """Try the stages in order until one finds rules; how many came in."""
        run, added, stage = self.run, 0, self.stages[0]
        iteration = len(run.history) + 1
        for stage in self.stages:
            priced = self._call(stage, relaxation, deadline)
            for note in priced.notes:
                run.note(note)
            run.emit(
                StagePriced(run.now(), iteration, stage.name, len(priced.rules), priced.best, priced.bound, priced.stop)
            )
            if self.master is run.master:
                run.tell(run.ledger.compare_with_cost(relaxation.pricing, priced.best))
                if priced.bound is not None:
                    _learn_bound(run, relaxation, priced.bound, stage)
            added = run.master.add_rules(priced.rules)
            if added:
                break
            if deadline.passed:
                run.stop = Stop.TIME_LIMIT
                break
        best, pool_size = run.incumbents.best, len(run.master.pool)
        incumbent = None if best is None else best.objective
        event = RoundFinished(
            run.now(),
            iteration,
            relaxation.value,
            run.lower_bound,
            incumbent,
            pool_size,
            added,
            stage.name,
            run=run.name,
        )
        run.history.append(event)
        run.emit(event)
        return added

    def _call(self, stage: Stage, relaxation: Relaxation, deadline: Deadline) -> Priced:
        """Call one stage. A pricer that fails is named and takes no further part, unless it is the last one."""
        run = self.run
        limits = PricingLimits(self._stage_deadline(stage, deadline), run.limits.rules_per_call, run.limits.threads)
        # Only what does not prove anything may look at other duals than the relaxation's.
        smoothing = self._smoothing if relaxation.feasible and stage is run.stages[0] else None
        try:
            return price(stage, run.master, relaxation.pricing, limits, run.rng, smoothing)
        except PluginError as error:
            if len(run.stages) == 1:
                raise
            run.stages = tuple(each for each in run.stages if each is not stage)
            self.stages = tuple(each for each in self.stages if each is not stage) or run.stages
            return Priced((), None, None, Stop.ERROR, (f"{error} It takes no further part.",))

    def _stage_deadline(self, stage: Stage, deadline: Deadline) -> Deadline:
        run, policy = self.run, self.run.schedule.generation
        if run.limits.pricing_seconds is not None:
            return deadline.within(run.limits.pricing_seconds)
        if stage is run.stages[0] or not run.is_large:
            return deadline
        return deadline.within(max(policy.later_stage_seconds, policy.later_stage_share * deadline.remaining))

    def _has_stalled(self, values: Sequence[float]) -> bool:
        policy = self.run.schedule.generation
        if len(values) <= policy.stalled_rounds:
            return False
        return values[-1 - policy.stalled_rounds] - values[-1] < policy.stalled_gain * abs(values[-1])


def _learn_bound(run: Run, relaxation: Relaxation, pricing_bound: float, stage: Stage) -> None:
    """A proven bound on all reduced costs bounds the objective over all rules; one that only a plugin which is not
    trusted says is noted as its claim."""
    is_trusted, who = run.trusts(stage), run.who(stage)
    is_optimal = pricing_bound >= NEGATIVE * 2
    if not relaxation.feasible:
        # Where rows are a proxy, a rule set may still keep every bound in true counts: the repair looks for it.
        if is_trusted and is_optimal and run.goal.counts_truly:
            if math.isinf(run.covering_all):
                raise InfeasibleError(relaxation.conflict())
            run.raise_bound(math.inf, who)
        return
    bound = relaxation.lower_bound(min(pricing_bound, 0.0))
    if bound is None:
        return
    run.learn(Statement(who, bound, is_trusted, relaxation.pricing, pricing_bound))
    if is_trusted and is_optimal and who not in run.ledger.refuted:
        run.certificate = Certificate(relaxation, bound, who)
