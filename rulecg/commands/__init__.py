"""The subcommands. A command is a module with NAME, HELP, ``add_arguments(parser)`` and ``run(arguments) -> int``."""

from __future__ import annotations

import argparse
from typing import Protocol

from . import check, completion, demo, explain, export, fit, path, plugins, predict, report, rerun, warm_up
from .common.parser import CommandParser
from .packed import pack


class Command(Protocol):
    """What the command line needs of a subcommand's module."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments of this command."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command; its exit code."""


COMMANDS: tuple[Command, ...] = (
    fit, pack, predict, explain, report, check, rerun, path, export, plugins, demo, warm_up, completion,
)  # fmt: skip
