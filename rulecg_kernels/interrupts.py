"""Ctrl-C that arrives inside the compiler comes again a moment later, instead of getting lost there."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

AGAIN = 0.05
"""Seconds until a Ctrl-C comes again."""


@contextmanager
def not_lost() -> Iterator[None]:
    """While the block runs, Ctrl-C waits until llvmlite's own code is left.

    LLVM calls back into Python there: an exception in such a call is printed as a traceback and then forgotten. Outside
    the main thread, and where the signal is not handled in Python, nothing is changed.
    """
    before: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if is_inside_the_compiler(frame):
            later = threading.Timer(AGAIN, signal.raise_signal, [number])
            later.daemon = True
            later.start()
        else:
            before(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def is_inside_the_compiler(frame: FrameType | None) -> bool:
    """Whether one of llvmlite's functions that talk to LLVM is running.

    Parameters
    ----------
    frame : frame or None
        Where a signal arrived.

    Returns
    -------
    bool
        False for numba's own code around it, which passes exceptions on.
    """
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith("llvmlite.binding"):
            return True
        frame = frame.f_back
    return False
