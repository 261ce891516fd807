"""``rulecg explain``: which rule decided each row, and the smallest changes that would lead to acceptance."""

from __future__ import annotations

import argparse
import json

from attrs import asdict

from .common import model_data
from .common.exit_codes import OK
from .common.parser import CommandParser, names, whole_number
from .common.streams import deliver

NAME = "explain"
HELP = "Say for every row which rules decided, and for rejected rows the smallest changes that would be enough."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    model_data.add_arguments(parser)
    parser.add_argument(
        "--immutable", metavar="COLUMNS", type=names,
        help="columns that cannot change (the model's sensitive columns)",
    )  # fmt: skip
    parser.add_argument(
        "--max-reasons", metavar="N", type=whole_number(1), default=4, help="most changes and most ways (4)"
    )
    parser.add_argument(
        "--limit", metavar="N", type=whole_number(0), default=20, help="how many rows to explain, 0 for all (20)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line instead of text")
    parser.add_argument("--out", metavar="FILE", help="where to write (standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    model, table = model_data.load(arguments)
    shown = table if arguments.limit <= 0 else table.head(arguments.limit)
    explanations = model.explain(shown, immutable=arguments.immutable, max_reasons=arguments.max_reasons)
    if arguments.json:
        lines = [json.dumps({"row": row, **asdict(found)}) for row, found in enumerate(explanations, 1)]
    else:
        lines = [f"row {row}: {found}" for row, found in enumerate(explanations, 1)]
        if len(shown) < len(table):
            lines.append(f"({len(table) - len(shown)} more rows; --limit 0 explains all)")
    text = "\n".join(lines) + "\n"
    deliver(text, arguments.out)
    return OK
