"""The final choice among the generated rules: local search, restricted MIP, and every bound checked in true counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..api.master import Master
from ..base.events import Event, Note
from ..base.limits import Deadline
from ..data.rules import Rule
from ..generation.stages import reduced_costs
from .incumbents import Incumbents

SEARCH_SHARE, LARGE_SEARCH_SHARE = 0.7, 0.9
"""Share of the time of the final choice that local search gets before the restricted MIP; more on large data, where the
MIP seldom adds to what it found."""
REPAIR_RULES = 400
"""The exact 0-1 model has a row for every pair of a rule and what it covers: beyond this, promising rules only."""


def select(
    master: Master,
    incumbents: Incumbents,
    deadline: Deadline,
    threads: int,
    emit: Callable[[Event], None],
    now: Callable[[], float],
) -> None:
    """Search, then solve the restricted MIP from the best rule set; its whole solution pool takes part."""
    if not len(master.pool):
        return
    if master.problem.is_large or not master.counts_only_size:
        share = LARGE_SEARCH_SHARE if master.problem.is_large else SEARCH_SHARE
        incumbents.search_thoroughly(deadline.within(share * deadline.remaining))
    else:
        incumbents.search_thoroughly(deadline.within(min(10.0, 0.25 * deadline.remaining)))
    best = incumbents.best
    if best is not None and best.rules and deadline.passed:
        return
    found = master.solve_integer(deadline, start=[] if best is None else [best.rules], threads=threads)
    for note in found.notes:
        emit(Note(now(), note))
    incumbents.add(found.candidates, "restricted MIP")


def needs_repair(incumbents: Incumbents) -> bool:
    """Whether the proxy misled: the best rule set as the master counts breaks a bound in true counts, and those that
    keep every bound make more errors."""
    best, chosen = incumbents.best, incumbents.choose()
    if chosen is None:
        return True
    return best is not None and not best.is_feasible and chosen.errors > best.errors


def repair(
    master: Master,
    incumbents: Incumbents,
    deadline: Deadline,
    threads: int,
    emit: Callable[[Event], None],
    now: Callable[[], float],
) -> None:
    """The exact 0-1 model over the generated rules: the fewest errors with every bound kept in true counts."""
    if not len(master.pool) or deadline.passed or not needs_repair(incumbents):
        return
    emit(Note(now(), "the best rule set breaks a bound in true counts: solving the exact 0-1 model"))
    chosen = incumbents.choose()
    start = [] if chosen is None else [chosen.rules]
    among = _promising(master, [rule for rules in start for rule in rules])
    found = master.solve_integer(deadline, among=among, start=start, count_once=True, threads=threads)
    if not found.candidates and len(among) < len(master.pool):
        found = master.solve_integer(deadline, count_once=True, threads=threads)
    incumbents.add(found.candidates, "exact 0-1 model")


def _promising(master: Master, wanted: Sequence[Rule]) -> list[Rule]:
    """The rules with the least reduced cost, and those wanted in any case."""
    rules = master.pool.rules
    if len(rules) > REPAIR_RULES:
        order = np.argsort(reduced_costs(master, master.pricing_problem(), rules), kind="stable")
        rules = [rules[at] for at in order[:REPAIR_RULES]]
    return list(dict.fromkeys([*wanted, *rules]))
