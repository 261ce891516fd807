"""Ctrl-C as a wish that cannot get lost: it sets a halt that every deadline of the run looks at."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from attrs import define, field


@define(eq=False)
class Interrupts:
    """While in use, the first Ctrl-C sets ``halt`` before it raises KeyboardInterrupt.

    An exception in the middle of somebody's callback may be swallowed; the halt stays. Outside the main thread, or
    where somebody else handles the signal, nothing is changed.
    """

    halt: threading.Event
    _before: Any = field(init=False, default=None)

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if before in (signal.default_int_handler, come_again):
                self._before = before
                signal.signal(signal.SIGINT, self._halt)
        return self

    def _halt(self, number: int, frame: FrameType | None) -> None:
        self.halt.set()
        raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            # What comes again is for the time before the work: from now on there is something in hand.
            come_no_more()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._before = None


AGAIN = 1.0
"""Seconds until a Ctrl-C comes again."""
_coming: list[threading.Timer] = []


def come_again(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, and send the signal again a second later, unless :func:`come_no_more` is called.

    A handler for programs that import others' modules before their work: there, what calls back from compiled code
    forgets exceptions now and then.

    Raises
    ------
    KeyboardInterrupt
        Always.
    """
    later = threading.Timer(AGAIN, signal.raise_signal, [number])
    later.daemon = True
    later.start()
    _coming.append(later)
    raise KeyboardInterrupt


def come_no_more() -> None:
    """The interrupt was heard: it need not come again."""
    while _coming:
        _coming.pop().cancel()
