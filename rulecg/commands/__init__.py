"""The subcommands. A command is a module with NAME, HELP, ``add_arguments(parser)`` and ``run(arguments) -> int``."""

from __future__ import annotations

import argparse
from typing import Protocol

from . import check, edit, explain, export, fit, near_optimal, path, predict, report, rerun
from .common.parser import CommandParser
from .installation import completion, demo, plugins, warm_up
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
    fit, pack, predict, explain, report, check, rerun, edit, near_optimal, path, export, plugins, demo, warm_up,
    completion,
)  # fmt: skip
