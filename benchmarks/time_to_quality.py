"""How fast good rule sets are found: best objective and bound over time, and a comparison with other rule learners.

    RULECG_DATA=... python benchmarks/time_to_quality.py [--quick] [--seconds 60] [--rivals PYTHON]
                                                         [--output docs/benchmarks/time_to_quality.md]

Curves are for all rows with decile conditions and at most five conditions per rule. The other learners are AIX360's
BooleanRuleCG and wittgenstein's RIPPER, in the environment of the interpreter given with ``--rivals``; both run in the
same go as rulecg, on the same training rows, and rulecg gets the complexity that they reached and a tenth of their
time. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen

from rulecg import RuleSetClassifier
from rulecg.binarizer import Binarizer
from rulecg.datasets import Dataset, load
from rulecg_core import Limits, Problem, Registry, Result, generate_columns, load_registry
from rulecg_core.arrays import IntArray
from rulecg_core.events import Event, IncumbentFound, RoundFinished
from rulecg_core.hamming import HammingMaster
from rulecg_core.stages import DEFAULT_STAGES

SETS = ("adult", "magic", "bank-mkt", "default", "mushroom", "musk")
QUICK = ("magic", "mushroom")
BOUNDS = (20, 80)
MOMENTS = (2, 5, 15, 30, 60)
RIVALS = {"aix360": "AIX360 BooleanRuleCG", "ripper": "wittgenstein RIPPER"}


@frozen(eq=False)
class Curve:
    """One run: (seconds, value) whenever the best objective or the bound changed."""

    name: str
    complexity: int
    objectives: list[tuple[float, float]]
    bounds: list[tuple[float, float]]
    result: Result = field(repr=False)

    def objective_after(self, seconds: float) -> float | None:
        return next((value for moment, value in reversed(self.objectives) if moment <= seconds), None)


@frozen(eq=False)
class Comparison:
    """One other learner, and rulecg at its complexity within a tenth of its time, on one split."""

    name: str
    rival: str
    theirs: dict[str, Any]
    ours: dict[str, Any]


def problem_of(data: Dataset) -> Problem:
    binarizer = Binarizer()
    X = binarizer.fit_transform(data.data)
    return Problem.from_arrays(X, np.asarray(data.target), conditions=binarizer.conditions_, max_conditions=5)


def curve(registry: Registry, name: str, problem: Problem, complexity: int, seconds: float) -> Curve:
    """Run column generation and listen."""
    backend = registry.backend()
    objectives: list[tuple[float, float]] = []
    bounds: list[tuple[float, float]] = []

    def listen(event: Event) -> None:
        if isinstance(event, IncumbentFound):
            objectives.append((event.seconds, event.objective))
        elif isinstance(event, RoundFinished) and event.lower_bound is not None:
            bounds.append((event.seconds, event.lower_bound))

    pricers = [(stage, registry.pricer(stage, backend)) for stage in DEFAULT_STAGES]
    master = HammingMaster(problem, [registry.constraint(f"complexity:{complexity}")], backend)
    result = generate_columns(master, pricers, Limits(seconds=seconds, threads=2), listen)
    objectives.append((result.seconds, result.objective))
    if result.lower_bound is not None:
        bounds.append((result.seconds, result.lower_bound))
    return Curve(name, complexity, objectives, bounds, result)


def compare(interpreter: str, data: Dataset, seconds: float) -> list[Comparison]:
    """The other learners on four fifths of the rows, tested on the rest (the first of five stratified folds)."""
    from sklearn.model_selection import StratifiedKFold

    y = np.asarray(data.target, dtype=bool)
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=0).split(data.data, y))
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_fold(folder, data, train, test)
        parts = {part: data.data.iloc[rows] for part, rows in (("train", train), ("test", test))}
        for rival in RIVALS:
            theirs = run_rival(interpreter, rival, folder, seconds)
            if theirs is None:
                continue
            model = RuleSetClassifier(
                max_complexity=max(2, theirs["complexity"]), time_limit=max(1.0, theirs["seconds"] / 10), n_jobs=2,
                random_state=0,
            )
            model.fit(parts["train"], y[train])
            ours = {
                "seconds": model.result_.seconds,
                "train": model.score(parts["train"], y[train]),
                "test": model.score(parts["test"], y[test]),
                "complexity": model.rule_set_.complexity,
            }
            found.append(Comparison(data.name, RIVALS[rival], theirs, ours))
    return found


def write_fold(folder: Path, data: Dataset, train: IntArray, test: IntArray) -> None:
    """What the other learners read: the original rows, and the same rows with decile conditions."""
    y = np.asarray(data.target, dtype=bool)
    binarizer = Binarizer().fit(data.data.iloc[train])
    binary = {}
    for part, rows in (("train", train), ("test", test)):
        table = data.data.iloc[rows]
        table.to_csv(folder / f"{part}.csv", index=False)
        binary[part] = np.asarray(binarizer.transform(table))
    np.savez(folder / "binary.npz", **binary, y_train=y[train], y_test=y[test])
    conditions = [(c.column, c.operator, c.value) for c in binarizer.conditions_]
    (folder / "conditions.json").write_text(json.dumps(conditions, default=str))


def run_rival(interpreter: str, rival: str, folder: Path, seconds: float) -> dict[str, Any] | None:
    """What the other learner reached; None when it is not installed, failed or took too long, which is told."""
    script = Path(__file__).with_name("rivals.py")
    command = [interpreter, str(script), rival, str(folder)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        print(f"  {RIVALS[rival]}: not done after {seconds:g} s", flush=True)
        return None
    if run.returncode:
        print(f"  {RIVALS[rival]}: {run.stderr.strip().splitlines()[-1] if run.stderr else 'failed'}", flush=True)
        return None
    return dict(json.loads(run.stdout.splitlines()[-1]))


def report(curves: Sequence[Curve], comparisons: Sequence[Comparison], seconds: float, plot: str | None) -> str:
    moments = [moment for moment in MOMENTS if moment <= seconds]
    lines = [
        "# Time to quality",
        "",
        f"Python {platform.python_version()}, {platform.machine()}, two threads, {seconds:g} s per run, all rows,",
        "decile conditions, at most five conditions per rule. Hamming loss of the best rule set known after so many",
        "seconds; the bound holds over all rules.",
        "",
        "| data | C | " + " | ".join(f"{moment} s" for moment in moments) + " | end | errors | bound | generated |",
        "|---|--:|" + "--:|" * (len(moments) + 4),
    ]
    for each in curves:
        values = [each.objective_after(moment) for moment in moments]
        cells = ["–" if value is None else f"{value:.0f}" for value in values]
        bound = "–" if each.result.lower_bound is None else f"{each.result.lower_bound:.0f}"
        lines.append(
            f"| {each.name} | {each.complexity} | {' | '.join(cells)} | {each.result.objective:.0f} | "
            f"{each.result.errors:.0f} | {bound} | {each.result.n_columns} |"
        )
    if plot:
        lines += ["", f"![Best objective and bound over time]({plot})"]
    if comparisons:
        lines += [
            "",
            "## Beside other rule learners",
            "",
            "One stratified split (four fifths to train). rulecg gets the complexity that the other one reached and a",
            "tenth of its time, but at least a second. Accuracy in percent.",
            "",
            "| data | learner | seconds | complexity | training | held out | rulecg: seconds | complexity | training | "
            "held out |",
            "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for pair in comparisons:
            theirs, ours = (
                f"{side['seconds']:.1f} | {side['complexity']} | {100 * side['train']:.2f} | {100 * side['test']:.2f}"
                for side in (pair.theirs, pair.ours)
            )
            lines.append(f"| {pair.name} | {pair.rival} | {theirs} | {ours} |")
    return "\n".join(lines) + "\n"


def draw(curves: Sequence[Curve], path: Path) -> bool:
    """Best objective and bound over time, one panel per run; False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    n_columns = len({each.complexity for each in curves})
    n_rows = -(-len(curves) // n_columns)
    figure, panels = pyplot.subplots(n_rows, n_columns, figsize=(5 * n_columns, 2.6 * n_rows), squeeze=False)
    for panel in panels.ravel()[len(curves) :]:
        panel.axis("off")
    for panel, each in zip(panels.ravel(), curves, strict=False):
        seconds, values = zip(*each.objectives, strict=True)
        panel.step(seconds, values, where="post", label="best objective", color="#1f4e79")
        if each.bounds:
            seconds, values = zip(*each.bounds, strict=True)
            panel.step(seconds, values, where="post", label="bound", color="#b04a00", linestyle="--")
        panel.set_title(f"{each.name}, C = {each.complexity}", fontsize=10)
        panel.set_xlabel("seconds")
        panel.set_ylim(bottom=0, top=2 * each.result.objective + 1)
        panel.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="two data sets, ten seconds each")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--sets", nargs="+", default=None)
    parser.add_argument("--complexity", nargs="+", type=int, default=list(BOUNDS))
    parser.add_argument("--rivals", default=sys.executable, help="interpreter that has the other learners")
    parser.add_argument("--rival-seconds", type=float, default=3600.0, help="longest time for one of them (3600)")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/time_to_quality.md"))
    settings = parser.parse_args()
    seconds = min(10.0, settings.seconds) if settings.quick else settings.seconds
    registry = load_registry()
    curves: list[Curve] = []
    comparisons: list[Comparison] = []
    for name in settings.sets or (QUICK if settings.quick else SETS):
        data = load(name)
        problem = problem_of(data)
        for complexity in settings.complexity:
            curves.append(curve(registry, name, problem, complexity, seconds))
            print(f"{name}, C = {complexity}: {curves[-1].result.objective:.0f} after {seconds:g} s", flush=True)
        for pair in compare(settings.rivals, data, settings.rival_seconds):
            comparisons.append(pair)
            print(f"{name}, {pair.rival}: {pair.theirs['test']:.4f}, rulecg {pair.ours['test']:.4f}", flush=True)
    settings.output.parent.mkdir(parents=True, exist_ok=True)
    plot = settings.output.with_suffix(".svg")
    text = report(curves, comparisons, seconds, plot.name if draw(curves, plot) else None)
    settings.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
