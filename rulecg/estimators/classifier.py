"""The estimator: a scikit-learn classifier that learns a small rule set and says how good it can be at all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd
from attrs import evolve
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rulecg_core import (
    Backend,
    ConfigurationError,
    Constraint,
    Heuristic,
    Limits,
    Pricer,
    Rule,
    RuleSet,
    Start,
    load_registry,
)
from rulecg_core.base.arrays import AnyArray, FloatArray, IntArray

from ..binarize.best_cuts import CutPoints
from ..binarize.binarizer import Binarizer
from ..binarize.by_name import binarizer_of
from ..binarize.scaled_columns import numbered
from ..certificates.described_table import CertificateFile
from ..certificates.fitted import checked_file, write_fitted
from ..inputs.checked_settings import check_settings
from ..inputs.dataframes import header, plain_column, plain_table
from ..inputs.missing_texts import without_texts
from ..inputs.table import as_frame
from ..model.model import Model
from ..model.multiclass import ClassRuleSets
from ..model.result import FitResult
from ..model.scored_rule_sets import learned_from
from ..monitoring.baseline import Baseline
from ..resampling.kept_aside import Parted
from ..resampling.stable_choice import chooser_of
from ..stakes.row_stakes import RowObjective
from ..stakes.teachers import teacher_of_rows
from .display import ShowsRules
from .learning import LearningTask, forbidden_columns, labelled_rows, seed_of
from .recipe import ScheduleLike, compose
from .training import Training


class RuleSetClassifier(ShowsRules, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learn a rule set of limited complexity by column generation, with a certificate of how good it is.

    Parameters
    ----------
    max_complexity : float
        Most rules and conditions together, the paper's C. With several classes it holds for each class's rule set.
    max_conditions : int
        Most conditions in one rule, the paper's D.
    logic : "dnf" or "cnf"
        An OR of ANDs, or an AND of ORs.
    loss : str
        What is minimised: "hamming", the paper's, counts a wrongly covered row once for each rule that covers it;
        "01" counts it once. Any registered master, with options as in ``"01:formulation=aggregated"``.
    constraints : sequence of str or Constraint
        Such as ``"equalized-odds:0.05"``; ``rulecg plugins`` lists them. Those about groups need
        ``sensitive_features`` in ``fit``. With ``"equalized-odds:0.05,confidence=0.9"`` the bound is to hold on new
        rows with that probability: half of the rows is kept aside to confirm it.
    backend : str, Backend or None
        The solver; None for the configured default, which is HiGHS unless set otherwise.
    pricers : "auto" or sequence of str or Pricer
        Where new rules come from, tried in this order each round; ``"auto"`` is beam search, then exact search.
    heuristics : "auto" or sequence of str or Heuristic
        Who looks for rule sets beside that; ``"auto"`` is local search, ``()`` is nobody.
    schedule : Schedule, mapping, path or None
        Who works when: a Schedule, changed settings such as ``{"search": {"share": 0.3}}``, or a TOML file with them.
    time_limit : float or None
        Seconds for the whole fit, not counting that some pricers compile themselves the first time they are used;
        None for no limit. Ctrl-C ends the fit early with the best rule set so far.
    forbid : sequence of str
        Columns that no rule may use, such as the sensitive ones.
    binarizer : Binarizer, str or None
        How columns become conditions: ``"deciles"``, the paper's; ``"best"`` for those and each column's best cut;
        ``"distinct"`` for quantiles of the distinct values; ``"trees"`` for thresholds where small trees would cut;
        ``"auto"``, the default, for those, refined while rules are learned, but ``"best"`` where there are too few rows
        for that; or a Binarizer. None is ``"auto"``.
    random_state : int, RandomState or None
        Seed for pricers that use chance. None is a fixed seed too: the same data give the same rules.
    n_jobs : int or None
        Threads for pricing and for the solver, as joblib counts them.
    verbose : int
        1 reports progress now and then, 2 every event.
    class_weight : None, "balanced" or dict
        What errors on rows of each class are multiplied by: numbers by label, or such that every class weighs the same.
    costs : dict or None
        What errors cost: ``{"fp": 5, "fn": 1}`` makes a false positive as dear as five false negatives. With several
        classes they hold for each class against the rest.
    teacher : None, "forest", classifier or array
        Who softens the labels: a random forest, any scikit-learn classifier with ``predict_proba``, or probabilities,
        one per row (for two classes) or rows × classes. A row's probability never comes from a model that was fitted
        on the row: a forest's are out of bag, those of others from shuffled folds.
    label_weight : float
        With a teacher, how much the label counts, from 0 (the teacher alone) to 1 (no teacher): expected errors are by
        ``label_weight * label + (1 - label_weight) * probability``.
    cut_points : dict from column to numbers, or None
        Where number columns are cut besides, such as ``{"age": [18, 25, 65]}``.
    choice : "best" or "stable"
        Which of the good rule sets to return: the one with the fewest errors on the training rows, or, of those that
        resamples of the rows cannot tell from it, the one they agree on most.
    na_values : sequence of str
        Texts that stand for a missing value, such as ``["?"]``, in ``fit`` and ever after.

    Attributes
    ----------
    model_ : Model
        Everything that was learned: rules, scores, classes, conditions, settings, certificate. It is what
        :func:`rulecg.save_model` writes, and what predicts and explains.
    rule_set_ : RuleSet or ClassRuleSets
        The rules, to print and to predict with; with more than two classes a rule set for each.
    rules_ : DataFrame
        One line per rule: its class, text, support, precision and recall on the training rows.
    result_ : FitResult
        What was found and proved: objective, lower_bound, gap, status, errors, seconds, pool_size, history, and the
        core's runs.
    binarizer_ : Binarizer
        The fitted binarizer.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    With two classes the rules describe ``classes_[1]``. With more, each class gets a rule set against the rest; the
    claim of the rule with the highest precision wins, and rows that no rule set claims get the class most frequent
    among such training rows.

    ``predict_proba`` is the precision on the training rows, ``(right + 1) / (fired + 2)`` in weight, of the best rule
    that fires; where none fires, it is the share of the classes among the training rows where none fired. It always
    speaks of labels and sample weights as they are, whatever ``class_weight``, ``costs`` and ``teacher``: where costs
    or class weights are given, rows with a small probability may well be predicted positive. Without them it never
    contradicts ``predict``.

    Rows with equal conditions and labels are merged, so the order of rows does not matter, and a weight of 2 is the
    same as the row twice.

    Examples
    --------
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
    result_: FitResult
    model_: Model
    binarizer_: Binarizer

    # scikit-learn asks for one parameter per setting.
    def __init__(
        self,
        max_complexity: float = 30,
        max_conditions: int = 5,
        logic: str = "dnf",
        loss: str = "hamming",
        constraints: Sequence[str | Constraint] = (),
        backend: str | Backend | None = None,
        pricers: str | Sequence[str | Pricer] = "auto",
        heuristics: str | Sequence[str | Heuristic] = "auto",
        schedule: ScheduleLike = None,
        time_limit: float | None = 60.0,
        forbid: Sequence[str] = (),
        binarizer: Binarizer | str | None = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        class_weight: Any = None,
        costs: Any = None,
        teacher: Any = None,
        label_weight: float = 0.5,
        cut_points: CutPoints | None = None,
        choice: str = "best",
        na_values: Sequence[str] = (),
    ) -> None:
        self.max_complexity = max_complexity
        self.max_conditions = max_conditions
        self.logic = logic
        self.loss = loss
        self.constraints = constraints
        self.backend = backend
        self.pricers = pricers
        self.heuristics = heuristics
        self.schedule = schedule
        self.time_limit = time_limit
        self.forbid = forbid
        self.binarizer = binarizer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.class_weight = class_weight
        self.costs = costs
        self.teacher = teacher
        self.label_weight = label_weight
        self.cut_points = cut_points
        self.choice = choice
        self.na_values = na_values

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        certificate: CertificateFile | str | None = None,
    ) -> RuleSetClassifier:
        """Learn the rule set.

        Parameters
        ----------
        X : table
            The inputs, of pandas, polars, Arrow or DuckDB, an array or a list of rows: numbers, categories, truth
            values, dates and durations; missing values are welcome.
        y : sequence of labels
            What to predict.
        sample_weight : sequence of numbers or None
            The weight of every row; None for 1 each.
        sensitive_features : column, columns or None
            One column or several, which constraints on groups use.
        certificate : str, CertificateFile or None
            Where to write what was proven, such as ``"proof.json.gz"``, for ``rulecg-verify`` and others to check
            against the table.

        Returns
        -------
        RuleSetClassifier
            The classifier itself, fitted.

        Raises
        ------
        ConfigurationError
            When data or settings cannot be used; the message says what to do.
        InfeasibleError
            When no rule set keeps all constraints; UnconfirmedError, one of its kind, when rows kept aside do not
            confirm a bound on new rows.
        """
        return self.fit_from(
            (), X, y, sample_weight=sample_weight, sensitive_features=sensitive_features, certificate=certificate
        )

    def fit_from(
        self, start: Sequence[Rule], X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None,
        certificate: CertificateFile | str | None = None,
    ) -> RuleSetClassifier:  # fmt: skip
        """Learn as ``fit`` does, beginning with rules that an earlier fit over the same conditions has found.

        Parameters
        ----------
        start : sequence of Rule
            For example ``pool`` of a run in the earlier ``result_``; the binarizer must give the same conditions first.
        X, y, sample_weight, sensitive_features, certificate
            As for ``fit``.

        Returns
        -------
        RuleSetClassifier
            The classifier itself, fitted.
        """
        check_settings(self.get_params(deep=False))
        file = checked_file(certificate, self.get_params(deep=False))
        recipe = compose(
            load_registry(),
            max_complexity=self.max_complexity,
            constraints=self.constraints,
            backend=self.backend,
            pricers=self.pricers,
            heuristics=self.heuristics,
            loss=self.loss,
            schedule=self.schedule,
        )
        recipe = evolve(recipe, start=Start(tuple(start)), choose=chooser_of(self.choice))
        for part in (*recipe.pricers, *recipe.heuristics):
            part.plugin.prepare()
        began = time.perf_counter()
        rows, groups = labelled_rows(X, y, sample_weight, sensitive_features)
        validate_data(self, header(X), skip_check_array=True)
        rows = evolve(rows, table=without_texts(rows.table, self.na_values))
        seed = seed_of(self.random_state)
        parted = Parted.of(rows, groups, recipe.constraints, seed)
        rows, groups = parted.learned_from, parted.learned_groups
        inputs = rows.table.drop(columns=forbidden_columns(self.forbid, rows.table.columns))
        self.binarizer_ = self._fitted_binarizer(inputs, rows.codes, None if sample_weight is None else rows.weights)
        training = Training.of(
            inputs, self.binarizer_.transform(inputs), self.binarizer_.conditions_, rows.codes, rows.weights, groups
        )
        teacher = teacher_of_rows(teacher_of_rows(self.teacher, sample_weight), None, parted.learned_positions)
        settings = {**self.get_params(deep=False), "teacher": teacher}
        task = LearningTask(
            recipe=recipe,
            classes=rows.classes,
            columns=tuple(rows.table.columns),
            label_name=getattr(plain_column(y), "name", None),
            logic=self.logic,
            max_conditions=self.max_conditions,
            limits=Limits(seconds=self.time_limit, threads=effective_n_jobs(self.n_jobs)),
            refine=self.binarizer_.refine,
            seed=seed,
            verbose=self.verbose,
            objective=RowObjective.of(settings, numbered(inputs), rows.classes, rows.codes, rows.weights, seed),
        )
        runs, conditions = task.learn(training, began)
        self.binarizer_.conditions_ = list(conditions)
        learned = learned_from(runs, rows, conditions, self.get_params(deep=False))
        learned = learned.saying(parted.confirm(learned.model), self.binarizer_.described())
        counted = Baseline.of(learned.model, rows.table, rows.codes, groups)
        self.classes_, self.result_ = rows.classes, learned.result
        self.model_ = evolve(learned.model, baseline=counted)
        self.rule_set_ = learned.model.readable
        if file is not None:
            write_fitted(file, task, rows, self.binarizer_, runs, sample_weight, settings)
        return self

    @property
    def rules_(self) -> pd.DataFrame:
        """One line per rule: its class, text, support, precision and recall on the training rows."""
        check_is_fitted(self, "model_")
        return self.model_.rule_table()

    def predict(self, X: Any) -> AnyArray:
        """Predict the class of every row.

        Parameters
        ----------
        X : DataFrame, array or list of rows
            The columns that ``fit`` saw.

        Returns
        -------
        array
            One label per row, of ``classes_``.
        """
        table = self.named_columns(X)
        return self.classes_[self.model_.decide(table)]

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability of every class.

        Parameters
        ----------
        X : DataFrame, array or list of rows
            The columns that ``fit`` saw.

        Returns
        -------
        float array, rows × classes
            In the order of ``classes_``.
        """
        table = self.named_columns(X)
        return self.model_.predict_proba(table)

    def named_columns(self, X: Any) -> pd.DataFrame:
        """Give a table the column names that ``fit`` saw, whether or not it brings names; another shape is refused."""
        check_is_fitted(self)
        validate_data(self, header(X), reset=False, skip_check_array=True)
        used = plain_table(X, self.model_.columns)
        if used is not X:
            return used
        return as_frame(X).set_axis(list(self.model_.rule_sets[0].columns), axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # input_tags.string stays False although text is welcome: True would promise to take any Python object.
        return tags

    def _fitted_binarizer(self, inputs: pd.DataFrame, codes: IntArray, weights: FloatArray | None) -> Binarizer:
        binarizer = binarizer_of(self.binarizer, inputs.shape, self.time_limit, self.cut_points)
        binarizer.fit(inputs, codes, sample_weight=weights)
        if not binarizer.conditions_:
            raise ConfigurationError(
                "No condition tells the rows apart: every column that rules may use is constant or missing. "
                "Give columns that vary."
            )
        return binarizer
