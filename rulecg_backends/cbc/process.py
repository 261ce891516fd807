"""Starts, feeds, stops and reuses the processes in which CBC runs."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from typing import Any

from rulecg_core import Deadline, SolveError

_MAX_IDLE = 2
_GRACE = 0.6
"""Seconds that a solve may overrun its limit before its process is ended."""
_STOP_GRACE = 3.0
"""Seconds after which a process that was asked to stop is ended."""

_COMMAND = "from rulecg_backends.cbc.worker import main; main()"


class ProcessEnded(Exception):
    """The process crashed, or was ended because it overran its limit."""


class CBCProcess:
    """One process with CBC in it; used by one session or solve at a time."""

    def __init__(self) -> None:
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            # Ctrl-C in a terminal reaches the whole group; the worker is stopped by its owner instead.
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._replies: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._ready = False
        self._end_at = float("inf")
        threading.Thread(target=self._read, name="rulecg-cbc", daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while True:
            try:
                self._replies.put(pickle.load(self._process.stdout))
            except Exception:  # end of file, or a reply cut short by the end of the process
                self._replies.put(("ended", None))
                return

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self, deadline: Deadline) -> bool:
        """False when the process still has not started at the deadline."""
        if not self._ready:
            try:
                timeout = min(deadline.remaining, 60.0)
                kind, content = self._replies.get(timeout=timeout) if timeout > 0 else self._replies.get_nowait()
            except queue.Empty:
                return False
            if kind != "ready":
                raise SolveError(f"The process for CBC did not start: {content or 'it ended at once'}.")
            self._ready = True
        return True

    def send(self, request: str, content: Any, deadline: Deadline) -> None:
        self._end_at = deadline.moment + _GRACE
        self._write(request, content)

    def ask_to_stop(self) -> None:
        self._end_at = min(self._end_at, time.perf_counter() + _STOP_GRACE)
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
        """End the process at once."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """Without requests to come the process ends by itself."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            # A forked child of ours still holds the other end open, or CBC is in the middle of something.
            self._process.kill()
            self._process.wait()


_idle: list[CBCProcess] = []
_lock = threading.Lock()


def borrow() -> CBCProcess:
    """An idle process, or a new one."""
    with _lock:
        while _idle:
            process = _idle.pop()
            if process.is_alive:
                return process
    return CBCProcess()


def give_back(process: CBCProcess) -> None:
    """Keep the process for the next user; starting one takes half a second."""
    with _lock:
        if len(_idle) < _MAX_IDLE:
            _idle.append(process)
            return
    process.close()


def _close_idle() -> None:
    while _idle:
        _idle.pop().close()


atexit.register(_close_idle)
if hasattr(os, "register_at_fork"):
    # A forked child must not talk to its parent's processes.
    os.register_at_fork(after_in_child=_idle.clear)
