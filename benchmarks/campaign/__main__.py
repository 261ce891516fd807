"""Try everything and print the tables of docs/explanation/reliability.md.

    python -m benchmarks.campaign [--long] [--only ROOM]

Without ``--long`` a share of every room is tried, in a few minutes; with it all of it, which takes much longer. What is
wrong is printed with its fault as it is met, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import sys

from rulecg_kernels import warm_up

from . import lying_plugins
from .attempts import Outcome, Tally, Verdict
from .rooms import ROOMS, chosen


def _show(verdict: Verdict) -> None:
    if verdict.outcome is Outcome.WRONG:
        print(f"WRONG: {verdict.attempt.room}: {verdict.attempt.name}\n{verdict.message}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="all attempts instead of a share")
    parser.add_argument("--only", choices=sorted(ROOMS), help="one room alone")
    options = parser.parse_args()
    warm_up()  # compiling is not part of any attempt, least of all of its time
    tally = Tally()
    for room in ROOMS if options.only is None else [options.only]:
        tally.add(chosen(room, is_long=options.long), _show)
    print(tally.as_markdown())
    if options.only in (None, "lying-plugins"):
        print("\n" + lying_plugins.caught(20 if options.long else 1, print))
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
