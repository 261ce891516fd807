"""Several tasks at a time, for work that holds no lock of the interpreter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from attrs import field, frozen

from .conditions.moves import Clock

Answer = TypeVar("Answer")


@frozen(eq=False)
class Halt:
    """A deadline that can also be called off."""

    deadline: Clock
    called_off: threading.Event = field(factory=threading.Event)

    @property
    def passed(self) -> bool:
        return self.called_off.is_set() or self.deadline.passed


def side_by_side(tasks: Sequence[Callable[[Halt], Answer]], deadline: Clock) -> list[Answer]:
    """The answers of all tasks, each on a thread of its own; a failure of one ends the others."""
    halt = Halt(deadline)
    if len(tasks) == 1:
        return [tasks[0](halt)]

    def ending_the_others(task: Callable[[Halt], Answer]) -> Answer:
        try:
            return task(halt)
        except BaseException:
            halt.called_off.set()
            raise

    with ThreadPoolExecutor(len(tasks)) as threads:
        running = [threads.submit(ending_the_others, task) for task in tasks]
        try:
            return [each.result() for each in running]
        except BaseException:
            # Ctrl-C arrives here, not in the tasks.
            halt.called_off.set()
            raise
