"""Column generation: solve the master, price, add rules, repeat; then choose a rule set and prove what can be."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
from attrs import define, evolve, field

from .errors import ConfigurationError, InfeasibleError
from .events import (
    Event,
    Finished,
    IncumbentFound,
    Note,
    Observer,
    RoundFinished,
    StagePriced,
    Started,
)
from .limits import Deadline, Limits, PricingLimits
from .master import Master, Relaxation
from .pricing import NEGATIVE, Pricer, PricingProblem
from .proof import prove
from .readable import prefer_plain_conditions
from .result import Result
from .rules import Rule
from .selection import CandidatePool
from .stages import Stage, price
from .status import Status, Stop


def generate_columns(
    master: Master,
    pricers: Sequence[Pricer | tuple[str, Pricer]],
    limits: Limits = Limits(),  # noqa: B008 - Limits is frozen
    on_event: Observer | None = None,
    *,
    seed: int = 0,
    start: Sequence[Rule] = (),
) -> Result:
    """Run column generation on the master with pricers in stages.

    ``start`` are rules to begin with, for example the pool of an earlier run. Ctrl-C ends the run early with the best
    rule set so far.
    """
    run = _Run(master, Stage.all_of(pricers), limits, on_event or (lambda event: None), np.random.default_rng(seed))
    return run.execute(start)


@define
class _Run:
    master: Master
    stages: tuple[Stage, ...]
    limits: Limits
    observer: Observer
    rng: np.random.Generator
    began: float = field(factory=time.perf_counter)
    deadline: Deadline = field(factory=Deadline)
    history: list[RoundFinished] = field(factory=list)
    lower_bound: float | None = None
    relaxation: Relaxation | None = None
    certified: PricingProblem | None = None
    """The pricing problem whose exact solution proved the relaxation optimal over all rules."""
    stop: Stop = Stop.COMPLETED
    rules_listed: int | None = None

    def execute(self, start: Sequence[Rule]) -> Result:
        if not self.stages:
            raise ConfigurationError("Column generation needs at least one pricer.")
        self.deadline = Deadline.after(self.limits.seconds)
        problem = self.master.problem
        self.emit(
            Started(
                self.now(),
                problem.n_samples,
                problem.n_features,
                len(self.master.rows),
                self.master.backend.name,
                tuple(stage.name for stage in self.stages),
            )
        )
        for constraint in self.master.constraints:
            for note in constraint.notes(problem):
                self.emit(Note(self.now(), note))
        self.master.add_rules(start)
        try:
            self.generate()
        except KeyboardInterrupt:
            self.stop = Stop.INTERRUPTED
            self.emit(Note(self.now(), "interrupted: choosing among the rules so far"))
        candidates = CandidatePool(self.master)
        candidates.add([self.master.evaluate(())])
        try:
            self.select(candidates)
            self.close_gap(candidates)
        except KeyboardInterrupt:
            self.stop = Stop.INTERRUPTED
        return self.result(candidates)

    # Generation -----------------------------------------------------------------------------------------------------

    def generate(self) -> None:
        """Rounds of relaxation and pricing until nothing is left to find or a limit is reached."""
        share = self.limits.generation_share
        seconds = self.limits.seconds
        deadline = self.deadline if seconds is None else self.deadline.within(seconds * share)
        iteration = 0
        while True:
            if deadline.passed:
                self.stop = Stop.TIME_LIMIT
                return
            if self.reached(iteration):
                self.stop = Stop.OTHER_LIMIT
                return
            relaxation = self.master.solve_relaxation(deadline)
            if relaxation is None:
                self.stop = Stop.TIME_LIMIT
                return
            self.relaxation = relaxation
            iteration += 1
            if not self.price_round(iteration, relaxation, deadline):
                return

    def reached(self, iteration: int) -> bool:
        limits = self.limits
        return (limits.iterations is not None and iteration >= limits.iterations) or (
            limits.columns is not None and len(self.master.pool) >= limits.columns
        )

    def price_round(self, iteration: int, relaxation: Relaxation, deadline: Deadline) -> bool:
        """Try the stages in order until one finds rules; whether any did."""
        problem = self.master.pricing_problem()
        added = 0
        stage = self.stages[0]
        for stage in self.stages:
            seconds = self.limits.pricing_seconds
            stage_deadline = deadline if seconds is None else deadline.within(seconds)
            limits = PricingLimits(stage_deadline, self.limits.rules_per_call, self.limits.threads)
            priced = price(stage, self.master, problem, limits, self.rng)
            for note in priced.notes:
                self.emit(Note(self.now(), note))
            self.emit(
                StagePriced(
                    self.now(), iteration, stage.name, len(priced.rules), priced.best, priced.bound, priced.stop
                )
            )
            if priced.bound is not None:
                self.learn_bound(problem, priced.bound, relaxation)
            added = self.master.add_rules(priced.rules)
            if added or priced.stop is Stop.INTERRUPTED:
                break
            if deadline.passed:
                self.stop = Stop.TIME_LIMIT
                break
        event = RoundFinished(
            self.now(),
            iteration,
            relaxation.objective,
            self.lower_bound,
            None,
            len(self.master.pool),
            added,
            stage.name,
        )
        self.history.append(event)
        self.emit(event)
        return added > 0

    def learn_bound(self, problem: PricingProblem, pricing_bound: float, relaxation: Relaxation) -> None:
        """A proven bound on all reduced costs bounds the objective over all rules."""
        if not relaxation.feasible:
            if pricing_bound >= NEGATIVE * 2:
                raise InfeasibleError(self.master.conflict())
            return
        bound = self.master.lower_bound(min(pricing_bound, 0.0))
        if bound is not None and (self.lower_bound is None or bound > self.lower_bound):
            self.lower_bound = bound
        if pricing_bound >= NEGATIVE * 2 and bound is not None:
            self.certified = problem

    # Choice and proof -----------------------------------------------------------------------------------------------

    def select(self, candidates: CandidatePool) -> None:
        """The restricted MIP over the generated rules; its whole solution pool takes part in Pool Select."""
        if not len(self.master.pool):
            return
        known = candidates.best
        found = self.master.solve_integer(
            self.selection_deadline(),
            start=[] if known is None else [known.rules],
            threads=self.limits.threads,
        )
        for note in found.notes:
            self.emit(Note(self.now(), note))
        candidates.add(found.candidates)
        self.announce(candidates, "restricted MIP")
        if candidates.choose() is None:
            self.emit(Note(self.now(), "no rule set met keeps every bound in true counts: solving the exact 0-1 model"))
            repaired = self.master.solve_integer(
                self.selection_deadline(), count_once=True, threads=self.limits.threads
            )
            candidates.add(repaired.candidates)
            self.announce(candidates, "exact 0-1 model")

    def selection_deadline(self) -> Deadline:
        """What is left, but at least a moment: a run that used up its time still chooses a rule set."""
        if math.isinf(self.deadline.moment):
            return self.deadline
        least = min(1.0, 0.1 * (self.limits.seconds or 1.0))
        share = 0.5 if self.certified is not None else 1.0
        return Deadline.after(max(self.deadline.remaining * share, least))

    def close_gap(self, candidates: CandidatePool) -> None:
        """List the rules that could still improve the best rule set, if the relaxation is proven."""
        best = candidates.best
        lister = next((stage.pricer for stage in self.stages if stage.pricer.can_list), None)
        if self.certified is None or self.lower_bound is None or best is None or lister is None:
            return
        step = 1.0 if self.master.has_integer_objective else 0.0
        if best.objective - self.rounded(self.lower_bound) <= 1e-9 or self.deadline.passed:
            return
        proof = prove(
            self.master,
            lister,
            self.certified,
            self.lower_bound,
            best,
            step,
            self.limits,
            self.deadline,
            self.emit,
            self.now,
        )
        candidates.add(proof.candidates)
        self.lower_bound = max(self.lower_bound, proof.lower_bound)
        self.rules_listed = proof.n_listed
        self.announce(candidates, "proof by listing")

    def rounded(self, bound: float) -> float:
        """The bound, rounded up when every objective is a whole number; floating-point noise never rounds it up."""
        if not self.master.has_integer_objective:
            return bound
        return float(math.ceil(bound - 1e-6 * max(1.0, abs(bound))))

    def announce(self, candidates: CandidatePool, source: str) -> None:
        best = candidates.best
        if best is not None:
            self.emit(IncumbentFound(self.now(), best.objective, len(best.rules), source))

    def result(self, candidates: CandidatePool) -> Result:
        chosen, best = candidates.choose(), candidates.best
        if chosen is None:
            raise InfeasibleError(self.master.conflict(), proven=False)
        best = best or chosen
        chosen = prefer_plain_conditions(self.master, chosen)
        bounds = [] if self.lower_bound is None else [self.rounded(self.lower_bound)]
        if best.objective <= self.master.trivial_bound:
            bounds.append(self.master.trivial_bound)
        bound = min(max(bounds), best.objective) if bounds else None
        if bound is not None and best.objective - bound <= 1e-9 * max(1.0, abs(bound)):
            status = Status.OPTIMAL
        elif self.certified is not None:
            status = Status.LP_OPTIMAL
        else:
            status = Status.HEURISTIC if bound is None else Status.BOUNDED
        result = Result(
            rules=chosen.rules,
            rule_set=self.master.problem.rule_set(chosen.rules),
            objective=best.objective,
            selected_objective=chosen.objective,
            errors=chosen.errors,
            lower_bound=bound,
            status=status,
            stop=self.stop,
            relaxation=None if self.relaxation is None or not self.relaxation.feasible else self.relaxation.objective,
            seconds=self.now(),
            n_columns=len(self.master.pool),
            history=tuple(self.history),
            pool=tuple(self.master.pool.rules),
            rules_listed=self.rules_listed,
            row_values=self.master.row_values(chosen.rules),
            row_duals=self.master.row_duals() if self.relaxation is not None else {},
        )
        self.emit(Finished(self.now(), status, self.stop, result.objective, bound, result.n_columns))
        return evolve(result, seconds=self.now())

    # Telling --------------------------------------------------------------------------------------------------------

    def now(self) -> float:
        return time.perf_counter() - self.began

    def emit(self, event: Event) -> None:
        self.observer(event)
