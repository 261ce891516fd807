"""``rulecg fit``: from a table to a model file."""

from __future__ import annotations

import argparse

from rulecg_core import ConfigurationError

from . import task
from .exit_codes import INTERRUPTED, OK

NAME = "fit"
HELP = "Learn a rule set from a table and write it as a model file. Ctrl-C ends early with the best model so far."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    task.add_arguments(parser)
    parser.add_argument(
        "--max-complexity", metavar="C", type=float, default=30, help="most rules and conditions together (30)"
    )
    parser.add_argument("--out", metavar="FILE", help="where to write the model file")


def run(arguments: argparse.Namespace) -> int:
    if not arguments.out:
        raise ConfigurationError("Say where to write the model, for example --out model.json.")
    from ..model.model_file import save_model

    job = task.Task.of(arguments)
    classifier = task.classifier_from(arguments, arguments.max_complexity)
    with task.progress_on_stderr():
        classifier.fit(job.inputs, job.labels, sensitive_features=job.sensitive)
    save_model(
        classifier,
        arguments.out,
        data=job.inputs,
        target=arguments.target,
        sensitive=arguments.sensitive,
        label_names=job.label_names,
    )
    print(classifier.rule_set_)
    print(f"Accuracy on these rows: {classifier.score(job.inputs, job.labels):.1%}")
    print(f"Complexity: {classifier.rule_set_.complexity}")
    print(f"Certificate: {classifier.result_.certificate()}")
    print(f"Model: {arguments.out}")
    return INTERRUPTED if classifier.result_.stop == "interrupted" else OK
