"""Runs a solver where Ctrl-C and ``should_stop`` reach it, and leaves it behind when it does not listen."""

from __future__ import annotations

import atexit
import os
import queue
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import ClassVar

from .limits import Deadline

GRACE = 0.35
"""Seconds that a solver has to stop once it was asked to; then it is left behind."""
_OVERRUN = 0.3
"""Seconds that a solver may overrun its deadline before it is asked to stop."""
_PATIENCE_AT_EXIT = 10.0
"""Seconds that the interpreter waits at its end for solvers that were left behind: compiled code must not run while
the process is taken apart."""
_IDLE_THREADS = 2
"""How many threads of one kind wait for the next solve."""

_left_behind: set[threading.Event] = set()


class Interruption:
    """Whether one solve has to stop, and why; shared by the caller and the solver's callbacks.

    Parameters
    ----------
    should_stop : callable, optional
        Asked about every 20 ms in the caller's thread; once it says True, or raises, the solver is asked to stop.
    deadline : Deadline, optional
        A solver that overruns it is asked to stop as well.

    Examples
    --------
    >>> interruption = Interruption(should_stop=lambda: False)
    >>> answers = []
    >>> interruption.run(lambda: answers.append(42))
    True
    >>> answers, interruption.requested
    ([42], False)
    """

    def __init__(
        self,
        should_stop: Callable[[], bool] | None = None,
        deadline: Deadline = Deadline(),  # noqa: B008 - Deadline is frozen
    ) -> None:
        self._should_stop = should_stop
        self._deadline = deadline
        self._flag = threading.Event()
        self._error: BaseException | None = None
        self.is_overdue = False
        """Whether the deadline was the reason to stop."""

    @property
    def requested(self) -> bool:
        """Whether the solver has to stop: what a solver's callback looks at."""
        return self._flag.is_set()

    def request(self) -> None:
        """Ask the solver to stop."""
        self._flag.set()

    def ask(self) -> bool:
        """Ask ``should_stop`` and return whether to stop now; an error in it stops the solver and is raised later."""
        if self._should_stop is not None and not self._flag.is_set():
            try:
                if self._should_stop():
                    self._flag.set()
            except BaseException as error:
                self.fail(error)
        return self._flag.is_set()

    def fail(self, error: BaseException) -> None:
        """Stop because of an error in a callback, which must not travel through the solver's own frames."""
        self._error = self._error or error
        self._flag.set()

    def raise_if_failed(self) -> None:
        """Raise what ``should_stop`` or a callback raised."""
        if self._error is not None:
            raise self._error

    def run(
        self,
        solve: Callable[[], object],
        on_request: Callable[[], object] | None = None,
        *,
        patience: float = GRACE,
        thread: str = "",
    ) -> bool:
        """Run ``solve`` in a thread of its own and wait for it here.

        Python delivers Ctrl-C only between steps of the main thread, so a solver running there could not be stopped.

        Parameters
        ----------
        solve : callable
            Runs the solver. It must release the GIL (compiled code that does not cannot be stopped from Python).
        on_request : callable, optional
            Called when a stop is wanted, again and again until the solver has ended: whatever tells it to end.
        patience : float, default=GRACE
            Seconds that the solver has to end once it was asked to; then it is left behind.
        thread : str, default=""
            Solves with the same word may share a thread, one after the other.

        Returns
        -------
        bool
            True when ``solve`` has ended; False when it was left behind: it goes on in its thread, and nothing of what
            it uses may be touched any more.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, once the solver has ended or was left behind.
        BaseException
            What ``solve``, ``should_stop`` or a callback raised.
        """
        failure: list[BaseException] = []
        # Not Thread.join: a KeyboardInterrupt inside it makes Python 3.10 to 3.12 believe that the thread has ended.
        finished = threading.Event()

        def work() -> None:
            try:
                solve()
            except BaseException as error:
                failure.append(error)

        _left_behind.add(finished)
        _SolverThread.borrow(thread).jobs.put((work, finished))
        has_ended = self.wait(finished.wait, on_request, patience=patience)
        if failure:
            raise failure[0]
        return has_ended

    def wait(
        self,
        has_ended: Callable[[float], bool],
        on_request: Callable[[], object] | None = None,
        *,
        patience: float = GRACE,
    ) -> bool:
        """Wait for a solver that runs elsewhere (a thread or process of its own), as :meth:`run` does.

        Parameters
        ----------
        has_ended : callable
            Takes a number of seconds, waits at most so long, and returns whether the solver has ended.
        on_request : callable, optional
            Called when a stop is wanted, again and again until the solver has ended.
        patience : float, default=GRACE
            Seconds that the solver has to end once it was asked to.

        Returns
        -------
        bool
            True when the solver has ended, False when it did not although it was asked to.
        """
        try:
            return self._wait(has_ended, on_request, patience)
        except BaseException:
            # Wherever an error or a Ctrl-C found this thread, nobody will wait for the solver any more.
            self.request()
            if on_request is not None:
                on_request()
            raise

    def _wait(
        self, has_ended: Callable[[float], bool], on_request: Callable[[], object] | None, patience: float
    ) -> bool:
        ctrl_c: KeyboardInterrupt | None = None
        asked_at = float("inf")
        over = False
        while not over and time.perf_counter() - asked_at <= patience:
            try:
                over = has_ended(0.02)
                if not over and (self.ask() or self._overruns()):
                    self.request()
                    asked_at = min(asked_at, time.perf_counter())
                    if on_request is not None:
                        on_request()
            except KeyboardInterrupt as error:
                if ctrl_c is not None:  # the second one does not wait for anybody
                    break
                ctrl_c = error
                self.request()
        self.raise_if_failed()
        if ctrl_c is not None:
            raise ctrl_c
        return over

    def _overruns(self) -> bool:
        self.is_overdue = time.perf_counter() > self._deadline.moment + _OVERRUN
        return self.is_overdue


class _SolverThread:
    """A thread that runs one solve after the other.

    Threads are used again because a new one costs HiGHS a third of a millisecond, and the memory allocator may keep a
    store of its own for each.
    """

    _idle: ClassVar[defaultdict[str, list[_SolverThread]]] = defaultdict(list)

    def __init__(self, word: str) -> None:
        self._word = word
        self.jobs: queue.SimpleQueue[tuple[Callable[[], None], threading.Event]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="rulecg-solver", daemon=True).start()

    @classmethod
    def borrow(cls, word: str) -> _SolverThread:
        """An idle thread, or a new one; it becomes idle again by itself."""
        try:
            return cls._idle[word].pop()
        except IndexError:
            return cls(word)

    @classmethod
    def forget_all(cls) -> None:
        cls._idle.clear()

    def _work(self) -> None:
        is_wanted = True
        while is_wanted:
            work, finished = self.jobs.get()
            work()
            del work  # what it holds is not to live until the next solve
            is_wanted = len(self._idle[self._word]) < _IDLE_THREADS
            if is_wanted:
                self._idle[self._word].append(self)
            _left_behind.discard(finished)
            finished.set()


@atexit.register
def _wait_for_those_left_behind() -> None:
    end = time.perf_counter() + _PATIENCE_AT_EXIT
    for finished in tuple(_left_behind):
        finished.wait(max(0.0, end - time.perf_counter()))


if hasattr(os, "register_at_fork"):
    # A forked child has none of its parent's threads.
    os.register_at_fork(after_in_child=_left_behind.clear)
    os.register_at_fork(after_in_child=_SolverThread.forget_all)
