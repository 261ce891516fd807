"""The rooms of the campaign, and how much of each is tried in a short run and in a long one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import frozen

from . import crowds, hostile_files, limits, lying_plugins, options, surroundings, tables
from .attempts import Attempt, spread


@frozen
class Room:
    """Attempts of one kind."""

    all: Callable[[], Iterable[Attempt]]
    """Everything, for a long run."""
    short: int
    """How many of a short run's attempts are tried, evenly spread."""
    brief: Callable[[], Iterable[Attempt]] | None = None
    """What a short run chooses from, where that is not everything."""


ROOMS = {
    "tables": Room(tables.attempts, 60),
    "options": Room(options.attempts, 90),
    "files": Room(lambda: hostile_files.attempts(500), 60),
    "limits": Room(limits.attempts, 6, lambda: (each for each in limits.attempts() if "5 s" not in each.name)),
    "lying-plugins": Room(lambda: lying_plugins.attempts(20), 90, lambda: lying_plugins.attempts(1)),
    "surroundings": Room(lambda: surroundings.attempts(100, 50, 30), 6, surroundings.quick_attempts),
    "crowds": Room(lambda: crowds.attempts(16, 500), 8, lambda: crowds.attempts(4, 12)),
}


def chosen(room: str, *, is_long: bool) -> list[Attempt]:
    """The attempts of a room that a run makes."""
    found = ROOMS[room]
    if is_long:
        return list(found.all())
    return spread(list((found.brief or found.all)()), found.short)
