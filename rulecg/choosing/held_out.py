"""What every candidate said about rows outside its training, what that cost, and which candidate to take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import evolve, frozen

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import BoolArray, FloatArray, IntArray

from ..stakes.row_stakes import checked_class_weights, checked_costs
from .fold_rules import Option, Task

STANDARD_ERRORS = 0.5
"""A less complex candidate is taken when it costs more than the best by at most so many standard errors."""


@frozen(eq=False)
class Candidate:
    """A bound on complexity and an option, with what was said about rows outside the training of each fold."""

    option: Option
    bound: float
    complexity: float
    """Mean over folds."""
    accuracy: float
    """On the rows learned from, mean over folds."""
    decisions: IntArray
    probabilities: FloatArray


@frozen(eq=False)
class Judge:
    """Says what decisions cost, row by row, in the problem's own stakes; or by a score that somebody asked for."""

    codes: IntArray
    weights: FloatArray
    fold: IntArray
    prices: FloatArray
    """Classes × classes: what it costs to say the second of the first, for a row of weight 1."""
    classes: Any
    scoring: Callable[..., float] | None

    @classmethod
    def of(cls, task: Task, fold: IntArray, scoring: Any) -> Judge:
        """Make the judge of a fit's candidates.

        Parameters
        ----------
        task : Task
            Its rows and settings: costs, class weights.
        fold : int array
            The fold of every row.
        scoring : str, callable or None
            A scorer as in scikit-learn; None for the expected cost.
        """
        rows, settings = task.rows, task.settings
        return cls(
            rows.codes, rows.weights, fold, _prices(task), rows.classes,
            None if scoring is None else _scorer(scoring, settings),
        )  # fmt: skip

    def costs(self, decisions: IntArray) -> FloatArray:
        """Say what decisions cost, row by row."""
        found: FloatArray = self.prices[self.codes, decisions] * self.weights
        return found

    def losses(self, candidate: Candidate) -> FloatArray:
        """Say how bad a candidate is: per row what it cost, or per fold the negative score."""
        if self.scoring is None:
            return self.costs(candidate.decisions)
        told = _Spoken(self.classes, candidate)
        found = []
        for number in range(int(self.fold.max()) + 1):
            held = np.flatnonzero(self.fold == number)
            if len(held):
                found.append(-float(self.scoring(told, held, self.classes[self.codes[held]])))
        return np.array(found)

    def among(self, rows: BoolArray) -> Judge:
        """Make the judge of some rows only."""
        return evolve(self, codes=self.codes[rows], weights=self.weights[rows], fold=self.fold[rows])

    def mean(self, losses: FloatArray) -> FloatArray:
        """Average losses (… × rows or folds)."""
        found: FloatArray = losses.sum(axis=-1) / (self.weights.sum() if self.scoring is None else losses.shape[-1])
        return found

    def error(self, differences: FloatArray) -> FloatArray:
        """Give the standard error of the mean of differences between losses."""
        count = differences.shape[-1]
        if count < 2:
            return np.zeros(differences.shape[:-1])
        scale = self.weights.sum() / count if self.scoring is None else 1.0
        found: FloatArray = differences.std(axis=-1, ddof=1) / np.sqrt(count) / scale
        return found


def least_complex_of_the_best(losses: FloatArray, complexities: FloatArray, judge: Judge) -> int:
    """Choose the least complex candidate that costs hardly more than the best.

    Parameters
    ----------
    losses : float array, candidates × rows (or folds)
        How bad they are.
    complexities : float array
        How complex.
    judge : Judge
        Averages losses, and says how uncertain that is.

    Returns
    -------
    int
        The position of the candidate.
    """
    means = np.round(judge.mean(losses), 12)
    best = int(np.lexsort((complexities, means))[0])
    errors = judge.error(losses - losses[best])
    near = np.flatnonzero(means <= means[best] + STANDARD_ERRORS * errors)
    return int(near[np.lexsort((means[near], np.round(complexities[near], 6)))[0]])


def _prices(task: Task) -> FloatArray:
    """What it costs to take a row of one class for another: with several classes, each error is of two rule sets."""
    rows, settings = task.rows, task.settings
    fp, fn = checked_costs(settings.get("costs"))
    n_classes = len(rows.classes)
    weights = checked_class_weights(settings.get("class_weight"), rows.classes, rows.codes, rows.weights)
    of_class = np.ones(n_classes) if weights is None else weights
    if n_classes == 2:
        return np.array([[0.0, fp * of_class[0]], [fn * of_class[1], 0.0]])
    both = of_class[:, None] * np.full((n_classes, n_classes), (fp + fn) / 2)
    np.fill_diagonal(both, 0.0)
    return both


def _scorer(scoring: Any, settings: Any) -> Callable[..., float]:
    from sklearn.metrics import check_scoring

    try:
        found: Callable[..., float] = check_scoring(_Spoken((), None), scoring)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"scoring must be None, the name of a scorer such as 'balanced_accuracy', or a function, not {scoring!r}: "
            f"{error}"
        ) from None
    return found


class _Spoken:
    """What a candidate said, as scikit-learn's scorers ask for it: rows are their positions."""

    _estimator_type = "classifier"

    def __init__(self, classes: Any, candidate: Candidate | None) -> None:
        self.classes_, self.candidate = classes, candidate

    def fit(self, X: Any, y: Any) -> _Spoken:
        raise NotImplementedError("What was said is known.")

    def predict(self, X: IntArray) -> Any:
        assert self.candidate is not None
        return self.classes_[self.candidate.decisions[X]]

    def predict_proba(self, X: IntArray) -> FloatArray:
        assert self.candidate is not None
        return self.candidate.probabilities[X]

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator, ClassifierMixin

        class Plain(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
            pass

        return Plain().__sklearn_tags__()

    def score(self, X: Any, y: Any) -> float:
        return float(np.mean(self.predict(X) == y))


def is_constant(decisions: IntArray) -> BoolArray:
    """Whether all decisions are the same."""
    return np.all(decisions == decisions[..., :1], axis=-1)
