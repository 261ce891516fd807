"""Choosing how complex a rule set may be by how well it does on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import AnyArray, FloatArray

from ..choosing.folds import checked_groups, dealt_folds, most_folds
from ..stakes.teachers import teacher_of_rows
from .classifier import RuleSetClassifier
from .complexity_path import ComplexityPath, checked_complexities, complexity_path, plot_path
from .fitted.display import ShowsRules
from .learning import labelled_rows, seed_of

CHOICES = ("best", "simplest")


class RuleSetClassifierCV(ShowsRules, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A RuleSetClassifier whose ``max_complexity`` is chosen by cross-validation.

    In every fold one path of rule sets, from tight to loose, is learned over one pool of rules.

    Parameters
    ----------
    complexities : sequence of numbers
        What to choose from.
    estimator : RuleSetClassifier or None
        All other settings; None for the defaults.
    cv : int, splitter or None
        As everywhere in scikit-learn, but a number of folds means shuffled ones, alike in labels and sensitive groups.
    scoring : str or callable
        What to do best at, on held-out rows.
    choice : "best" or "simplest"
        The best mean score, or the least complexity whose score is within one standard error of the best.
    time_limit : float or None
        Seconds for the path of one fold, and again for the final one; each fit also keeps the estimator's own limit.
    n_jobs : int or None
        Folds at a time, as joblib counts them.
    verbose : int
        1 tells when a fold is done.

    Attributes
    ----------
    best_estimator_ : RuleSetClassifier
        The choice, fitted to all rows.
    best_complexity_ : float
        Its limit.
    path_ : ComplexityPath
        The whole path.
    cv_results_ : DataFrame
        The path's table, with the mean held-out score, in a column called after it (``cv_accuracy``, ``cv_roc_auc``;
        ``cv_score`` when ``scoring`` is a function), and ``cv_error``, its standard error.
    model_, rule_set_, rules_, result_, classes_
        Of the best estimator.

    Examples
    --------
    >>> from rulecg.datasets import lending
    >>> data, target, _ = lending(n_rows=200)
    >>> search = RuleSetClassifierCV([2, 4], cv=2, time_limit=2).fit(data, target)
    >>> search.best_complexity_ in (2, 4)
    True
    """

    classes_: AnyArray
    best_estimator_: RuleSetClassifier
    best_complexity_: float
    cv_results_: pd.DataFrame
    path_: ComplexityPath

    # scikit-learn asks for one parameter per setting.
    def __init__(
        self,
        complexities: Sequence[float] = (0, 2, 5, 10, 15, 20, 30),
        estimator: RuleSetClassifier | None = None,
        cv: Any = 5,
        scoring: Any = "accuracy",
        choice: str = "best",
        time_limit: float | None = 60.0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.complexities = complexities
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.choice = choice
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None, groups: Any = None
    ) -> RuleSetClassifierCV:
        """Choose the complexity by held-out score, then learn from all rows.

        Parameters
        ----------
        X, y, sample_weight, sensitive_features, groups
            As for ``RuleSetClassifier.fit``.

        Returns
        -------
        RuleSetClassifierCV
            The search itself, fitted.

        Raises
        ------
        ConfigurationError
            When data or settings cannot be used.
        """
        if self.choice not in CHOICES:
            raise ConfigurationError(f"choice must be 'best' or 'simplest', not {self.choice!r}.")
        limits = checked_complexities(self.complexities)
        about = {"sample_weight": sample_weight, "sensitive_features": sensitive_features}
        splits = self._splits(X, y, sensitive_features, groups)
        scores = np.array(
            Parallel(n_jobs=self.n_jobs, verbose=5 * self.verbose)(
                delayed(_fold_scores)(self, limits, X, y, about, train, test)
                for train, test in splits
            )
        )
        means, errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(len(splits))
        best = int(np.argmax(means))
        if self.choice == "simplest":
            best = int(np.argmax(means >= means[best] - errors[best]))
        self.best_complexity_ = limits[best]
        self.path_ = complexity_path(
            X, y, limits, estimator=self.estimator, time_limit=self.time_limit, **about
        )
        done = len(self.path_.table)  # fewer than all when Ctrl-C ended the path early
        self.best_complexity_ = min(self.best_complexity_, limits[done - 1])
        self.best_estimator_ = self.path_[self.best_complexity_]
        name = f"cv_{self.scoring if isinstance(self.scoring, str) else 'score'}"
        self.cv_results_ = self.path_.table.assign(**{name: means[:done], "cv_error": errors[:done]})
        self.classes_ = self.best_estimator_.classes_
        self.n_features_in_ = self.best_estimator_.n_features_in_
        self.rule_set_, self.result_ = self.best_estimator_.rule_set_, self.best_estimator_.result_
        self.model_ = self.best_estimator_.model_
        return self

    def _splits(self, X: Any, y: Any, sensitive_features: Any, groups: Any) -> list[tuple[Any, Any]]:
        """Rows to learn from and to score on: a number of folds means shuffled ones, alike in labels and groups."""
        if self.cv is not None and not isinstance(self.cv, Integral):
            return list(check_cv(self.cv, y, classifier=True).split(X, y, groups))
        wanted = 5 if self.cv is None else int(self.cv)
        rows, sensitive = labelled_rows(X, y, None, sensitive_features)
        together = checked_groups(groups, None, len(rows.codes))
        if wanted < 2 or most_folds(rows.codes, together, wanted) < wanted:
            raise ConfigurationError(
                f"cv={wanted} cannot be done: give at least 2 folds, and no more than the rarest class has rows."
            )
        seed = 0 if self.estimator is None else seed_of(self.estimator.random_state)
        fold = dealt_folds(rows, sensitive, wanted, seed, together)
        return [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(wanted)]

    @property
    def rules_(self) -> pd.DataFrame:
        """One line per rule of the best estimator."""
        check_is_fitted(self, "model_")
        return self.model_.rule_table()

    def predict(self, X: Any) -> AnyArray:
        """Predict the class of every row with the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability of every class with the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def named_columns(self, X: Any) -> pd.DataFrame:
        """Give a table the column names that ``fit`` saw."""
        check_is_fitted(self)
        return self.best_estimator_.named_columns(X)

    def plot(self, ax: Any = None) -> Any:
        """Plot training and held-out scores against complexity, with the choice marked; returns the axes."""
        check_is_fitted(self)
        return plot_path(self.cv_results_, self.best_complexity_, ax)


def _fold_scores(
    search: RuleSetClassifierCV, limits: list[float], X: Any, y: Any, about: dict[str, Any], train: Any, test: Any
) -> list[float]:
    """The score on the test rows for every limit; the loosest one reached stands in for those that were not."""
    estimator = search.estimator
    if estimator is not None:
        estimator = clone(estimator)
        estimator.set_params(teacher=teacher_of_rows(estimator.teacher, None, train))
    path = complexity_path(
        _rows(X, train), _rows(y, train), limits, estimator=estimator, time_limit=search.time_limit,
        **{name: _rows(values, train) for name, values in about.items()},
    )  # fmt: skip
    scorer = get_scorer(search.scoring)
    last = max(path.classifiers)
    return [float(scorer(path[min(limit, last)], _rows(X, test), _rows(y, test))) for limit in limits]


def _rows(values: Any, rows: Any) -> Any:
    if values is None:
        return None
    if isinstance(values, dict):
        return {name: _rows(column, rows) for name, column in values.items()}
    return values.iloc[rows] if hasattr(values, "iloc") else np.asarray(values)[rows]
