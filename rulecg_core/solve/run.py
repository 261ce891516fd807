"""The state of one run of column generation, which its phases read and advance."""

from __future__ import annotations

import logging
import math
import threading
import time
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
from attrs import define, evolve, field

from ..api.master import Master
from ..api.pricing import NEGATIVE, Pricer, reduced_costs
from ..api.provenance import describe, distribution_of, fault_of, is_trusted
from ..api.relaxation import Relaxation
from ..base.errors import PluginError, RulecgError, RulecgWarning
from ..base.events import Event, Finished, IncumbentFound, Note, Observer, RoundFinished
from ..base.limits import Deadline, Limits
from ..base.status import Stop
from ..data.goal import ROUNDING, Candidate, Goal
from ..data.problem import Problem
from ..data.rules import Rule
from ..generation.stages import Stage
from ..proof.certificate import Certificate
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
    began: float = field(factory=time.perf_counter)
    deadline: Deadline = field(factory=Deadline)
    guide: Master = field(init=False)
    """The master whose relaxations lead to good rules: the run's own unless that has a better guide."""
    searching: Searching = field(init=False)
    history: list[RoundFinished] = field(factory=list)
    lower_bound: float | None = None
    """Over all rule sets."""
    covering_all: float = math.inf
    """The objective of the one rule without conditions, if it keeps every row: it stands alone, so that it takes part
    in no relaxation, and bounds over rule sets of rules with conditions hold up to here."""
    relaxation: Relaxation | None = None
    """The master's own latest relaxation."""
    guidance: Relaxation | None = None
    """The latest relaxation that leads to good rules: what heuristics look at."""
    certificate: Certificate | None = None
    claims: dict[str, float] = field(factory=dict)
    """Bounds that rest on the word of plugins that are not trusted, by who says so."""
    refuted: set[str] = field(factory=set)
    """Those whose claims were refuted."""
    stop: Stop = Stop.COMPLETED
    rules_listed: int | None = None
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
        return (named or is_trusted(stage.pricer, method)) and is_trusted(self.master, *RELAXING)

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

    # Time and events ------------------------------------------------------------------------------------------------

    def start_clock(self) -> None:
        self.began = time.perf_counter()
        self.deadline = Deadline.after(self.limits.seconds, self.halt)

    def now(self) -> float:
        return time.perf_counter() - self.began

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
        except RulecgError:
            raise
        except Exception as error:  # a stranger's code: anything may come
            fault = fault_of("master", type(master).__name__, master, error)
            raise PluginError(f"{fault[0].upper()}{fault[1:]}.", distribution_of(master)) from error
        if relaxation is None:
            return None
        if master is self.master:
            self.relaxation = relaxation
        if master is not self.master or self.guide is self.master:
            self.guidance = relaxation
        return relaxation

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

    def claim(self, bound: float, stage: Stage) -> None:
        """Note a bound that rests on the word of a plugin that is not trusted. One that a rule set refutes is told."""
        bound = min(bound, self.covering_all)
        who = f"the pricer {describe(stage.name, stage.pricer)}"
        if not is_trusted(self.master, *RELAXING):
            who = f"the master {describe(type(self.master).__name__, self.master)}"
        best = self.incumbents.best
        if best is not None and best.objective < bound - 1e-6 * max(1.0, abs(bound)):
            if who not in self.refuted:
                self.note(
                    f"{who} says that no rule set is below {bound:.6g}, but one with {best.objective:.6g} is known: "
                    "what it says about bounds is left out"
                )
            self.refuted.add(who)
            self.claims.pop(who, None)
        elif who not in self.refuted:
            self.claims[who] = max(bound, self.claims.get(who, -math.inf))

    def take_constant_rule(self) -> None:
        """Count what covering everything costs, before anything is proven."""
        rule = self.problem.constant_rule
        # Beside kept rules it would not stand alone.
        if rule is not None and not self.goal.kept and self.goal.allows([rule])[0]:
            found = self.master.evaluate((rule,))
            if found.keeps_rows:
                self.covering_all = found.objective
            self.take([found], "everything covered")

    def raise_bound(self, bound: float) -> None:
        """Take in a bound over the rule sets of rules with conditions."""
        bound = min(bound, self.covering_all)
        self.lower_bound = bound if self.lower_bound is None else max(bound, self.lower_bound)

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
