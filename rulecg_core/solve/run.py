"""The state of one run of column generation, which its phases read and advance."""

from __future__ import annotations

import logging
import math
import threading
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
from attrs import define, evolve, field

from ..api.backend import Backend
from ..api.master import Master
from ..api.pricing import NEGATIVE, Pricer, reduced_costs
from ..api.provenance import describe, distribution_of, fault_of, is_trusted
from ..api.relaxation import Relaxation
from ..base.errors import PluginError, RulecgError, RulecgWarning
from ..base.events import Event, Finished, IncumbentFound, Note, Observer, RoundFinished
from ..base.limits import Deadline, Limits, now
from ..base.status import Stop
from ..data.goal import ROUNDING, Candidate, Goal
from ..data.problem import Problem
from ..data.rules import Rule
from ..generation.stages import Stage
from ..masters.recomputed import is_recomputed, recomputed
from ..proof.certificate import Certificate
from ..proof.ledger import Ledger, Statement
from ..proof.optima.first_optimum import FirstOptimum
from .incumbents import Incumbents
from .schedule import Schedule

if TYPE_CHECKING:
    from .searching import Searching

LOG = logging.getLogger("rulecg")
RELAXING = ("solve_relaxation", "linear", "_linear_program")
"""The methods of a master that its relaxations, and so all bounds, come from."""


@define(eq=False)
class Run:
    """What was found and proven so far, and what is left of the limits. Only the loop and its phases change it, and
    only through it does anything change the master."""

    master: Master
    stages: tuple[Stage, ...]
    limits: Limits
    observer: Observer | None
    """None when nobody listens, or who did has failed."""
    rng: np.random.Generator
    schedule: Schedule = field(factory=Schedule)
    halt: threading.Event = field(factory=threading.Event)
    """Set by Ctrl-C: every deadline of the run has then passed."""
    name: str = field(factory=lambda: uuid4().hex[:12])
    """By which events tell runs apart."""
    began: float = field(factory=now)
    deadline: Deadline = field(factory=Deadline)
    guide: Master = field(init=False)
    """The master whose relaxations lead to good rules: the run's own unless that has a better guide."""
    searching: Searching = field(init=False)
    history: list[RoundFinished] = field(factory=list)
    covering_all: float = math.inf
    """The objective of the one rule without conditions, if it keeps every row: it stands alone, so that it takes part
    in no relaxation, and bounds over rule sets of rules with conditions hold up to here."""
    relaxation: Relaxation | None = None
    """The master's own latest relaxation."""
    guidance: Relaxation | None = None
    """The latest relaxation that leads to good rules: what heuristics look at."""
    certificate: Certificate | None = None
    ledger: Ledger = field(factory=Ledger)
    """Who said what about bounds."""
    stop: Stop = Stop.COMPLETED
    rules_listed: int | None = None
    first_optimum: FirstOptimum | None = None
    """Of all rule sets of optimal objective the first in the order of ties, once they were enumerated."""
    second_backend: Backend | None = None
    """Another solver, for second opinions on integer programs that close a proof."""
    closed_by: tuple[str, ...] = ()
    """The solvers whose integer program closed the proof; none where it needed none."""
    prefers_errors: bool = False
    """Whether the rule set with the fewest errors is chosen even where another one is proven optimal."""
    notes: tuple[str, ...] = ()
    """How the constraints apply to the data."""
    incumbents: Incumbents = field(factory=Incumbents)

    def __attrs_post_init__(self) -> None:
        self.guide = self.master.guide() or self.master

    # What everything asks for --------------------------------------------------------------------------------------

    @property
    def goal(self) -> Goal:
        return self.master.goal

    @property
    def problem(self) -> Problem:
        return self.master.problem

    @property
    def is_large(self) -> bool:
        return self.schedule.is_large(self.problem)

    @property
    def lister(self) -> Pricer | None:
        """A trusted pricer that can list rules, which proofs over all rules need."""
        listers = (stage for stage in self.stages if stage.pricer.can_list)
        return next((stage.pricer for stage in listers if self.trusts(stage, "list_below")), None)

    def trusts(self, stage: Stage, method: str = "price") -> bool:
        """Whether what a pricer says may close a proof: it comes with the core, or the user named it."""
        named = stage.name.partition(":")[0] in self.schedule.trusted
        is_refuted = f"the pricer {describe(stage.name, stage.pricer)}" in self.ledger.refuted
        return (named or is_trusted(stage.pricer, method)) and self.trusts_master and not is_refuted

    @property
    def trusts_master(self) -> bool:
        """Whether the master's relaxations may close a proof: their code comes with the core, or it shows its duals and
        the core computes the rest."""
        is_refuted = f"the master {describe(type(self.master).__name__, self.master)}" in self.ledger.refuted
        latest = self.relaxation
        shows = latest is not None and latest.feasible and is_recomputed(self.goal, latest)
        return not is_refuted and is_trusted(self.master, "evaluate") and (
            shows or is_trusted(self.master, *RELAXING)
        )

    @property
    def reached_limit(self) -> bool:
        """Whether there were as many rounds or rules as allowed."""
        limits = self.limits
        return (limits.iterations is not None and len(self.history) >= limits.iterations) or (
            limits.pool is not None and len(self.master.pool) >= limits.pool
        )

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to prove, or no time to prove it."""
        best = self.incumbents.best
        if best is None or self.lower_bound is None or self.deadline.passed:
            return True
        return best.objective - self.rounded(self.lower_bound) <= 1e-9

    def is_proven(self, best: Candidate) -> bool:
        """Whether what is proven says that no rule set is better than this one."""
        if self.lower_bound is None:
            return False
        bound = max(self.rounded(self.lower_bound), self.goal.least_objective)
        return abs(best.objective - bound) <= 1e-9 * max(1.0, abs(bound)) or (
            bound >= best.objective and bound <= best.objective + 1e-6 * max(1.0, abs(bound))
        )

    # Time and events ------------------------------------------------------------------------------------------------

    def start_clock(self) -> None:
        self.began = now()
        self.deadline = Deadline.after(self.limits.seconds, self.halt)

    def now(self) -> float:
        return now() - self.began

    def emit(self, event: Event) -> None:
        """Tell the observer and the log; an observer that fails is told of nothing more, and the run goes on."""
        event = evolve(event, run=self.name)
        LOG.log(logging.INFO if isinstance(event, (Note, Finished)) else logging.DEBUG, "%s", event)
        if self.observer is None:
            return
        try:
            self.observer(event)
        except Exception as error:  # the caller's code: anything may come
            self.observer = None
            LOG.warning("the function given as on_event failed", exc_info=True)
            what = f"The function given as on_event failed ({type(error).__name__}: {error})"
            warnings.warn(f"{what}; the run goes on without it.", RulecgWarning, stacklevel=2)

    def note(self, text: str) -> None:
        self.emit(Note(self.now(), text))

    # What changes what is known -------------------------------------------------------------------------------------

    def take(self, found: Iterable[Candidate], source: str) -> None:
        """Take in rule sets; tell when one of them is the best so far."""
        if self.incumbents.add(found):
            best = self.incumbents.best
            assert best is not None
            self.tell(self.ledger.compare_with_objective(best.objective))
            self.emit(IncumbentFound(self.now(), best.objective, best.rules, source))

    def relax(self, master: Master, deadline: Deadline) -> Relaxation | None:
        """Solve a relaxation, the master's own or one of its guide; None when the deadline came first."""
        try:
            relaxation = master.solve_relaxation(deadline)
            if not isinstance(relaxation, Relaxation | None):
                raise TypeError(f"solve_relaxation() must return a Relaxation or None, not {type(relaxation).__name__}")
            proven = None if relaxation is None else relaxation.dual_value
            if proven is not None and not math.isfinite(proven):
                raise ValueError(f"solve_relaxation() must give a finite dual_value or None, not {proven}")
            relaxation = None if relaxation is None else recomputed(master.goal, relaxation)
        except RulecgError:
            raise
        except Exception as error:  # a stranger's code: anything may come
            fault = fault_of("master", type(master).__name__, master, error)
            raise PluginError(f"{fault[0].upper()}{fault[1:]}.", distribution_of(master)) from error
        if relaxation is None:
            return None
        relaxation = self._checked(relaxation, master)
        if master is self.master:
            self.relaxation = relaxation
        if master is not self.master or self.guide is self.master:
            self.guidance = relaxation
        return relaxation

    def _checked(self, relaxation: Relaxation, master: Master) -> Relaxation:
        """A relaxation whose duals prove more than its own value contradicts itself: its duals then prove nothing."""
        proven = relaxation.dual_value
        most = relaxation.value + 1e-6 * max(1.0, abs(relaxation.value))
        if proven is None or not relaxation.feasible or proven <= most:
            # Rules with a negative reduced cost only lower what the duals prove: nothing to count.
            return relaxation
        rules = master.pool.rules[: len(relaxation.weights)]
        least = float(np.min(reduced_costs(self.problem, relaxation.pricing, rules), initial=0.0))
        proven += min(least, 0.0) * relaxation.max_rules
        if proven <= most:
            return relaxation
        who = f"the master {describe(type(master).__name__, master)}"
        evidence = f"says that its duals prove {proven:.6g} where its relaxation has {relaxation.value:.6g}"
        if who not in self.ledger.refuted:
            self.tell([self.ledger.refute(who, evidence)])
        return evolve(relaxation, dual_value=None)

    def price_in(self, rules: Sequence[Rule], most: int) -> int:
        """Of some rules, the master takes in those that its relaxation lacks most; how many."""
        if self.guidance is None or not rules:
            return 0
        costs = reduced_costs(self.problem, self.guidance.pricing, rules)
        lacking = np.argsort(costs, kind="stable")[:most]
        return self.master.add_rules([rules[at] for at in lacking if costs[at] < NEGATIVE])

    @property
    def guidance_lacks_rules(self) -> bool:
        """Whether rules came to the pool after the relaxation that leads, and would lower it."""
        if self.guidance is None:
            return False
        newer = self.master.pool.rules[len(self.guidance.weights) :]
        return bool(np.any(reduced_costs(self.problem, self.guidance.pricing, newer) < NEGATIVE))

    def who(self, stage: Stage) -> str:
        """Whose word a stage's bounds are: the pricer's, or the master's where that is not trusted."""
        if self.trusts_master:
            return f"the pricer {describe(stage.name, stage.pricer)}"
        return f"the master {describe(type(self.master).__name__, self.master)}"

    def learn(self, statement: Statement) -> None:
        """Take in what somebody says about the objectives of all rule sets of rules with conditions."""
        self.ledger.note(evolve(statement, bound=min(statement.bound, self.covering_all)))
        best = self.incumbents.best
        if best is not None:
            self.tell(self.ledger.compare_with_objective(best.objective))

    def tell(self, refutations: Iterable[str]) -> None:
        """Note who was refuted, and go on without what they said."""
        for text in refutations:
            self.note(text)
        if self.certificate is not None and self.certificate.who in self.ledger.refuted:
            self.certificate = None

    def compare_with_all_rules(self) -> None:
        """Compare every bound with every rule that is known."""
        known = {rule for found in self.incumbents.known.values() for rule in found.rules if len(rule)}
        # What is said about all rules is said about those that are allowed.
        known_rules = [*self.master.pool.rules, *self.goal.allowed(list(known))]
        self.tell(self.ledger.compare_with_rules(self.problem, known_rules))
        most = self.goal.max_rules
        larger = [found for found in self.incumbents.kept if len(found.rules) > most and found.has_conditions]
        if larger:
            # Bounds divide by the most rules there can be: with a wrong number they say nothing.
            who = [each for each in self.master.constraints if each.max_rules(self.problem) == most]
            names = " and ".join(f"the constraint {describe(type(each).__name__, each)}" for each in who)
            self.note(f"{names} says that there can be {most:g} rules, but {len(larger[0].rules)} keep every bound")
            self.ledger = Ledger()
            self.certificate = self.first_optimum = None

    def take_constant_rule(self) -> None:
        """Count what covering everything costs, before anything is proven."""
        rule = self.goal.constant_rule
        if rule is not None:
            found = self.master.evaluate((rule,))
            if found.keeps_rows:
                self.covering_all = found.objective
            self.take([found], "everything covered")

    def raise_bound(self, bound: float, who: str = "the core") -> None:
        """Take in a bound over the rule sets of rules with conditions."""
        self.learn(Statement(who, bound, is_trusted=True))

    @property
    def lower_bound(self) -> float | None:
        """Over all rule sets, on the word of those that are trusted."""
        return self.ledger.bound

    def rounded(self, bound: float) -> float:
        """The bound, rounded up to a multiple of the step between objectives, where there is one; floating-point noise
        never rounds it up."""
        step = self.goal.step
        if step == 0 or math.isinf(bound):
            return bound
        return float(step * math.ceil((bound - ROUNDING * max(1.0, abs(bound))) / step))

    def close(self) -> None:
        """Free what searches and masters hold."""
        self.searching.close()
        self.guide.close()
        self.master.close()
