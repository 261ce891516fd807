"""The final choice among the generated rules: local search, restricted MIP, and every bound checked in true counts."""

from __future__ import annotations

from collections.abc import Callable

from .events import Event, Note
from .incumbents import Incumbents
from .limits import Deadline
from .master import Master


def select(
    master: Master,
    incumbents: Incumbents,
    deadline: Deadline,
    threads: int,
    emit: Callable[[Event], None],
    now: Callable[[], float],
) -> None:
    """Search, then solve the restricted MIP from the best rule set; its whole solution pool takes part in the choice.

    Where the Hamming proxy let every rule set break a bound in true counts, the exact 0-1 model over the same rules
    finds one that keeps them all.
    """
    if not len(master.pool):
        return
    incumbents.search_thoroughly(deadline.within(min(10.0, 0.25 * deadline.remaining)))
    best = incumbents.best
    found = master.solve_integer(deadline, start=[] if best is None else [best.rules], threads=threads)
    for note in found.notes:
        emit(Note(now(), note))
    incumbents.add(found.candidates, "restricted MIP")
    if incumbents.choose() is None:
        emit(Note(now(), "no rule set met keeps every bound in true counts: solving the exact 0-1 model"))
        repaired = master.solve_integer(deadline.within(max(1.0, deadline.remaining)), count_once=True, threads=threads)
        incumbents.add(repaired.candidates, "exact 0-1 model")
