"""The parser of the command line: argparse's own, which also remembers its options and reads values with bounds."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from attrs import frozen

FILES = ("DATA", "FILE", "MODEL")
"""How help calls arguments that are names of files."""
MOST_THREADS = 1024
"""More threads than this are a mistake: each takes memory, and none finds a processor."""
LARGEST_SEED = 2**32 - 1
"""What numpy takes as a seed."""


@frozen(eq=False)
class Option:
    """One option of a command, as a configuration file needs to know it."""

    names: tuple[str, ...]
    is_switch: bool
    """Whether it stands alone, without a value."""
    is_repeated: bool
    """Whether it may be given several times."""


class CommandParser(argparse.ArgumentParser):
    """A parser that can be asked for the options that were added to it.

    >>> parser = CommandParser(prog="rulecg")
    >>> _ = parser.add_argument("--quiet", action="store_true")
    >>> [option.names for option in parser.options]
    [('-h', '--help'), ('--quiet',)]
    """

    def __init__(self, *words: Any, **settings: Any) -> None:
        self.options: list[Option] = []
        self.files: list[argparse.Action] = []
        """Arguments that are names of files."""
        self.commands: dict[str, CommandParser] = {}
        super().__init__(*words, **settings)

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Add an argument as argparse does, and remember it when it is an option."""
        action = super().add_argument(*names, **settings)
        if action.option_strings:
            repeated = settings.get("action") == "append"
            self.options.append(Option(tuple(action.option_strings), action.nargs == 0, repeated))
        if action.metavar in FILES:
            self.files.append(action)
        return action


def names(text: str) -> list[str]:
    """Read ``sex,race`` as a list of names.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    list of str
        The names, without blanks.

    Examples
    --------
    >>> names("sex, race")
    ['sex', 'race']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def whole_number(low: int, high: int | None = None) -> Callable[[str], int]:
    """Make a reader of whole numbers within bounds, whose error says what they are.

    Parameters
    ----------
    low, high
        The least and the greatest number taken; None for no upper bound.

    Returns
    -------
    callable
        For the argument ``type`` of ``add_argument``.

    Examples
    --------
    >>> whole_number(1)("12")
    12
    """

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low or (high is not None and number > high):
            bounds = f"of at least {low}" if high is None else f"from {low} to {high}"
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number {bounds}")
        return number

    return read


def positive_number(text: str) -> float:
    """Read a number above 0, infinity included.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    float
        The number.

    Raises
    ------
    argparse.ArgumentTypeError
        When it is none.

    Examples
    --------
    >>> positive_number("2.5")
    2.5
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number above 0")
    return number


def complexity(text: str) -> float | str:
    """Read a bound on rules and conditions together, or "auto".

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    float or str
        The number, at least 0, or "auto".

    Raises
    ------
    argparse.ArgumentTypeError
        When it is neither.

    Examples
    --------
    >>> complexity("auto"), complexity("0")
    ('auto', 0.0)
    """
    return text if text == "auto" else not_negative(text)


def not_negative(text: str) -> float:
    """Read a number of at least 0.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    float
        The number.

    Raises
    ------
    argparse.ArgumentTypeError
        When it is none.

    Examples
    --------
    >>> not_negative("0")
    0.0
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number of at least 0")
    return number


def share(text: str) -> float:
    """Read a number between 0 and 1.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    float
        The number.

    Raises
    ------
    argparse.ArgumentTypeError
        When it is none.

    Examples
    --------
    >>> share("0.05")
    0.05
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number between 0 and 1")
    return number


def numbers(text: str) -> list[float]:
    """Read ``0,5,10`` as a list of numbers of at least 0.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    list of float
        The numbers, at least one.

    Raises
    ------
    argparse.ArgumentTypeError
        When something else was typed.

    Examples
    --------
    >>> numbers("0,5")
    [0.0, 5.0]
    """
    found = [not_negative(part) for part in names(text)]
    if not found:
        raise argparse.ArgumentTypeError("give at least one number")
    return found


def cut_points(text: str) -> tuple[str, list[float]]:
    """Read ``age=18,25,65`` as a column and the numbers at which to cut it.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    str, list of float
        The column and its cut points.

    Raises
    ------
    argparse.ArgumentTypeError
        When something else was typed.

    Examples
    --------
    >>> cut_points("age=18,25.5")
    ('age', [18, 25.5])
    """
    column, _, points = text.rpartition("=")
    try:
        found = [float(point) for point in names(points)]
    except ValueError:
        found = []
    if not column.strip() or not found:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a column and numbers such as age=18,25,65")
    return column.strip(), [int(point) if point.is_integer() else point for point in found]


def seconds(text: str) -> float | None:
    """Read a number of seconds, or "none" for no limit.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    float or None
        The seconds.

    Raises
    ------
    argparse.ArgumentTypeError
        When something else was typed.

    Examples
    --------
    >>> seconds("60"), seconds("none")
    (60.0, None)
    """
    return None if text.lower() == "none" else positive_number(text)


def threads(text: str) -> int:
    """Read a number of threads as joblib counts them: -1 is one for every processor, -2 one fewer.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    int
        The number, not 0.

    Raises
    ------
    argparse.ArgumentTypeError
        When something else was typed.

    Examples
    --------
    >>> threads("2")
    2
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number == 0 or abs(number) > MOST_THREADS:
        raise argparse.ArgumentTypeError(
            f"{text[:40]!r} is not a number of threads: give 1 to {MOST_THREADS}, or -1 for one per processor"
        )
    return number
