"""Threads of this process: each reads one partition at a time, so that memory does not grow with the rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from rulecg_core import ConfigurationError


class LocalEngine:
    """Threads of this process, each with one partition at a time.

    Parameters
    ----------
    threads : int
        How many partitions are worked on at the same time, and so how many are open at most.

    Examples
    --------
    >>> engine = LocalEngine(threads=2)
    >>> list(engine.map(len, ["one", "three"]))
    [3, 5]
    >>> engine.shutdown()
    """

    def __init__(self, threads: int = 1) -> None:
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise ConfigurationError(f"The engine 'local' takes a number of threads of at least 1, not {threads!r}.")
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def map(self, function: Callable[[Any], Any], partitions: Iterable[Any], /) -> Iterator[Any]:
        """Apply the function to every partition; answers are asked for only a little ahead of whoever takes them."""
        if self.threads == 1:
            yield from map(function, partitions)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="rulecg")
        waiting: deque[Future[Any]] = deque()
        try:
            for partition in partitions:
                waiting.append(self._pool.submit(function, partition))
                if len(waiting) > self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def shutdown(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
