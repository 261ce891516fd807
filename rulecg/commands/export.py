"""``rulecg export``: a model's rules for other systems and for documents."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from .common.exit_codes import OK
from .common.parser import CommandParser
from .common.streams import deliver

if TYPE_CHECKING:
    from ..model.model import Model

NAME = "export"
HELP = "Write a model for other systems (SQL, Python, JSON, ONNX, PMML) and its rules for documents."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("model", metavar="MODEL", help="a model file that rulecg fit wrote")
    parser.add_argument("--to", choices=sorted([*_WRITERS, "onnx"]), required=True, help="the language to write")
    parser.add_argument("--table", metavar="NAME", help="SQL: write a whole query on this table")
    parser.add_argument("--column", metavar="NAME", help="SQL: what to call the prediction in the query")
    parser.add_argument(
        "--dialect", choices=("standard", "postgresql", "duckdb", "sqlite"), default="standard",
        help="SQL: whose; dates and durations differ (standard)",
    )  # fmt: skip
    parser.add_argument(
        "--reasons", action="store_true",
        help="SQL: the query also gives probability, the rule that fired and reasons for rejections",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="where to write (standard output; needed for ONNX)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..model.model_file import load_model

    if arguments.to == "onnx":
        return _onnx(arguments)
    text = _WRITERS[arguments.to](load_model(arguments.model), arguments).rstrip("\n") + "\n"
    deliver(text, arguments.out)
    return OK


def _sql(model: Model, arguments: argparse.Namespace) -> str:
    from ..exports import to_sql

    return to_sql(
        model, arguments.table, arguments.column, dialect=arguments.dialect, reasons=arguments.reasons
    )


def _python(model: Model, arguments: argparse.Namespace) -> str:
    from ..exports import to_python

    return to_python(model)


def _onnx(arguments: argparse.Namespace) -> int:
    """ONNX is no text: it goes into a file."""
    from rulecg_core import ConfigurationError

    from ..exports import to_onnx
    from ..exports.output_files import write_bytes
    from ..model.model_file import load_model

    if not arguments.out:
        raise ConfigurationError("An ONNX model is no text: say where to write it with --out.")
    write_bytes(arguments.out, to_onnx(load_model(arguments.model)).SerializeToString())
    return OK


def _pmml(model: Model, arguments: argparse.Namespace) -> str:
    from ..exports import to_pmml

    return to_pmml(model)


def _applied(model: Model, arguments: argparse.Namespace) -> str:
    from ..exports import to_applied_json

    return to_applied_json(model)


def _json(model: Model, arguments: argparse.Namespace) -> str:
    from ..exports import to_json

    return to_json(model)


def _each(method: str) -> Callable[[Model, argparse.Namespace], str]:
    def write(model: Model, arguments: argparse.Namespace) -> str:
        return "\n\n".join(getattr(rule_set, method)() for rule_set in model.rule_sets)

    return write


_WRITERS: dict[str, Callable[[Model, argparse.Namespace], str]] = {
    "sql": _sql,
    "python": _python,
    "json": _json,
    "applied-json": _applied,
    "pmml": _pmml,
    "text": _each("__str__"),
    "markdown": _each("to_markdown"),
    "latex": _each("to_latex"),
    "html": _each("_repr_html_"),
}
