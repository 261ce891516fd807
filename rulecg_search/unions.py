"""The best rule set over the rules of many local optima, by an integer program.

Local optima are good in different places. A program over the few hundred rules that they are made of is often solved
in a moment, and its solution takes from each what it does best: more than a walk from one to the next finds. Rules are
chosen in two ways, in turn: drawn from the best local optima, or as those that cost least in the relaxation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np
from attrs import define

from rulecg_core import Candidate, Deadline, IntegerResult, Master, Rule, SolveError, Stop
from rulecg_core.generation.stages import add_lacking, reduced_costs

from .time_shares import Turns
from .walks import Merit

FIRST, LEAST, MOST = 100, 40, 2_000
"""Over how many rules the first program is; over how many at least and at most."""
GROWTH = 1.5
"""By which factor the next program is larger when this one was solved in time, and smaller when it was not."""
ENTRIES = 40_000_000
"""Rules × samples that a program is built from at most."""
SHARE, LEAST_SHARE, FALL = 0.3, 0.06, 0.85
"""Share of the time of the search that programs may take; it falls by a factor while they are neither
solved in time nor bring anything."""
TURN, LEAST_TURN = 0.06, 0.2
"""Share of the time of the search so far that one program may take, and seconds that it may take in any case."""
BEST = 0.2
"""Share of the rules that are those of the best rule sets. The others are drawn: with the best alone, all of them near
the same rule set, programs found next to nothing new."""
ROUNDS, PRICED_IN = 5, 200
"""How often the relaxation takes in rules of local optima that it lacks before rules are chosen by what they cost in
it, and how many at most each time."""
REMEMBERED = 20_000
"""How many rules are remembered, at least."""


@define(eq=False)
class _Programs:
    """Programs over rules that are chosen in one way."""

    by_cost: bool
    """Whether they are those that cost least in the relaxation."""
    size: int = FIRST
    """Over how many rules the next one is."""


class Unions:
    """The rules of the local optima met, each with the merit of the best rule set it was in."""

    def __init__(self, master: Master, merit: Callable[[Candidate], Merit]) -> None:
        self.master, self.merit = master, merit
        self._best_with: dict[Rule, Merit] = {}
        self._most = min(MOST, ENTRIES // max(1, master.problem.n_samples))
        self._kinds = [_Programs(by_cost=False), _Programs(by_cost=True)]
        self.turns = Turns(SHARE, LEAST_SHARE, FALL)

    def learn(self, met: Iterable[Candidate]) -> None:
        """Remember the rules of local optima."""
        for candidate in met:
            merit = self.merit(candidate)
            for rule in candidate.rules:
                known = self._best_with.get(rule)
                if known is None or merit < known:
                    self._best_with[rule] = merit
        if len(self._best_with) > 2 * REMEMBERED:
            self._best_with = {rule: self._best_with[rule] for rule in self._ranked()[:REMEMBERED]}

    @property
    def rules(self) -> list[Rule]:
        """The rules of the best local optima, as many as a program can have."""
        return self._ranked()[: self._most]

    @property
    def is_due(self) -> bool:
        """Whether it is time for a program."""
        has_enough = min(self._most, len(self._best_with)) >= LEAST
        return has_enough and self.turns.is_due

    def solve(self, known: Candidate, deadline: Deadline, rng: np.random.Generator) -> tuple[Candidate, ...]:
        """The best rule sets over some of the rules, as far as the solver gets in its time; ``known`` is the best so
        far, and its rules take part."""
        began, allowed = time.perf_counter(), max(LEAST_TURN, TURN * self.turns.total)
        has_all_its_time = deadline.remaining >= allowed
        kind = self._next_kind()
        size = min(kind.size, self._most)
        try:
            rules = self._cheapest(size, deadline.within(allowed)) if kind.by_cost else self._drawn(size, rng)
            among = list(dict.fromkeys([*known.rules, *rules]))
            result = self.master.solve_integer(deadline.within(allowed), among=among, start=[known.rules], threads=1)
        except SolveError:
            # The search goes on without it; a solver that keeps failing is reported where its answer is needed.
            result = IntegerResult((), None, Stop.ERROR)
        took = time.perf_counter() - began
        self.turns.spent += took
        found_better = any(self.merit(found) < self.merit(known) for found in result.candidates)
        if result.stop is Stop.COMPLETED:
            self.turns.judge(brought_something=True)
            if took < allowed / 2:
                kind.size = min(self._most, int(GROWTH * kind.size))
        elif has_all_its_time:
            self.turns.judge(brought_something=found_better)
            kind.size = max(LEAST, int(kind.size / GROWTH))
        return result.candidates

    def _next_kind(self) -> _Programs:
        """Both kinds in turn, once there is a relaxation."""
        if self.master.rule_weights() is None or self.master.is_tightened:
            return next(kind for kind in self._kinds if not kind.by_cost)
        self._kinds.reverse()
        return self._kinds[0]

    def _cheapest(self, size: int, deadline: Deadline) -> list[Rule]:
        """The rules that cost least in the relaxation over all of them."""
        rules = list(dict.fromkeys([*self.master.pool.rules, *self.rules]))
        for _ in range(ROUNDS):
            if not add_lacking(self.master, rules, PRICED_IN) or self.master.solve_relaxation(deadline) is None:
                break
        costs = reduced_costs(self.master, self.master.pricing_problem(), rules)
        return [rules[at] for at in np.argsort(costs, kind="stable")[:size]]

    def _ranked(self) -> list[Rule]:
        return sorted(self._best_with, key=self._best_with.__getitem__)

    def _drawn(self, size: int, rng: np.random.Generator) -> list[Rule]:
        """The best rules, and others at random, the better ones rather."""
        ranked = self._ranked()
        if len(ranked) <= size:
            return ranked
        n_best = int(BEST * size)
        others = ranked[n_best:]
        drawn = np.unique((len(others) * rng.random(size - n_best) ** 2).astype(np.int64))
        return [*ranked[:n_best], *(others[at] for at in drawn)]
