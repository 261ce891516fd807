"""The command ``rulecg`` and ``python -m rulecg``: Ctrl-C before or after the work ends it in one sentence."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def main() -> int:
    """Import the command line and run it.

    Returns
    -------
    int
        The exit code.
    """
    # Nothing is written while modules are imported, and nothing is left to write at the end. An exception there would
    # be a traceback of somebody else's module, or be lost in it.
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, _leave)
    from rulecg_core.base.interrupts import come_again, come_no_more

    from .commands.cli import main as run

    try:
        if is_ours:
            signal.signal(signal.SIGINT, come_again)
        return run()
    except KeyboardInterrupt:
        _leave()
        raise
    finally:
        come_no_more()
        if is_ours:
            signal.signal(signal.SIGINT, _leave)


def _leave(number: int = signal.SIGINT, frame: FrameType | None = None) -> None:
    """End this process at once: 130 is what the command line says of every interrupt."""
    os.write(2, b"rulecg: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
