"""``rulecg rerun``: learn a model again from its table and settings, and say whether the rules are the same."""

from __future__ import annotations

import argparse
import sys

from .common import model_data
from .common.exit_codes import OK, PROBLEM
from .common.parser import CommandParser

NAME = "rerun"
HELP = "Learn a model again with its own settings and compare the rules; exit code 1 when they differ."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    model_data.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..analysis.rerun import rerun

    model, table = model_data.load(arguments)
    found = rerun(model, table)
    for text in found.versions:
        print(f"Another release: {text}", file=sys.stderr)
    if found.data:
        print(f"Other data: {found.data}.", file=sys.stderr)
    if found.is_same:
        print("The same rules.")
        return OK
    print(f"Other rules. The model has:\n{found.expected}\nNow learned:\n{found.rules}")
    if not model.settings.get("deterministic"):
        print("It was not learned with deterministic=True, so that the time decided about them.", file=sys.stderr)
    return PROBLEM
