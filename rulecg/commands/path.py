"""``rulecg path``: how accuracy grows with the complexity allowed, and with the gap allowed between groups."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from rulecg_core import ConfigurationError

from .common import task
from .common.exit_codes import OK
from .common.parser import CommandParser, names, numbers, whole_number

if TYPE_CHECKING:
    import pandas as pd

NAME = "path"
HELP = "Learn rule sets of growing complexity over one pool of rules; a table, and a plot if wanted."
LIMITS = [5.0, 10.0, 15.0, 20.0, 30.0]
GAPS = [0.01, 0.025, 0.05, 0.1, 1.0]


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    task.add_arguments(parser)
    parser.add_argument(
        "--complexities", metavar="NUMBERS", type=numbers, default=LIMITS,
        help="limits on rules and conditions together (5,10,15,20,30)",
    )  # fmt: skip
    parser.add_argument(
        "--folds", metavar="N", type=whole_number(0), default=0, help="also score on held-out rows in N folds (0)"
    )
    parser.add_argument(
        "--fairness", metavar="NAME",
        help="learn for every pair of a complexity and a gap between groups, such as equalized-odds; needs --sensitive",
    )  # fmt: skip
    parser.add_argument(
        "--eps", metavar="NUMBERS", type=gap_numbers, help="with --fairness: gaps allowed (0.01,0.025,0.05,0.1,1)"
    )
    parser.add_argument(
        "--first-eps", metavar="NUMBERS", type=gap_numbers,
        help="with --fairness: gaps under which rules are generated (those of --eps)",
    )  # fmt: skip
    parser.add_argument(
        "--first-complexities", metavar="NUMBERS", type=numbers,
        help="with --fairness: limits under which rules are generated (those of --complexities)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="write the table as CSV, for rulecg report --path")
    parser.add_argument("--plot", metavar="FILE", help="write a plot (.png, .svg or .pdf)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..estimators.complexity_path import complexity_path
    from ..estimators.cross_validation import RuleSetClassifierCV
    from ..exports.output_files import check_writable

    for out in filter(None, (arguments.out, arguments.plot)):
        check_writable(out)
    job = task.Task.of(arguments)
    _check_folds(arguments.folds, job)
    template = task.classifier_from(arguments, 30, job.label_names).set_params(verbose=0)
    _check_fairness(arguments)
    if arguments.fairness:
        _finish(arguments, _between_groups(arguments, job, template), None)
        return OK
    settings = {"estimator": template, "time_limit": arguments.time_limit}
    chosen: float | None = None
    if arguments.folds:
        search = RuleSetClassifierCV(
            arguments.complexities, cv=arguments.folds, n_jobs=task.useful_threads(arguments.jobs),
            verbose=0 if arguments.quiet else 1, **settings,
        )  # fmt: skip
        with task.progress_on_stderr():
            search.fit(job.inputs, job.labels, sensitive_features=job.sensitive)
        table, chosen = search.cv_results_, search.best_complexity_
    else:
        path = complexity_path(
            job.inputs, job.labels, arguments.complexities, sensitive_features=job.sensitive,
            on_point=None if arguments.quiet else lambda limit, best: print(
                f"complexity {limit:g}: objective {best.result_.objective:g}", file=sys.stderr, flush=True
            ),
            **settings,
        )  # fmt: skip
        table = path.table
    _finish(arguments, table, chosen)
    return OK


def gap_numbers(text: str) -> list[float]:
    """Read ``0,0.05`` as a list of numbers of at least 0.

    Parameters
    ----------
    text
        What was typed.

    Returns
    -------
    list of float
        The numbers, at least one.

    Raises
    ------
    argparse.ArgumentTypeError
        When something else was typed.

    Examples
    --------
    >>> gap_numbers("0,0.05")
    [0.0, 0.05]
    """
    try:
        found = [float(part) for part in names(text)]
    except ValueError:
        found = []
    if not found or not all(0 <= number < math.inf for number in found):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a list of numbers of at least 0, such as 0,0.05")
    return found


def _check_fairness(arguments: argparse.Namespace) -> None:
    if not arguments.fairness:
        given = [name for name in ("eps", "first_eps", "first_complexities") if getattr(arguments, name)]
        if given:
            option = given[0].replace("_", "-")
            raise ConfigurationError(f"--{option} is for bounds between groups: say which with --fairness NAME.")
        return
    if not arguments.sensitive:
        raise ConfigurationError("--fairness compares groups: name the columns that define them with --sensitive.")
    if arguments.folds:
        raise ConfigurationError("--folds and --fairness do not go together: leave one of them out.")


def _between_groups(arguments: argparse.Namespace, job: task.Task, template: Any) -> pd.DataFrame:
    """The table of all pairs of bounds, the rules in it as text."""
    from ..estimators.fairness_path import fairness_path

    table = fairness_path(
        job.inputs, job.labels, job.sensitive, arguments.fairness, arguments.eps or GAPS, arguments.complexities,
        estimator=template, time_limit=arguments.time_limit, first_eps_grid=arguments.first_eps,
        first_complexities=arguments.first_complexities,
    )  # fmt: skip
    texts = ["" if rules is None else " ".join(str(rules).split()) for rules in table["rule_set"]]
    return table.assign(rule_set=texts)


def _finish(arguments: argparse.Namespace, table: pd.DataFrame, chosen: float | None) -> None:
    """Show the table, and write what was asked for."""
    from ..exports.output_files import write_text

    print(table.drop(columns="rule_set", errors="ignore").to_string(index=False))
    if chosen is not None:
        print(f"Best on held-out rows: --max-complexity {chosen:g}")
    if arguments.out:
        write_text(arguments.out, table.to_csv(index=False))
    if arguments.plot:
        _plot(table, chosen, arguments.plot)


def _check_folds(n_folds: int, job: task.Task) -> None:
    rarest = int(job.labels.value_counts().min())
    if n_folds and not 2 <= n_folds <= rarest:
        raise ConfigurationError(
            f"--folds {n_folds} cannot be done: give 2 to {rarest}, the number of rows of the rarest class, so that "
            "every fold has one of them; 0 for none."
            if rarest > 1
            else "--folds cannot be done: a class has one row only. Leave --folds out."
        )


def _plot(table: pd.DataFrame, chosen: float | None, out: str) -> None:
    from ..estimators.complexity_path import plot_path
    from ..estimators.fairness_path import plot_fairness_path

    try:
        import matplotlib
    except ImportError:
        raise ConfigurationError("Plots need matplotlib: pip install 'rulecg[plot]'.") from None
    matplotlib.use("Agg")
    try:
        drawn = plot_fairness_path(table) if "gap" in table else plot_path(table, chosen)
        drawn.figure.savefig(out)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"Cannot write the plot {out}: {error}.") from None
