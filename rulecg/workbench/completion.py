"""The best rule set with what was kept so far: sought in the background, with a bound that holds at any moment."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Sequence

from attrs import evolve

from rulecg_core import (
    Condition,
    Event,
    InfeasibleError,
    KeepRules,
    Master,
    Problem,
    Result,
    Rule,
    RulecgError,
    Start,
    Status,
)
from rulecg_core.base.events import IncumbentFound, RoundFinished
from rulecg_core.data.goal import ROUNDING, Goal

from .answer import Price
from .prepared import Prepared
from .standing import Clause, Standing


class Completion:
    """A run on one standing. ``rules``, ``objective``, ``errors`` and ``bound`` are the best known at any moment.

    Parameters
    ----------
    prepared : Prepared
        Rows and settings.
    standing : Standing
        What is kept and banned.
    pool : sequence of clauses
        Rules that are known, to begin with.
    known : sequence of rule sets
        Rule sets that are known; those that the standing allows are answers at once.
    written : sequence of Condition
        Conditions that were written by hand, for all rules to use.
    """

    def __init__(
        self,
        prepared: Prepared,
        standing: Standing,
        pool: Iterable[Clause] = (),
        known: Sequence[Sequence[Clause]] = (),
        written: Iterable[Condition] = (),
    ) -> None:
        self.prepared, self.standing = prepared, standing
        self.bound: float | None = None
        self.rules: tuple[Clause, ...] | None = None
        self.objective = self.errors = float("nan")
        self.result: Result | None = None
        self.failure: str | None = None
        self.seconds = 0.0
        self._halt = threading.Event()
        self._done = threading.Event()
        self.problem: Problem = prepared.restated(standing.is_banned, list(written))
        self._number = {condition: at for at, condition in enumerate(self.problem.conditions)}
        self._constraints = prepared.recipe.constraints
        if standing.kept:
            self._constraints = (*self._constraints, KeepRules(standing.kept))
        self._master: Master = prepared.master(self._constraints, self.problem)
        self._start = self._known(pool, known)
        # What kept rules cover wrongly is lost in any case.
        least = self._master.goal.least_objective
        if math.isfinite(least):
            self.bound = least * self.problem.unit
        self._thread = threading.Thread(target=self._run, name="rulecg-completion", daemon=True)

    @property
    def goal(self) -> Goal:
        """What whole rule sets are judged by."""
        return self._master.goal.whole or self._master.goal

    @property
    def is_final(self) -> bool:
        """Whether nothing more will come."""
        return self._done.is_set()

    @property
    def is_optimal(self) -> bool:
        """Whether no rule set with what is kept, and without what is banned, has a lower objective."""
        return self.result is not None and self.result.status is Status.OPTIMAL

    @property
    def pool(self) -> list[Clause]:
        """Rules that the run knows."""
        rules = self.result.pool if self.result is not None else tuple(self._start.rules)
        return [self.clause(rule) for rule in rules]

    @property
    def was_stopped(self) -> bool:
        """Whether it was asked to end before it had ended."""
        return self._halt.is_set() and not self.is_optimal

    def start(self) -> None:
        """Begin to search."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the run to end soon."""
        self._halt.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing more will come, at most so long; whether that is so."""
        return self._done.wait(seconds)

    # Between clauses and rules of the problem ---------------------------------------------------------------------

    def clause(self, rule: Rule) -> Clause:
        """Say a rule of the problem in conditions, a kept one as it was kept."""
        said = tuple(self.problem.conditions[feature] for feature in rule)
        own = frozenset([*said, *self.problem.required])
        return next((kept for kept in self.standing.kept if own == {*kept, *self.problem.required}), said)

    def rule(self, clause: Clause) -> Rule | None:
        """Say a clause as a rule of the problem; None where it has a condition that rules may not use."""
        own = [condition for condition in clause if condition not in self.problem.required]
        numbers = [self._number.get(condition) for condition in own]
        if None in numbers:
            return None
        return Rule(number for number in numbers if number is not None)

    def _known(self, pool: Iterable[Clause], known: Sequence[Sequence[Clause]]) -> Start:
        """What of all that is known can be used here; and the kept rules with what fits of others beside them."""
        rules = [rule for rule in map(self.rule, pool) if rule is not None and len(rule)]
        sets: list[tuple[Rule, ...]] = []
        kept = [rule for rule in map(self.rule, self.standing.kept) if rule is not None]
        for clauses in known:
            found = [rule for rule in map(self.rule, clauses) if rule is not None and len(rule)]
            sets.append(tuple(self.goal.within_size(list(dict.fromkeys([*kept, *found])))))
        return Start(tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(sets)))

    # In the background --------------------------------------------------------------------------------------------

    def _run(self) -> None:
        prepared, began = self.prepared, time.perf_counter()
        recipe = evolve(prepared.recipe, constraints=self._constraints, start=self._start, starter=None)
        try:
            self._take(recipe.run_once(self.problem, prepared.limits, self._hear, prepared.seed, self._halt))
        except InfeasibleError as error:
            self.failure = str(error)
        except (RulecgError, KeyboardInterrupt) as error:
            self.failure = str(error) or "stopped before anything was found"
        finally:
            self.seconds = time.perf_counter() - began
            self._done.set()

    def _hear(self, event: Event) -> None:
        if isinstance(event, IncumbentFound) and self.result is None:
            self._look_at(self._master.goal.completed(event.rules))
        if isinstance(event, RoundFinished) and event.lower_bound is not None:
            self.raise_bound(event.lower_bound)

    def _look_at(self, rules: Sequence[Rule]) -> None:
        judged = self._master.evaluate(rules)
        if judged.is_feasible:
            self.errors, self.objective = judged.errors * self.problem.unit, judged.objective * self.problem.unit
            self.rules = tuple(self.clause(rule) for rule in rules)

    def raise_bound(self, bound: float) -> None:
        """Take in a bound in the problem's unit, rounded up to a multiple of the step between objectives."""
        goal, unit = self.goal, self.problem.unit
        if goal.step:
            steps = (bound - ROUNDING * max(1.0, abs(bound))) / goal.step
            bound = goal.step * -(-steps // 1)
        self.bound = bound * unit if self.bound is None else max(self.bound, bound * unit)

    def _take(self, result: Result) -> None:
        self._look_at(result.best_rules)
        if result.lower_bound is not None:
            self.bound = result.lower_bound if self.bound is None else max(self.bound, result.lower_bound)
        self.result = result


def price_of(dear: Completion, cheap: Completion, is_stricter: bool) -> Price:
    """Bound what the best completion of one run costs more than that of another one.

    Parameters
    ----------
    dear, cheap : Completion
        The runs.
    is_stricter : bool
        Whether every completion of the first is one of the second.

    Returns
    -------
    Price
        Both ends by what is known at this moment.
    """
    dear_best = math.inf if dear.rules is None else dear.objective
    cheap_best = math.inf if cheap.rules is None else cheap.objective
    if is_stricter:
        cheap_best = min(cheap_best, dear_best)
    least = -math.inf if dear.bound is None else dear.bound - cheap_best
    most = math.inf if cheap.bound is None else dear_best - cheap.bound
    return Price(max(least, 0.0) if is_stricter else least, most)
