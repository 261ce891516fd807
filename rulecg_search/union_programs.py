"""The best rule set over the rules of many local optima, by an integer program.

Local optima are good in different places. A program over the few hundred rules that they are made of is often solved
in a moment, and its solution takes from each what it does best: more than a walk from one to the next finds. Rules are
chosen in two ways, in turn: drawn from the best local optima, or as those that cost least in the relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from attrs import define

from rulecg_core import Candidate, Deadline, IntegerResult, Rule, SolveError, Stop, View, now, reduced_costs

from .time_shares import TimeShare
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
REMEMBERED = 20_000
"""How many rules are remembered, at least."""


@define(eq=False)
class _Programs:
    """Programs over rules that are chosen in one way."""

    by_cost: bool
    """Whether they are those that cost least in the relaxation."""
    size: int = FIRST
    """Over how many rules the next one is."""


class UnionPrograms:
    """The rules of the local optima met, each with the merit of the best rule set it was in."""

    def __init__(self, view: View, merit: Callable[[Candidate], Merit]) -> None:
        self.view, self.merit = view, merit
        self._best_with: dict[Rule, Merit] = {}
        self._most = min(MOST, ENTRIES // max(1, view.problem.n_samples))
        self._kinds = [_Programs(by_cost=False), _Programs(by_cost=True)]
        self.share = TimeShare(SHARE, LEAST_SHARE, FALL)
        self._asked_at: float | None = None

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
        return has_enough and self.share.is_due

    def ask(self) -> bool:
        """Whether the next program wants a relaxation that knows the rules of local optima; asked once for each."""
        if self._asked_at is not None or not self._next_kind.by_cost:
            return False
        self._asked_at = now()
        return True

    def solve(self, known: Candidate, deadline: Deadline, rng: np.random.Generator) -> tuple[Candidate, ...]:
        """Find the best rule sets over some of the rules, as far as the solver gets in its time; ``known`` is the best
        so far, and its rules take part."""
        kind = self._next_kind
        moment = now()
        allowed = max(LEAST_TURN, TURN * self.share.total)
        # The relaxation that was asked for is part of this program's time, but not what else came between.
        began = max(self._asked_at, moment - allowed) if kind.by_cost and self._asked_at is not None else moment
        has_all_its_time = deadline.remaining >= allowed
        self._asked_at = None
        if self._relaxation_is_whole:
            self._kinds.reverse()
        size = min(kind.size, self._most)
        try:
            rules = self._cheapest(size) if kind.by_cost else self._drawn(size, rng)
            among = list(dict.fromkeys([*known.rules, *rules]))
            left = deadline.within(max(LEAST_TURN, allowed - (moment - began)))
            result = self.view.solve_integer(among, left, start=[known.rules])
        except SolveError:
            # The search goes on without it; a solver that keeps failing is reported where its answer is needed.
            result = IntegerResult((), None, Stop.ERROR)
        took = now() - began
        self.share.spent += took
        found_better = any(self.merit(found) < self.merit(known) for found in result.candidates)
        if result.stop is Stop.COMPLETED:
            self.share.judge(brought_something=True)
            if took < allowed / 2:
                kind.size = min(self._most, int(GROWTH * kind.size))
        elif has_all_its_time:
            self.share.judge(brought_something=found_better)
            kind.size = max(LEAST, int(kind.size / GROWTH))
        return result.candidates

    @property
    def _relaxation_is_whole(self) -> bool:
        """Whether there is a relaxation, and with the true bounds on size."""
        relaxation = self.view.relaxation
        return relaxation is not None and relaxation.size_share == 1

    @property
    def _next_kind(self) -> _Programs:
        """Both kinds in turn, once there is a relaxation."""
        if not self._relaxation_is_whole:
            return next(kind for kind in self._kinds if not kind.by_cost)
        return self._kinds[-1]

    def _cheapest(self, size: int) -> list[Rule]:
        """The rules that cost least in the relaxation."""
        relaxation = self.view.relaxation
        assert relaxation is not None, "Rules have a cost once there is a relaxation."
        rules = list(dict.fromkeys([*self.view.rules, *self.rules]))
        costs = reduced_costs(self.view.problem, relaxation.pricing, rules)
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
