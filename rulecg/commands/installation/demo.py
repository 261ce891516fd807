"""``rulecg demo``: the main job on embedded data, from table to readable rules with a certificate."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..common.parser import CommandParser

if TYPE_CHECKING:
    from ...datasets import Dataset

NAME = "demo"
HELP = "Learn rule sets from two embedded data sets and show them with accuracy, complexity and certificate."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("--quiet", action="store_true", help="show the results only, not the progress")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    # Imported here: listing plugins should not wait for pandas and scikit-learn.
    from ...datasets import load

    print("The very first run compiles the search for rules, which takes a moment longer.\n", flush=True)
    _show(load("tic-tac-toe"), max_complexity=32, quiet=arguments.quiet)
    print()
    _show(load("lending"), max_complexity=10, quiet=arguments.quiet)
    return 0


def _show(dataset: Dataset, max_complexity: int, quiet: bool) -> None:
    from ...estimators.classifier import RuleSetClassifier

    print(f"== {dataset}")
    print(f"-- learning a rule set with at most {max_complexity} rules and conditions together")
    classifier = RuleSetClassifier(max_complexity, time_limit=9.0, verbose=0 if quiet else 1)
    classifier.fit(dataset.data, dataset.target)
    accuracy = classifier.score(dataset.data, dataset.target)
    print()
    print(classifier.rule_set_)
    print()
    print(f"Accuracy on these rows: {accuracy:.1%}")
    print(f"Complexity: {classifier.rule_set_.complexity} (rules and conditions together)")
    print(f"Certificate: {classifier.result_.certificate()}")
    print(f"Time: {classifier.result_.seconds:.1f} s, {classifier.result_.pool_size} rules generated")
