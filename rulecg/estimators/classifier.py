"""The estimator: a scikit-learn classifier that learns a small rule set and says how good it can be at all."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from rulecg_core import (
    Backend,
    ConfigurationError,
    Constraint,
    Groups,
    Limits,
    Pricer,
    Result,
    RulecgWarning,
    RuleSet,
    UnknownNameError,
    load_registry,
)
from rulecg_core.base.arrays import AnyArray, FloatArray, IntArray

from ..binarize.binarizer import Binarizer, binarizer_of
from ..inputs.labels import checked_labels, outcome_text
from ..inputs.table import as_frame
from ..inputs.weights import checked_weights
from ..model.multiclass import ClassRuleSets, decide
from ..model.result import FitResult
from ..model.scores import RuleScores, by_importance, firing, rule_table
from .display import ShowsRules
from .progress import progress
from .recipe import Recipe, compose
from .refinement import learn_refining
from .training import Training


class RuleSetClassifier(ShowsRules, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a rule set of limited complexity by column generation, with a certificate of how good it is.

    Parameters
    ----------
    max_complexity : float
        Most rules and conditions together, the paper's C. With several classes it holds for each class's rule set.
    max_conditions : int
        Most conditions in one rule, the paper's D.
    form : "dnf" or "cnf"
        An OR of ANDs, or an AND of ORs.
    loss : str
        What is minimised: "hamming", the paper's, counts a wrongly covered row once for each rule that covers it;
        "01" counts it once. Any registered master, with options as in ``"01:formulation=aggregated"``.
    constraints : sequence of str or Constraint
        Such as ``"equalized-odds:0.05"``; ``rulecg plugins`` lists them. Those about groups need
        ``sensitive_features`` in ``fit``.
    backend : str, Backend or None
        The solver; None for the configured default, which is HiGHS unless set otherwise.
    pricers : "auto" or sequence of str or Pricer
        Where new rules come from, tried in this order each round; ``"auto"`` is beam search, then exact search.
    time_limit : float or None
        Seconds for the whole fit, not counting that some pricers compile themselves the first time they are used;
        None for no limit. Ctrl-C ends the fit early with the best rule set so far.
    forbid_features : sequence of str
        Columns that no rule may use, such as the sensitive ones.
    binarizer : Binarizer, str or None
        How columns become conditions: ``"deciles"``, the paper's; ``"distinct"`` for quantiles of the distinct values;
        ``"trees"`` for thresholds where small trees would cut; ``"auto"``, the default, for those, refined while rules
        are learned, but deciles where there are too few rows for that; or a Binarizer. None is ``"auto"``.
    random_state : int, RandomState or None
        Seed for pricers that use chance. None is a fixed seed too: the same data give the same rules.
    n_jobs : int or None
        Threads for pricing and for the solver, as joblib counts them.
    verbose : int
        1 reports progress now and then, 2 every event.

    Attributes
    ----------
    rule_set_ : RuleSet, to print and to predict with; with more than two classes a ClassRuleSets
    rules_ : pandas table with one line per rule: its class, text, support, precision and recall on the training rows
    result_ : FitResult with objective, lower_bound, gap, status, seconds, pool_size, history
    classes_, n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    binarizer_ : the fitted binarizer

    Notes
    -----
    With two classes the rules describe ``classes_[1]``. With more, each class gets a rule set against the rest; the
    claim of the rule with the highest precision wins, and rows that no rule set claims get the class most frequent
    among such training rows.

    ``predict_proba`` is the precision on the training rows, ``(right + 1) / (fired + 2)`` in weight, of the best rule
    that fires; where none fires, it is the share of the classes among the training rows where none fired. It never
    contradicts ``predict``.

    Rows with equal conditions and labels are merged, so the order of rows does not matter, and a weight of 2 is the
    same as the row twice.

    >>> from rulecg.datasets import load
    >>> data, target, _ = load("tic-tac-toe")
    >>> classifier = RuleSetClassifier(max_complexity=32).fit(data, target)
    >>> len(classifier.rule_set_), classifier.score(data, target), classifier.result_.status
    (8, 1.0, 'optimal')
    """

    classes_: AnyArray
    n_features_in_: int
    feature_names_in_: AnyArray
    rule_set_: RuleSet | ClassRuleSets
    rules_: pd.DataFrame
    result_: FitResult
    binarizer_: Binarizer

    def __init__(
        self,
        max_complexity: float = 30,
        max_conditions: int = 5,
        logic: str = "dnf",
        loss: str = "hamming",
        constraints: Sequence[str | Constraint] = (),
        backend: str | Backend | None = None,
        pricers: str | Sequence[str | Pricer] = "auto",
        time_limit: float | None = 60.0,
        forbid_features: Sequence[str] = (),
        binarizer: Binarizer | str | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_complexity = max_complexity
        self.max_conditions = max_conditions
        self.logic = logic
        self.loss = loss
        self.constraints = constraints
        self.backend = backend
        self.pricers = pricers
        self.time_limit = time_limit
        self.forbid_features = forbid_features
        self.binarizer = binarizer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None) -> RuleSetClassifier:
        """Learn the rule set. ``sensitive_features`` holds one column or several, which constraints on groups use."""
        recipe = compose(
            load_registry(),
            max_complexity=self.max_complexity,
            constraints=self.constraints,
            backend=self.backend,
            pricers=self.pricers,
            loss=self.loss,
        )
        limits = Limits(seconds=self.time_limit, threads=effective_n_jobs(self.n_jobs))
        for part in (*recipe.pricers, *recipe.heuristics):
            part.plugin.prepare()
        began = time.perf_counter()
        table = as_frame(X)
        validate_data(self, X, skip_check_array=True)
        labels = checked_labels(y, len(table))
        weights = checked_weights(sample_weight, len(table))
        groups = Groups.encode(sensitive_features, len(table))
        if weights is None:
            weights = np.ones(len(table))
        elif not np.all(weights > 0):
            rows = np.flatnonzero(weights > 0)
            table, labels, weights, groups = table.iloc[rows], labels[rows], weights[rows], groups.take(rows)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ConfigurationError(
                f"y holds only one class ({self.classes_[0]!r}) in the rows that have weight, so there is nothing to "
                "tell apart: at least two classes are needed."
            )
        self._column_names = tuple(table.columns)
        inputs = table.drop(columns=self._forbidden(self._column_names))
        self._fit_binarizer(inputs, codes, None if sample_weight is None else weights)
        training = Training.of(
            inputs, self.binarizer_.transform(inputs), self.binarizer_.conditions_, codes, weights, groups
        )
        runs = self._learn(recipe, training, limits, began, getattr(y, "name", None))
        self._keep(runs, table, codes, weights)
        return self

    def predict(self, X: Any) -> AnyArray:
        """The predicted class of every row."""
        table = self._named(X)
        if isinstance(self.rule_set_, RuleSet):
            return self.classes_[self.rule_set_.predict(table).astype(np.intp)]
        return self.classes_[np.argmax(self._probabilities(table), axis=1)]

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of every class (in the order of ``classes_``) for every row."""
        return self._probabilities(self._named(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # input_tags.string stays False although text is welcome: True would promise to take any Python object.
        return tags

    # Learning -------------------------------------------------------------------------------------------------------

    def _forbidden(self, names: Sequence[str]) -> list[str]:
        if isinstance(self.forbid_features, str):
            raise ConfigurationError(
                f"forbid_features must be a sequence of column names, such as [{self.forbid_features!r}]."
            )
        forbidden = [str(name) for name in self.forbid_features]
        for name in forbidden:
            if name not in names:
                raise UnknownNameError("column", name, names)
        if len(set(forbidden)) == len(names):
            raise ConfigurationError("forbid_features names every column, so no rule can be made: leave one out.")
        return forbidden

    def _fit_binarizer(self, inputs: pd.DataFrame, codes: IntArray, weights: FloatArray | None) -> None:
        self.binarizer_ = binarizer_of(self.binarizer, inputs.shape, self.time_limit)
        self.binarizer_.fit(inputs, codes, sample_weight=weights)
        if not self.binarizer_.conditions_:
            raise ConfigurationError(
                "No condition tells the rows apart: every column that rules may use is constant or missing. "
                "Give columns that vary."
            )

    def _learn(
        self, recipe: Recipe, training: Training, limits: Limits, began: float, label_name: Any
    ) -> dict[Any, Result]:
        """One run for two classes, one run per class for more; the time is shared between them."""
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        positions = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        runs: dict[Any, Result] = {}
        for done, position in enumerate(positions):
            label = self.classes_[position]
            build = partial(
                Training.problem,
                position=position,
                logic=self.logic,
                max_conditions=self.max_conditions,
                columns=self._column_names,
                outcome=outcome_text(label_name, label),
            )
            seconds = limits.seconds
            if seconds is not None:
                left = max(0.0, seconds - (time.perf_counter() - began))
                seconds = max(left / (len(positions) - done), 0.01 * seconds)
            title = "" if len(positions) == 1 else str(label)
            with progress(self.verbose, title) as observer:
                share = Limits(seconds=seconds, threads=limits.threads)
                if self.binarizer_.refine:
                    # Each class goes on from the conditions of those before: all rules speak of the same list.
                    runs[label], training = learn_refining(recipe, training, build, share, observer, seed)
                else:
                    runs[label] = recipe.learn(build(training), share, observer, seed)
            for note in runs[label].notes:
                warnings.warn(note, RulecgWarning, stacklevel=3)
        self.binarizer_.conditions_ = list(training.conditions)
        return runs

    def _keep(self, runs: dict[Any, Result], table: pd.DataFrame, codes: IntArray, weights: FloatArray) -> None:
        """Everything that prediction and people need of the runs."""
        is_binary = len(self.classes_) == 2
        self.result_ = FitResult.of(runs)
        ordered: list[RuleSet] = []
        self._scores: list[RuleScores] = []
        tables = []
        claims = np.zeros((len(table), len(runs)), dtype=bool)
        for number, (label, rule_set) in enumerate((label, run.rule_set) for label, run in runs.items()):
            fired = firing(rule_set, table)
            is_class = self.classes_[codes] == label
            accepts = rule_set.logic == "dnf"
            is_decided = is_class if accepts else ~is_class
            order = by_importance(fired, is_decided, weights)
            rule_set, fired = rule_set.reordered(order.tolist()), fired[:, order]
            ordered.append(rule_set)
            self._scores.append(RuleScores.from_training(fired, is_decided, weights))
            claims[:, number] = fired.any(axis=1) == accepts
            rejected = self.classes_[0] if is_binary else f"not {label}"
            tables.append(rule_table(rule_set, label if accepts else rejected, fired, is_decided, weights))
        self._rule_sets = tuple(ordered)
        self.rules_ = pd.concat(tables, ignore_index=True)
        self._class_weights: FloatArray = np.bincount(codes, weights, minlength=len(self.classes_)).astype(np.float64)
        if is_binary:
            self.rule_set_ = self._rule_sets[0]
            return
        unclaimed = ~claims.any(axis=1)
        counts = np.bincount(codes[unclaimed], weights[unclaimed], minlength=len(self.classes_))
        self._otherwise = (counts + 1) / (counts.sum() + len(self.classes_))
        # The heavier class wins a tie, here as in `decide`.
        by_weight = np.argsort(-self._class_weights, kind="stable")
        fallback = self.classes_[by_weight[np.argmax(self._otherwise[by_weight])]]
        self.rule_set_ = ClassRuleSets(tuple(self.classes_.tolist()), self._rule_sets, fallback)

    # Predicting -----------------------------------------------------------------------------------------------------

    def _named(self, X: Any) -> pd.DataFrame:
        check_is_fitted(self)
        table = as_frame(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return table.set_axis(list(self._column_names), axis=1)

    def _probabilities(self, table: pd.DataFrame) -> FloatArray:
        columns, claims = [], []
        for rule_set, scores in zip(self._rule_sets, self._scores, strict=True):
            fired = firing(rule_set, table)
            decided = scores.probability(fired)
            columns.append(decided if rule_set.logic == "dnf" else 1 - decided)
            claims.append(fired.any(axis=1) == (rule_set.logic == "dnf"))
        if len(self.classes_) == 2:
            return np.column_stack([1 - columns[0], columns[0]])
        return decide(np.column_stack(claims), np.column_stack(columns), self._class_weights, self._otherwise)
