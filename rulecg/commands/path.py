"""``rulecg path``: how accuracy grows with the complexity allowed."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from rulecg_core import ConfigurationError

from .common import task
from .common.exit_codes import OK
from .common.parser import CommandParser, numbers, whole_number

if TYPE_CHECKING:
    import pandas as pd

NAME = "path"
HELP = "Learn rule sets of growing complexity over one pool of rules; a table, and a plot if wanted."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    task.add_arguments(parser)
    parser.add_argument(
        "--complexities", metavar="NUMBERS", type=numbers, default=[5.0, 10.0, 15.0, 20.0, 30.0],
        help="limits on rules and conditions together (5,10,15,20,30)",
    )  # fmt: skip
    parser.add_argument(
        "--folds", metavar="N", type=whole_number(0), default=0, help="also score on held-out rows in N folds (0)"
    )
    parser.add_argument("--out", metavar="FILE", help="write the table as CSV, for rulecg report --path")
    parser.add_argument("--plot", metavar="FILE", help="write a plot (.png, .svg or .pdf)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..estimators.complexity_path import complexity_path
    from ..estimators.cross_validation import RuleSetClassifierCV
    from ..exports.output_files import check_writable, write_text

    for out in filter(None, (arguments.out, arguments.plot)):
        check_writable(out)
    job = task.Task.of(arguments)
    _check_folds(arguments.folds, job)
    template = task.classifier_from(arguments, 30, job.label_names).set_params(verbose=0)
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
    print(table.to_string(index=False))
    if chosen is not None:
        print(f"Best on held-out rows: --max-complexity {chosen:g}")
    if arguments.out:
        write_text(arguments.out, table.to_csv(index=False))
    if arguments.plot:
        _plot(table, chosen, arguments.plot)
    return OK


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

    try:
        import matplotlib
    except ImportError:
        raise ConfigurationError("Plots need matplotlib: pip install 'rulecg[plot]'.") from None
    matplotlib.use("Agg")
    try:
        plot_path(table, chosen).figure.savefig(out)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"Cannot write the plot {out}: {error}.") from None
