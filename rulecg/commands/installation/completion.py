"""``rulecg completion``: completion scripts for shells, written by shtab from the parser itself."""

from __future__ import annotations

import argparse

from ..common.exit_codes import OK
from ..common.parser import CommandParser

NAME = "completion"
HELP = "Print a completion script: add its output to your shell's start-up file."
SHELLS = ("bash", "zsh", "fish", "tcsh")


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("shell", choices=SHELLS, help="the shell to write for")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..cli import build_parser

    print(script(arguments.shell, build_parser()))
    return OK


def script(shell: str, parser: CommandParser) -> str:
    """Write the completion script for one shell.

    Parameters
    ----------
    shell
        One of ``SHELLS``.
    parser
        The whole command line.

    Returns
    -------
    str
        What to put into the shell's start-up file.
    """
    import shtab

    for command in parser.commands.values():
        for action in command.files:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell=shell))
