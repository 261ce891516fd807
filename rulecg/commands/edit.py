"""``rulecg edit``: a conversation with the optimiser about a model, in the terminal or on a local page."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from rulecg_core import RulecgError

from .common import model_data
from .common.exit_codes import OK, WRONG_INPUT
from .common.parser import CommandParser, names, seconds, whole_number

if TYPE_CHECKING:
    from ..workbench.dialogue import Dialogue

NAME = "edit"
HELP = "Keep, ban, edit and add rules of a model, and see at once what that costs; in the terminal or on a local page."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    model_data.add_arguments(parser)
    parser.add_argument("--target", metavar="COLUMN", help="the recorded outcome (the column learned from)")
    parser.add_argument(
        "--sensitive", metavar="COLUMNS", type=names, help="columns that define groups (those learned with)"
    )
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=seconds, default=60.0,
        help="how long the optimiser goes on after each edit, in the background (60)",
    )  # fmt: skip
    parser.add_argument(
        "--patience", metavar="SECONDS", type=seconds, default=1.0, help="how long an answer waits for it (1)"
    )
    parser.add_argument(
        "--folds", metavar="N", type=whole_number(0, 100), default=5,
        help="folds for the accuracy to expect, learned once in the background; 0 for none (5)",
    )  # fmt: skip
    parser.add_argument("--web", action="store_true", help="on a page in your browser, on this machine only")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    from ..workbench.bench import Workbench
    from ..workbench.dialogue import Dialogue

    labelled = model_data.load_labelled(arguments)
    with Workbench(
        labelled.inputs,
        labelled.labels,
        model=labelled.model,
        sensitive_features=labelled.sensitive,
        patience=arguments.patience,
        folds=arguments.folds,
        time_limit=arguments.time_limit,
    ) as bench:
        dialogue = Dialogue(bench, labelled.model.fingerprint, may_write=not arguments.web)
        if arguments.web:
            from ..workbench.web import serve

            return serve(dialogue)
        return _talk(dialogue)


def _talk(dialogue: Dialogue) -> int:
    """Read lines until the end. What cannot be done is said; from a file or a pipe it also ends the conversation."""
    from rich.console import Console
    from rich.highlighter import NullHighlighter

    console = Console(highlighter=NullHighlighter(), soft_wrap=True)
    is_person = sys.stdin.isatty()
    console.print(dialogue.say("look"), markup=False)
    while not dialogue.has_ended:
        if is_person:
            console.print("[bold]>[/bold] ", end="")
        line = sys.stdin.readline()
        if not line:
            return OK
        if not is_person and line.strip():
            console.print(f"> {line.strip()}", markup=False, style="bold")
        try:
            answer = dialogue.say(line)
        except RulecgError as error:
            console.print(str(error), markup=False, style="red")
            if not is_person:
                return WRONG_INPUT
            continue
        if answer:
            console.print(answer, markup=False)
    return OK
