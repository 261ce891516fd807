"""``rulecg check``: are new rows, rules and gaps still what they were in training? A page, and an exit code."""

from __future__ import annotations

import argparse
import sys

from .common import model_data
from .common.exit_codes import OK, PROBLEM
from .common.parser import CommandParser, names, share

NAME = "check"
HELP = "Compare new rows with the training rows: drift, how rules do, gaps; exit code 1 when something changed."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    model_data.add_arguments(parser)
    parser.add_argument("--target", metavar="COLUMN", help="the recorded outcome (the column learned from)")
    parser.add_argument(
        "--sensitive", metavar="COLUMNS", type=names, help="columns that define groups (those learned with)"
    )
    parser.add_argument(
        "--alpha", metavar="SHARE", type=share, default=0.05, help="chance of any false alarm about shares (0.05)"
    )
    parser.add_argument(
        "--margin", metavar="SHARE", type=share, default=0.05, help="smaller changes are no alarm (0.05)"
    )
    parser.add_argument("--title", metavar="TEXT", help="the heading of the page")
    parser.add_argument("--out", metavar="FILE", help="write a page about the check, such as check.html")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..exports.output_files import check_writable, write_text
    from ..monitoring.drift import check
    from ..monitoring.page import build_page

    if arguments.out:
        check_writable(arguments.out)
    model, table = model_data.load(arguments)
    found = check(
        model,
        table,
        target=arguments.target,
        sensitive=arguments.sensitive,
        alpha=arguments.alpha,
        margin=arguments.margin,
    )
    if arguments.out:
        write_text(arguments.out, build_page(found, arguments.title))
        print(f"Page: {arguments.out}", file=sys.stderr)
    alarms = found.alarms
    print("\n".join(alarms) if alarms else f"Nothing has changed in {found.n_rows} rows beyond chance and margin.")
    return PROBLEM if alarms else OK
