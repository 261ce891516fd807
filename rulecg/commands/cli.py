"""The command line ``rulecg``: one module in ``rulecg.commands`` per subcommand."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from rulecg_core import BackendUnavailable, InfeasibleError, RulecgError, SolveError
from rulecg_core.data.rule_text import visible

from .. import __version__
from . import COMMANDS
from .common import exit_codes
from .common.config_file import options_from
from .common.faults import fault_message
from .common.parser import CommandParser
from .common.streams import abandon_output, prepare_streams


def build_parser() -> CommandParser:
    """Make the whole command line; every command adds its own part.

    Returns
    -------
    CommandParser
        The parser, with the parsers of the commands under ``commands``.
    """
    parser = CommandParser(
        prog="rulecg",
        description="Learn small, readable, provably good and fair rule sets from tables.",
        epilog=exit_codes.SUMMARY,
    )
    parser.add_argument("--version", action="version", version=f"rulecg {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = subparsers.add_parser(command.NAME, help=command.HELP, description=command.HELP)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run, command=command.NAME)
        parser.commands[command.NAME] = subparser
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors that a person can act on are one message, without a traceback.

    Parameters
    ----------
    argv
        The words after ``rulecg``; None for those of the process.

    Returns
    -------
    int
        The exit code, one of :mod:`rulecg.commands.common.exit_codes`.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            arguments = _parse(words)
            code: int = arguments.run(arguments)
            sys.stdout.flush()
        except InfeasibleError as error:
            return _fail(error, exit_codes.INFEASIBLE)
        except (BackendUnavailable, SolveError) as error:
            return _fail(error, exit_codes.SOLVER)
        except RulecgError as error:
            return _fail(error, exit_codes.WRONG_INPUT)
        except MemoryError:
            return _fail("the data does not fit into memory: use fewer rows or columns", exit_codes.WRONG_INPUT)
        except BrokenPipeError:
            # Whoever read the output, such as head, has seen enough.
            abandon_output()
            return exit_codes.OK
        except KeyboardInterrupt:
            return _fail("interrupted", exit_codes.INTERRUPTED)
        except OSError as error:
            abandon_output()
            where = "standard output" if error.filename is None else error.filename
            return _fail(f"Cannot write {where}: {error.strerror or error}.", exit_codes.WRONG_INPUT)
        except Exception as error:  # a fault of ours or of a plugin: told in a sentence, like everything else
            return _fail(fault_message(error), exit_codes.FAULT)
    return code


def _parse(words: list[str]) -> argparse.Namespace:
    """Parse the words; options of a configuration file come before them, so that they override it."""
    parser = build_parser()
    arguments = parser.parse_args(words)
    _refuse_dashes(arguments, parser)
    config = getattr(arguments, "config", None)
    if config is None:
        return arguments
    place = words.index(arguments.command) + 1
    found = options_from(config, arguments.command, parser.commands)
    return parser.parse_args([*words[:place], *found, *words[place:]])


def _refuse_dashes(arguments: argparse.Namespace, parser: CommandParser) -> None:
    """Refuse ``--option=--``, which argparse takes for an option without any value, whatever type it should have."""
    command = parser.commands[arguments.command]
    for option in command.options:
        place = option.names[-1].lstrip("-").replace("-", "_")
        value = getattr(arguments, place, None)
        if value == ([[]] if option.is_repeated else []) and command.get_default(place) != value:
            command.error(f"argument {option.names[-1]}: expected one argument")


def _fail(error: object, code: int) -> int:
    # Messages may quote names from data: no control or direction-changing characters reach the terminal.
    lines = [visible_line(line) for line in str(error).splitlines()]
    print("rulecg: " + "\n".join(lines), file=sys.stderr)
    return code


def visible_line(line: str) -> str:
    """Give a line with invisible characters spelled out, cut where it gets too long to read.

    Parameters
    ----------
    line
        Text that may quote data.

    Returns
    -------
    str
        What a terminal may show.
    """
    return "".join(visible(line[start : start + 150]) for start in range(0, min(len(line), 3000), 150))


def _show_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    print(f"rulecg: note: {visible_line(str(message))}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
