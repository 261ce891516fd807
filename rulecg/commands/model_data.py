"""What the commands that apply a model to a table have in common."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from ..model.model import Model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model file that rulecg fit wrote")
    parser.add_argument("data", metavar="DATA", help="the table: .csv, .csv.gz or .parquet")
    parser.add_argument("--separator", metavar="TEXT", default=",", help="what stands between values of a CSV file (,)")


def load(arguments: argparse.Namespace) -> tuple[Model, pd.DataFrame]:
    """The model, and the table read with the model's own idea of which columns are text."""
    from ..inputs.table_files import read_table
    from ..model.model_file import load_model

    model = load_model(arguments.model)
    kinds = dict(model.fingerprint.columns) if model.fingerprint is not None else {}
    kinds |= {
        condition.column: "category"
        for rule_set in model.rule_sets
        for condition in rule_set.conditions
        if isinstance(condition.value, str)
    }
    return model, read_table(arguments.data, separator=arguments.separator, kinds=kinds)
