"""Starts, feeds, stops and reuses the processes in which CBC runs."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
import weakref
from typing import IO, Any

from rulecg_core import Deadline, SolveError

from ..common.platform import in_a_group_of_its_own

_MAX_IDLE = 2
"""How many processes wait for the next user; each ends by itself when nobody comes (see ``worker.IDLE_SECONDS``)."""
_MANY = 4
"""With so many processes alive, forgotten ones are looked for before another is started."""
_GRACE = 0.6
"""Seconds that a solve may overrun its limit before its process is ended."""

_COMMAND = "from rulecg_backends.cbc.worker import main; main()"


class ProcessEnded(Exception):
    """The process crashed, or was ended because it overran its limit."""


class CBCProcess:
    """One process with CBC in it; used, and owned, by one session or solve at a time.

    Whoever borrows a process gives it back or ends it. One that is forgotten ends with the object that held it, or with
    the interpreter.
    """

    def __init__(self) -> None:
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            **in_a_group_of_its_own(),
        )
        self._owner = os.getpid()
        self._replies: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._ready = False
        self._end_at = float("inf")
        # The thread knows the pipe and the queue only: it must not keep this object alive.
        reading = (self._process.stdout, self._replies)
        threading.Thread(target=_read, args=reading, name="rulecg-cbc", daemon=True).start()
        self._last_resort = weakref.finalize(self, _kill, self._process, self._owner)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self, deadline: Deadline) -> bool:
        """False when the process still has not started at the deadline."""
        if not self._ready:
            try:
                timeout = min(deadline.remaining, 60.0)
                kind, _ = self._replies.get(timeout=timeout) if timeout > 0 else self._replies.get_nowait()
            except queue.Empty:
                return False
            if kind != "ready":
                self.end()
                raise ProcessEnded
            self._ready = True
        return True

    def send(self, request: str, content: Any, deadline: Deadline) -> None:
        """Send a request whose answer must come by the deadline."""
        self._end_at = deadline.moment + _GRACE
        self._write(request, content)

    def ask_to_stop(self) -> None:
        """Tell CBC to stop at its next node."""
        self._write("stop", None)

    def _write(self, request: str, content: Any) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump((request, content), self._process.stdin, protocol=5)
            self._process.stdin.flush()
        except (OSError, ValueError):  # broken or closed: the answer will be that the process has ended
            self.end()

    def receive(self) -> Any:
        """Wait for the answer; :class:`ProcessEnded` when there will be none."""
        while True:
            try:
                kind, content = self._replies.get(timeout=0.1)
                break
            except queue.Empty:
                if time.perf_counter() > self._end_at:
                    self.end()
        if kind == "error":
            raise SolveError(f"CBC failed: {content}")
        if kind == "ended":
            raise ProcessEnded
        return content

    def end(self) -> None:
        """End the process at once; does nothing to one that has ended, or that belongs to a parent."""
        if self._owner == os.getpid():
            self._process.kill()
            self.close()

    def close(self) -> None:
        """Without requests to come the process ends by itself."""
        if self._owner != os.getpid():
            return
        self._last_resort.detach()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            # A forked child of ours still holds the other end open, or CBC is in the middle of something.
            self._process.kill()
            self._process.wait()


def _read(replies: IO[bytes] | None, received: queue.SimpleQueue[tuple[str, Any]]) -> None:
    assert replies is not None
    with replies:
        while True:
            try:
                received.put(pickle.load(replies))
            except Exception:  # end of file, or a reply cut short by the end of the process
                received.put(("ended", None))
                return


def _kill(process: subprocess.Popen[bytes], owner: int) -> None:
    """End a process that nobody holds any more."""
    if os.getpid() == owner:
        process.kill()
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()


_idle: list[CBCProcess] = []
_known: weakref.WeakSet[CBCProcess] = weakref.WeakSet()
_lock = threading.Lock()


def borrow() -> CBCProcess:
    """An idle process, or a new one; it belongs to the caller until given back or ended."""
    with _lock:
        while _idle:
            process = _idle.pop()
            if process.is_alive:
                return process
            process.close()
    if sum(process.is_alive for process in tuple(_known)) >= _MANY:
        # Sessions that nobody closed may wait for Python to notice that nobody needs them; their processes end with
        # them. It takes less time than to start a process.
        gc.collect()
    process = CBCProcess()
    _known.add(process)
    return process


def give_back(process: CBCProcess) -> None:
    """Keep the process for the next user for a while; starting one takes half a second."""
    with _lock:
        if len(_idle) < _MAX_IDLE:
            _idle.append(process)
            return
    process.close()


def end_idle() -> None:
    """End every process that waits for its next user."""
    with _lock:
        idle, _idle[:] = list(_idle), []
    for process in idle:
        process.close()


def _forget_in_child() -> None:
    global _lock
    _lock = threading.Lock()  # another thread of the parent may have held it
    _idle.clear()


atexit.register(end_idle)
if hasattr(os, "register_at_fork"):
    # A forked child must not talk to its parent's processes.
    os.register_at_fork(after_in_child=_forget_in_child)
