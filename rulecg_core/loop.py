"""Column generation: solve the master, price, add rules, repeat; then choose a rule set and prove what can be."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
from attrs import define, evolve, field

from .advice import advice
from .branching import branch_and_price
from .errors import ConfigurationError, InfeasibleError
from .events import Branched, Event, Finished, Note, Observer, RoundFinished, StagePriced, Started
from .incumbents import FIRST_SHARE, Incumbents
from .limits import Deadline, Limits, PricingLimits
from .master import Master, Relaxation
from .nearby import nearby_rules
from .parts import SearchParts
from .pricing import NEGATIVE, Pricer, PricingProblem
from .proof import prove
from .readable import prefer_plain_conditions
from .result import Result
from .rules import Rule
from .selection import needs_repair, repair, select
from .smoothing import Smoothing
from .stages import Stage, price
from .status import Status, Stop

WARM_UP_SHARES = (0.25, 0.5)
"""On large data, generation starts with size bounds reduced to these shares (see :meth:`_Run.generate`)."""
FIRST_SECONDS = 1.0
"""The search before the first relaxation on large data may take at least so long: under a short limit it is worth more
than any relaxation."""
LISTING_SHARE = 0.8
"""Share of the time left that the proof by listing may take before branching has its turn."""
SLOW_SHARE = 0.25
"""A relaxation that takes more than this share of the time left is the last one: searching brings more."""
STALLED_ROUNDS, STALLED_GAIN = 4, 0.002
"""A warm-up ends when this many rounds together lowered the relaxation by less than this share."""


def generate_columns(
    master: Master,
    pricers: Sequence[Pricer | tuple[str, Pricer]],
    limits: Limits = Limits(),  # noqa: B008 - Limits is frozen
    on_event: Observer | None = None,
    *,
    seed: int = 0,
    start: Sequence[Rule] = (),
    start_sets: Sequence[Sequence[Rule]] = (),
    search: SearchParts = SearchParts(),  # noqa: B008 - SearchParts is frozen
) -> Result:
    """Run column generation on the master with pricers in stages.

    ``start`` are rules to begin with, for example the pool of an earlier run, and ``start_sets`` whole rule sets.
    ``search`` says how rule sets are searched for meanwhile. Ctrl-C ends the run early with the best rule set so far.
    """
    observer = on_event or (lambda event: None)
    run = _Run(master, Stage.all_of(pricers), limits, observer, np.random.default_rng(seed), search)
    return run.execute(start, start_sets)


@define(eq=False)
class _Certificate:
    """The pricing problem whose exact solution proved the relaxation, and the bound that its duals prove."""

    pricing: PricingProblem
    bound: float


@define(eq=False)
class _Run:
    master: Master
    stages: tuple[Stage, ...]
    limits: Limits
    observer: Observer
    rng: np.random.Generator
    search: SearchParts = field(factory=SearchParts)
    began: float = field(factory=time.perf_counter)
    deadline: Deadline = field(factory=Deadline)
    history: list[RoundFinished] = field(factory=list)
    lower_bound: float | None = None
    relaxation: Relaxation | None = None
    certificate: _Certificate | None = None
    stop: Stop = Stop.COMPLETED
    rules_listed: int | None = None
    notes: tuple[str, ...] = ()
    """How the constraints apply to the data."""
    incumbents: Incumbents = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.incumbents = Incumbents(self.master, self.rng, self.emit, self.now, self.search)

    def execute(self, start: Sequence[Rule], start_sets: Sequence[Sequence[Rule]] = ()) -> Result:
        if not self.stages:
            raise ConfigurationError("Column generation needs at least one pricer.")
        for stage in self.stages:
            stage.pricer.prepare()
        self.began = time.perf_counter()
        self.deadline = Deadline.after(self.limits.seconds)
        self.tell_beginning()
        self.master.add_rules([*start, *(rule for rules in start_sets for rule in rules)])
        self.incumbents.add([self.master.evaluate(rules) for rules in start_sets], "an earlier run")
        empty = self.master.evaluate(())
        try:
            self.generate()
        except KeyboardInterrupt:
            self.stop = Stop.INTERRUPTED
            self.emit(Note(self.now(), "interrupted: choosing among the rules so far"))
        try:
            self.incumbents.add([empty], "no rules")
            self.add_nearby_rules()
            select(
                self.master, self.incumbents, self.selection_deadline(), self.limits.threads, self.emit, self.now
            )
            self.close_gap()
            self.branch()
            repair(self.master, self.incumbents, self.repair_deadline(), self.limits.threads, self.emit, self.now)
        except KeyboardInterrupt:
            self.stop = Stop.INTERRUPTED
        return self.result()

    # Generation -----------------------------------------------------------------------------------------------------

    def generate(self) -> None:
        """Rounds of relaxation and pricing until nothing is left to find or a limit is reached.

        With a loose size bound a condition costs nothing at first, and pricing drifts into long, useless rules. On
        larger data the rounds therefore begin with tighter bounds, where every condition has its price.
        """
        seconds, share = self.limits.seconds, self.limits.generation_share
        deadline = self.deadline if seconds is None else self.deadline.within(seconds * share)
        if seconds is not None:
            self.incumbents.search_first(deadline.within(max(FIRST_SHARE * seconds, FIRST_SECONDS)))
        if self.incumbents.is_large and self.search.tight_first:
            for tightness in WARM_UP_SHARES:
                if self.master.tighten(tightness):
                    self.rounds(deadline.within(deadline.remaining * tightness), self.stages[:1])
            self.master.tighten(1.0)
            self.stop = Stop.COMPLETED
        self.rounds(deadline, self.stages)
        if self.master.is_guided and self.stop is Stop.COMPLETED:
            # The guide has nothing more to find: what is left of the time goes to what can be proven.
            self.master.certify()
            self.rounds(deadline, self.stages)

    def rounds(self, deadline: Deadline, stages: tuple[Stage, ...]) -> None:
        """Solve and price until the stages find nothing, a limit is reached, or a warm-up stalls."""
        values: list[float] = []
        smoothing = Smoothing() if self.master.parts.stabilise and len(self.stages) > 1 else None
        while True:
            if deadline.passed:
                self.stop = Stop.TIME_LIMIT
                return
            if self.reached_limit():
                self.stop = Stop.OTHER_LIMIT
                return
            began = time.perf_counter()
            relaxation = self.master.solve_relaxation(deadline)
            took = time.perf_counter() - began
            if relaxation is None:
                self.stop = Stop.TIME_LIMIT
                return
            self.relaxation = relaxation
            added = self.price_round(relaxation, deadline, stages, smoothing)
            self.incumbents.search_briefly(deadline)
            values.append(relaxation.objective)
            if not added or (self.master.is_tightened and _has_stalled(values)):
                return
            if took > SLOW_SHARE * self.deadline.remaining:
                self.stop = Stop.TIME_LIMIT
                self.emit(Note(self.now(), f"the relaxation takes {took:.1f} s: what is left goes to the search"))
                return

    def reached_limit(self) -> bool:
        limits = self.limits
        return (limits.iterations is not None and len(self.history) >= limits.iterations) or (
            limits.columns is not None and len(self.master.pool) >= limits.columns
        )

    def price_round(
        self, relaxation: Relaxation, deadline: Deadline, stages: tuple[Stage, ...], smoothing: Smoothing | None
    ) -> int:
        """Try the stages in order until one finds rules; how many came in."""
        problem = self.master.pricing_problem()
        iteration, added, stage = len(self.history) + 1, 0, stages[0]
        for stage in stages:
            seconds = self.limits.pricing_seconds
            stage_deadline = deadline if seconds is None else deadline.within(seconds)
            limits = PricingLimits(stage_deadline, self.limits.rules_per_call, self.limits.threads)
            # Only what does not prove anything may look at other duals than the relaxation's.
            can_smooth = relaxation.feasible and stage is self.stages[0]
            priced = price(stage, self.master, problem, limits, self.rng, smoothing if can_smooth else None)
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
            if added:
                break
            if deadline.passed:
                self.stop = Stop.TIME_LIMIT
                break
        best = self.incumbents.best
        event = RoundFinished(
            self.now(),
            iteration,
            relaxation.objective,
            self.lower_bound,
            None if best is None else best.objective,
            len(self.master.pool),
            added,
            stage.name,
        )
        self.history.append(event)
        self.emit(event)
        return added

    def learn_bound(self, problem: PricingProblem, pricing_bound: float, relaxation: Relaxation) -> None:
        """A proven bound on all reduced costs bounds the objective over all rules."""
        if self.master.is_tightened or self.master.is_guided:
            return
        is_optimal = pricing_bound >= NEGATIVE * 2
        if not relaxation.feasible:
            # Where rows are a proxy, a rule set may still keep every bound in true counts: the repair looks for it.
            if is_optimal and self.master.counts_truly:
                raise InfeasibleError(self.master.conflict())
            return
        bound = self.master.lower_bound(min(pricing_bound, 0.0))
        if bound is None:
            return
        self.raise_bound(bound)
        if is_optimal:
            self.certificate = _Certificate(problem, bound)

    # Choice and proof -----------------------------------------------------------------------------------------------

    def selection_deadline(self) -> Deadline:
        """What is left, but at least a moment: a run that used up its time still chooses a rule set.

        Where a proof follows, the restricted MIP only prepares it and gets about as long as generation took; bounds on
        samples leave gaps that listing seldom closes, so there it gets most.
        """
        if math.isinf(self.deadline.moment):
            return self.deadline
        least = min(1.0, 0.1 * (self.limits.seconds or 1.0))
        most = self.deadline.remaining
        if self.certificate is not None:
            most = min(0.5 * most, max(least, self.now())) if self.master.counts_only_size else 0.7 * most
        return Deadline.after(max(most, least))

    def repair_deadline(self) -> Deadline:
        """What is left; while no rule set keeps every bound in true counts, at least a few moments to find one."""
        if math.isinf(self.deadline.moment) or self.incumbents.choose() is not None:
            return self.deadline
        return Deadline.after(max(self.deadline.remaining, min(3.0, 0.2 * (self.limits.seconds or 1.0))))

    def add_nearby_rules(self) -> None:
        """Where rows look at samples, give the search more to combine than the relaxation needs."""
        best = self.incumbents.best
        if self.certificate is None or self.lister is None or best is None or self.master.counts_only_size:
            return
        reach = best.objective - self.certificate.bound
        limits = PricingLimits(self.deadline.within(0.1 * self.deadline.remaining), threads=self.limits.threads)
        if reach > 0 and not self.reached_limit():
            self.master.add_rules(nearby_rules(self.lister, self.certificate.pricing, reach, limits))

    @property
    def lister(self) -> Pricer | None:
        return next((stage.pricer for stage in self.stages if stage.pricer.can_list), None)

    def close_gap(self) -> None:
        """List the rules that could still improve the best rule set; again when a long list only improved it."""
        for _ in range(3):
            before = self.incumbents.best
            if self.list_and_prove() or self.is_closed or self.certificate is None:
                return
            # The list was too long: every better rule set shortens it.
            self.incumbents.search_deeply(self.deadline.within(min(5.0, 0.1 * self.deadline.remaining)))
            if self.incumbents.best is before:
                return

    def list_and_prove(self) -> bool:
        """One proof by listing, if the relaxation is proven; whether there was one and its list was complete."""
        best, lister = self.incumbents.best, self.lister
        if self.certificate is None or best is None or lister is None or self.is_closed:
            return False
        share = LISTING_SHARE if self.master.can_branch or needs_repair(self.incumbents) else 1.0
        proof = prove(
            self.master,
            lister,
            self.certificate.pricing,
            self.certificate.bound,
            best,
            self.step,
            self.limits,
            self.deadline.within(self.deadline.remaining * share),
            self.incumbents.search_deeply,
            self.emit,
            self.now,
        )
        self.incumbents.add(proof.candidates, "proof by listing")
        self.raise_bound(proof.lower_bound)
        self.rules_listed = proof.n_listed
        return proof.complete

    def branch(self) -> None:
        """Branch and price with the time that is left, where listing left a gap."""
        if self.certificate is None or not self.master.can_branch or self.is_closed:
            return
        branching = branch_and_price(
            self.master,
            self.stages,
            self.incumbents,
            self.certificate.bound,
            self.step,
            self.limits,
            self.deadline.within(self.deadline.remaining * (0.6 if needs_repair(self.incumbents) else 1.0)),
            self.rng,
        )
        self.raise_bound(branching.lower_bound)
        self.emit(Branched(self.now(), branching.n_nodes, branching.lower_bound, branching.closed))

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to prove, or no time to prove it."""
        best = self.incumbents.best
        if best is None or self.lower_bound is None or self.deadline.passed:
            return True
        return best.objective - self.rounded(self.lower_bound) <= 1e-9

    @property
    def step(self) -> float:
        """By how much a better rule set lowers the objective at least."""
        return 1.0 if self.master.has_integer_objective else 0.0

    def raise_bound(self, bound: float) -> None:
        self.lower_bound = bound if self.lower_bound is None else max(bound, self.lower_bound)

    def rounded(self, bound: float) -> float:
        """The bound, rounded up when every objective is a whole number; floating-point noise never rounds it up."""
        if not self.master.has_integer_objective:
            return bound
        return float(math.ceil(bound - 1e-6 * max(1.0, abs(bound))))

    def result(self) -> Result:
        chosen = self.incumbents.choose()
        if chosen is None:
            raise InfeasibleError(self.master.conflict(), proven=False)
        # The bound holds for rule sets that keep the rows as the master counts: only such can be said to be optimal.
        best = self.incumbents.best_kept
        bounds = [] if self.lower_bound is None or best is None else [self.rounded(self.lower_bound)]
        best = best or chosen
        chosen = prefer_plain_conditions(self.master, chosen)
        if best.objective <= self.master.trivial_bound:
            bounds.append(self.master.trivial_bound)
        bound = min(max(bounds), best.objective) if bounds else None
        keeps_proxy = chosen.proxy_violation <= 1e-6
        if bound is None:
            status = Status.HEURISTIC
        elif not keeps_proxy:
            status = Status.BOUNDED
        elif best.objective - bound <= 1e-9 * max(1.0, abs(bound)):
            status = Status.OPTIMAL
        else:
            status = Status.LP_OPTIMAL if self.certificate is not None else Status.BOUNDED
        result = Result(
            rules=chosen.rules,
            rule_set=self.master.problem.rule_set(chosen.rules),
            best_rules=best.rules,
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
            counts_truly=self.master.counts_truly,
            keeps_proxy=keeps_proxy,
            notes=self.notes + advice(self.master, chosen.rules),
        )
        for note in result.notes[len(self.notes) :]:
            self.emit(Note(self.now(), note))
        self.emit(Finished(self.now(), status, self.stop, result.objective, bound, result.n_columns))
        return evolve(result, seconds=self.now())

    # Telling --------------------------------------------------------------------------------------------------------

    def tell_beginning(self) -> None:
        problem = self.master.problem
        names = tuple(stage.name for stage in self.stages)
        self.emit(
            Started(
                self.now(),
                problem.n_samples,
                problem.n_features,
                len(self.master.rows),
                self.master.backend.name,
                names,
            )
        )
        self.notes = tuple(note for constraint in self.master.constraints for note in constraint.notes(problem))
        for note in self.notes:
            self.emit(Note(self.now(), note))

    def now(self) -> float:
        return time.perf_counter() - self.began

    def emit(self, event: Event) -> None:
        self.observer(event)


def _has_stalled(values: Sequence[float]) -> bool:
    if len(values) <= STALLED_ROUNDS:
        return False
    return values[-1 - STALLED_ROUNDS] - values[-1] < STALLED_GAIN * abs(values[-1])
