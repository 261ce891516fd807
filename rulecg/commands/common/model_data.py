"""What the commands that apply a model to a table have in common."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from attrs import frozen

from rulecg_core import ConfigurationError, Mark
from rulecg_core.base.arrays import BoolArray

from .parser import CommandParser

if TYPE_CHECKING:
    import pandas as pd

    from ...model.model import Model


_READ_AS = {"order": "category", "date": "date", "datetime": "date", "duration": "duration"}


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments for a model and a table."""
    parser.add_argument("model", metavar="MODEL", help="a model file that rulecg fit wrote")
    parser.add_argument("data", metavar="DATA", help="the table: .csv, .csv.gz or .parquet, - for standard input")
    parser.add_argument(
        "--separator", metavar="TEXT", default=",", help="what stands between values of a CSV file, \\t for tab (,)"
    )


def load(arguments: argparse.Namespace) -> tuple[Model, pd.DataFrame]:
    """Load the model, and the table with the model's own idea of which columns are text and which truth values.

    Parameters
    ----------
    arguments
        What the command line was given.

    Returns
    -------
    tuple
        The model and the table.
    """
    from ...model.model_file import load_model

    model = load_model(arguments.model)
    return model, read(arguments.data, model, arguments.separator)


def read(path: str, model: Model, separator: str) -> pd.DataFrame:
    """Read a table with the model's own idea of what its columns hold.

    Parameters
    ----------
    path
        The file.
    model
        A loaded model.
    separator
        What stands between values of a CSV file.

    Returns
    -------
    pandas.DataFrame
        The table.
    """
    from ...inputs.table_files import read_table

    return read_table(path, separator=separator, kinds=column_kinds(model), na_values=model.na_values)


def column_kinds(model: Model) -> dict[str, str]:
    """Tell what the columns held when the model was learned, as far as it knows.

    Parameters
    ----------
    model
        A loaded model.

    Returns
    -------
    dict
        ``"number"``, ``"truth value"``, ``"date"``, ``"duration"`` or ``"category"`` by the column's name.
    """
    kinds = dict(model.fingerprint.columns) if model.fingerprint is not None else {}
    for rule_set in model.rule_sets:
        for condition in rule_set.conditions:
            if isinstance(condition.value, Mark):
                kinds[condition.column] = _READ_AS[condition.value.scale.kind]
            elif isinstance(condition.value, str):
                kinds[condition.column] = "category"
            elif condition.operator in ("true", "false"):
                kinds[condition.column] = "truth value"
    return kinds


@frozen(eq=False)
class LabelledTable:
    """A model with rows that it can go on learning from."""

    model: Model
    inputs: pd.DataFrame
    labels: BoolArray
    """Whether each row has the outcome that the rules describe."""
    sensitive: pd.DataFrame | None


def load_labelled(arguments: argparse.Namespace) -> LabelledTable:
    """Load a model of two classes and a table with the recorded outcome.

    Parameters
    ----------
    arguments
        What the command line was given, ``target`` and ``sensitive`` included.

    Returns
    -------
    LabelledTable
        The rows that have an outcome.

    Raises
    ------
    ConfigurationError
        When the model has more classes, or the table no outcome.
    """
    from ...report.evidence import Evidence

    model, table = load(arguments)
    if not model.is_binary:
        raise ConfigurationError("This is for models of two classes: learn one class against the rest.")
    evidence = Evidence.of(model, table, arguments.target, arguments.sensitive)
    if evidence.truth is None:
        raise ConfigurationError(
            f"The table has no column {model.target!r} with the recorded outcome: name it with --target."
        )
    rows = evidence.labelled
    columns = [name for name in model.rule_set.columns if name in evidence.table]
    return LabelledTable(
        model=model,
        inputs=evidence.table.loc[rows, columns].reset_index(drop=True),
        labels=evidence.y_true[rows],
        sensitive=None if evidence.sensitive is None else evidence.sensitive.loc[rows].reset_index(drop=True),
    )
