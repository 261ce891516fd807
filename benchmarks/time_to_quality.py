"""How fast good rule sets are found: best objective and bound over time, and a comparison with other rule learners.

    RULECG_DATA=... python benchmarks/time_to_quality.py [--quick] [--seconds 60] [--long 600] [--rivals PYTHON]
                                                         [--output docs/benchmarks/time-to-quality.md]

Curves are for all rows with decile conditions and at most five conditions per rule; with ``--long`` a second, longer
run tells how much was left to find. The other learners are AIX360's BooleanRuleCG and wittgenstein's RIPPER, in the
environment of the interpreter given with ``--rivals`` (``pip install "aix360[rbm]==0.3.0" ecos wittgenstein``). They
run in the same go as rulecg, on the same training rows, and rulecg gets the complexity that they reached and a tenth of
their time. What is not installed is left out. With ``--results`` every measurement is kept in a file as it is made, and
a later run goes on where an earlier one ended.
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
from attrs import asdict, field, frozen
from composed import run

from rulecg import RuleSetClassifier
from rulecg.binarize.binarizer import Binarizer
from rulecg.datasets import Dataset, load
from rulecg_core import IntArray, Limits, Problem
from rulecg_core.base.events import Event, IncumbentFound, RoundFinished

SETS = ("adult", "magic", "bank-mkt", "default", "mushroom", "musk")
QUICK = ("magic", "mushroom")
BOUNDS = (20, 80)
MOMENTS = (2, 5, 15, 30, 60)
RIVALS = {"aix360": "AIX360 BooleanRuleCG", "ripper": "wittgenstein RIPPER"}


@frozen
class Curve:
    """One run: (seconds, value) whenever the best objective or the bound changed, and how it ended."""

    name: str
    complexity: int
    limit: float
    objectives: list[tuple[float, float]]
    bounds: list[tuple[float, float]]
    objective: float
    errors: float
    lower_bound: float | None
    pool_size: int

    def objective_after(self, seconds: float) -> float | None:
        return next((value for moment, value in reversed(self.objectives) if moment <= seconds), None)


@frozen
class Comparison:
    """One other learner, and rulecg at its complexity within a tenth of its time, on one split.

    ``theirs`` is None when the other learner did not come to an end within the time given.
    """

    name: str
    rival: str
    limit: float
    theirs: dict[str, Any] | None
    ours: dict[str, Any] | None


@frozen
class Measurements:
    """What was measured so far, kept in a file if one is given."""

    path: Path | None
    curves: list[Curve] = field(factory=list)
    comparisons: list[Comparison] = field(factory=list)

    @classmethod
    def resumed(cls, path: Path | None) -> Measurements:
        found = cls(path)
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                stored = json.loads(line)
                if "rival" in stored:
                    found.comparisons.append(Comparison(**stored))
                else:
                    found.curves.append(Curve(**stored))
        return found

    def curve(self, name: str, complexity: int, limit: float) -> Curve | None:
        wanted = (name, complexity, limit)
        return next((each for each in self.curves if (each.name, each.complexity, each.limit) == wanted), None)

    def comparison(self, name: str, rival: str) -> Comparison | None:
        return next((each for each in self.comparisons if (each.name, each.rival) == (name, rival)), None)

    def keep(self, measured: Curve | Comparison) -> None:
        if isinstance(measured, Curve):
            self.curves.append(measured)
        else:
            self.comparisons.append(measured)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(measured)) + "\n")


def problem_of(data: Dataset) -> Problem:
    binarizer = Binarizer()
    X = binarizer.fit_transform(data.data)
    return Problem.from_arrays(X, np.asarray(data.target), conditions=binarizer.conditions_, max_conditions=5)


def curve(name: str, problem: Problem, complexity: int, seconds: float) -> Curve:
    """Run column generation and listen."""
    objectives: list[tuple[float, float]] = []
    bounds: list[tuple[float, float]] = []

    def listen(event: Event) -> None:
        if isinstance(event, IncumbentFound):
            objectives.append((event.seconds, event.objective))
        elif isinstance(event, RoundFinished) and event.lower_bound is not None:
            bounds.append((event.seconds, event.lower_bound))

    result = run(problem, complexity, Limits(seconds=seconds, threads=2), on_event=listen)
    objectives.append((result.seconds, result.objective))
    if result.lower_bound is not None:
        bounds.append((result.seconds, result.lower_bound))
    return Curve(
        name,
        complexity,
        seconds,
        objectives,
        bounds,
        result.objective,
        result.errors,
        result.lower_bound,
        result.pool_size,
    )


def compare(interpreter: str, data: Dataset, rival: str, seconds: float) -> Comparison | None:
    """Another learner on four fifths of the rows, tested on the rest (the first of five stratified folds).

    None when it is not installed.
    """
    from sklearn.model_selection import StratifiedKFold

    y = np.asarray(data.target, dtype=bool)
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=0).split(data.data, y))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_fold(folder, data, train, test)
        try:
            theirs = run_rival(interpreter, rival, folder, seconds)
        except subprocess.TimeoutExpired:
            return Comparison(data.name, RIVALS[rival], seconds, None, None)
    if theirs is None:
        return None
    parts = {part: data.data.iloc[rows] for part, rows in (("train", train), ("test", test))}
    model = RuleSetClassifier(
        max_complexity=max(2, theirs["complexity"]),
        time_limit=max(1.0, theirs["seconds"] / 10),
        n_jobs=2,
        random_state=0,
    )
    model.fit(parts["train"], y[train])
    ours = {
        "seconds": model.result_.seconds,
        "train": model.score(parts["train"], y[train]),
        "test": model.score(parts["test"], y[test]),
        "complexity": model.rule_set_.complexity,
    }
    return Comparison(data.name, RIVALS[rival], seconds, theirs, ours)


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
    """What the other learner reached; None when it is not installed or failed, which is told."""
    script = Path(__file__).parent / "rivals" / "standalone.py"
    command = [interpreter, str(script), rival, str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    if ended.returncode:
        print(f"  {RIVALS[rival]}: {ended.stderr.strip().splitlines()[-1] if ended.stderr else 'failed'}", flush=True)
        return None
    return dict(json.loads(ended.stdout.splitlines()[-1]))


def report(measured: Measurements, seconds: float, long: float | None, plot: str | None) -> str:
    moments = [moment for moment in MOMENTS if moment < seconds]
    lines = [
        "# Time to quality",
        "",
        f"Python {platform.python_version()}, {platform.machine()}, two threads, {seconds:g} s per run, all rows,",
        "decile conditions, at most five conditions per rule. Hamming loss of the best rule set known after so many",
        "seconds; the bound holds over all rules." + (
            ""
            if long is None
            else f" *Longer* is the end of a run of its own of {long:g} s,\n"
            "*above* by how many per cent the shorter run ended above the better of both (0: also where it is proven)."
        ),
        "",
        "| data | C | " + " | ".join(f"{moment} s" for moment in moments) + f" | {seconds:g} s | longer | above "
        "| errors | bound | generated |",
        "|---|--:|" + "--:|" * (len(moments) + 6),
    ]
    for each in (curve for curve in measured.curves if curve.limit == seconds):
        values = [each.objective_after(moment) for moment in moments]
        cells = ["–" if value is None else f"{value:.0f}" for value in values]
        longer = None if long is None else measured.curve(each.name, each.complexity, long)
        bound = "–" if each.lower_bound is None else f"{each.lower_bound:.0f}"
        lines.append(
            f"| {each.name} | {each.complexity} | {' | '.join(cells)} | {each.objective:.0f} | "
            f"{'–' if longer is None else f'{longer.objective:.0f}'} | {above(each, longer)} | {each.errors:.0f} | "
            f"{bound} | {each.pool_size} |"
        )
    if plot:
        lines += ["", f"![Best objective and bound over time]({plot})"]
    if measured.comparisons:
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
        lines += [
            f"| {pair.name} | {pair.rival} | {side(pair.theirs) or f'over {pair.limit:g} | – | – | –'} | "
            f"{side(pair.ours) or '– | – | – | –'} |"
            for pair in measured.comparisons
        ]
    return "\n".join(lines) + "\n"


def above(short: Curve, longer: Curve | None) -> str:
    """By how many per cent a run ended above the best that is known."""
    if short.lower_bound is not None and short.objective <= short.lower_bound:
        return "0"
    if longer is None:
        return "–"
    best = min(short.objective, longer.objective)
    return f"{100 * (short.objective - best) / best:.1f}" if best else "–"


def side(reached: dict[str, Any] | None) -> str | None:
    if reached is None:
        return None
    return (
        f"{reached['seconds']:.1f} | {reached['complexity']} | {100 * reached['train']:.2f} | "
        f"{100 * reached['test']:.2f}"
    )


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
        # What counts happens within a few per cent of the best; a bound far below it is not worth the room.
        lowest = 0.9 * each.objective
        if each.lower_bound is not None and each.lower_bound > 0.5 * each.objective:
            lowest = min(lowest, 0.97 * each.lower_bound)
        panel.set_ylim(bottom=lowest, top=max(1.0, 1.02 * max(value for _, value in each.objectives)))
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
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks/time-to-quality.md"))
    parser.add_argument("--long", type=float, help="seconds of a second, longer run of each")
    parser.add_argument("--results", type=Path, help="JSON lines; what is already there is not measured again")
    settings = parser.parse_args()
    seconds = min(10.0, settings.seconds) if settings.quick else settings.seconds
    measured = Measurements.resumed(settings.results)
    for name in settings.sets or (QUICK if settings.quick else SETS):
        data = load(name)
        problem = problem_of(data)
        for limit in (seconds, settings.long):
            for complexity in settings.complexity if limit is not None else ():
                if measured.curve(name, complexity, limit) is None:
                    found = curve(name, problem, complexity, limit)
                    measured.keep(found)
                    print(f"{name}, C = {complexity}: {found.objective:.0f} after {limit:g} s", flush=True)
        for rival, title in RIVALS.items():
            if measured.comparison(name, title) is None:
                pair = compare(settings.rivals, data, rival, settings.rival_seconds)
                if pair is not None:
                    measured.keep(pair)
                    print(f"{name}, {title}: {side(pair.theirs)}; rulecg: {side(pair.ours)}", flush=True)
    settings.output.parent.mkdir(parents=True, exist_ok=True)
    plot = settings.output.with_suffix(".svg")
    curves = [each for each in measured.curves if each.limit == seconds]
    text = report(measured, seconds, settings.long, plot.name if draw(curves, plot) else None)
    settings.output.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
