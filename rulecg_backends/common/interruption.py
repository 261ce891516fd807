"""Runs a solver where Ctrl-C and ``should_stop`` can reach it."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Interruption:
    """Asks whether to stop and remembers the answer; shared by the caller and the solver's callbacks."""

    def __init__(self, should_stop: Callable[[], bool] | None) -> None:
        self._should_stop = should_stop
        self._flag = threading.Event()
        self._error: BaseException | None = None

    @property
    def requested(self) -> bool:
        return self._flag.is_set()

    def request(self) -> None:
        self._flag.set()

    def ask(self) -> bool:
        """Whether to stop now. An error in ``should_stop`` stops the solver and is raised afterwards."""
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
        if self._error is not None:
            raise self._error

    def run(self, solve: Callable[[], None], on_request: Callable[[], None] | None = None) -> None:
        """Run ``solve`` in a thread of its own and wait for it here.

        Python delivers Ctrl-C only between steps of the main thread, so a solver running there could not be stopped.
        ``should_stop`` is asked here, in the caller's thread; ``on_request`` is called once when a stop is wanted.
        """
        failure: list[BaseException] = []
        # Not Thread.join: a KeyboardInterrupt inside it makes Python 3.10 to 3.12 believe that the thread has ended.
        finished = threading.Event()

        def work() -> None:
            try:
                solve()
            except BaseException as error:
                failure.append(error)
            finally:
                finished.set()

        threading.Thread(target=work, name="rulecg-solver", daemon=True).start()
        told = False
        while True:
            try:
                if finished.wait(0.02):
                    break
                if self.ask() and not told:
                    told = True
                    if on_request is not None:
                        on_request()
            except KeyboardInterrupt:
                self.request()
        self.raise_if_failed()
        if failure:
            raise failure[0]
