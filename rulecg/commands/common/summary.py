"""What ``rulecg fit`` tells about the rules it learned, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rulecg_core import Constraint, Groups, Problem, RuleSet, load_registry

from ...inputs.sensitive_columns import column_of

if TYPE_CHECKING:
    from ...estimators.classifier import RuleSetClassifier
    from .task import Task

_OBJECTIVES = {
    "hamming": "every missed positive row once and every wrongly covered row once for each rule that covers it",
    "01": "every row that is predicted wrongly once",
}


def training_summary(classifier: RuleSetClassifier, job: Task, constraints: Sequence[str]) -> list[str]:
    """Sum up a fit: the rules, how often they are right beside saying always the same, the groups, the proof.

    Parameters
    ----------
    classifier
        The fitted estimator.
    job
        What it was fitted to.
    constraints
        The constraints it kept, as they were asked for.

    Returns
    -------
    list of str
        Lines to print.
    """
    predicted = np.asarray(classifier.predict(job.inputs))
    truth = np.asarray(job.labels)
    lines = [*_headline(classifier, job), str(classifier.rule_set_), *_accuracy(predicted, truth, job.label_names)]
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
