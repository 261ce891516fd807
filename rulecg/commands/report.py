"""``rulecg report``: one HTML page about a model on a table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rulecg_core import ConfigurationError

from .common import model_data
from .common.exit_codes import OK
from .common.parser import CommandParser, names, whole_number

if TYPE_CHECKING:
    import pandas as pd

    from ..model.model import Model

NAME = "report"
HELP = "Write one self-contained HTML page about a model on a table: rules, accuracy, certificate, groups, settings."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    model_data.add_arguments(parser)
    parser.add_argument("--target", metavar="COLUMN", help="the recorded outcome (the column learned from)")
    parser.add_argument(
        "--sensitive", metavar="COLUMNS", type=names, help="columns that define groups (those learned with)"
    )
    parser.add_argument(
        "--training", metavar="FILE", help="the rows learned from, to show their accuracy beside that of the table"
    )
    parser.add_argument(
        "--metadata", metavar="FILE",
        help="a TOML file that states purpose, provider, version, provenance, oversight, dates and changes",
    )  # fmt: skip
    parser.add_argument("--path", metavar="FILE", help="a table that rulecg path wrote, to show accuracy against size")
    parser.add_argument(
        "--resamples",
        metavar="N",
        type=whole_number(0, 10_000),
        default=0,
        help="learn again from N resamples: are the rules stable? (0)",
    )
    parser.add_argument("--title", metavar="TEXT", help="the heading of the page")
    parser.add_argument("--out", metavar="FILE", default="report.html", help="where to write (report.html)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..exports.output_files import check_writable, write_text
    from ..inputs.table_files import read_table
    from ..report import Supplements, build_report, read_metadata

    check_writable(arguments.out)
    model, table = model_data.load(arguments)
    path = None
    if arguments.path:
        path = read_table(arguments.path)
        if not {"max_complexity", "accuracy"} <= set(path.columns):
            raise ConfigurationError(f"{arguments.path} is no table that rulecg path wrote.")
    checked = _stability(model, table, arguments) if arguments.resamples else {}
    supplements = Supplements(
        path=path,
        stability=checked.get("stability"),
        alternatives=checked.get("alternatives"),
        training=model_data.read(arguments.training, model, arguments.separator) if arguments.training else None,
        metadata=read_metadata(arguments.metadata) if arguments.metadata else None,
    )
    page = build_report(
        model,
        table,
        target=arguments.target,
        sensitive=arguments.sensitive,
        title=arguments.title,
        supplements=supplements,
    )
    write_text(arguments.out, page)
    print(f"Report: {arguments.out}")
    return OK


def _stability(model: Model, table: pd.DataFrame, arguments: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """Learn again from these rows, as the model was learned: how stable the rules are, and what others would do."""
    from ..analysis.stability import alternative_rules, relearner, rule_stability
    from ..inputs.sensitive_columns import sensitive_columns
    from ..report.evidence import Evidence

    evidence = Evidence.of(model, table, arguments.target, arguments.sensitive)
    if evidence.truth is None or not model.is_binary:
        raise ConfigurationError("--resamples needs a table with the recorded outcome, and a model of two classes.")
    inputs = table[list(model.rule_set.columns)]
    groups = sensitive_columns(table, model.sensitive) if model.sensitive else None
    stability = rule_stability(
        model, inputs, evidence.y_true, sensitive_features=groups, n_resamples=arguments.resamples
    )
    if model.settings.get("constraints"):
        return {"stability": stability}
    again = relearner(model).set_params(time_limit=5.0).fit(inputs, evidence.y_true)
    return {"stability": stability, "alternatives": alternative_rules(again, inputs, evidence.y_true)}
