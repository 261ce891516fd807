"""Rule sets from annealing: conditions change at random, at first also for the worse, then ever more seldom.

Every run begins from a good rule set and heats it up until little of it is left. A run is worth the more the longer it
takes, so that each is a share of all that was done so far; it goes on from call to call. Several run side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import define

from rulecg_core import Candidate, FloatArray, IntArray, View

from .conditions.moves import Clock, ConditionMoves
from .parallel_tasks import Halt, side_by_side

HOT, LEAST_HOT = 0.0072, 0.5
"""The temperature at which runs begin, about: so many times the square root of the number of rows, but at least the
second number; times the weight of a row. Less than half a row, and nothing ever changes for the worse."""
SPREAD = 1.5
"""By which factor it is more or less at most."""
COOLED = 3.0
"""By which factor it falls in a run."""
FIRST, GROWTH = 100, 0.25
"""How many sweeps over all rules the first run makes; each of the others makes such a share of those made so far."""
LOOKS = 4
"""How often, in the second half of a run, the best rule set met is taken."""
CALLS = 10
"""How many times, in one leg, conditions are drawn anew for a few milliseconds."""


@define(eq=False)
class _Run:
    state: Any
    found: Any
    temperatures: FloatArray
    looks: IntArray
    """After how many sweeps the best rule set met since the last look is taken."""
    is_cold: bool = False
    """Whether there was a first look: what was met before it is what the run began from."""
    sweep: int = 0


@define(eq=False)
class _Line:
    """Runs one after the other."""

    memory: Any
    """What passes over all features can use again."""
    run: _Run | None = None
    n_sweeps: int = 0


class Annealing:
    """Lines of runs, and where they are."""

    def __init__(self, view: View, moves: ConditionMoves) -> None:
        self.view, self.moves = view, moves
        problem = view.problem
        n_rows = max(1, len(problem.inverse))
        self._hot = max(LEAST_HOT, HOT * np.sqrt(n_rows)) * float(problem.weights.sum()) / n_rows
        self._lines: list[_Line] = []

    def leg(
        self, starts: Sequence[Candidate], n_lines: int, deadline: Clock, rng: np.random.Generator
    ) -> list[Candidate]:
        """Every line goes on for a while; what its runs came to."""
        while len(self._lines) < n_lines:
            self._lines.append(_Line(self.moves.memory()))
        rngs = [np.random.default_rng(int(rng.integers(1 << 62))) for _ in range(n_lines)]
        tasks = [partial(self._go, line, starts, own) for line, own in zip(self._lines, rngs, strict=False)]
        return [found for each in side_by_side(tasks, deadline) for found in each]

    def _go(self, line: _Line, starts: Sequence[Candidate], rng: np.random.Generator, halt: Halt) -> list[Candidate]:
        met = []
        for _ in range(CALLS):
            if halt.passed:
                break
            run = line.run = line.run or self._begin(line, starts, rng)
            before = run.sweep
            run.sweep = self.moves.anneal(run.state, run.found, run.temperatures, run.sweep, line.memory)
            line.n_sweeps += run.sweep - before
            if run.sweep >= run.looks[0]:
                rules = self.moves.rules_of(run.found)
                run.found = self.moves.nothing_found(run.state)
                run.looks = run.looks[run.looks > run.sweep]
                is_over = not len(run.looks)
                if run.is_cold or is_over:
                    met.append(self.view.evaluate(self.moves.descend(rules, halt, rng, line.memory)))
                run.is_cold = True
                if is_over:
                    line.run = None
        return met

    def _begin(self, line: _Line, starts: Sequence[Candidate], rng: np.random.Generator) -> _Run:
        hot = self._hot * SPREAD ** rng.uniform(-1.0, 1.0)
        n_sweeps = max(FIRST, int(GROWTH * line.n_sweeps))
        state = self.moves.begin(starts[int(rng.integers(len(starts)))].rules, rng)
        return _Run(
            state,
            self.moves.nothing_found(state),
            temperatures=np.geomspace(hot, hot / COOLED, n_sweeps),
            looks=np.linspace(n_sweeps // 2, n_sweeps, LOOKS + 1).astype(np.int64),
        )
