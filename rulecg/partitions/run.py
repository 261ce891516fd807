"""Rounds over partitions: a sample in memory proposes, all rows decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from attrs import define, evolve, field, frozen

from rulecg_core import (
    Backend,
    Constraint,
    Deadline,
    HammingMaster,
    Heuristic,
    Pricer,
    PricingLimits,
    PricingProblem,
    Problem,
    Relaxation,
    Rule,
    SearchLimits,
    View,
)

from .bound import Enumeration, Prices
from .cell_goal import CellGoal, Verdict, stakes_of
from .checkpoint import State
from .improvement import Improvement, rules_of
from .patterns import MOST_RULES, Counted, pattern_problem, patterns_of
from .samples import PartitionedSamples, Sampled

SLACK = 1e-6
"""Bounds are rounded up to whole objectives only beyond this share of them: floating-point noise proves nothing."""
STALLED = 1e-4
"""A round that lowers the relaxation by less than this share of it, and finds nothing better, is the last one."""


@frozen
class Work:
    """How much a run over partitions does, in counts that a clock does not change.

    Parameters
    ----------
    sampled : int
        How many distinct rows the sample in memory has at most.
    rounds : int
        How many rounds of search, relaxation and pricing there are at most.
    restarts : int
        How often the search in memory begins again in each round.
    moves : int
        How many changes of the best rule set, each the best of all on all rows, a round makes at most.
    proposals : int
        How many rule sets of the sample are counted on all rows in a round.
    patterns : int
        How many patterns of rows the linear program has at most.
    bound : float
        How many words of 64 rows are weighed for the bound; 0 for no bound.
    bound_rounds : int
        How often the bound is looked for: rules that it meets join the relaxation.
    enough : float
        Share of the objective by which the bound may be less tight where that saves work.
    """

    sampled: int = 60_000
    rounds: int = 6
    restarts: int = 8
    moves: int = 20
    proposals: int = 10
    patterns: int = 20_000
    bound: float = 5e10
    bound_rounds: int = 3
    enough: float = 0.01


@frozen(eq=False)
class Parts:
    """What a run is made of besides the rows."""

    constraints: Sequence[Constraint]
    backend: Backend
    pricer: Pricer
    heuristic: Heuristic
    max_conditions: int
    seed: int = 0
    costs: tuple[float, float] = (1.0, 1.0)
    work: Work = Work()


@frozen(eq=False)
class _Relaxed:
    """A relaxation on all rows: patterns, their problem, and what the program said."""

    rules: tuple[Rule, ...]
    counted: Counted
    problem: Problem
    relaxation: Relaxation


@define(eq=False)
class PartitionRun:
    """One run; what it knows is its :class:`State`, which goes to ``keep`` after every round."""

    samples: PartitionedSamples
    goal: CellGoal
    parts: Parts
    sampled: Sampled
    state: State
    keep: Callable[[State], None]
    say: Callable[[str], None]
    best: Verdict | None = None
    problem: Problem = field(init=False)
    """The sample as a problem in memory."""
    moves: Improvement = field(init=False)

    def __attrs_post_init__(self) -> None:
        labels = self.samples.manifest.labels[self.sampled.cells]
        stakes = stakes_of(labels, self.sampled.weights.astype(np.float64), self.parts.costs)
        self.problem = self.samples.problem(self.sampled, self.parts.max_conditions, stakes=stakes)
        self.moves = Improvement(self.samples, self.goal, self.parts.max_conditions)

    def go(self) -> Verdict | None:
        """All rounds that are left, and the bound; the best rule set of rules with conditions."""
        state, work = self.state, self.parts.work
        self._take([()] if state.incumbent is None else [state.incumbent])
        while not state.is_priced and state.round < work.rounds:
            is_new = self._round()
            state.round += 1
            state.is_priced = not is_new or self._has_stalled()
            self._keep()
        while work.bound > 0 and state.bounded < work.bound_rounds and state.pool:
            is_new = self._bound()
            state.bounded = state.bounded + 1 if is_new else work.bound_rounds
            self._keep()
        return self.best

    # One round ------------------------------------------------------------------------------------------------------

    def _round(self) -> bool:
        """Search, count, improve, relax, price; whether pricing found rules that are new."""
        self._take(self._proposals())
        if self.best is not None:
            self._take_verdict(self.moves.descend(self.best, self.parts.work.moves))
        self._pool([] if self.best is None else self.best.rules)
        relaxed = self._relaxed()
        if relaxed is None:
            return False
        self._take(self._chosen(relaxed))
        priced = self._priced(relaxed)
        new = [rule for rule in priced if rule not in self.state.pool]
        self._lead(relaxed, new)
        value = relaxed.relaxation.value * relaxed.problem.unit if relaxed.relaxation.feasible else None
        self.state.relaxation = value
        best = math.inf if self.best is None else self.best.objective
        self.state.history.append((value, best, len(self.state.pool)))
        relaxation = "not feasible" if value is None else f"{value:.0f}"
        self.say(
            f"round {self.state.round + 1}: best {best:.0f}, relaxation {relaxation} over {relaxed.counted.n_rules} "
            f"rules and {len(relaxed.counted.weights)} patterns, {len(new)} new rules"
        )
        return bool(new)

    def _has_stalled(self) -> bool:
        """Whether neither the best rule set nor the relaxation became better in the last round."""
        if len(self.state.history) < 2:
            return False
        (before, best_before, _), (now, best, _) = self.state.history[-2:]
        if before is None or now is None or best < best_before:
            return False
        return before - now < STALLED * abs(before)

    def _proposals(self) -> list[tuple[Rule, ...]]:
        """Rule sets that do well on the sample."""
        with HammingMaster(self.problem, self.parts.constraints, self.parts.backend) as master:
            numbers = {feature: at for at, feature in enumerate(self.samples.allowed)}
            starts = [] if self.best is None else [tuple(_renumbered(rule, numbers) for rule in self.best.rules)]
            found = self._search(View(master, lambda: None, True), [each for each in starts if each])
        own = self.samples.allowed
        sets = [tuple(Rule(own[at] for at in rule) for rule in rules) for rules in found]
        return [rules for rules in sets if all(map(len, rules))][: self.parts.work.proposals]

    def _search(self, view: View, starts: Sequence[Sequence[Rule]]) -> list[tuple[Rule, ...]]:
        rng = np.random.default_rng([self.parts.seed, self.state.round])
        search = self.parts.heuristic.open(view)
        try:
            search.prepare()
            return list(search.improve(starts, SearchLimits(restarts=self.parts.work.restarts), rng).rule_sets)
        finally:
            search.close()

    def _relaxed(self) -> _Relaxed | None:
        """The relaxation over the pool on all rows."""
        rules = tuple(self.state.pool[:MOST_RULES])
        if not rules:
            return None
        counted = patterns_of(self.samples, rules, self.parts.work.patterns)
        rules = rules[: counted.n_rules]
        problem = pattern_problem(self.samples, counted, rules, self.parts.costs)
        with HammingMaster(problem, self.parts.constraints, self.parts.backend) as master:
            master.add_rules([Rule((at,)) for at in range(len(rules))])
            relaxation = master.solve_relaxation(Deadline())
        return None if relaxation is None else _Relaxed(rules, counted, problem, relaxation)

    def _chosen(self, relaxed: _Relaxed) -> list[tuple[Rule, ...]]:
        """Rule sets made of the rules of the relaxation that do well on all rows."""
        own = {rule: Rule((at,)) for at, rule in enumerate(relaxed.rules)}
        with HammingMaster(relaxed.problem, self.parts.constraints, self.parts.backend) as master:
            master.add_rules(list(own.values()))
            known = self.best is not None and all(rule in own for rule in self.best.rules)
            starts = [tuple(own[rule] for rule in self.best.rules)] if known and self.best is not None else []
            found = self._search(View(master, lambda: relaxed.relaxation, True), [each for each in starts if each])
        sets = [tuple(relaxed.rules[rule.features[0]] for rule in rules if len(rule)) for rules in found]
        return sets[: self.parts.work.proposals]

    def _priced(self, relaxed: _Relaxed) -> list[Rule]:
        """Rules that the relaxation lacks, by the prices that its patterns give the rows of the sample."""
        pricing = relaxed.relaxation.pricing
        numbers = {feature: at for at, feature in enumerate(self.samples.allowed)}
        covers = self.problem.covers([_renumbered(rule, numbers) for rule in relaxed.rules])
        digits = np.arange(len(relaxed.rules), dtype=np.uint64)[:, None]
        signatures = np.bitwise_or.reduce(covers.astype(np.uint64) << digits, axis=0)
        prices = Prices.of(self.samples, relaxed.counted, relaxed.rules, pricing, relaxed.problem.weights)
        cells = self.sampled.cells[_first_rows(self.problem)]
        per_row = np.zeros(len(cells))
        for cell in np.unique(cells):
            known = slice(int(prices.starts[cell]), int(prices.starts[cell + 1]))
            own = cells == cell
            at = known.start + np.searchsorted(relaxed.counted.signatures[known], signatures[own])
            per_row[own] = pricing.sample_weights[at] / relaxed.problem.weights[at]
        share = float(self.goal.weights.sum()) / float(self.sampled.weights.sum())
        scale = share * self.problem.unit / relaxed.problem.unit
        asked = PricingProblem(
            X=self.problem.X,
            sample_weights=per_row * self.problem.weights * scale,
            condition_price=pricing.condition_price,
            constant=pricing.constant,
            max_conditions=self.parts.max_conditions,
            chains=self.problem.chains,
        )
        rng = np.random.default_rng([self.parts.seed, self.state.round, 1])
        found = self.parts.pricer.price(asked, PricingLimits(max_rules=MOST_RULES // 4), rng)
        return [Rule(self.samples.allowed[at] for at in rule) for rule in found.rules]

    # The bound ------------------------------------------------------------------------------------------------------

    def _bound(self) -> bool:
        """Price all rules on all rows; whether some came in that the relaxation lacks."""
        relaxed, work = self._relaxed(), self.parts.work
        if relaxed is None or not relaxed.relaxation.feasible or self.best is None:
            return False
        relaxation, problem = relaxed.relaxation, relaxed.problem
        prices = Prices.of(self.samples, relaxed.counted, relaxed.rules, relaxation.pricing, problem.weights)
        enough = work.enough * self.best.objective / problem.unit / max(1.0, relaxation.max_rules)
        enumeration = Enumeration(self.samples, self.parts.max_conditions, work.bound)
        priced = enumeration.bound(prices, relaxation.pricing, problem.unit, enough)
        proven = relaxation.lower_bound(min(priced.value, 0.0))
        if proven is not None and math.isfinite(proven):
            proven = self._rounded(min(proven * problem.unit, self._covering_all()))
            if proven > self.goal.goal.least_objective * self.goal.goal.problem.unit:
                self.state.bound = proven if self.state.bound is None else max(proven, self.state.bound)
            self.say(
                f"bound {proven:.0f}: no rule has a reduced cost below {priced.value * problem.unit:.1f}, after "
                f"weighing {priced.work:.2g} words{'' if priced.is_complete else ', which was all that is allowed'}"
            )
        new = [rule for rule in priced.rules if rule not in self.state.pool]
        self._lead(relaxed, new)
        return bool(new)

    def _covering_all(self) -> float:
        """What covering everything costs: the one rule that the relaxation does not know."""
        found = self.goal.judge(self.goal.weights, self.goal.weights, np.float64(0.0), np.float64(1.0))
        return float(found.objective) if found.proxy_violation <= 0 else math.inf

    def _rounded(self, bound: float) -> float:
        goal = self.goal.goal
        step = goal.step * goal.problem.unit
        if step > 0:
            bound = step * math.ceil((bound - SLACK * max(1.0, abs(bound))) / step)
        return max(bound, goal.least_objective * goal.problem.unit)

    # What is known --------------------------------------------------------------------------------------------------

    def _take(self, rule_sets: Sequence[Sequence[Rule]]) -> None:
        verdicts = self.moves.verdicts(rule_sets)
        for verdict in verdicts:
            self._take_verdict(verdict)
        self._pool(rules_of(sorted(verdicts, key=lambda each: (each.merit, each.rules))))

    def _take_verdict(self, verdict: Verdict) -> None:
        if self.best is None or (verdict.merit, verdict.rules) < (self.best.merit, self.best.rules):
            self.best = verdict
            self.state.incumbent = verdict.rules

    def _pool(self, rules: Sequence[Rule]) -> None:
        """Rules that come to the front of the pool."""
        self.state.pool = list(dict.fromkeys([*rules, *self.state.pool]))

    def _lead(self, relaxed: _Relaxed, new: Sequence[Rule]) -> None:
        """Put first what the best rule set and the relaxation use and what was priced in: patterns are of these."""
        weights = relaxed.relaxation.weights
        used = [rule for rule, weight in zip(relaxed.rules, weights, strict=False) if weight > 1e-9]
        own = [] if self.best is None else list(self.best.rules)
        self._pool([*own, *used, *new])
        self.state.pool = self.state.pool[: 2 * MOST_RULES]

    def _keep(self) -> None:
        self.keep(evolve(self.state))


def _renumbered(rule: Rule, numbers: dict[int, int]) -> Rule:
    return Rule(numbers[feature] for feature in rule)


def _first_rows(problem: Problem) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For every merged sample one of the rows it is made of."""
    rows = np.zeros(problem.n_samples, dtype=np.int64)
    rows[problem.inverse[::-1]] = np.arange(len(problem.inverse) - 1, -1, -1)
    return rows
