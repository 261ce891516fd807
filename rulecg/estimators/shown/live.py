"""The live display in a terminal: rounds, rules, bound, best objective, gap and seconds, as they change."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rulecg_core.base.events import Event, Finished, IncumbentFound, Note, Observer, RoundFinished, StagePriced, Started

from .progress import better_but_broken

if TYPE_CHECKING:
    from rich.console import RenderableType

NOTES_SHOWN = 3


class LiveState:
    """What the display shows, kept up to date by the run's events."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.began = time.monotonic()
        self.iteration = self.pool_size = 0
        self.relaxation: float | None = None
        self.bound: float | None = None
        self.best: float | None = None
        self.told: float | None = None
        self.doing = "starting"
        self.finished: str | None = None
        self.seconds: float | None = None
        self.notes: deque[str] = deque(maxlen=NOTES_SHOWN)

    def __call__(self, event: Event) -> None:
        """Take in what happened."""
        match event:
            case Started():
                self.doing = f"{event.n_samples} distinct rows, {event.n_conditions} conditions; solver {event.backend}"
            case StagePriced():
                self.doing = f"searching rules: {event.stage}"
            case RoundFinished():
                self.iteration, self.pool_size = event.iteration, event.pool_size
                self.relaxation = event.relaxation
                self.bound = event.lower_bound if event.lower_bound is not None else self.bound
                self.best = event.incumbent if event.incumbent is not None else self.best
            case IncumbentFound():
                self.best, self.doing = event.objective, f"best so far from {event.source}"
                self.told = event.objective
            case Note():
                self.notes.append(event.message)
            case Finished():
                broken = better_but_broken(self.told, event)
                if broken:
                    self.notes.append(broken.strip(" ()"))
                self.best, self.pool_size = event.objective, event.pool_size
                self.bound = event.lower_bound
                self.finished, self.seconds = str(event.status), event.seconds

    @property
    def gap(self) -> float | None:
        """How far best and bound are apart, as a share of the best."""
        if self.best is None or self.bound is None:
            return None
        return max(0.0, self.best - self.bound) / max(abs(self.best), 1e-12)

    def render(self) -> RenderableType:
        """Make what rich shows."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(title=self.title or None, title_justify="left", expand=False)
        for name in ("round", "rules", "relaxation", "proven bound", "best", "gap", "seconds"):
            table.add_column(name, justify="right", min_width=7)
        seconds = time.monotonic() - self.began if self.seconds is None else self.seconds
        table.add_row(
            str(self.iteration),
            str(self.pool_size),
            _number(self.relaxation),
            _number(self.bound),
            Text(_number(self.best), style="bold"),
            "–" if self.gap is None else f"{self.gap:.1%}",
            f"{seconds:.1f}",
        )
        last = f"finished: {self.finished}" if self.finished else f"{self.doing}   (Ctrl-C keeps the best so far)"
        lines = [*(f"note: {note}" for note in self.notes), last]
        return Group(table, *(Text(line, style="dim", overflow="fold") for line in lines))


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{value:.2f}"


@contextmanager
def live_display(title: str, stream: TextIO) -> Iterator[Observer]:
    """Show a display that follows a run while the context lasts, and leaves its last state on the screen.

    Parameters
    ----------
    title
        What is being learned.
    stream
        A terminal.
    """
    from rich.console import Console
    from rich.live import Live

    state = LiveState(title)
    # Data may name columns and classes: no markup is read from them.
    console = Console(file=stream, markup=False, highlight=False)
    with Live(get_renderable=state.render, console=console, refresh_per_second=5):
        yield state
