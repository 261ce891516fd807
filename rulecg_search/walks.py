"""Walks from local optimum to local optimum of the condition moves, several side by side.

Each step leaves a local optimum on a detour and descends again: either over a blurred picture of the data, or over a
mixture with one of the best rule sets that any walk has met. Walks exchange what they met only between legs of a fixed
number of steps, so that the same seed gives the same answer whatever the number of cores has to do otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import define

from rulecg_core import Candidate, Rule, View

from .conditions.moves import Clock, ConditionMoves
from .parallel_tasks import Halt, side_by_side

MIXED = 0.6
"""By default, share of the steps that mix."""
TOLERATED, TOLERATED_SAMPLES = 0.004, 8.0
"""By how much of its objective, and by how many samples, a rule set may at most be worse than the one before and still
be where the walk goes on."""
LOST = 60
"""Steps without anything better after which a walk goes back to the best rule set of all."""
FRESH = 0.5
"""Share of the lost walks that begin anew from nothing."""
ELSEWHERE = 0
"""The number that stands for a run whose rule sets come from elsewhere."""
ELITES = 8
"""How many of the best rule sets are there to be mixed with."""

Merit = tuple[float, float, float]
"""Violation of the rows, then what is minimised, then complexity."""


@define(eq=False)
class _Walk:
    current: Candidate
    best: Candidate
    memory: Any
    """What descents on all samples can use again."""
    run: int
    """Which run this is; a walk that is lost begins another one."""
    mixes: bool = False
    """Whether it mixes with what other runs met: a run that began from nothing first goes its own way."""
    idle: int = 0


class Walks:
    """Where the walks are and the best rule sets they met; every call goes on from there."""

    def __init__(
        self, view: View, moves: ConditionMoves, merit: Callable[[Candidate], Merit], mixed: float = MIXED
    ) -> None:
        self.view, self.moves, self.merit = view, moves, merit
        self.mixed = mixed
        """Share of the steps that mix the current rule set with one of the best."""
        self.elites: list[Candidate] = []
        self._best_of_run: dict[int, Candidate] = {}
        self._walks: list[_Walk] = []
        self._n_runs = 0
        total, n_rows = float(view.problem.weights.sum()), len(view.problem.inverse)
        self._tolerated = TOLERATED_SAMPLES * total / max(1, n_rows)

    def meet(self, found: Sequence[Candidate]) -> None:
        """Rule sets from elsewhere: the best of them may be mixed with, and be where lost walks go on."""
        self._rank(ELSEWHERE, found)

    def _rank(self, run: int, found: Sequence[Candidate]) -> None:
        """Of every run only the best rule set counts: those near it would bring nothing new to a mixture."""
        known = self._best_of_run
        known[run] = min([*found, *([known[run]] if run in known else [])], key=self.merit)
        distinct = {frozenset(best.rules): number for number, best in known.items()}
        best_runs = sorted(distinct.values(), key=lambda number: self.merit(known[number]))[:ELITES]
        self._best_of_run = {number: known[number] for number in best_runs}
        self.elites = [known[number] for number in best_runs]

    def leg(self, n_steps: int, n_walks: int, deadline: Clock, rng: np.random.Generator) -> list[Candidate]:
        """Every walk makes some steps; the local optima that they met on the way."""
        while len(self._walks) < n_walks:
            # The first walk goes on from what is known, the others begin anew.
            is_first = not self._walks
            nothing = self.view.evaluate(())
            self._walks.append(_Walk(nothing, nothing, self.moves.memory(), run=self._next_run()))
            if is_first and self.elites:
                self._return(self._walks[0])
        rngs = [np.random.default_rng(int(rng.integers(1 << 62))) for _ in range(n_walks)]
        tasks = [partial(self._go, walk, n_steps, own) for walk, own in zip(self._walks, rngs, strict=False)]
        met = [found for each in side_by_side(tasks, deadline) for found in each]
        for walk in self._walks:
            self._rank(walk.run, [walk.best])
            if walk.idle >= LOST:
                self._turn(walk, rng)
        return met

    def _next_run(self) -> int:
        self._n_runs += 1
        return self._n_runs

    def _turn(self, walk: _Walk, rng: np.random.Generator) -> None:
        """What a walk does that found nothing better for long: mix; then begin anew, or go back to the best of all."""
        walk.idle = 0
        if not walk.mixes:
            walk.mixes = True
        elif rng.random() < FRESH:
            walk.current = walk.best = self.view.evaluate(())
            walk.run, walk.mixes = self._next_run(), False
        else:
            self._return(walk)

    def _return(self, walk: _Walk) -> None:
        walk.current = walk.best = self.elites[0]
        walk.run, walk.mixes = self._next_run(), True

    def _go(self, walk: _Walk, n_steps: int, rng: np.random.Generator, halt: Halt) -> list[Candidate]:
        met = []
        for _ in range(n_steps):
            if halt.passed:
                break
            found = self.view.evaluate(self._step(walk, halt, rng))
            met.append(found)
            walk.idle += 1
            if self.merit(found) < self.merit(walk.best):
                walk.best, walk.idle = found, 0
            violation, worth, _ = self.merit(walk.current)
            slack = rng.random() * (TOLERATED * abs(walk.current.objective) + self._tolerated)
            if self.merit(found) <= (violation, worth + slack, np.inf):
                walk.current = found
        return met

    def _step(self, walk: _Walk, halt: Halt, rng: np.random.Generator) -> tuple[Rule, ...]:
        """Another local optimum near a rule set."""
        current, memory = walk.current, walk.memory
        if walk.mixes and len(self.elites) > 1 and rng.random() < self.mixed:
            return self.moves.descend(self._mixed(current, rng), halt, rng, memory)
        moves = self.moves
        if moves.score.can_soften:
            moves = moves.softened(current.objective, rng)
        rules = moves.blurred(rng).descend(current.rules, halt, rng)
        if moves is not self.moves:
            rules = moves.descend(rules, halt, rng, memory)
        return self.moves.descend(rules, halt, rng, memory)

    def _mixed(self, current: Candidate, rng: np.random.Generator) -> list[Rule]:
        """Rules of two rule sets at random, as many as there is room for."""
        other = self.elites[rng.integers(len(self.elites))]
        rules = list(dict.fromkeys([*current.rules, *other.rules]))
        return self.view.goal.within_size(rules[at] for at in rng.permutation(len(rules)))
