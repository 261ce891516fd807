"""The paper's tables and figures: ``python -m benchmarks.paper TABLE``.

    python -m benchmarks.paper --list
    RULECG_DATA=... python -m benchmarks.paper accuracy                  # the reduced protocol
    RULECG_DATA=... python -m benchmarks.paper accuracy --full --jobs 8  # the paper's
    RULECG_DATA=... python -m benchmarks.paper accuracy --brief          # on a machine that others use, too
    RULECG_DATA=... python -m benchmarks.paper accuracy --sets heart pima --learners rulecg CART --seconds 2

Every cell is kept in FOLDER/cells as it is finished, and a later call goes on where an earlier one ended; only cells of
the very same limits count. Pages (Markdown), tables (CSV) and figures (SVG) are written to FOLDER.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve

from ..clock import VARIABLE
from .cells import Store, run_cells
from .experiment import Experiment, Request
from .fair import FairComplexity, FairCorelsTable, FairFronts, Rates, Unconstrained
from .losses import Hamming, PoolSelect, ProxyGap
from .nested import Accuracy, Additional, Today
from .overview import Certificate, Overview
from .pages import Page
from .protocol import BRIEF, FULL, REDUCED, Protocol
from .tradeoffs import Fronts

EXPERIMENTS: dict[str, type[Experiment]] = {
    kind.name: kind
    for kind in (
        *(Overview, Hamming, Accuracy, Fronts, PoolSelect, Additional, Certificate),
        *(Unconstrained, FairFronts, FairComplexity, ProxyGap, Rates, FairCorelsTable, Today),
    )
}
RESULTS = Path(__file__).parents[2] / "docs" / "results"


def _protocol(settings: argparse.Namespace) -> Protocol:
    protocol = FULL if settings.full else BRIEF if settings.brief else REDUCED
    changes = {
        "outer_folds": settings.outer,
        "inner_folds": settings.inner,
        "path_seconds": settings.seconds,
        "large_path_seconds": settings.large_seconds or settings.seconds,
        "front_seconds": settings.seconds,
        "program_seconds": settings.seconds,
        "phase_seconds": settings.seconds,
        "splits": settings.splits,
        "threads": settings.threads,
    }
    return evolve(protocol, **{name: value for name, value in changes.items() if value is not None})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", nargs="?", choices=EXPERIMENTS, metavar="TABLE", help="one of --list")
    parser.add_argument("--list", action="store_true", help="say which tables and figures there are")
    parser.add_argument("--full", action="store_true", help="the paper's protocol instead of the reduced one")
    parser.add_argument("--brief", action="store_true", help="fewer folds, and seconds of the processor")
    parser.add_argument("--no-run", action="store_true", help="write the page from the cells that are there")
    parser.add_argument("--sets", nargs="+", default=(), metavar="SET", help="some data sets only")
    parser.add_argument("--learners", nargs="+", default=(), metavar="NAME", help="some learners only")
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time, as joblib counts them")
    parser.add_argument("--threads", type=int, help="threads of one cell of rulecg")
    parser.add_argument("--outer", type=int, help="outer folds")
    parser.add_argument("--inner", type=int, help="inner folds")
    parser.add_argument("--splits", type=int, help="random splits")
    parser.add_argument("--seconds", type=float, help="for every path, program and phase")
    parser.add_argument("--large-seconds", type=float, help="the same for data of more than 10 000 rows")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one table and write its page."""
    parser = _parser()
    settings = parser.parse_args(arguments)
    if settings.list or settings.table is None:
        for name, kind in EXPERIMENTS.items():
            print(f"{name:16} {kind.title}. {kind.printed}.")
        return
    experiment = EXPERIMENTS[settings.table]()
    request = Request(_protocol(settings), settings.sets, settings.learners)
    store = Store(settings.output / "cells" / f"{experiment.store}.jsonl")
    cells = experiment.cells(request)
    if request.protocol.clock != "wall":
        cells = [evolve(cell, settings={**cell.settings, "clock": request.protocol.clock}) for cell in cells]
    if settings.no_run:
        known = store.read()
        cells = [cell for cell in cells if cell.name in known]
    lines = run_cells(cells, experiment.measure, store, jobs=settings.jobs)
    command = shlex.join(["python", "-m", "benchmarks.paper", *_told(settings)])
    page = Page(settings.output, experiment.name, experiment.title, command, request.protocol)
    notes = [f"In the paper: {experiment.printed}."]
    if settings.no_run:
        notes.append("Dashes stand for what was not measured yet: the command goes on with it.")
    experiment.report(lines, page.with_notes(notes), request)
    print(f"{page.path('.md')}")


def _told(settings: argparse.Namespace) -> list[str]:
    """The options that decide what is measured."""
    told = [settings.table, *(["--full"] if settings.full else ["--brief"] if settings.brief else [])]
    for name in ("sets", "learners"):
        told += [f"--{name}", *getattr(settings, name)] if getattr(settings, name) else []
    for name in ("threads", "outer", "inner", "splits", "seconds", "large_seconds"):
        value = getattr(settings, name)
        told += [] if value is None else [f"--{name.replace('_', '-')}", f"{value:g}"]
    return told


if __name__ == "__main__":
    if "--brief" in sys.argv and os.environ.get(VARIABLE) != BRIEF.clock:
        # Begun again, because rulecg remembers the usual clock once it is imported.
        os.environ[VARIABLE] = BRIEF.clock
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.paper", *sys.argv[1:]])
    main()
