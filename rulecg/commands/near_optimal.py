"""``rulecg near-optimal``: every rule set about as good as a model's, on one page."""

from __future__ import annotations

import argparse
import sys

from .common import model_data
from .common.exit_codes import OK
from .common.parser import CommandParser, names, seconds

NAME = "near-optimal"
HELP = "List all rule sets that are about as good as the best one, with a proof that these are all; write a page."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    model_data.add_arguments(parser)
    parser.add_argument("--target", metavar="COLUMN", help="the recorded outcome (the column learned from)")
    parser.add_argument(
        "--sensitive", metavar="COLUMNS", type=names, help="columns that define groups (those learned with)"
    )
    parser.add_argument(
        "--within", metavar="SHARE", type=float, help="how much worse the objective may be, as a share of it (0.01)"
    )
    parser.add_argument("--within-errors", metavar="N", type=float, help="how much worse it may be, such as 5 errors")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=seconds, default=60.0, help="seconds to learn, and again to list (60)"
    )
    parser.add_argument("--title", metavar="TEXT", help="the heading of the page")
    parser.add_argument("--out", metavar="FILE", help="write a page that one can filter, such as near-optimal.html")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..analysis.near_optimal import near_optimal
    from ..analysis.near_optimal_page import build_page
    from ..exports.output_files import check_writable, write_text

    if arguments.out:
        check_writable(arguments.out)
    labelled = model_data.load_labelled(arguments)
    found = near_optimal(
        labelled.model,
        labelled.inputs,
        labelled.labels,
        within=arguments.within,
        within_errors=arguments.within_errors,
        sensitive_features=labelled.sensitive,
        time_limit=arguments.time_limit,
    )
    print(found.statement())
    always = found.always()
    print("Columns in every one: " + (", ".join(always["columns"]) or "none"))
    print("Conditions in every one: " + ("; ".join(always["conditions"]) or "none"))
    for gap, least, most in found.gap_ranges().itertuples(index=False):
        print(f"{gap}: from {least:.3f} to {most:.3f}")
    measured = found.disagreement()
    print(f"Ambiguity {measured['ambiguity']:.1%}, discrepancy {measured['discrepancy']:.1%} of rows")
    for line in found.table(5).to_dict("records"):
        print(f"{line['objective']:g}: {line['rule_set']}")
    if arguments.out:
        write_text(arguments.out, build_page(found, arguments.title))
        print(f"Page: {arguments.out}", file=sys.stderr)
    return OK
