"""The estimator: a scikit-learn classifier that learns a small rule set and says how good it can be at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import validate_data

from rulecg_core import Rule, RuleSet, Start, load_registry, now
from rulecg_core.base.arrays import AnyArray

from ..binarize.binarizer import Binarizer
from ..certificates.described_table import CertificateFile
from ..certificates.fitted import checked_file
from ..choosing.folds import checked_groups
from ..choosing.settled import number_of, untaught
from ..inputs.checked_settings import check_settings
from ..inputs.dataframes import header, plain_column
from ..inputs.missing_texts import without_texts
from ..inputs.sensitive_columns import listed, sensitive_columns
from ..inputs.table import as_frame
from ..knowledge.expert_knowledge import ExpertKnowledge, with_settled_logic
from ..model.model import Model
from ..model.multiclass import ClassRuleSets
from ..model.result import FitResult
from ..resampling.stable_choice import chooser_of
from .fitted.predicts import Predicts
from .fitting import Given, fit_rules
from .forest_start import starter_of
from .learning import describing, labelled_rows
from .recipe import compose
from .settings import Settings


class RuleSetClassifier(Predicts, ClassifierMixin, Settings):  # type: ignore[misc]
    """Learn a rule set of limited complexity by column generation, with a certificate of how good it is.

    Parameters
    ----------
    max_complexity : "auto" or float
        Most rules and conditions together, the paper's C. With several classes it holds for each class's rule set.
        ``"auto"``, the default, chooses it inside the fit: from the constant rule set upward for as long as it pays
        on rows outside the training of shuffled folds, along with what else says "auto".
    max_conditions : int
        Most conditions in one rule, the paper's D.
    logic : "auto", "dnf" or "cnf"
        An OR of ANDs, or an AND of ORs; ``"auto"`` is chosen along with ``max_complexity``, and "dnf" where that is
        given.
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
    schedule : Schedule, mapping, path, list of str or None
        Who works when: a Schedule, changed settings such as ``{"search": {"share": 0.3}}`` or
        ``["search.share = 0.3"]``, or a TOML file with them.
    time_limit : float or None
        Seconds for the whole fit, the choice of what says "auto" included, not counting that some pricers compile
        themselves the first time they are used; None for no limit. Ctrl-C ends the fit early with the best rule set so
        far; while something is chosen, the first one ends the choice.
    forbid : sequence of str
        Columns that no rule may use, such as the sensitive ones, and single conditions such as ``"age <= 30"``.
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
    teacher : "auto", None, "forest", classifier or array
        Who softens the labels: a random forest, any scikit-learn classifier with ``predict_proba``, or probabilities,
        one per row (for two classes) or rows × classes. A row's probability never comes from a model that was fitted
        on the row: a forest's are out of bag, those of others from shuffled folds. ``"auto"`` is a forest where
        ``max_complexity`` is "auto", else nobody.
    label_weight : "auto" or float
        With a teacher, how much the label counts, from 0 (the teacher alone) to 1 (no teacher): expected errors are by
        ``label_weight * label + (1 - label_weight) * probability``. ``"auto"`` is chosen along with
        ``max_complexity``, and 0.5 where that is given.
    cut_points : dict from column to numbers, or None
        Where number columns are cut besides, such as ``{"age": [18, 25, 65]}``.
    choice : "best" or "stable"
        Which of the good rule sets to return: the one with the fewest errors on the training rows, or, of those that
        resamples of the rows cannot tell from it, the one they agree on most.
    select : "optimal" or "fewest-errors"
        Where optimality is proven: the first of all optima by errors, complexity and text, or the fewest errors met.
    deterministic : bool
        Count ``time_limit`` as work on one thread: the same rules on a busy machine. What reads the clock is refused.
    na_values : sequence of str
        Texts that stand for a missing value, such as ``["?"]``, in ``fit`` and ever after.
    monotone : dict from column to "increasing" or "decreasing", or None
        With these columns predictions may only rise, or only fall: ``{"income": "increasing"}`` leaves rules only
        ``income > value``. Whether a value is missing has no direction and stays usable.
    require : sequence of str
        Conditions that every rule must have, such as ``["age > 18"]``; they count neither as complexity nor towards
        ``max_conditions``.
    condition_costs : dict from column or condition to number, or None
        What a condition counts as complexity, such as ``{"blood test": 3}``; 1 unless given.
    max_rules, max_columns : int or None
        Most rules, and most columns that all rules together use.
    min_rule_support : float or None
        Rows that every rule must cover at least (with sample weights, their weight). In CNF: that every clause turns
        away.
    min_rule_precision : float or None
        Of the rows that a rule covers at least this share must be of the class that it speaks for.
    keep : RuleSet or sequence of str
        Rules that must be in the rule set, as text (``["age > 30 and income > 5"]``) or lists of conditions; the rest
        is learned beside them.
    positive : label or None
        With two classes, the one that the rules describe; None for the second one in ``classes_``.
    sensitive : str, sequence of str or None
        Columns of X that define groups, where ``fit`` gets no ``sensitive_features``; ``"age > 25"`` makes two groups
        of numbers. Rules may use the columns unless they are forbidden.
    scoring : None, str or callable
        What ``max_complexity="auto"`` does best at on rows outside training: None for the least expected cost, in
        costs and class weights where these are given, or a scorer as in scikit-learn, such as "balanced_accuracy".
    pricing_time_limit : float or None
        Longest time for one call of one pricer, the paper's limit for a pricing problem; None for no such limit.
    start : None or "forest"
        Rules to begin with: ``"forest"`` for the leaves of a random forest, the paper's warm start.

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
        core's runs; with ``max_complexity="auto"`` also ``expected``, what to expect on new rows.
    path_ : DataFrame or None
        With ``max_complexity="auto"`` a line for everything that was tried: bound, logic, label weight, complexity, and
        accuracy and loss on rows outside training.
    settings_ : dict
        The settings that the rules were learned with: nothing says "auto" that was chosen.
    binarizer_ : Binarizer
        The fitted binarizer.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    With two classes the rules describe ``classes_[1]`` unless ``positive`` says otherwise. With more, each class gets a
    rule set against the rest; the claim of the rule with the highest precision wins, and rows that no rule set claims
    get the class most frequent among such training rows.

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
    settings_: Mapping[str, Any]
    path_: pd.DataFrame | None

    # What scikit-learn's classifiers take, where to write what was proven, and what is to stay of an earlier model.
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        groups: Any = None,
        certificate: CertificateFile | str | None = None,
        previous: Any = None,
        keep: float | None = None,
        change_cost: float | None = None,
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
        groups : sequence or None
            Rows with equal values stay together wherever rows are split, as in scikit-learn: visits of one patient.
        certificate : str, CertificateFile or None
            Where to write what was proven, such as ``"proof.json.gz"``, for ``rulecg-verify`` and others to check
            against the table.
        previous, keep, change_cost
            An earlier model to stay near, and either the share of its rules that must stay or by how much the objective
            must fall for each that is given up; ``model_.edits`` then say what changed and why.

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
        rows = {"sample_weight": sample_weight, "sensitive_features": sensitive_features, "groups": groups}
        if (previous, keep, change_cost) == (None, None, None):
            return self.fit_from((), X, y, **rows, certificate=certificate)
        from ..workbench.refit import refit

        return refit(self, previous, X, y, keep=keep, change_cost=change_cost, **rows).into(self)

    # What `fit` takes, and the rules to begin with.
    def fit_from(
        self,
        start: Sequence[Rule],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        sensitive_features: Any = None,
        groups: Any = None,
        certificate: CertificateFile | str | None = None,
    ) -> RuleSetClassifier:
        """Learn as ``fit`` does, beginning with rules that an earlier fit over the same conditions has found.

        Parameters
        ----------
        start : sequence of Rule
            For example ``pool`` of a run in the earlier ``result_``; the binarizer must give the same conditions first.
        X, y, sample_weight, sensitive_features, groups, certificate
            As for ``fit``.

        Returns
        -------
        RuleSetClassifier
            The classifier itself, fitted.
        """
        check_settings(self.get_params(deep=False))
        params = with_settled_logic(self.get_params(deep=False))
        if certificate is not None:
            # Whoever checks a certificate has the table, not a teacher.
            params = untaught(params)
        file = checked_file(certificate, params)
        recipe = compose(
            load_registry(),
            max_complexity=number_of(self.max_complexity),
            constraints=self.constraints,
            backend=self.backend,
            pricers=self.pricers,
            heuristics=self.heuristics,
            loss=self.loss,
            schedule=self.schedule,
        )
        begin, starter = Start(tuple(start)), starter_of(self.start)
        recipe = evolve(recipe, start=begin, starter=starter, choose=chooser_of(self.choice), select=self.select)
        for part in (*recipe.pricers, *recipe.heuristics):
            part.plugin.prepare()
        began = now()
        if sensitive_features is None and self.sensitive is not None:
            sensitive_features = sensitive_columns(without_texts(as_frame(X), self.na_values), self.sensitive)
        rows, sensitive = labelled_rows(X, y, sample_weight, sensitive_features)
        validate_data(self, header(X), skip_check_array=True)
        rows = describing(evolve(rows, table=without_texts(rows.table, self.na_values)), self.positive)
        known = ExpertKnowledge.of(params, rows.table)
        recipe = evolve(recipe, constraints=(*recipe.constraints, *known.constraints))
        together = checked_groups(groups, sample_weight, len(rows.codes))
        label_name = getattr(plain_column(y), "name", None)
        given = Given(rows, sensitive, together, sample_weight, label_name, began, file, known)
        fitted = fit_rules(params, recipe, given)
        self.classes_, self.result_, self.path_ = np.unique(rows.classes), fitted.result, fitted.path
        self.model_ = evolve(fitted.model, sensitive=listed(self.sensitive))
        self.binarizer_, self.settings_ = fitted.binarizer, fitted.settings
        self.rule_set_ = fitted.model.readable
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # input_tags.string stays False although text is welcome: True would promise to take any Python object.
        return tags
