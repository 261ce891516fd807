"""Parts of a piece of work on several threads."""

from __future__ import annotations

import threading
import time

import pytest

from rulecg_pricing.exact.ordered import LAG, run_in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_do_not_depend_on_the_number_of_threads(threads: int) -> None:
    """Parts are merged in order, and a part knows what was merged LAG parts before it, no less and no more."""
    order: list[int] = []
    seen: dict[int, int] = {}

    def work(workspace: None, number: int, known: int) -> int:
        seen[number] = known
        time.sleep(0.001 * (number % 3))
        return number

    def merge(number: int) -> int:
        order.append(number)
        return number + 1

    merged = run_in_order(30, threads, lambda: None, work, merge, 0, threading.Event())
    assert merged == 30
    assert order == list(range(30))
    assert seen == {number: max(0, number - LAG) for number in range(30)}


@pytest.mark.parametrize("threads", [1, 3])
def test_merging_ends_the_work(threads: int) -> None:
    """When nothing more is to be done, no further part starts, and it is told how many parts count."""
    started: list[int] = []

    def work(workspace: None, number: int, known: int) -> int:
        started.append(number)
        return number

    merged = run_in_order(
        100, threads, lambda: None, work, lambda number: None if number >= 10 else number, 0, threading.Event()
    )
    assert merged == 11
    assert len(started) <= 11 + LAG + threads


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_all_threads_and_is_passed_on(threads: int) -> None:
    """Ctrl-C during one part stops the others, which are told by the event, and reaches the caller."""
    interrupted = threading.Event()

    def work(workspace: None, number: int, known: int) -> int:
        if number == 3:
            raise KeyboardInterrupt
        return number

    with pytest.raises(KeyboardInterrupt):
        run_in_order(50, threads, lambda: None, work, lambda number: number, 0, interrupted)
    assert interrupted.is_set()
    assert not [thread for thread in threading.enumerate() if "take_parts" in thread.name]
