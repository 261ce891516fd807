"""What can be proven, how fast: data set × C × value × bound × status × rules listed × seconds.

    python benchmarks/certificates.py                 # the ten small sets, C = 10 and 20, writes docs/benchmarks
    python benchmarks/certificates.py heart pima      # some sets only, prints
    python benchmarks/certificates.py heart --merge   # some sets only, replaces their lines on the page

Data sets are read from the folder that RULECG_DATA names. The compiled kernels are loaded before the clock starts.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from composed import run

from rulecg import Binarizer
from rulecg.datasets import load
from rulecg_core import Limits, Problem, Result
from rulecg_core.base.events import Event, RoundFinished

SETS = {
    "tic-tac-toe": 5, "transfusion": 5, "banknote": 5, "bupa": 5, "compas": 5, "heart": 5, "pima": 5, "ilpd": 5,
    "wdbc": 4, "ionosphere": 4,
}
EXTRA = [("tic-tac-toe", 32, 5), ("wdbc", 10, 5), ("ionosphere", 10, 5)]
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "certificates.md"
HEAD = (
    "| data set | D | C | Hamming loss | lower bound | status | LP value | LP certified after (s) | rules listed "
    "| total (s) |\n|---|---|---|---|---|---|---|---|---|---|\n"
)


def problem_of(name: str, max_conditions: int) -> Problem:
    data, target, _ = load(name)
    binarizer = Binarizer().fit(data)
    return Problem.from_arrays(
        binarizer.transform(data), target, conditions=binarizer.conditions_, max_conditions=max_conditions
    )


def prove(
    problem: Problem, bound: float, seconds: float, backend_name: str, threads: int
) -> tuple[Result, float | None]:
    """Run to the proof; also when the relaxation was certified."""
    events: list[Event] = []
    limits = Limits(seconds=seconds, threads=threads)
    result = run(problem, bound, limits, backend=backend_name, on_event=events.append)
    certified = result.status.value in ("optimal", "lp-optimal")
    rounds = [event.seconds for event in events if isinstance(event, RoundFinished)]
    return result, rounds[-1] if certified and rounds else None


def line(name: str, bound: float, conditions: int, result: Result, certified: float | None) -> str:
    cells = [
        name,
        conditions,
        f"{bound:g}",
        f"{result.objective:g}",
        "none" if result.lower_bound is None else f"{result.lower_bound:g}",
        result.status.value,
        "none" if result.relaxation is None else f"{result.relaxation:.3f}",
        "not" if certified is None else f"{certified:.1f}",
        "none needed" if result.rules_listed is None else result.rules_listed,
        f"{result.seconds:.1f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="data sets; all ten when none is named")
    parser.add_argument("--complexities", type=float, nargs="*", default=[10, 20])
    parser.add_argument("--conditions", type=int, help="most conditions in a rule instead of the table's")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--backend", default="highs")
    parser.add_argument("--merge", action="store_true", help="replace the lines of the named sets on the page")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    prove(problem_of("tic-tac-toe", 3), 10, 60, arguments.backend, arguments.threads)
    wanted = [
        (name, bound, arguments.conditions or SETS[name])
        for name in arguments.sets or SETS
        for bound in arguments.complexities
    ]
    if not arguments.sets:
        wanted += EXTRA
    lines = []
    print(HEAD, end="")
    for name, bound, conditions in wanted:
        result, certified = prove(
            problem_of(name, conditions), bound, arguments.seconds, arguments.backend, arguments.threads
        )
        lines.append(line(name, bound, conditions, result, certified))
        print(lines[-1], flush=True)
    if arguments.merge or not arguments.sets:
        write(lines, arguments)


def write(lines: list[str], arguments: argparse.Namespace) -> None:
    """The page with these lines; lines of the present page stay when some sets only were run."""
    if arguments.sets and PAGE.exists():
        new = {_key(line): line for line in lines}
        old = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
        lines = [new.pop(_key(line), line) for line in old] + list(new.values())
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(
        "# What is proven on the paper's small data sets\n\n"
        f"Decile conditions, {arguments.backend}, {arguments.threads} threads, limit {arguments.seconds:g} s. Made "
        "by `python benchmarks/certificates.py`. *LP certified* is when the linear relaxation over all rules was "
        "proven; *rules listed* is how many rules the last list held that the proof over all rules looked at.\n\n"
        + HEAD
        + "\n".join(lines)
        + "\n",
        encoding="utf-8",
    )


def _key(line: str) -> tuple[str, ...]:
    """Data set, D and C."""
    return tuple(cell.strip() for cell in line.split("|")[1:4])


if __name__ == "__main__":
    main()
