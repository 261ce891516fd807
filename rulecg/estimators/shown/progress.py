"""Telling people how a run goes: a live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rulecg_core.base.events import Event, Finished, IncumbentFound, Note, Observer, RoundFinished, StagePriced, Started

SECONDS_BETWEEN_LINES = 0.5


@contextmanager
def progress(verbose: int, title: str = "", stream: TextIO | None = None) -> Iterator[Observer | None]:
    """Make an observer that tells people how a run goes, for as long as the context lasts.

    Parameters
    ----------
    verbose
        0 tells nothing, 1 now and then, 2 every event.
    title
        What is being learned, where there are several things.
    stream
        Where to; standard output unless given.
    """
    if not verbose:
        yield None
        return
    stream = sys.stdout if stream is None else stream
    if verbose == 1 and stream.isatty():
        from .live import live_display

        with live_display(title, stream) as observer:
            yield observer
    else:
        yield PlainLines(verbose, title, stream)


class PlainLines:
    """One line per round, at most two a second unless every event is wanted."""

    def __init__(self, verbose: int, title: str, stream: TextIO) -> None:
        self.verbose, self.prefix, self.stream = verbose, f"{title}: " if title else "", stream
        self.next_line = 0.0
        self.best: float | None = None

    def __call__(self, event: Event) -> None:
        """Print what the event has to say."""
        text = describe(event)
        if isinstance(event, IncumbentFound):
            self.best = event.objective
        if isinstance(event, Finished) and text is not None:
            text += better_but_broken(self.best, event)
        if text is None or (isinstance(event, StagePriced) and self.verbose < 2):
            return
        if isinstance(event, RoundFinished) and self.verbose < 2:
            if event.seconds < self.next_line:
                return
            self.next_line = event.seconds + SECONDS_BETWEEN_LINES
        print(f"{event.seconds:7.1f} s  {self.prefix}{text}", file=self.stream, flush=True)


def better_but_broken(best: float | None, finished: Finished) -> str:
    """Explain why a run ends with a worse objective than it told of.

    Parameters
    ----------
    best
        The best objective that was told.
    finished
        How the run ended.

    Returns
    -------
    str
        The explanation, or nothing when there is nothing to explain.
    """
    if best is None or finished.objective <= best + 1e-9 * max(1.0, abs(best)):
        return ""
    return f" (the rule set with {best:.6g} told of before does not keep every bound in true counts)"


def describe(event: Event) -> str | None:
    """Put an event into words.

    Parameters
    ----------
    event
        What happened.

    Returns
    -------
    str or None
        A sentence; None for events that have nothing to say to people.
    """
    match event:
        case Started():
            return (
                f"{event.n_samples} distinct rows, {event.n_conditions} conditions, {event.n_rows} constraint rows; "
                f"solver {event.backend}; pricing by {', then '.join(event.pricers)}"
            )
        case StagePriced():
            best = "" if event.best is None else f", best reduced cost {event.best:.4g}"
            return f"round {event.iteration}: {event.stage} found {event.found} rules{best}"
        case RoundFinished():
            bound = "" if event.lower_bound is None else f", proven bound {event.lower_bound:.6g}"
            return f"round {event.iteration}: {event.pool_size} rules, relaxation {event.relaxation:.6g}{bound}"
        case IncumbentFound():
            return f"best objective so far {event.objective:.6g} with {event.n_rules} rules ({event.source})"
        case Note():
            return f"note: {event.message}"
        case Finished():
            bound = "no bound" if event.lower_bound is None else f"proven bound {event.lower_bound:.6g}"
            return f"done: objective {event.objective:.6g}, {bound}, status {event.status}, {event.pool_size} rules"
    return None
