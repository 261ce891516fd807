"""``rulecg fit``: from a table to a model file."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from rulecg_core import ConfigurationError

from .common import task
from .common.exit_codes import INTERRUPTED, OK
from .common.parser import CommandParser, complexity, positive_number
from .packed import fit_packed

if TYPE_CHECKING:
    from ..certificates.described_table import CertificateFile

NAME = "fit"
HELP = "Learn a rule set from a table and write it as a model file. Ctrl-C ends early with the best model so far."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    task.add_arguments(parser)
    fit_packed.add_arguments(parser)
    parser.add_argument(
        "--max-complexity", metavar="C", type=complexity, default="auto",
        help="most rules and conditions together; auto: chosen by folds, as far as it pays on rows outside training "
        "(auto)",
    )  # fmt: skip
    parser.add_argument(
        "--scoring", metavar="NAME",
        help="what auto does best at, such as balanced_accuracy; without it the least expected cost",
    )  # fmt: skip
    parser.add_argument("--test", metavar="FILE", help="a table of further rows: how often the rules are right there")
    parser.add_argument(
        "--no-row-sketch", action="store_true",
        help="do not keep hashes of training rows in the model file, by which reports tell them from new rows",
    )  # fmt: skip
    parser.add_argument(
        "--certificate", metavar="FILE",
        help="where to write what was proven, such as proof.json.gz; rulecg-verify checks it against the table",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", help="where to write the model file; without it the rules are shown and not kept"
    )
    parser.add_argument(
        "--previous", metavar="MODEL",
        help="an earlier model file to stay near, with --keep 0.9 (at least nine tenths of its rules stay as they are; "
        "0.9 unless --change-cost is given) or --change-cost",
    )  # fmt: skip
    parser.add_argument(
        "--change-cost", metavar="X", type=positive_number,
        help="with --previous: by how much the objective must fall for each of its rules that is given up",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    if fit_packed.is_packed(arguments):
        return fit_packed.run(arguments)
    from ..exports.output_files import check_writable
    from ..model.model_file import save_model, to_model
    from .common.summary import expected_summary, test_summary, training_summary

    if arguments.out:
        check_writable(arguments.out)
    earlier = _earlier(arguments)
    job = task.Task.of(arguments)
    before = _stamp(arguments.certificate)
    classifier = task.classifier_from(arguments, arguments.max_complexity, job.label_names)
    with task.progress_on_stderr():
        classifier.fit(
            job.inputs,
            job.labels,
            sensitive_features=job.sensitive,
            groups=job.together,
            certificate=_certificate(arguments, job),
            **earlier,
        )
    model = to_model(
        classifier,
        data=job.inputs,
        target=arguments.target,
        sensitive=arguments.sensitive,
        label_names=job.label_names,
        row_sketch=not arguments.no_row_sketch,
    )
    if arguments.out:
        save_model(model, arguments.out)
    for edit in model.edits:
        print(f"{edit.command} ({edit.errors:g} errors)")
    tested = [] if arguments.test is None else test_summary(model, arguments.test, arguments.separator)
    first = [*expected_summary(classifier, job), *tested]
    for line in training_summary(classifier, job, arguments.constraint, first):
        print(line)
    if arguments.certificate:
        is_new = _stamp(arguments.certificate) != before
        print(f"Certificate: {arguments.certificate}" if is_new else "Certificate: none written.")
    print(f"Model: {arguments.out}" if arguments.out else "Model: not kept; --out FILE writes it.")
    return INTERRUPTED if classifier.result_.stop == "interrupted" else OK


def _earlier(arguments: argparse.Namespace) -> dict[str, Any]:
    """What is to stay of an earlier model; a number among what is to be kept is a share of its rules."""
    shares = [text for text in arguments.keep if _is_number(text)]
    if arguments.previous is None:
        if shares or arguments.change_cost is not None:
            raise ConfigurationError("--keep SHARE and --change-cost need an earlier model: name it with --previous.")
        return {}
    if len(shares) > 1:
        raise ConfigurationError(f"--keep was given {len(shares)} shares: give one.")
    from ..model.model_file import load_model

    arguments.keep = [text for text in arguments.keep if text not in shares]
    keep = float(shares[0]) if shares else (0.9 if arguments.change_cost is None else None)
    return {"previous": load_model(arguments.previous), "keep": keep, "change_cost": arguments.change_cost}


def _is_number(text: str) -> bool:
    try:
        return bool(float(text) >= 0)
    except ValueError:
        return False


def _stamp(path: str | None) -> int:
    """When a file was written, to tell a new one from one that was there before."""
    return os.stat(path).st_mtime_ns if path and os.path.exists(path) else 0


def _certificate(arguments: argparse.Namespace, job: task.Task) -> CertificateFile | None:
    """Where the certificate goes, and what it says of the table."""
    from ..certificates.described_table import CertificateFile, Target

    if not arguments.certificate:
        return None
    if job.labels.dtype != bool:
        raise ConfigurationError("Certificates as files cover two classes only yet: say which is positive.")
    target = Target(job.target, job.labels.to_numpy(dtype=bool))
    return CertificateFile(arguments.certificate, target=target, separator=arguments.separator)
