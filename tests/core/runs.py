"""Runs for tests of the parts that work on one: everything the loop would set up, without going through it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rulecg_core import Event, Heuristic, Limits, Master, Pricer, Schedule
from rulecg_core.generation.stages import Stage
from rulecg_core.solve.run import Run
from rulecg_core.solve.searching import Searching
from rulecg_core.testing.brute_force import BruteForcePricer


def run_of(
    master: Master,
    pricers: Sequence[Pricer] | None = None,
    *,
    limits: Limits | None = None,
    schedule: Schedule | None = None,
    heuristics: Sequence[tuple[str, Heuristic]] = (),
    events: list[Event] | None = None,
) -> Run:
    """A run on the master whose clock has started; its events go into the given list."""
    run = Run(
        master,
        Stage.all_of([BruteForcePricer()] if pricers is None else pricers),
        limits or Limits(),
        ([] if events is None else events).append,
        np.random.default_rng(0),
        schedule or Schedule(),
    )
    run.searching = Searching(run, heuristics)
    run.start_clock()
    return run
