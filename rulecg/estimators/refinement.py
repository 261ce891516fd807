"""Finer thresholds while rules are learned: what good rules use is tried at every original value of its column.

With all other conditions of a rule fixed, what the rule brings is a sum over the rows it covers, so one running sum
over the rows sorted by a column gives the value of *every* threshold at once. Two prices per row are looked at: the
duals of the relaxation (the sum is then the reduced cost of the changed rule), for the rules that the relaxation uses;
and what covering a row changes in the best rule sets, for each of their rules with the others fixed. A threshold that
is better than the one in use joins the conditions, and learning goes on with the rules found so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import define, evolve, field, frozen

from rulecg_core import Condition, InfeasibleError, Limits, Mark, Problem, Result, Rule, Stop, now
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray
from rulecg_core.base.events import Event, Finished, Note, Observer, RoundFinished, Started
from rulecg_core.base.limits import Deadline

from ..binarize.thresholds import shortest_between
from .recipe import Recipe
from .training import Training

PHASES = 3
"""At most so many times are thresholds refined."""
MOST_NEW = 40
"""At most so many thresholds join at a time, those that bring most; the number of conditions stays bounded."""
MOST_PRICED = 60
"""How many rules of the relaxation are tried with other thresholds, those with the largest weights."""
SHARE, LARGE_SHARE = 0.06, 0.2
"""Share of the time for each phase before the last; more on large data, where phases do not end by themselves."""
LOOKING_SHARE = 0.05
"""Share of the time that looking for better thresholds may take each time."""
UNLIMITED = 15.0
"""Seconds for such a phase when there is no time limit."""


def learn_refining(
    recipe: Recipe,
    training: Training,
    build: Callable[[Training], Problem],
    limits: Limits,
    observer: Observer | None,
    seed: int,
) -> tuple[Result, Training]:
    """Learn in phases with finer and finer thresholds; the last phase has all pricers and the rest of the time.

    Parameters
    ----------
    recipe : Recipe
        What learns.
    training : Training
        The rows with the first conditions.
    build : function from Training to Problem
        Makes the problem of a phase.
    limits : Limits
        The budget of all phases.
    observer : function or None
        Hears the events of all phases as those of one run.
    seed : int
        Seed of whatever uses chance.

    Returns
    -------
    Result, Training
        The result speaks of the last phase's conditions, which the training rows have: what it proves, it proves over
        all rules that these can make.
    """
    run = _Run(recipe, training, build, limits, recipe.told_to(observer), seed)
    return run.execute(), run.training


@define(eq=False)
class _Run:
    """Phases of one run: to those who listen, and in the result, they are one."""

    recipe: Recipe
    training: Training
    build: Callable[[Training], Problem]
    limits: Limits
    listener: Observer
    seed: int
    began: float = field(factory=now)
    history: list[RoundFinished] = field(factory=list)
    n_phases: int = 0

    def execute(self) -> Result:
        problem = self.build(self.training)
        full = self.recipe
        while self.n_phases < PHASES and not self.is_over and any(map(_is_numeric, problem.conditions)):
            quick = evolve(self.recipe, pricers=full.pricers[:1], choose=None)
            try:
                result = self.phase(quick, problem, self.share(problem), is_last=False)
            except InfeasibleError:
                # Not found yet is not proven: all pricers and the rest of the time come next.
                break
            if result.stop is Stop.INTERRUPTED:
                self.listener(
                    Finished(
                        self.elapsed, result.status, result.stop, result.objective, result.lower_bound, result.pool_size
                    )
                )
                return self.whole(result)
            self.recipe = full.going_on_from(result)
            most = Deadline.after(None if self.limits.seconds is None else LOOKING_SHARE * self.limits.seconds)
            found = better_thresholds(problem, result, self.training, most)
            if not found:
                break
            self.listener(Note(self.elapsed, f"refined: {len(found)} more thresholds, at original values"))
            self.training = self.training.extended([c for one in found for c in (one, one.complement())])
            problem = self.build(self.training)
        result = self.phase(self.recipe, problem, self.rest(), is_last=True)
        return self.whole(result)

    def phase(self, recipe: Recipe, problem: Problem, limits: Limits, is_last: bool) -> Result:
        """Run column generation; its events are told as parts of the whole run."""
        is_first, offset, rounds = not self.n_phases, self.elapsed if self.n_phases else 0.0, len(self.history)
        self.n_phases += 1

        def in_place(event: Event) -> Event:
            if isinstance(event, RoundFinished):
                event = evolve(event, iteration=event.iteration + rounds)
            elif isinstance(event, Started):
                event = evolve(event, pricers=tuple(name for name, _ in self.recipe.stages(problem)))
            return evolve(event, seconds=event.seconds + offset)

        def tell(event: Event) -> None:
            is_inner = (isinstance(event, Finished) and not is_last) or (isinstance(event, Started) and not is_first)
            if not is_inner:
                self.listener(in_place(event))

        result = recipe.run(problem, limits, tell, self.seed)
        self.history += map(in_place, result.history)  # type: ignore[arg-type]
        return result

    def whole(self, result: Result) -> Result:
        return evolve(result, history=tuple(self.history), seconds=self.elapsed)

    @property
    def elapsed(self) -> float:
        return now() - self.began

    @property
    def is_over(self) -> bool:
        return self.limits.seconds is not None and self.elapsed >= self.limits.seconds

    def share(self, problem: Problem) -> Limits:
        """Limits of a phase before the last."""
        if self.limits.seconds is None:
            return evolve(self.limits, seconds=UNLIMITED)
        share = LARGE_SHARE if self.recipe.schedule.is_large(problem) else SHARE
        return evolve(self.limits, seconds=share * self.limits.seconds)

    def rest(self) -> Limits:
        if self.limits.seconds is None:
            return self.limits
        return evolve(self.limits, seconds=max(self.limits.seconds - self.elapsed, 0.02 * self.limits.seconds))


def _is_numeric(condition: Condition) -> bool:
    return condition.operator in ("<=", ">")


# Which thresholds are better ------------------------------------------------------------------------------------------


def better_thresholds(
    problem: Problem,
    result: Result,
    training: Training,
    deadline: Deadline = Deadline(),  # noqa: B008 - Deadline is frozen
) -> list[Condition]:
    """Find conditions at original values that improve a good rule when they replace one of its own.

    Parameters
    ----------
    problem : Problem
        What is learned.
    result : Result
        A run's best rule sets; its last relaxation says which rules are good, and what covering a row is worth.
    training : Training
        The rows with their original values.
    deadline : Deadline
        When to stop looking.

    Returns
    -------
    list of Condition
        Most gain first, at most ``MOST_NEW``.
    """
    search = _Search(problem, training, deadline)
    costs = np.where(problem.y, -problem.sizes, problem.sizes)
    for rules in dict.fromkeys((result.best_rules, result.rules)):
        covers = problem.covers(rules).astype(np.int64)
        counts = covers.sum(axis=0)
        for rule, covered in zip(rules, covers, strict=True):
            search.look_around(np.where(counts - covered > 0, 0.0, costs), [rule])
    if result.guidance is not None:
        weights = result.guidance.weights
        heaviest = [at for at in np.argsort(-weights, kind="stable")[:MOST_PRICED] if weights[at] > 1e-6]
        search.look_around(result.guidance.pricing.sample_weights, [result.pool[at] for at in heaviest])
    return search.best(MOST_NEW)


@frozen(eq=False)
class _Sorted:
    """A numeric column's rows by value, missing ones left out."""

    rows: IntArray
    values: FloatArray
    """Distinct values, ascending."""
    ends: IntArray
    """How many rows have at most each value."""

    @classmethod
    def of(cls, numbers: FloatArray) -> _Sorted:
        rows = np.argsort(numbers, kind="stable")[: np.count_nonzero(~np.isnan(numbers))]
        values, counts = np.unique(numbers[rows], return_counts=True)
        return cls(rows, values, np.cumsum(counts))


@frozen(eq=False)
class _Search:
    """Gains of thresholds at original values, over all rules that were looked at."""

    problem: Problem
    training: Training
    deadline: Deadline
    gains: dict[Condition, float] = field(factory=dict)
    _columns: dict[str, _Sorted] = field(factory=dict)

    def look_around(self, prices: FloatArray, rules: Sequence[Rule]) -> None:
        """Try each numeric condition of each rule at all values of its column; prices are per merged sample."""
        inverse = self.problem.inverse
        row_prices = (prices / self.problem.sizes)[inverse] * self.training.row_sizes
        for rule in rules:
            if self.deadline.passed:
                return
            for feature in rule:
                condition = self.problem.conditions[feature]
                if _is_numeric(condition):
                    others = Rule(other for other in rule if other != feature)
                    self._try_values(condition, others.covers(self.problem.X)[inverse], row_prices)

    def _try_values(self, condition: Condition, inside: BoolArray, row_prices: FloatArray) -> None:
        if condition.column not in self._columns:
            self._columns[condition.column] = _Sorted.of(self.training.numbers(condition))
        column = self._columns[condition.column]
        below = np.cumsum(np.where(inside, row_prices, 0.0)[column.rows])[column.ends - 1][:-1]
        if not len(below):
            return
        # For "<=" in a conjunction, what is at most the threshold is covered; the other direction or form, the rest.
        costs = below if (condition.operator == "<=") == (self.problem.logic == "dnf") else -below
        scale = float(np.abs(row_prices).sum())
        now = int(np.searchsorted(column.values, _threshold(condition), side="right")) - 1
        if not 0 <= now < len(costs):
            return
        best = float(costs.min())
        gain = float(costs[now]) - best
        if gain <= 1e-6 + 1e-9 * scale:
            return
        # Values between which no priced row lies are one threshold: the fewest digits of them all.
        is_best = costs <= best + 1e-12 * scale
        first = int(np.argmax(is_best))
        last = first + int(np.argmin(np.append(is_best[first:], False))) - 1
        low, high = float(column.values[first]), float(column.values[last + 1])
        middle = low + (high - low) / 2 if np.isfinite(high - low) else None
        now_at = condition.value
        simplest = now_at.scale.simplest if isinstance(now_at, Mark) else shortest_between
        threshold = simplest(low, high, middle)
        finer = Condition(condition.column, "<=", threshold)
        self.gains[finer] = max(gain, self.gains.get(finer, 0.0))

    def best(self, most: int) -> list[Condition]:
        known = set(self.problem.conditions)
        fresh = [condition for condition in self.gains if condition not in known]
        return sorted(fresh, key=lambda c: (-round(self.gains[c], 6), c.column, _threshold(c)))[:most]


def _threshold(condition: Condition) -> float:
    return float(condition.value)  # type: ignore[arg-type]
