"""``rulecg predict``: a model's predictions for a table, as CSV."""

from __future__ import annotations

import argparse
from typing import Any

from .common import model_data
from .common.exit_codes import OK
from .common.parser import CommandParser
from .common.streams import deliver

NAME = "predict"
HELP = "Predict every row of a table with a model; CSV with one line per row."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    model_data.add_arguments(parser)
    parser.add_argument("--proba", action="store_true", help="add the probability of every class")
    parser.add_argument(
        "--reasons", action="store_true",
        help="add the probability of the decision, the rule that fired and, for rejections, the reasons",
    )  # fmt: skip
    parser.add_argument("--with-data", action="store_true", help="repeat the columns of the table")
    parser.add_argument("--out", metavar="FILE", help="where to write (standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    import pandas as pd

    model, table = model_data.load(arguments)
    results: dict[str, Any] = {"prediction": model.predict(table)}
    if arguments.proba:
        probabilities = model.predict_proba(table)
        results |= {f"probability of {label}": probabilities[:, k] for k, label in enumerate(model.classes)}
    if arguments.reasons:
        from ..analysis.reasons import reasoned

        told = reasoned(model, table)
        results |= {"probability": told["probability"], "rule": told["rule"], "reasons": told["reasons"].map("; ".join)}
    output = pd.DataFrame(results)
    if arguments.with_data:
        output = pd.concat([table.reset_index(drop=True), output], axis=1)
    text = output.to_csv(index=False)
    deliver(text, arguments.out)
    return OK
