"""Accuracy on new rows with default settings, beside other learners, with complexity and seconds of processor time.

    RULECG_DATA=... python -m benchmarks.new_rows [--sets heart pima] [--folds 5] [--learners rulecg CART forest LR]
                                                  [--most-rows 3000] [--minutes 9] [--record new-rows.csv]
                                                  [--output docs/benchmarks/new-rows.md]

Five stratified outer folds, shuffled with seed 0; ``--folds`` says how many of them are run. Whatever rulecg chooses,
it chooses inside the training rows of an outer fold, by folds of its own. Every cell is written to the record at once,
and what the record has is not run again; after ``--minutes`` it ends, to go on another time.
"""

from __future__ import annotations

import argparse
import csv
import platform
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rulecg import RuleSetClassifier

from .paper.data import Fold, dataset
from .rivals.jobs import NoOutcome, run_rival

CHOSEN_ON = ("heart", "bupa", "pima", "ilpd", "transfusion", "tic-tac-toe")
"""Settings were chosen while looking at folds of these (and of monks-2 and monks-3)."""
SETS = (
    "banknote", "ionosphere", "wdbc", "compas", "mushroom", "magic", "default", "bank-mkt", "adult", *CHOSEN_ON, "musk",
)
N_FOLDS = 5
FIELDS = ("data", "fold", "learner", "rows", "test_rows", "accuracy", "majority", "complexity", "seconds", "about")
RIVALS = {"FIGS": "FIGS", "RIPPER": "RIPPER (wittgenstein)", "RUG": "RUG", "AIX360": "BooleanRuleCG"}
RIVAL_SECONDS = 120.0

Cell = dict[str, Any]


def fold_of(name: str, number: int, most_rows: int) -> Fold:
    """An outer fold of a data set, or of so many of its rows."""
    data, target = dataset(name).data, np.asarray(dataset(name).target, dtype=bool)
    rows = np.arange(len(target))
    if len(rows) > most_rows:
        rows = np.sort(train_test_split(rows, train_size=most_rows, random_state=0, stratify=target)[0])
    data, target = data.iloc[rows].reset_index(drop=True), target[rows]
    splits = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(data, target))
    return Fold(data, target, None, *splits[number])


def rulecg(fold: Fold) -> Cell:
    """rulecg with its default settings but four times their time limit, since other programs slow the clock."""
    model = RuleSetClassifier(time_limit=240.0)
    began = time.process_time()
    model.fit(fold.data.iloc[fold.train], fold.target[fold.train])
    seconds = time.process_time() - began
    used, expected = model.settings_, model.result_.expected
    about = f"C={used['max_complexity']:g} {used['logic']} labels {used['label_weight']:g}"
    if expected is not None:
        accuracy = expected.accuracy
        about += f" expected {accuracy.value:.4f} {accuracy.low:.4f} {accuracy.high:.4f}"
    predicted = np.asarray(model.predict(fold.data.iloc[fold.test]), dtype=bool)
    return {"predicted": predicted, "complexity": model.rule_set_.complexity, "seconds": seconds, "about": about}


def of_scikit_learn(make: Callable[[], Any], size: Callable[[Any], float | None]) -> Callable[[Fold], Cell]:
    """A learner of scikit-learn on the table itself: categories one by one, numbers as they are."""

    def learn(fold: Fold) -> Cell:
        numbers = [name for name in fold.data if pd.api.types.is_numeric_dtype(fold.data[name])]
        words = [name for name in fold.data if name not in numbers]
        table = fold.data.astype(dict.fromkeys(words, str))
        made = make()
        encoder = make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
        )
        model = make_pipeline(encoder, made)
        began = time.process_time()
        model.fit(table.iloc[fold.train], fold.target[fold.train])
        seconds = time.process_time() - began
        fitted = getattr(model[-1], "best_estimator_", model[-1])
        return {
            "predicted": model.predict(table.iloc[fold.test]), "complexity": size(fitted), "seconds": seconds,
            "about": str(getattr(model[-1], "best_params_", "")),
        }  # fmt: skip

    return learn


def leaf_rules(model: Any) -> float:
    """Complexity of a tree as rules: a rule for each leaf of one class; of the class for which that is less."""
    tree, sizes, waiting = model.tree_, {True: 0, False: 0}, [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        if tree.children_left[node] < 0:
            sizes[bool(np.argmax(tree.value[node][0]))] += 1 + depth
        else:
            waiting += [(int(child[node]), depth + 1) for child in (tree.children_left, tree.children_right)]
    return float(min(sizes.values()))


def other(name: str) -> Callable[[Fold], Cell]:
    """A rule learner in an environment of its own, with its usual settings, on the deciles of the training rows."""

    def learn(fold: Fold) -> Cell:
        samples = evolve(fold, groups=None).samples()
        (outcome,) = run_rival(RIVALS[name], samples, [{}], inner_folds=0, seconds=RIVAL_SECONDS)
        return {
            "predicted": outcome.test, "complexity": outcome.complexity, "seconds": outcome.seconds, "about": "clock",
        }  # fmt: skip

    return learn


LEARNERS: dict[str, Callable[[Fold], Cell]] = {
    "rulecg": rulecg,
    "forest": of_scikit_learn(lambda: RandomForestClassifier(300, random_state=0), lambda model: None),
    "CART": of_scikit_learn(
        lambda: GridSearchCV(
            DecisionTreeClassifier(random_state=0),
            {"min_samples_leaf": [1, 2, 5, 10, 25, 50]},
            cv=StratifiedKFold(5, shuffle=True, random_state=0),
        ),
        leaf_rules,
    ),
    "LR": of_scikit_learn(lambda: LogisticRegression(max_iter=1000), lambda model: None),
    **{name: other(name) for name in RIVALS},
}


def measure(name: str, number: int, learner: str, most_rows: int) -> Cell:
    """One learner on one outer fold."""
    fold = fold_of(name, number, most_rows)
    truth, labels = fold.target[fold.test], fold.target[fold.train]
    cell: Cell = {"data": name, "fold": number, "learner": learner, "rows": len(labels), "test_rows": len(truth)}
    cell["majority"] = float(np.mean(truth == (labels.mean() > 0.5)))
    try:
        found = LEARNERS[learner](fold)
    except NoOutcome as reason:
        return cell | {"accuracy": "", "complexity": "", "seconds": "", "about": f"none: {reason}"[:80]}
    size = found["complexity"]
    return cell | {
        "accuracy": float(np.mean(np.asarray(found["predicted"], dtype=bool) == truth)),
        "complexity": "" if size is None else size, "seconds": round(found["seconds"], 2), "about": found["about"],
    }  # fmt: skip


# The page -------------------------------------------------------------------------------------------------------------


def page(record: pd.DataFrame, picture: str) -> str:
    """The page: overall, set by set, and what was run."""
    done = record.dropna(subset=["accuracy"])
    by_set = done.groupby(["data", "learner"])["accuracy"].mean().unstack()
    learners = [name for name in LEARNERS if name in by_set]
    sets = [name for name in SETS if name in by_set.index]
    lines = [
        "# Accuracy on new rows",
        "",
        "`RuleSetClassifier()` with nothing but its defaults, beside other learners, on rows that none of them has",
        "seen.",
        "Made by",
        "",
        f"    python -m benchmarks.new_rows --sets {' '.join(sets)} \\",
        f"      --folds {done['fold'].nunique()} --learners {' '.join(learners)} --output docs/benchmarks/new-rows.md",
        "",
        f"with Python {platform.python_version()} on {platform.machine()}. Outer folds: {N_FOLDS}, stratified,",
        "shuffled with seed 0; the tables say how many of them were run. Sets with more rows than the table says were",
        "cut to so many, drawn evenly. rulecg, CART (least rows of a leaf tuned by five inner folds), the forest (300",
        "trees) and logistic regression get the table itself. Seconds are of processor time, on a machine that was",
        "busy with other work; rulecg had four times its usual time limit, since others slowed the clock.",
        *_others(set(learners) & set(RIVALS)),
        "",
        f"The settings of the choice were fixed while looking at other folds of {', '.join(CHOSEN_ON)} (and of monks-2",
        "and monks-3, which are not here); the other sets played no part in that.",
        "",
        f"![Accuracy against complexity]({picture})",
        "",
        "## Overall",
        "",
        *_overall(done, learners, sets),
        "",
        "## Set by set",
        "",
        "Mean accuracy in percent, complexity in brackets.",
        "",
        "| data | rows | folds | majority | " + " | ".join(learners) + " |",
        "|---|--:|--:|--:|" + "--:|" * len(learners),
    ]
    for name in sets:
        part = done[done["data"] == name]
        own = part[part["learner"] == "rulecg"]
        cells = []
        for learner in learners:
            of = part[part["learner"] == learner]
            size = "" if of["complexity"].isna().all() else f" ({of['complexity'].mean():.0f})"
            cells.append(f"{100 * of['accuracy'].mean():.1f}{size}" if len(of) else "–")
        majority = 100 * part.drop_duplicates("fold")["majority"].mean()
        rows = int(part["rows"].iloc[0] + part["test_rows"].iloc[0])
        lines.append(f"| {name} | {rows} | {len(own)} | {majority:.1f} | {' | '.join(cells)} |")
    lines += ["", *_goals(done, sets)]
    lines += ["", "## Against the forest and the majority class", "", *_differences(done, sets)]
    return "\n".join(lines) + "\n"


def _goals(done: pd.DataFrame, sets: Sequence[str]) -> list[str]:
    """What the default is meant to reach on average, and whether it does on what was run."""
    means = done.pivot_table(index="data", columns="learner", values="accuracy")
    majority = done[done["learner"] == "rulecg"].groupby("data")["majority"].mean()
    size = done[done["learner"] == "rulecg"].groupby("data")["complexity"].mean()
    tests = done[done["learner"] == "rulecg"].groupby("data")["test_rows"].sum()
    noise = np.sqrt(means["rulecg"] * (1 - means["rulecg"]) / tests)
    worse = [name for name in sets if means["rulecg"][name] < majority[name] - noise[name]]
    ahead = {other: 100 * (means["rulecg"] - means[other]) for other in ("forest", "CART")}
    to_forest, to_cart = (ahead[other].mean() for other in ahead)
    errors = {other: gaps.std(ddof=1) / np.sqrt(len(gaps)) for other, gaps in ahead.items()}
    return [
        f"Goals, on the {len(sets)} sets above and no others (with standard errors over sets):",
        "",
        "* at most half a point behind the forest in the mean: "
        f"{to_forest:+.2f} ± {errors['forest']:.2f}, {_reached(to_forest >= -0.5)};",
        f"* ahead of CART in the mean: {to_cart:+.2f} ± {errors['CART']:.2f}, {_reached(to_cart > 0)};",
        f"* median complexity at most 15: {size.median():.1f}, {_reached(size.median() <= 15)}; the largest is "
        f"{size.max():.0f};",
        "* on no set worse than the majority class by more than a standard error: "
        f"{_reached(not worse)}{' (' + ', '.join(worse) + ')' if worse else ''}.",
    ]


def _reached(is_reached: bool) -> str:
    return "reached" if is_reached else "not reached"


def _others(names: set[str]) -> list[str]:
    """What is to be said of the learners that run in environments of their own."""
    if not names:
        return [f"{', '.join(RIVALS)} can be run by the same command and are not on this page."]
    return [
        f"{', '.join(sorted(names))} get the deciles of the training rows, with their usual settings;",
        "their seconds are by the clock.",
    ]


def _overall(done: pd.DataFrame, learners: Sequence[str], sets: Sequence[str]) -> list[str]:
    """For each learner the mean over the folds that it and rulecg both have."""
    lines = [
        "| learner | cells | accuracy | rulecg there | difference | median complexity | median seconds |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    own = done[done["learner"] == "rulecg"].set_index(["data", "fold"])["accuracy"]
    for learner in learners:
        of = done[done["learner"] == learner].set_index(["data", "fold"])
        both = of.index.intersection(own.index)
        theirs = of["accuracy"].loc[both].groupby("data").mean()
        ours = own.loc[both].groupby("data").mean()
        size = of["complexity"].groupby("data").mean().median()
        lines.append(
            f"| {learner} | {len(both)} | {100 * theirs.mean():.2f} | {100 * ours.mean():.2f} | "
            f"{100 * (ours - theirs).mean():+.2f} | {'–' if np.isnan(size) else f'{size:.1f}'} | "
            f"{of['seconds'].median():.1f} |"
        )
    return lines


def _differences(done: pd.DataFrame, sets: Sequence[str]) -> list[str]:
    lines = [
        "Differences in points; the standard error is of the difference to the forest, from the forest's and rulecg's",
        "errors on the test rows taken as independent.",
        "",
        "| data | rulecg − forest | standard error | rulecg − CART | rulecg − majority |",
        "|---|--:|--:|--:|--:|",
    ]
    for name in sets:
        part = done[done["data"] == name].pivot_table(index="fold", columns="learner", values="accuracy")
        if not {"rulecg", "forest", "CART"} <= set(part):
            continue
        both = part.dropna(subset=["rulecg", "forest", "CART"])
        own = done[(done["data"] == name) & (done["learner"] == "rulecg") & done["fold"].isin(both.index)]
        n_rows = own["test_rows"].sum()
        spread = sum(both[who].mean() * (1 - both[who].mean()) for who in ("rulecg", "forest"))
        to_forest = 100 * (both["rulecg"] - both["forest"]).mean()
        lines.append(
            f"| {name} | {to_forest:+.1f} | {100 * np.sqrt(spread / n_rows):.1f} | "
            f"{100 * (both['rulecg'] - both['CART']).mean():+.1f} | "
            f"{100 * (own['accuracy'] - own['majority']).mean():+.1f} |"
        )
    return lines


def draw(record: pd.DataFrame, path: Path) -> None:
    """Accuracy against complexity, one point for each learner with a size, a line for those without."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    done = record.dropna(subset=["accuracy"])
    cells = done.set_index(["data", "fold"])
    common = set.intersection(*(set(part.index) for _, part in cells.groupby("learner")))
    cells = cells.loc[sorted(common)].reset_index()
    figure, ax = plt.subplots(figsize=(7, 4.5))
    for learner, part in cells.groupby("learner"):
        accuracy = 100 * part.groupby("data")["accuracy"].mean().mean()
        size = part.groupby("data")["complexity"].mean().median()
        if np.isnan(size):
            ax.axhline(accuracy, linestyle=":", color="gray")
            ax.annotate(str(learner), (1.0, accuracy), xycoords=("axes fraction", "data"), ha="right", va="bottom")
            continue
        ax.scatter(size, accuracy, s=60, color="crimson" if learner == "rulecg" else "steelblue", zorder=3)
        ax.annotate(str(learner), (size, accuracy), textcoords="offset points", xytext=(6, 5))
    ax.set_xscale("log")
    ax.set_xlim(1, 200)
    ax.set_xticks([1, 2, 5, 10, 20, 50, 100, 200], ["1", "2", "5", "10", "20", "50", "100", "200"])
    ax.minorticks_off()
    ax.set_xlabel("median complexity (rules and conditions)")
    ax.set_ylabel("mean accuracy on new rows, %")
    ax.set_title(f"{cells['data'].nunique()} data sets, {len(common)} folds that all learners finished")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def read(path: Path) -> pd.DataFrame:
    """The record so far."""
    return pd.read_csv(path) if path.exists() else pd.DataFrame(columns=list(FIELDS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="how many of the five folds to run")
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS))
    parser.add_argument("--most-rows", type=int, default=3000, help="larger sets are cut to so many rows")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no further cell after so long")
    parser.add_argument("--record", type=Path, default=Path("docs/benchmarks/new-rows.csv"))
    parser.add_argument("--output", type=Path, default=None)
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    began, record = time.monotonic(), read(settings.record)
    known = set(zip(record["data"], record["fold"], record["learner"], strict=True))
    for number in range(settings.folds):
        for name in settings.sets:
            for learner in settings.learners:
                if (name, number, learner) in known or time.monotonic() - began > 60 * settings.minutes:
                    continue
                cell = measure(name, number, learner, settings.most_rows)
                is_new = not settings.record.exists()
                with settings.record.open("a", newline="") as stream:
                    writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
                    if is_new:
                        writer.writeheader()
                    writer.writerow(cell)
                print(*(cell[field] for field in FIELDS), flush=True)
    if settings.output:
        record = read(settings.record)
        draw(record, settings.output.with_suffix(".svg"))
        settings.output.write_text(page(record, settings.output.with_suffix(".svg").name))


if __name__ == "__main__":
    main()
