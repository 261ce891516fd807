"""Ctrl-C that arrives where the compiler would lose it comes again a moment later."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

AGAIN = 0.05
"""Seconds until a Ctrl-C comes again."""
_CALLED_BACK = ("_raw_object_cache_", "__del__")
"""How the names of such functions begin."""


@contextmanager
def not_lost() -> Iterator[None]:
    """While the block runs, Ctrl-C waits until functions are left that exceptions cannot leave.

    LLVM calls back into Python, and Python calls finalizers: an exception there is printed as a traceback and then
    forgotten. Outside the main thread, and where the signal is not handled in Python, nothing is changed.
    """
    before: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if would_be_lost(frame):
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


def would_be_lost(frame: FrameType | None) -> bool:
    """Whether an exception raised in a frame would be printed and forgotten on its way.

    Parameters
    ----------
    frame : frame or None
        Where a signal arrived.

    Returns
    -------
    bool
        True within llvmlite's functions for LLVM to call, and within finalizers.
    """
    while frame is not None:
        if frame.f_code.co_name.startswith(_CALLED_BACK):
            return True
        frame = frame.f_back
    return False
