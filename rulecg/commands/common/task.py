"""What ``fit`` and ``path`` have in common: the options that describe a learning task, and the task they make."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rulecg_core import ConfigurationError, UnknownNameError

from .known_arguments import add_knowledge_arguments, known_settings
from .named_numbers import add_cost_arguments
from .parser import LARGEST_SEED, CommandParser, cut_points, names, seconds, threads, whole_number

YES = ("yes", "y", "true", "t")
"""How columns say that something is so."""

if TYPE_CHECKING:
    import pandas as pd

    from ...binarize.binarizer import Binarizer
    from ...estimators.classifier import RuleSetClassifier


def _add_repeatability(parser: CommandParser) -> None:
    """Add the arguments that say which of several answers is given."""
    parser.add_argument(
        "--select", choices=("optimal", "fewest-errors"), default="optimal",
        help="where optimality is proven, return the first of all optima, or the fewest errors met (optimal)",
    )  # fmt: skip
    parser.add_argument(
        "--deterministic", action="store_true",
        help="count work instead of seconds, so that the same data give the same rules on a busy machine",
    )  # fmt: skip


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments that describe a learning task."""
    parser.add_argument("data", metavar="DATA", help="the table: .csv, .csv.gz or .parquet, - for standard input")
    parser.add_argument("--target", metavar="COLUMN", help="the column to predict (needed here or in --config)")
    parser.add_argument(
        "--positive", metavar="VALUE",
        help="the value of the target that the rules describe (1, true or yes, else the rarer of two)",
    )  # fmt: skip
    parser.add_argument("--drop", metavar="COLUMNS", type=names, default=[], help="columns to leave out altogether")
    parser.add_argument(
        "--constraint", metavar="NAME:BOUND", action="append", default=[],
        help="such as equalized-odds:0.05; may be given several times (rulecg plugins lists them)",
    )  # fmt: skip
    parser.add_argument(
        "--max-conditions", metavar="N", type=whole_number(1), default=5, help="most conditions in one rule (5)"
    )
    parser.add_argument(
        "--logic", choices=("auto", "dnf", "cnf"), default="auto",
        help="an OR of ANDs, or an AND of ORs; auto: what holds up on rows outside training, or dnf with a given "
        "--max-complexity (auto)",
    )  # fmt: skip
    parser.add_argument(
        "--loss", metavar="NAME", default="hamming",
        help="hamming counts a wrongly covered row once for each rule that covers it, 01 counts it once (hamming)",
    )  # fmt: skip
    _add_threshold_arguments(parser)
    add_cost_arguments(parser)
    add_knowledge_arguments(parser)
    parser.add_argument(
        "--choice", choices=("best", "stable"), default="best",
        help="of good rule sets, return the one with the fewest errors, or the one that resamples agree on (best)",
    )  # fmt: skip
    _add_repeatability(parser)
    _add_limits(parser)
    parser.add_argument(
        "--separator", metavar="TEXT", default=",", help="what stands between values of a CSV file, \\t for tab (,)"
    )
    parser.add_argument(
        "--na-values", metavar="TEXTS", type=names, default=[], help="texts that stand for a missing value, such as ?"
    )
    parser.add_argument("--config", metavar="FILE", help="a TOML file with any of these options")
    parser.add_argument("--quiet", action="store_true", help="show the results only, not the progress")


def _add_limits(parser: CommandParser) -> None:
    """Who works, when and how long, what learning begins with, and seed and threads."""
    parser.add_argument("--backend", metavar="NAME", help="the solver (rulecg plugins lists them)")
    parser.add_argument(
        "--pricer", metavar="NAME", action="append", default=[], help="where rules come from; may be repeated"
    )
    parser.add_argument(
        "--heuristic", metavar="NAME", action="append", default=[],
        help="who looks for rule sets beside the pricers; may be repeated; none for nobody",
    )  # fmt: skip
    parser.add_argument("--schedule", metavar="FILE", help="a TOML file that says who works when")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=seconds, default=60.0, help="seconds for one fit, or none (60)"
    )
    parser.add_argument(
        "--pricing-time-limit", metavar="SECONDS", type=seconds,
        help="longest time for one pricing problem, or none (none)",
    )  # fmt: skip
    parser.add_argument(
        "--start", choices=("forest",), help="begin with the leaves of a random forest, the paper's warm start"
    )
    parser.add_argument("--seed", metavar="N", type=whole_number(0, LARGEST_SEED), help="seed for whatever uses chance")
    parser.add_argument("--jobs", metavar="N", type=threads, help="threads, -1 for one per processor")


def _add_threshold_arguments(parser: CommandParser) -> None:
    """Add the arguments that say where number columns are cut."""
    parser.add_argument(
        "--thresholds", choices=("auto", "quantiles", "best", "distinct", "trees"), default="auto",
        help="where number columns are cut: quantiles of rows or of distinct values, quantiles and the best cut of "
        "each column, where small trees would cut, or there and refined while learning, but best with few rows (auto)",
    )  # fmt: skip
    parser.add_argument(
        "--cut-points", metavar="COLUMN=NUMBERS", type=cut_points, action="append", default=[],
        help="cut a number column there, too, such as age=18,25,65; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--quantiles", metavar="N", type=whole_number(2, 10_000),
        help="cut number columns at quantiles, into so many parts (deciles: 10)",
    )  # fmt: skip


@frozen(eq=False)
class Task:
    """A table taken apart: inputs, labels, groups."""

    inputs: pd.DataFrame
    labels: pd.Series[Any]
    """Truth values when one value of the target is the positive one, else the target itself."""
    sensitive: pd.DataFrame | None
    label_names: dict[Any, Any]
    target: pd.Series[Any]
    """The column to predict as it stands in the table."""
    together: pd.Series[Any] | None = None
    """Rows with equal values stay together wherever rows are split."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Task:
        """Read the table that the options name and take it apart."""
        from ...inputs.sensitive_columns import sensitive_columns
        from ...inputs.table_files import read_table

        table = read_table(arguments.data, separator=arguments.separator, na_values=arguments.na_values)
        if not arguments.target:
            raise ConfigurationError(f"Say which column to predict with --target. Columns: {_listed(table.columns)}.")
        _check_names(arguments, table)
        target = table[arguments.target]
        missing = int(target.isna().sum())
        if missing:
            rows = "1 row has" if missing == 1 else f"{missing} rows have"
            raise ConfigurationError(f"{rows} no value in {arguments.target!r}: leave such rows out of the table.")
        labels, label_names = read_labels(target, arguments.positive)
        together = [] if arguments.together is None else [arguments.together]
        dropped = dict.fromkeys([arguments.target, *arguments.drop, *together])
        return cls(
            inputs=table.drop(columns=list(dropped)),
            labels=labels,
            sensitive=sensitive_columns(table, arguments.sensitive) if arguments.sensitive else None,
            label_names=label_names,
            target=target,
            together=table[arguments.together] if arguments.together else None,
        )


def _check_names(arguments: argparse.Namespace, table: pd.DataFrame) -> None:
    from ...inputs.sensitive_columns import column_of

    for option in ("sensitive", "forbid", "drop"):
        if arguments.target in [column_of(name, table.columns) for name in getattr(arguments, option)]:
            raise ConfigurationError(
                f"--{option} names {arguments.target!r}, the column to predict: it is never an input, and groups made "
                "of it would tell the answer. Leave it out."
            )
    together = [] if arguments.together is None else [arguments.together]
    for name in (arguments.target, *arguments.drop, *together):
        if name not in table:
            raise UnknownNameError("column", name, table.columns)
    for name in (*arguments.sensitive, *arguments.forbid):
        # What is no column may be a condition, which the estimator reads.
        if name not in table and not any(sign in name for sign in ("<", ">", "=", " ")):
            raise UnknownNameError("column", name, table.columns)


def read_labels(target: pd.Series[Any], positive: str | None) -> tuple[pd.Series[Any], dict[Any, Any]]:
    """Find the labels to learn, and how to call them; text on the command line is compared with values as printed.

    Parameters
    ----------
    target
        The column to predict.
    positive
        The value that the rules describe; None for 1 or true, else the one that says yes, else the rarer of two.

    Returns
    -------
    tuple
        Truth values, or the column itself for several classes, and the name of each label.

    Raises
    ------
    ConfigurationError
        When no row has the positive value, or every row.
    """
    name, values = str(target.name), target.unique().tolist()
    shown = _listed(sorted(map(str, values)))
    if positive is None:
        if set(values) <= {0, 1}:  # truth values included
            return (target == 1).rename(name), {} if target.dtype == bool else {False: 0, True: 1}
        if len(values) != 2:
            return target, {}
        matching = [_usual_positive(target)]
        positive = str(matching[0])
    else:
        matching = [value for value in values if _same(value, positive)]
    if not matching:
        raise ConfigurationError(f"No row has {positive!r} in {name!r}. Its values: {shown}.")
    others = [value for value in values if value not in matching]
    if not others:
        raise ConfigurationError(f"Every row has {positive!r} in {name!r}: there is nothing to tell apart.")
    is_truth = matching[0] is True or (matching[0] == 1 and set(values) <= {0, 1})
    name = name if is_truth else f"{name} is {positive}"
    negative = others[0] if len(others) == 1 else f"not {positive}"
    return target.isin(matching).rename(name), {False: negative, True: matching[0]}


def _usual_positive(target: pd.Series[Any]) -> Any:
    """Which of two values rules describe unless somebody says: the one that says yes, else the rarer."""
    counts = target.value_counts()
    return min(counts.index, key=lambda value: (str(value).strip().lower() not in YES, counts[value], str(value)))


def _same(value: Any, text: str) -> bool:
    if isinstance(value, bool):
        return str(value).lower() == text.lower()
    if isinstance(value, (int, float)):
        try:
            return float(text) == value
        except (ValueError, OverflowError):
            return str(value) == text
    return str(value) == text


def _listed(values: Any) -> str:
    shown = [str(value)[:40] for value in list(values)[:20]]
    return ", ".join(shown) + (" …" if len(values) > 20 else "")


def _binarizer(arguments: argparse.Namespace) -> Binarizer | str:
    """By the kind of thresholds, or quantiles where only their number is given."""
    from ...binarize.binarizer import Binarizer

    if arguments.thresholds == "auto" and arguments.quantiles is None:
        return "auto"
    kind = "quantiles" if arguments.thresholds == "auto" else arguments.thresholds
    return Binarizer(n_quantiles=10 if arguments.quantiles is None else arguments.quantiles, thresholds=kind)


def useful_threads(wanted: int | None) -> int | None:
    """Give at most one thread per processor: more only wait for each other.

    Parameters
    ----------
    wanted
        What was asked for, as joblib counts; None for its default.

    Returns
    -------
    int or None
        What to ask joblib for.
    """
    return wanted if wanted is None or wanted < 0 else min(wanted, os.cpu_count() or 1)


def classifier_from(
    arguments: argparse.Namespace, max_complexity: float | str, label_names: dict[Any, Any] | None = None
) -> RuleSetClassifier:
    """Make the estimator that the options describe.

    Parameters
    ----------
    arguments
        What the command line was given.
    max_complexity
        Most rules and conditions together, or "auto".
    label_names
        What the labels that are learned are called in the table.
    """
    from ...estimators.classifier import RuleSetClassifier

    return RuleSetClassifier(
        max_complexity=max_complexity,
        max_conditions=arguments.max_conditions,
        logic=arguments.logic,
        loss=arguments.loss,
        constraints=list(arguments.constraint),
        backend=arguments.backend,
        pricers=list(arguments.pricer) or "auto",
        heuristics=_heuristics(arguments.heuristic),
        schedule=arguments.schedule,
        time_limit=arguments.time_limit,
        **known_settings(arguments),
        binarizer=_binarizer(arguments),
        random_state=arguments.seed,
        n_jobs=useful_threads(arguments.jobs),
        verbose=0 if arguments.quiet else 1,
        class_weight=_class_weight(arguments.class_weight, label_names or {}),
        costs=arguments.costs,
        teacher=None if arguments.teacher == "none" else arguments.teacher,
        label_weight=arguments.label_weight,
        cut_points=dict(arguments.cut_points) or None,
        choice=arguments.choice,
        select=arguments.select,
        deterministic=arguments.deterministic,
        na_values=list(arguments.na_values),
        scoring=getattr(arguments, "scoring", None),
        pricing_time_limit=arguments.pricing_time_limit,
        start=arguments.start,
    )


def _class_weight(weights: str | dict[str, float] | None, label_names: dict[Any, Any]) -> Any:
    """Class weights by the labels that are learned, which may be called otherwise in the table."""
    if not isinstance(weights, dict):
        return weights
    called = {str(name): label for label, name in label_names.items()}
    return {called.get(name, name): weight for name, weight in weights.items()}


def _heuristics(names: list[str]) -> str | list[str]:
    """The heuristics that are meant: the usual ones unless some are named, nobody for "none"."""
    if not names:
        return "auto"
    return [] if names == ["none"] else names


@contextmanager
def progress_on_stderr() -> Iterator[None]:
    """Send progress where it does not mix with results, while the context lasts."""
    with redirect_stdout(sys.stderr):
        yield
