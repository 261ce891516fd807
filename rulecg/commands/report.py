"""``rulecg report``: one HTML page about a model on a table."""

from __future__ import annotations

import argparse

from rulecg_core import ConfigurationError

from . import model_data
from .exit_codes import OK
from .task import names

NAME = "report"
HELP = "Write one self-contained HTML page about a model on a table: rules, accuracy, certificate, groups, settings."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    model_data.add_arguments(parser)
    parser.add_argument("--target", metavar="COLUMN", help="the recorded outcome (the column learned from)")
    parser.add_argument(
        "--sensitive", metavar="COLUMNS", type=names, help="columns that define groups (those learned with)"
    )
    parser.add_argument("--path", metavar="FILE", help="a table that rulecg path wrote, to show accuracy against size")
    parser.add_argument("--title", metavar="TEXT", help="the heading of the page")
    parser.add_argument("--out", metavar="FILE", default="report.html", help="where to write (report.html)")


def run(arguments: argparse.Namespace) -> int:
    from ..report import build_report
    from ..table_files import read_table, write_text

    model, table = model_data.load(arguments)
    path = None
    if arguments.path:
        path = read_table(arguments.path)
        if not {"max_complexity", "accuracy"} <= set(path.columns):
            raise ConfigurationError(f"{arguments.path} is no table that rulecg path wrote.")
    page = build_report(
        model, table, target=arguments.target, sensitive=arguments.sensitive, title=arguments.title, path=path
    )
    write_text(arguments.out, page)
    print(f"Report: {arguments.out}")
    return OK
