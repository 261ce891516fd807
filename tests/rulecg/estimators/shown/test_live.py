"""The live display in a terminal."""

import contextlib
import os
import pty
import re
import threading

import rulecg
from rulecg_core.base.events import Finished, IncumbentFound, RoundFinished, Started
from rulecg_core.base.status import Status, Stop


def test_a_terminal_gets_a_live_display(lending, monkeypatch):
    """One table is redrawn in place; its last state stays on the screen."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    leader, follower = pty.openpty()
    shown = bytearray()

    def read():
        with contextlib.suppress(OSError):  # how a closed terminal ends
            while piece := os.read(leader, 65536):
                shown.extend(piece)

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(follower, "w") as terminal, contextlib.redirect_stdout(terminal):
        rulecg.RuleSetClassifier(max_complexity=6, time_limit=1.0, verbose=1).fit(lending.data, lending.target)
    reader.join(timeout=20)
    text = shown.decode()
    assert "\x1b[" in text
    for word in ("round", "rules", "proven bound", "best", "gap", "seconds", "finished"):
        assert word in text


def test_the_live_display_follows_the_events():
    """Bound, best objective and gap are the last that the run told."""
    from rich.console import Console

    from rulecg.estimators.shown.live import LiveState

    state = LiveState("demo [bold]")
    state(Started(0.0, 10, 20, 1, "highs", ("beam",)))
    state(RoundFinished(0.1, 3, 12.5, 8.0, None, 40, 10, "beam"))
    state(IncumbentFound(0.2, 16.0, 2, "local search"))
    assert state.gap == 0.5
    state(Finished(0.3, Status.LP_OPTIMAL, Stop.COMPLETED, 10.0, 9.0, 41))
    console = Console(width=100, record=True, file=open(os.devnull, "w"), markup=False)  # noqa: SIM115
    console.print(state.render())
    shown = console.export_text()
    assert re.search(r"3 .* 41 .* 12\.50 .* 9 .* 10 .* 10\.0% .* 0\.3", shown)
    assert "lp-optimal" in shown
