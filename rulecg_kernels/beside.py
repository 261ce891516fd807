"""A second process that compiles beside this one while the cache is empty: the compiler itself uses one core.

Each kernel is compiled by the process that claims it first, this one from the front and the other one from the back;
what comes out is the same. Whenever the other process cannot be used, this one compiles everything.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import entry_points
from pathlib import Path

GROUP = "rulecg.kernels"
"""The group of entry points that name modules with kernels."""
ALONE = "RULECG_COMPILE_ALONE"
"""With this environment variable set, no other process is started."""
PAUSE = 0.02
"""Seconds between two looks at what the other process has done."""


def kernel_modules() -> list[str]:
    """The names of all modules with kernels that installed distributions announce, each once."""
    return sorted({entry.value for entry in entry_points(group=GROUP)})


class Beside:
    """A process that compiles kernels of all announced modules, and who compiles which."""

    def __init__(self) -> None:
        self._claims = tempfile.TemporaryDirectory(prefix="rulecg-kernels-", ignore_cleanup_errors=True)
        path = [place for place in sys.path if place]
        serve = f"from rulecg_kernels import beside; beside.serve({self._claims.name!r})"
        code = f"import sys; sys.path[:] = {path!r}; {serve}"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, ALONE: "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self.close)

    def claim(self, key: str) -> bool:
        """Whether this process is to compile a kernel: the other one has not begun with it."""
        return _claim(Path(self._claims.name), key)

    def wait_for(self, key: str) -> None:
        """Wait until the other process has compiled a kernel, or is gone."""
        done = Path(self._claims.name, f"{key}.done")
        while not done.exists() and self._process.poll() is None:
            time.sleep(PAUSE)

    def close(self) -> None:
        """End the other process: it ends when nobody holds the other end of its input."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        self._claims.cleanup()


_started: list[Beside | None] = []


def started() -> Beside | None:
    """The process beside this one, started at the first call; None where there is none."""
    if not _started:
        _started.append(_start())
    return _started[0]


def _start() -> Beside | None:
    is_worker = multiprocessing.parent_process() is not None
    if os.environ.get(ALONE) or is_worker or (os.cpu_count() or 1) < 2 or not sys.executable or not kernel_modules():
        return None
    try:
        return Beside()
    except OSError:
        return None


def _claim(folder: Path, key: str) -> bool:
    try:
        (folder / f"{key}.claim").open("x").close()
    except FileExistsError:
        return False
    except OSError:
        return True
    return True


def serve(folder: str) -> None:
    """Compile, beginning with the last one, all kernels that the process which started this one has not claimed."""
    from .kernel import announced_kernels

    threading.Thread(target=_end_with_parent, daemon=True).start()
    for kernel in reversed(announced_kernels()):
        if _claim(Path(folder), kernel.key):
            kernel.load()
            Path(folder, f"{kernel.key}.done").touch()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)
