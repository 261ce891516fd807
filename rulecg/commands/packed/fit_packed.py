"""``rulecg fit`` on packed data: options of its own, and what it does with them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rulecg_core import ConfigurationError

from ..common.exit_codes import OK
from ..common.parser import CommandParser, positive_number

OWN = ("engine", "scheduler", "memory_limit", "checkpoint", "resume")
NOT_PACKED = (
    "target", "positive", "sensitive", "drop", "cut_points", "quantiles", "teacher", "class_weight", "pricer",
    "heuristic", "schedule", "na_values", "jobs",
)  # fmt: skip
"""Options that were decided when the data were packed, or that rounds over partitions do not have."""
AUTO = "auto"
"""Where rows are this many, size and logic are not chosen by folds: "auto" is a fixed default."""
BY_DEFAULT = {"loss": "hamming", "thresholds": "auto", "choice": "best"}
"""Options that have one value for packed data."""


def add_arguments(parser: CommandParser) -> None:
    """Add the options that packed data have besides."""
    parser.add_argument(
        "--engine", metavar="NAME", default=None,
        help="for packed data: who asks the partitions, such as local:threads=4 or dask (local)",
    )  # fmt: skip
    parser.add_argument("--scheduler", metavar="ADDRESS", help="for packed data: a Dask scheduler, such as tcp://…:8786")
    parser.add_argument(
        "--memory-limit", metavar="GB", type=positive_number,
        help="for packed data: rows that need more gigabytes than this stay on disk (2)",
    )  # fmt: skip
    parser.add_argument("--checkpoint", metavar="FILE", help="for packed data: keep what is known after every round")
    parser.add_argument("--resume", action="store_true", help="for packed data: go on from the checkpoint")


def is_packed(arguments: argparse.Namespace) -> bool:
    """Whether the data are a folder, which only packed data are; options for the other kind are refused."""
    if Path(arguments.data).is_dir():
        wrong = [name for name in NOT_PACKED if getattr(arguments, name, None) not in (None, [], AUTO)]
        wrong += [name for name, usual in BY_DEFAULT.items() if getattr(arguments, name, usual) != usual]
        if wrong:
            raise ConfigurationError(
                f"--{wrong[0].replace('_', '-')} is not for packed data: columns, classes and thresholds are decided "
                "by rulecg pack, and rounds over partitions have the Hamming loss and searches of their own."
            )
        return True
    given = [name for name in OWN if getattr(arguments, name)]
    if given:
        raise ConfigurationError(
            f"--{given[0].replace('_', '-')} is for packed data, which rulecg pack makes: {arguments.data} is none."
        )
    return False


def run(arguments: argparse.Namespace) -> int:
    """Learn from packed data and write the model; the exit code."""
    from ...exports.output_files import check_writable
    from ...model.model_file import save_model
    from ...partitions.fit import MEMORY_LIMIT, PackedSettings, fit_packed

    if arguments.out:
        check_writable(arguments.out)
    if arguments.resume and not arguments.checkpoint:
        raise ConfigurationError("--resume goes on from a checkpoint: name it with --checkpoint FILE.")
    chosen = {name: value for name in ("max_complexity", "logic") if (value := getattr(arguments, name)) != AUTO}
    settings = PackedSettings(
        **chosen,
        max_conditions=arguments.max_conditions,
        constraints=arguments.constraint,
        backend=arguments.backend,
        forbid=arguments.forbid,
        costs=arguments.costs,
        random_state=arguments.seed,
        time_limit=arguments.time_limit,
        memory_limit=MEMORY_LIMIT if arguments.memory_limit is None else 1e9 * arguments.memory_limit,
        checkpoint=arguments.checkpoint,
        resume=arguments.resume,
    )
    say = None if arguments.quiet else _say
    learned = fit_packed(arguments.data, settings, engine=_engine(arguments), say=say)
    if arguments.out:
        save_model(learned.model, arguments.out)
    for line in _summary(learned):
        print(line)
    print(f"Model: {arguments.out}" if arguments.out else "Model: not kept; --out FILE writes it.")
    return OK


def _engine(arguments: argparse.Namespace) -> str:
    name = arguments.engine or ("dask" if arguments.scheduler else "local")
    if arguments.scheduler:
        if name.partition(":")[0] != "dask":
            raise ConfigurationError("--scheduler is for the engine dask: say --engine dask, or leave it out.")
        name += f"{':' if ':' not in name else ','}scheduler={arguments.scheduler}"
    return str(name)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _summary(learned: Any) -> list[str]:
    """The rules, how often they are right, and the proof."""
    model, result = learned.model, learned.result
    total = float(model.class_weights.sum())
    lines = [
        str(model.rule_set),
        f"Training accuracy: {1 - result.errors / total:.1%} of {total:,.0f} rows "
        f"(always saying the same: {model.class_weights.max() / total:.1%}); expect less on new rows.",
        f"Complexity: {model.rule_set.complexity} (rules and conditions together)",
        f"Certificate: {result.certificate()}",
    ]
    used = {condition.column for condition in model.rule_set.conditions}
    for name in model.sensitive:
        if name in used:
            lines.insert(0, f"ATTENTION: the rules decide by the sensitive column {name}; --forbid {name} forbids it.")
    return lines
