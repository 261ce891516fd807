"""Options that are numbers with names, as they are typed: costs, class weights, shares."""

from __future__ import annotations

import argparse

from .parser import CommandParser, names, positive_number


def add_cost_arguments(parser: CommandParser) -> None:
    """Add the arguments that say what errors cost, and who softens the labels."""
    parser.add_argument(
        "--class-weight", metavar="WEIGHTS", type=class_weights,
        help="balanced, or numbers by value of the target (yes=5,no=1): what errors on such rows are multiplied by",
    )  # fmt: skip
    parser.add_argument(
        "--costs", metavar="fp=X,fn=Y", type=named_numbers, help="what false positives and false negatives cost (1, 1)"
    )
    parser.add_argument(
        "--teacher", choices=("auto", "forest", "none"), default="auto",
        help="soften the labels by the out-of-bag probabilities of a random forest; auto: as far as that pays on rows "
        "outside training, and not with a given --max-complexity (auto)",
    )  # fmt: skip
    parser.add_argument(
        "--label-weight", metavar="SHARE", type=share, default="auto",
        help="with a teacher, how much the labels count, from 0 (the teacher alone) to 1; auto: chosen, or 0.5 with a "
        "given --max-complexity (auto)",
    )  # fmt: skip


def named_numbers(text: str) -> dict[str, float]:
    """Read ``fp=5,fn=1`` as numbers above 0 by name.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    dict
        The numbers.

    Raises
    ------
    argparse.ArgumentTypeError
        When something else was typed.

    Examples
    --------
    >>> named_numbers("fp=5,fn=1")
    {'fp': 5.0, 'fn': 1.0}
    """
    found = {}
    for part in names(text):
        name, equals, number = part.rpartition("=")
        if not equals or not name.strip():
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not of the form name=number,name=number")
        found[name.strip()] = positive_number(number)
    if not found:
        raise argparse.ArgumentTypeError("give at least one name=number")
    return found


def class_weights(text: str) -> str | dict[str, float]:
    """Read ``balanced``, or numbers by label.

    Examples
    --------
    >>> class_weights("balanced"), class_weights("yes=5")
    ('balanced', {'yes': 5.0})
    """
    return text if text == "balanced" else named_numbers(text)


def share(text: str) -> float | str:
    """Read a number from 0 to 1, or ``auto``.

    Examples
    --------
    >>> share("0.25"), share("auto")
    (0.25, 'auto')
    """
    if text == "auto":
        return text
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number from 0 to 1")
    return number
