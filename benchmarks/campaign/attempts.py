"""One attempt, what may come of it, and how many of a kind came to what."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path

from attrs import define, field, frozen

from rulecg.commands import cli
from rulecg_core import RulecgError
from rulecg_core.testing.timing import slowdown

LONGEST = 90.0
"""Seconds of a machine that does nothing else, after which an attempt counts as hanging."""


class Outcome(str, Enum):
    """What came of an attempt."""

    RIGHT = "right answer"
    REFUSED = "error that says what to do"
    WRONG = "wrong"
    SKIPPED = "not possible here"


class Skipped(Exception):
    """The machine does not allow this attempt, for example because it needs the rights of root."""


class Hanging(BaseException):
    """Raised in an attempt that does not end; no ``except Exception`` on the way catches it."""


@frozen
class Attempt:
    """One thing to try.

    Parameters
    ----------
    room
        The kind of attempt, a row of the table in the docs.
    name
        What is tried, unique within the room.
    call
        Tries it in an empty folder: returns after a right answer, raises what a user would see otherwise. An
        AssertionError says what is wrong with the answer.
    """

    room: str
    name: str
    call: Callable[[Path], None] = field(repr=False)


@frozen
class Verdict:
    """What came of an attempt, and the message or the fault that goes with it."""

    attempt: Attempt
    outcome: Outcome
    message: str
    seconds: float


def judge(attempt: Attempt) -> Verdict:
    """Try once; errors that a person can act on are refusals, everything else that is raised is wrong."""
    began = time.perf_counter()
    outcome, message = Outcome.RIGHT, ""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), _alarm(LONGEST):
        warnings.simplefilter("ignore")
        try:
            attempt.call(Path(folder))
        except (RulecgError, ValueError) as error:
            message = str(error)
            outcome = Outcome.REFUSED if is_sentence(message) else Outcome.WRONG
        except TypeError as error:
            # scikit-learn's own word for column names of several types, which its estimators must use.
            message = str(error)
            is_theirs = message.startswith("Feature names are only supported")
            outcome = Outcome.REFUSED if is_theirs else Outcome.WRONG
            message = message if is_theirs else traceback.format_exc(limit=-4)
        except Skipped as error:
            outcome, message = Outcome.SKIPPED, str(error)
        except (Exception, Hanging):
            outcome, message = Outcome.WRONG, traceback.format_exc(limit=-4)
    return Verdict(attempt, outcome, message, time.perf_counter() - began)


def is_sentence(message: str) -> bool:
    """Whether a message is written for people: words, and nothing of a traceback or of Python's insides."""
    return len(message.split()) >= 3 and not any(
        inside in message for inside in ("Traceback", "object at 0x", "np.float64", "object has no attribute")
    )


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    began = time.perf_counter()

    def end(number: int, frame: object) -> None:
        allowed = seconds * slowdown()
        if time.perf_counter() - began < allowed:  # the machine is busy: look again later
            signal.setitimer(signal.ITIMER_REAL, seconds)
            return
        raise Hanging(f"did not end within {allowed:.0f} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@define
class Tally:
    """How many attempts of each room came to what."""

    verdicts: list[Verdict] = field(factory=list)

    def add(self, attempts: Iterable[Attempt], show: Callable[[Verdict], None] = lambda verdict: None) -> None:
        """Try all of them."""
        for attempt in attempts:
            verdict = judge(attempt)
            self.verdicts.append(verdict)
            show(verdict)

    @property
    def wrong(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.outcome is Outcome.WRONG]

    def as_markdown(self) -> str:
        """The table of the docs."""
        lines = ["| what | tried | right answer | refused with a sentence | wrong | not possible here |",
                 "|---|---|---|---|---|---|"]  # fmt: skip
        rooms = list(dict.fromkeys(verdict.attempt.room for verdict in self.verdicts))
        for room in [*rooms, None]:
            of_room = [each.outcome for each in self.verdicts if room in (None, each.attempt.room)]
            kinds = (Outcome.RIGHT, Outcome.REFUSED, Outcome.WRONG, Outcome.SKIPPED)
            counts = " | ".join(str(of_room.count(kind)) for kind in kinds)
            lines.append(f"| {room or '**all**'} | {len(of_room)} | {counts} |")
        return "\n".join(lines)


def spread(attempts: list[Attempt], most: int | None) -> list[Attempt]:
    """At most so many of the attempts, evenly spread over the table; all of them without a number."""
    if most is None or len(attempts) <= most:
        return attempts
    return [attempts[at * len(attempts) // most] for at in range(most)]


def command(*words: str | Path, refusals: tuple[int, ...] = (2, 3, 4)) -> str:
    """Run ``rulecg`` in this process; its output. A refusal becomes a ValueError with its message."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main([os.fspath(word) for word in words])
        except SystemExit as end:  # argparse's way to refuse options
            code = int(end.code or 0)
    message = err.getvalue()
    assert "Traceback" not in message, message
    if code in refusals:
        raise ValueError(message)
    assert code == 0, f"exit code {code}: {message}"
    return out.getvalue()
