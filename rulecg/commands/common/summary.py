"""What ``rulecg fit`` tells about the rules it learned, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulecg_core import ConfigurationError, Constraint, Groups, Problem, RuleSet, load_registry

from ...inputs.sensitive_columns import column_of

if TYPE_CHECKING:
    from ...estimators.classifier import RuleSetClassifier
    from ...model.model import Model
    from .task import Task

_OBJECTIVES = {
    "hamming": "every missed positive row once and every wrongly covered row once for each rule that covers it",
    "01": "every row that is predicted wrongly once",
}


def expected_summary(classifier: RuleSetClassifier, job: Task) -> list[str]:
    """Say what to expect on new rows, and what was tried to find that out.

    Parameters
    ----------
    classifier
        The fitted estimator.
    job
        What it was fitted to.

    Returns
    -------
    list of str
        Lines to print; few where complexity was given, since nothing is known then.
    """
    expected, path = classifier.result_.expected, classifier.path_
    if expected is None or path is None:
        if classifier.max_complexity == "auto":
            used = float(classifier.settings_["max_complexity"])
            return [f"Too few rows, or too little time, to choose a complexity: at most {used:g} was allowed."]
        return []
    chosen = path[path["chosen"]].iloc[0]
    said = [*expected.lines(job.label_names), "Tried, best of each bound on rules and conditions (outside training):"]
    best = path.loc[path.groupby("max_complexity")["loss"].idxmin()]
    said += [
        f"  {line.max_complexity:3g}: accuracy {line.cv_accuracy:.1%}, loss {line.loss:.3f} ± {line.loss_error:.3f}, "
        f"complexity {line.complexity:.1f}, {line.logic}"
        for line in best.itertuples()
    ]
    said.append(
        f"  chosen: {chosen['max_complexity']:g}, {chosen['logic']}, labels count {chosen['label_weight']:.0%}: the "
        "least complex that does hardly worse than the best"
    )
    return said


def test_summary(model: Model, path: str, separator: str) -> list[str]:
    """Say how often the rules are right on a table of further rows.

    Parameters
    ----------
    model
        The model that was learned, with its target.
    path
        The file.
    separator
        What stands between values of a CSV file.

    Returns
    -------
    list of str
        Lines to print.

    Raises
    ------
    ConfigurationError
        When the file has no recorded outcome.
    """
    from ...analysis.intervals import wilson
    from ...report.evidence import Evidence
    from .model_data import read

    evidence = Evidence.of(model, read(path, model, separator), model.target)
    assert evidence.truth is not None, "There is a target."
    total = int(evidence.labelled.sum())
    if not total:
        raise ConfigurationError(f"No row of {path} has a value in {model.target!r}, so nothing can be tested there.")
    low, high = wilson(evidence.n_right, total) or (0.0, 1.0)
    known = [label for label in evidence.truth.tolist() if label is not None]
    most = max(model.classes, key=known.count)
    said = [
        f"On {_counted(total, 'row')} of {path}: accuracy {evidence.n_right / total:.1%} ({low:.1%} to {high:.1%}); "
        f"always saying {most}: {known.count(most) / total:.1%}."
    ]
    if evidence.is_training_data:
        said.append("  ATTENTION: rows that the rules were learned from are among these.")
    return said


def training_summary(
    classifier: RuleSetClassifier, job: Task, constraints: Sequence[str], first: Sequence[str] = ()
) -> list[str]:
    """Sum up a fit: the rules, how often they are right beside saying always the same, the groups, the proof.

    Parameters
    ----------
    classifier
        The fitted estimator.
    job
        What it was fitted to.
    constraints
        The constraints it kept, as they were asked for.
    first
        What is said before all but the warning of sensitive columns in the rules: what to expect on new rows.

    Returns
    -------
    list of str
        Lines to print.
    """
    predicted = np.asarray(classifier.predict(job.inputs))
    truth = np.asarray(job.labels)
    lines = [*_headline(classifier, job), *first, str(classifier.rule_set_)]
    lines += _accuracy(predicted, truth, job.label_names)
    if len(classifier.classes_) == 2:
        lines += _bounds(predicted == classifier.classes_[1], truth == classifier.classes_[1], job, constraints)
    lines.append(f"Complexity: {classifier.rule_set_.complexity} (rules and conditions together)")
    lines.append(f"Certificate: {classifier.result_.certificate()}")
    objective = _OBJECTIVES.get(str(classifier.loss).partition(":")[0])
    if objective:
        named = {run.objective_name for run in classifier.result_.runs.values()} - {"errors"}
        at = f", each at its cost ({', '.join(sorted(named))})" if named else ""
        lines.append(f"  The objective counts, on the training rows, {objective}{at}.")
    return lines


def _headline(classifier: RuleSetClassifier, job: Task) -> list[str]:
    """Sensitive columns in the rules are the first thing to know about them."""
    if job.sensitive is None:
        return []
    sets = [classifier.rule_set_] if isinstance(classifier.rule_set_, RuleSet) else classifier.rule_set_.rule_sets
    used = {condition.column for rule_set in sets for condition in rule_set.conditions}
    found = [name for name in dict.fromkeys(column_of(each) for each in job.sensitive.columns) if name in used]
    if not found:
        return []
    listed = ", ".join(found)
    what = "column" if len(found) == 1 else "columns"
    return [f"ATTENTION: the rules decide by the sensitive {what} {listed}; --forbid {','.join(found)} forbids it."]


def _accuracy(predicted: Any, truth: Any, names: dict[Any, Any]) -> list[str]:
    def named(label: Any) -> str:
        plain = label.item() if isinstance(label, np.generic) else label
        return str(names.get(plain, plain))

    labels, counts = np.unique(truth, return_counts=True)
    right = predicted == truth
    common = labels[int(np.argmax(counts))]
    lines = [
        f"Training accuracy: {right.mean():.1%} of {_counted(len(truth), 'row')} "
        f"(always saying {named(common)}: {counts.max() / len(truth):.1%}); expect less on new rows."
    ]
    for label in labels[1:] if len(labels) == 2 else labels:
        said, is_label = predicted == label, truth == label
        found = f"{named(label)}: recall {right[is_label].mean():.1%} of {_counted(int(is_label.sum()), 'row')}"
        precision = f"precision {right[said].mean():.1%}" if said.any() else "never predicted"
        lines.append(f"  {found}, {precision}")
    return lines


def _bounds(predicted: Any, truth: Any, job: Task, constraints: Sequence[str]) -> list[str]:
    """For every constraint the row that is nearest to its bound, in true counts."""
    if not constraints:
        return []
    registry = load_registry()
    groups = Groups.encode(job.sensitive, len(truth))
    problem = Problem.from_arrays(predicted[:, None], truth, sensitive_groups=groups)
    lines = []
    for text in constraints:
        nearest = _nearest(registry.constraint(text), problem)
        if nearest is not None:
            lines.append(f"  {text}: {nearest}")
    what = "Bounds" if job.sensitive is None else "Groups"
    return [f"{what} on the training rows, nearest to each bound:", *lines] if lines else []


def _nearest(constraint: Constraint, problem: Problem) -> str | None:
    measured = constraint.measure(problem, problem.X[:, 0])
    rows = [row for row in constraint.rows(problem) if row.name in measured]
    if not rows:
        return None
    row = min(rows, key=lambda row: min(row.hi - measured[row.name], measured[row.name] - row.lo))
    bound = f"at most {row.hi:g}" if np.isfinite(row.hi) else f"at least {row.lo:g}"
    return f"{row.name} is {measured[row.name]:.4g}, {bound} allowed"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
