"""How accuracy grows with complexity: rule sets from tight to loose limits over one pool of rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import define, field, frozen
from sklearn.base import clone

from rulecg_core import ConfigurationError, Rule, counting_work, now

from ..binarize.fixed_conditions import FixedConditions
from ..choosing.settled import is_auto, without_choice
from ..knowledge.expert_knowledge import ExpertKnowledge
from ..model.result import FitResult
from ..stakes.teachers import Taught, is_given, teacher_probabilities
from .classifier import RuleSetClassifier
from .learning import describing, labelled_rows, seed_of


@frozen(eq=False)
class ComplexityPath:
    """One fitted classifier for each limit on complexity, and a table of how good they are."""

    table: pd.DataFrame
    """One line per limit: max_complexity, complexity, n_rules, objective, lower_bound, status, accuracy, seconds."""
    classifiers: dict[float, RuleSetClassifier]

    def __getitem__(self, max_complexity: float) -> RuleSetClassifier:
        return self.classifiers[max_complexity]

    def plot(self, chosen: float | None = None, ax: Any = None) -> Any:
        """Accuracy against complexity, with the chosen point marked; returns the matplotlib axes."""
        return plot_path(self.table, chosen, ax)


# Data, estimator and budget stay separate keyword arguments, as everywhere in scikit-learn.
def complexity_path(
    X: Any,
    y: Any,
    complexities: Sequence[float] = (5, 10, 15, 20, 30),
    *,
    estimator: RuleSetClassifier | None = None,
    time_limit: float | None = 60.0,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    on_point: Callable[[float, RuleSetClassifier], None] | None = None,
) -> ComplexityPath:
    """Learn a rule set for every limit on complexity, from tight to loose; each begins with all rules found so far.

    A looser limit never gets a worse objective than a tighter one: if its own run finds nothing better, the tighter
    rule set is kept.

    Parameters
    ----------
    X : DataFrame, array or list of rows
        The inputs.
    y : sequence of labels
        What to predict.
    complexities : sequence of numbers
        The limits on rules and conditions together.
    estimator : RuleSetClassifier or None
        All other settings; None for the defaults.
    time_limit : float or None
        Seconds for the whole path; each fit also keeps the estimator's own limit.
    sample_weight, sensitive_features
        As for ``RuleSetClassifier.fit``.
    on_point : function or None
        Called with every limit and its classifier when it is learned.

    Returns
    -------
    ComplexityPath
        A classifier for every limit, and a table. When Ctrl-C ends a fit early, the path ends there.

    Raises
    ------
    ConfigurationError
        When data or settings cannot be used.

    Examples
    --------
    >>> from rulecg.datasets import load
    >>> data, target, _ = load("tic-tac-toe")
    >>> path = complexity_path(data, target, [8, 16, 32])
    >>> bool(path.table["accuracy"].is_monotonic_increasing), float(path.table["accuracy"].iloc[-1])
    (True, 1.0)
    """
    template = RuleSetClassifier() if estimator is None else estimator
    if not isinstance(template, RuleSetClassifier):
        raise ConfigurationError(f"estimator must be a RuleSetClassifier or None, not {type(template).__name__}.")
    with counting_work(template.deterministic):
        walk = _Walk(checked_complexities(complexities), template.get_params(deep=False), time_limit)
        walk.params |= without_choice(walk.params)
        walk.params["teacher"] = taught(template, X, y, sample_weight)
        rows = []
        for limit in walk.limits:
            own = walk.learn(limit, X, y, sample_weight=sample_weight, sensitive_features=sensitive_features)
            best = walk.classifiers[limit]
            accuracy = float(best.score(X, y, sample_weight=sample_weight))
            rows.append({"max_complexity": limit, **_line(best, own), "accuracy": accuracy, "seconds": own.seconds})
            if on_point is not None:
                on_point(limit, best)
            if own.stop == "interrupted":
                break
    return ComplexityPath(pd.DataFrame(rows), walk.classifiers)


@define(eq=False)
class _Walk:
    """Fits from tight to loose limits that share their rules and their time."""

    limits: list[float]
    params: dict[str, Any]
    seconds: float | None
    classifiers: dict[float, RuleSetClassifier] = field(factory=dict)
    pool: dict[Rule, None] = field(factory=dict)
    began: float = field(factory=now)

    def learn(self, limit: float, X: Any, y: Any, **about: Any) -> FitResult:
        """Fit a classifier within the limit; the best one so far stands for it."""
        classifier = RuleSetClassifier(**{name: clone(value, safe=False) for name, value in self.params.items()})
        classifier.set_params(max_complexity=limit, time_limit=self._share(self.params["time_limit"]))
        classifier.fit_from(tuple(self.pool), X, y, **about)
        fitted = classifier.binarizer_
        # Rules speak of conditions by number: those of later limits, refined or not, come after the known ones.
        self.params["binarizer"] = FixedConditions(
            tuple(fitted.conditions_), refine=fitted.refine, cuts=fitted.described()
        )
        # What learning begins with is in the pool from now on.
        self.params["start"] = None
        for run in classifier.result_.runs.values():
            self.pool |= dict.fromkeys(run.pool)
        before = next(reversed(self.classifiers.values()), classifier)
        is_better = classifier.result_.objective <= before.result_.objective
        self.classifiers[limit] = classifier if is_better else before
        return classifier.result_

    def _share(self, own: float | None) -> float | None:
        """Seconds for the next fit: its share of the path's, and no more than the estimator's own limit."""
        if self.seconds is None:
            return own
        left = max(self.seconds - (now() - self.began), 0.05 * self.seconds)
        share = left / (len(self.limits) - len(self.classifiers))
        return share if own is None else min(share, own)


def taught(template: RuleSetClassifier, X: Any, y: Any, sample_weight: Any) -> Any:
    """Let an estimator's teacher learn once for many fits on the same rows.

    Parameters
    ----------
    template : RuleSetClassifier
        Its settings say who the teacher is, which columns it may see, and the seed.
    X, y, sample_weight
        As for ``RuleSetClassifier.fit``.

    Returns
    -------
    Taught, array or None
        For the setting ``teacher`` of classifiers that are fitted to the same rows.
    """
    if template.teacher is None or is_auto(template.teacher):
        return None
    if is_given(template.teacher):
        return template.teacher
    rows, _ = labelled_rows(X, y, sample_weight, None)
    rows = describing(rows, template.positive)
    known = ExpertKnowledge.of({"forbid": template.forbid}, rows.table)
    inputs = rows.table.drop(columns=list(known.forbidden_columns))
    seed = seed_of(template.random_state)
    found = teacher_probabilities(template.teacher, inputs, rows.codes, rows.weights, seed)
    assert found is not None, "There is a teacher."
    if sample_weight is None:
        return Taught(template.teacher, found)
    # Rows without weight take no part, but have a place.
    everywhere = np.zeros((len(np.asarray(sample_weight)), found.shape[1]))
    everywhere[np.asarray(sample_weight, dtype=np.float64) > 0] = found
    return Taught(template.teacher, everywhere)


def _line(best: RuleSetClassifier, own: FitResult) -> dict[str, Any]:
    """What the table says about a limit: the rule set that stands for it, and what its own run proved."""
    return {
        "complexity": best.rule_set_.complexity,
        "n_rules": len(best.rule_set_),
        "objective": best.result_.objective,
        "lower_bound": np.nan if own.lower_bound is None else own.lower_bound,
        "status": own.status,
    }


def checked_complexities(complexities: Sequence[float]) -> list[float]:
    """Sort limits on complexity, each once.

    Parameters
    ----------
    complexities : sequence of numbers
        The limits.

    Returns
    -------
    list of float
        In ascending order.

    Raises
    ------
    ConfigurationError
        When there is none, or one is below 0 or no number.
    """
    try:
        limits = sorted({float(limit) for limit in complexities})
    except (TypeError, ValueError):
        limits = []
    if not limits or not np.isfinite(limits).all() or limits[0] < 0:
        raise ConfigurationError("complexities must name at least one number, and none below 0.")
    return limits


def plot_path(table: pd.DataFrame, chosen: float | None = None, ax: Any = None) -> Any:
    """Plot accuracy on training rows, and scores on held-out rows where known, against the limit on complexity.

    Parameters
    ----------
    table : DataFrame
        The table of a path, or ``cv_results_``. Scores other than accuracy get an axis of their own.
    chosen : float or None
        The limit to mark.
    ax : matplotlib axes or None
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib axes
        With the plot.
    """
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    ax.plot(table["max_complexity"], table["accuracy"], marker="o", label="training rows")
    ax.set_xlabel("rules and conditions allowed")
    ax.set_ylabel("accuracy")
    marked, shown = ax, "accuracy"
    held_out = next((name for name in table if str(name).startswith("cv_") and name != "cv_error"), None)
    if held_out is not None:
        shown, score = str(held_out), str(held_out).removeprefix("cv_")
        if score != "accuracy":
            marked = ax.twinx()
            marked.set_ylabel(score)
        label = "held-out rows" if score == "accuracy" else f"held-out rows ({score})"
        marked.errorbar(
            table["max_complexity"], table[shown], yerr=table.get("cv_error"), marker="s", capsize=3, label=label,
            color="C1",
        )  # fmt: skip
    if chosen is not None:
        point = table[table["max_complexity"] == chosen]
        marked.scatter(point["max_complexity"], point[shown], s=180, facecolors="none", edgecolors="crimson",
                       linewidths=2, zorder=5, label="chosen")  # fmt: skip
    legends = [axes.get_legend_handles_labels() for axes in dict.fromkeys((ax, marked))]
    ax.legend(*([entry for legend in legends for entry in legend[part]] for part in (0, 1)))
    return ax
