"""Options that say what somebody knows: which rules may be, must be, and rather should not be."""

from __future__ import annotations

import argparse
from typing import Any

from .named_numbers import named_numbers, share
from .parser import CommandParser, names, positive_number, whole_number


def add_knowledge_arguments(parser: CommandParser) -> None:
    """Add the arguments that say what rules are like, and who the groups are."""
    parser.add_argument(
        "--sensitive", metavar="COLUMNS", type=names, default=[],
        help="columns that define groups; 'age > 25' makes two groups of numbers",
    )  # fmt: skip
    parser.add_argument(
        "--together", metavar="COLUMN",
        help="rows with equal values there, such as visits of one patient, stay together wherever rows are split; the "
        "column is no input",
    )  # fmt: skip
    parser.add_argument(
        "--forbid", metavar="COLUMNS", type=names, default=[],
        help="columns no rule may use, and single conditions such as 'age <= 30'",
    )  # fmt: skip
    parser.add_argument(
        "--monotone", metavar="COLUMN=DIRECTION", type=directions,
        help="columns with which predictions may only rise or fall: income=increasing,age=decreasing",
    )  # fmt: skip
    parser.add_argument(
        "--require", metavar="CONDITION", action="append", default=[],
        help="a condition that every rule must have, such as 'age > 18'; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--keep", metavar="RULE", action="append", default=[],
        help="a rule that must be in the rule set, such as 'age > 30 and smoker'; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--condition-costs", metavar="NAME=X", type=named_numbers,
        help="what conditions count as complexity, by column or condition: blood test=3 (1)",
    )  # fmt: skip
    parser.add_argument("--max-rules", metavar="N", type=whole_number(0), help="most rules")
    parser.add_argument("--max-columns", metavar="N", type=whole_number(0), help="most columns that rules use together")
    parser.add_argument(
        "--min-rule-support", metavar="ROWS", type=positive_number, help="rows that every rule must cover at least"
    )
    parser.add_argument(
        "--min-rule-precision", metavar="SHARE", type=share,
        help="share of the rows a rule covers that must be of its class, such as 0.8",
    )  # fmt: skip


def known_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """What these options say, as settings of the estimator.

    Parameters
    ----------
    arguments
        What the command line was given.
    """
    return {
        "forbid": [name for name in arguments.forbid if name not in (*arguments.drop, arguments.together)],
        "monotone": arguments.monotone,
        "require": list(arguments.require),
        "keep": list(arguments.keep),
        "condition_costs": arguments.condition_costs,
        "max_rules": arguments.max_rules,
        "max_columns": arguments.max_columns,
        "min_rule_support": arguments.min_rule_support,
        "min_rule_precision": arguments.min_rule_precision,
    }


def directions(text: str) -> dict[str, str]:
    """Read ``income=increasing,age=decreasing`` as directions by column.

    Examples
    --------
    >>> directions("income=increasing")
    {'income': 'increasing'}
    """
    found = {}
    for part in names(text):
        column, equals, direction = part.rpartition("=")
        if not equals or not column.strip():
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not of the form column=increasing,column=decreasing")
        found[column.strip()] = direction.strip()
    return found
