"""``rulecg pack``: from tables of any size to partition files that ``rulecg fit`` learns from out of core."""

from __future__ import annotations

import argparse

from ..common.exit_codes import OK
from ..common.parser import CommandParser, cut_points, names, whole_number

NAME = "pack"
HELP = "Pack Parquet or CSV files of any size into a folder of partition files, from which rulecg fit learns."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("tables", metavar="DATA", nargs="+", help="Parquet or CSV files with the same columns")
    parser.add_argument("--target", metavar="COLUMN", required=True, help="the column to predict, of two values")
    parser.add_argument("--positive", metavar="VALUE", help="the value of the target that the rules describe")
    parser.add_argument("--sensitive", metavar="COLUMNS", type=names, default=[], help="columns that define groups")
    parser.add_argument("--drop", metavar="COLUMNS", type=names, default=[], help="columns to leave out altogether")
    parser.add_argument("--weight", metavar="COLUMN", help="a column of whole numbers: how often each row counts")
    parser.add_argument(
        "--thresholds", choices=("quantiles", "distinct"), default="quantiles",
        help="number columns are cut at quantiles of rows, or of distinct values (quantiles)",
    )  # fmt: skip
    parser.add_argument(
        "--quantiles", metavar="N", type=whole_number(2, 10_000), default=10, help="into so many parts (10)"
    )
    parser.add_argument(
        "--cut-points", metavar="COLUMN=NUMBERS", type=cut_points, action="append", default=[],
        help="cut a number column there, too, such as age=18,25,65; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--partition-rows", metavar="N", type=whole_number(1), default=4_000_000,
        help="about so many rows in one partition file; memory is bounded by one (4000000)",
    )  # fmt: skip
    parser.add_argument(
        "--separator", metavar="TEXT", default=",", help="what stands between values of a CSV file, \\t for tab (,)"
    )
    parser.add_argument(
        "--na-values", metavar="TEXTS", type=names, default=[], help="texts that stand for a missing value, such as ?"
    )
    parser.add_argument("--quiet", action="store_true", help="show the result only, not the progress")
    parser.add_argument("--out", metavar="FOLDER", required=True, help="a folder for the partition files")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ...binarize.binarizer import Binarizer
    from ...packing.pack import Packing, pack, say_on_stderr

    binarizer = Binarizer(
        arguments.quantiles, thresholds=arguments.thresholds, cut_points=dict(arguments.cut_points) or None
    )
    packing = Packing(
        arguments.target,
        positive=arguments.positive,
        sensitive=arguments.sensitive,
        drop=arguments.drop,
        weight=arguments.weight,
        binarizer=binarizer,
        partition_rows=arguments.partition_rows,
    )
    made = pack(
        arguments.tables,
        arguments.out,
        packing,
        separator="\t" if arguments.separator == "\\t" else arguments.separator,
        na_values=arguments.na_values,
        say=None if arguments.quiet else say_on_stderr,
    )
    n_bytes = sum(partition.n_bytes for partition in made.partitions)
    files = "1 file" if len(made.partitions) == 1 else f"{len(made.partitions)} files"
    print(
        f"Packed {made.n_rows:,} rows and {len(made.conditions)} conditions into {files} of together "
        f"{n_bytes / 1e6:,.1f} MB: {arguments.out}"
    )
    return OK
