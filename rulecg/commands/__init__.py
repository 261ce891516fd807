"""The subcommands. A command is a module with NAME, HELP, ``add_arguments(parser)`` and ``run(arguments) -> int``."""

from __future__ import annotations

import argparse
from typing import Protocol

from . import completion, demo, explain, export, fit, path, plugins, predict, report, warm_up


class Command(Protocol):
    """What the command line needs of a subcommand's module."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


COMMANDS: tuple[Command, ...] = (fit, predict, explain, report, path, export, plugins, demo, warm_up, completion)
