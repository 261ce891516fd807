"""Parts of one piece of work on several threads, with results that do not depend on how many threads there are."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

LAG = 6
"""Part k knows what the parts up to k - LAG found: a fixed lag makes results independent of the number of threads,
which only decides how many parts run at a time."""

Workspace = TypeVar("Workspace")
Known = TypeVar("Known")
Found = TypeVar("Found")


def run_in_order(
    n_parts: int,
    n_threads: int,
    make_workspace: Callable[[], Workspace],
    work: Callable[[Workspace, int, Known], Found],
    merge: Callable[[Found], Known | None],
    known: Known,
    interrupted: threading.Event,
) -> int:
    """Work on every part, each thread in a workspace of its own, and merge what they found in order.

    ``merge`` says what is known after a part, or None to end the work; parts that were finished out of order by then
    are merged last. Returns how many parts were merged in order. ``interrupted`` is set when a thread fails or the
    user interrupts: the work should end soon then, and the error is raised."""
    after: list[Known] = [known]
    finished: dict[int, Found] = {}
    errors: list[BaseException] = []
    changed = threading.Condition()
    taken = merged = 0
    ended = False

    def next_part() -> int | None:
        nonlocal taken
        with changed:
            while not ended and not errors and taken < n_parts and taken - LAG >= len(after):
                changed.wait()
            if ended or errors or taken >= n_parts:
                return None
            taken += 1
            return taken - 1

    def take_parts() -> None:
        nonlocal merged, ended
        try:
            workspace = make_workspace()
            while (number := next_part()) is not None:
                found = work(workspace, number, after[max(0, number - LAG)])
                with changed:
                    finished[number] = found
                    while not ended and merged in finished:
                        now_known = merge(finished.pop(merged))
                        merged += 1
                        if now_known is None:
                            ended = True
                        else:
                            after.append(now_known)
                    changed.notify_all()
        except BaseException as error:  # Also an interrupt: every thread must end before it is passed on.
            with changed:
                errors.append(error)
                interrupted.set()
                changed.notify_all()

    helpers = [threading.Thread(target=take_parts, daemon=True) for _ in range(min(n_threads, n_parts) - 1)]
    for helper in helpers:
        helper.start()
    take_parts()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    for number in sorted(finished):
        merge(finished[number])
    return merged
