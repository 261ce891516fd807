"""The command line ``rulecg``: one module in ``rulecg.commands`` per subcommand."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rulecg_core import RulecgError

from . import __version__
from .commands import COMMANDS

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130


def build_parser() -> argparse.ArgumentParser:
    """The whole command line; every command adds its own part."""
    parser = argparse.ArgumentParser(
        prog="rulecg", description="Learn small, readable, provably good and fair rule sets from tables."
    )
    parser.add_argument("--version", action="version", version=f"rulecg {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = subparsers.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code. Errors that a person can act on are one message, without a traceback."""
    arguments = build_parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
    except RulecgError as error:
        print(f"rulecg: {error}", file=sys.stderr)
        return EXIT_ERROR
    except KeyboardInterrupt:
        print("rulecg: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    return code


if __name__ == "__main__":
    sys.exit(main())
