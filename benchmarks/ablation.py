"""What each part of the master and of the search brings: switched off in turn, as ratios within one run.

    RULECG_DATA=... python benchmarks/ablation.py [--quick] [--seconds 30] [--output FILE]

The parts are settings of ``RelaxationOptions``, of the local search and of the ``Schedule``; one that is off by default
is switched on instead. Decile conditions, all rows, at most five conditions per rule. The first table is about the
relaxation alone, without any search for rule sets; the second about the rule sets of whole runs.
"""

from __future__ import annotations

import argparse
import math
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen
from composed import run as run_composed
from time_to_quality import problem_of

from rulecg.datasets import load
from rulecg_core import Limits, Problem, RelaxationOptions, Schedule
from rulecg_core.base.events import Event, IncumbentFound, RoundFinished
from rulecg_search.heuristic import LocalSearch

RELAXATIONS = (("compas", 20), ("magic", 80), ("adult", 80))
RULE_SETS = (("magic", 80), ("adult", 80))
NEGLIGIBLE = 1e-3
"""A relaxation this close to a value has reached it, as a share."""


@frozen
class Variant:
    """The default with one part switched."""

    name: str
    options: RelaxationOptions = field(factory=RelaxationOptions)
    search: LocalSearch = field(factory=LocalSearch)
    schedule: Mapping[str, Any] = field(factory=dict)
    """Changed settings of the schedule."""


RELAXATION_VARIANTS = (
    Variant("default"),
    Variant("without the dual form", RelaxationOptions(dual_form=False)),
    Variant("without merged rows", RelaxationOptions(merge_rows=False)),
    Variant("with putting rules aside", RelaxationOptions(put_aside=True)),
    Variant("with smoothed duals", schedule={"generation": {"smoothing": 0.5}}),
)
SEARCH_VARIANTS = (
    *RELAXATION_VARIANTS,
    Variant("without search during generation", schedule={"search": {"during_generation": False}}),
    Variant("without moves of single conditions", search=LocalSearch(condition_moves=False)),
    Variant("without moves of whole rules", search=LocalSearch(subset_moves=False)),
    Variant("without mixtures of rule sets", search=LocalSearch(mixtures=False)),
    Variant("without annealing", search=LocalSearch(annealing=False)),
    Variant("without programs over local optima", search=LocalSearch(unions=False)),
    Variant("without tight size bounds first", schedule={"generation": {"tight_shares": ()}}),
)


@frozen(eq=False)
class Run:
    """What one variant did."""

    variant: Variant
    relaxations: list[tuple[float, float]]
    """(seconds, value) round by round."""
    objectives: list[tuple[float, float]]
    certified: float | None
    """Seconds until the relaxation over all rules was proven."""

    @property
    def least(self) -> float:
        return min((value for _, value in self.relaxations), default=math.inf)

    def seconds_to(self, value: float) -> float | None:
        """When the relaxation first reached a value."""
        return next((moment for moment, at in self.relaxations if at <= value * (1 + NEGLIGIBLE)), None)

    def objective_after(self, seconds: float) -> float | None:
        return next((value for moment, value in reversed(self.objectives) if moment <= seconds), None)


def run(problem: Problem, complexity: int, variant: Variant, seconds: float, *, searches: bool) -> Run:
    """One run, listened to; without searches, all of its time is for the relaxation."""
    relaxations: list[tuple[float, float]] = []
    objectives: list[tuple[float, float]] = []
    certified: list[float] = []

    def listen(event: Event) -> None:
        if isinstance(event, IncumbentFound):
            objectives.append((event.seconds, event.objective))
        elif isinstance(event, RoundFinished):
            relaxations.append((event.seconds, event.relaxation))
            if event.lower_bound is not None and event.lower_bound >= event.relaxation - 1e-4:
                certified.append(event.seconds)

    schedule = Schedule().with_settings(variant.schedule)
    if not searches:
        schedule = schedule.with_settings({"generation": {"share": 1.0}})
    result = run_composed(
        problem,
        complexity,
        Limits(seconds=seconds, threads=2),
        heuristics=[("local-search", variant.search)] if searches else [],
        schedule=schedule,
        options=variant.options,
        on_event=listen,
    )
    objectives.append((result.seconds, result.objective))
    return Run(variant, relaxations, objectives, certified[0] if certified else None)


def relaxation_rows(name: str, complexity: int, runs: Sequence[Run]) -> list[str]:
    """Seconds to the optimum where every run proved it, else to the least value that all of them reached."""
    proven = all(each.certified is not None for each in runs)
    goal = max(each.least for each in runs)
    seconds = [each.certified if proven else each.seconds_to(goal) for each in runs]
    rows = []
    for each, took in zip(runs, seconds, strict=True):
        ratio = "–" if not took or not seconds[0] else f"{took / seconds[0]:.2f}"
        rows.append(
            f"| {name}, C={complexity} | {each.variant.name} | {'optimum' if proven else f'{goal:.0f}'} | "
            f"{'–' if took is None else f'{took:.2f}'} | {ratio} | {len(each.relaxations)} | {each.least:.2f} |"
        )
    return rows


def rule_set_rows(name: str, complexity: int, runs: Sequence[Run], moments: Sequence[float]) -> list[str]:
    """The loss at each moment, and what it is of the default's."""
    rows = []
    for each in runs:
        cells = []
        for moment in moments:
            value, usual = each.objective_after(moment), runs[0].objective_after(moment)
            cells.append("–" if value is None else f"{value:.0f}")
            cells.append("–" if value is None or not usual else f"{value / usual:.4f}")
        rows.append(f"| {name}, C={complexity} | {each.variant.name} | {' | '.join(cells)} |")
    return rows


def report(relaxations: Sequence[str], rule_sets: Sequence[str], seconds: float, moments: Sequence[float]) -> str:
    heads = " | ".join(f"loss after {moment:.3g} s | ratio" for moment in moments)
    return "\n".join(
        [
            "# What each part brings",
            "",
            f"Made by `python benchmarks/ablation.py --seconds {seconds:g}`: Python {platform.python_version()},",
            f"{platform.machine()}, two threads, {seconds:g} s per run, all rows, decile conditions, at most five",
            "conditions per rule. Every line is the default with one part switched off, or on where it is off by",
            "default; ratios are to the default in the same run. [How the master works](../explanation/master.md)",
            "explains the parts.",
            "",
            "## The relaxation",
            "",
            "Column generation alone, without search for rule sets. Seconds until the relaxation over all rules was",
            f"proven; where not every run got there, until it came within {100 * NEGLIGIBLE:g} % of the least value",
            "that all of them reached.",
            "",
            "| data | parts | goal | seconds | ratio | rounds | last value |",
            "|---|---|--:|--:|--:|--:|--:|",
            *relaxations,
            "",
            "## Rule sets",
            "",
            "Hamming loss of the best rule set known after so many seconds of a whole run; a ratio above 1 is what it",
            "costs to do without. One run each: what is found differs from run to run, so that two or three per cent",
            "mean little.",
            "",
            f"| data | parts | {heads} |",
            "|---|---|" + "--:|" * (2 * len(moments)),
            *rule_sets,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="five seconds per run")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--sets", nargs="+", default=None, help="only these data sets")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/ablation.md"))
    settings = parser.parse_args()
    seconds = min(5.0, settings.seconds) if settings.quick else settings.seconds
    moments = [seconds / 3, seconds]
    relaxations: list[str] = []
    rule_sets: list[str] = []
    for name, complexity in RELAXATIONS:
        if settings.sets and name not in settings.sets:
            continue
        problem = problem_of(load(name))
        runs = []
        for variant in RELAXATION_VARIANTS:
            runs.append(run(problem, complexity, variant, seconds, searches=False))
            print(f"{name}, {variant.name}: relaxation {runs[-1].least:.2f}", flush=True)
        relaxations += relaxation_rows(name, complexity, runs)
        if (name, complexity) not in RULE_SETS:
            continue
        runs = []
        for variant in SEARCH_VARIANTS:
            runs.append(run(problem, complexity, variant, seconds, searches=True))
            print(f"{name}, {variant.name}: loss {runs[-1].objectives[-1][1]:.0f}", flush=True)
        rule_sets += rule_set_rows(name, complexity, runs, moments)
    text = report(relaxations, rule_sets, seconds, moments)
    settings.output.parent.mkdir(parents=True, exist_ok=True)
    settings.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
