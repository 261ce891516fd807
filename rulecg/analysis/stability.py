"""How much the rules depend on chance: rules learned again from resampled rows, and other rules that do as well."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone

from rulecg_core import Condition, ConfigurationError, RuleSet
from rulecg_core.base.arrays import BoolArray, FloatArray
from rulecg_core.data.rule_text import simplified

from ..binarize.fixed_conditions import FixedConditions
from ..estimators.classifier import RuleSetClassifier
from ..inputs.table import as_frame
from ..inputs.weights import checked_weights
from ..model.model import Model, model_of
from ..model.scores import firing

MOST_POOL = 5000
"""Of larger pools only this many rules are tried as replacements."""


SETTLED = ("binarizer", "cut_points", "forbid", "monotone", "positive", "sensitive")
"""Settings that a model's conditions and classes already follow."""


def relearner(model: Model) -> RuleSetClassifier:
    """Make a classifier with a model's settings and conditions, to learn again from other rows.

    Parameters
    ----------
    model : Model
        For example from a file.

    Returns
    -------
    RuleSetClassifier
        Not fitted.
    """
    settings = {
        name: value
        for name, value in model.settings.items()
        if name in RuleSetClassifier().get_params() and name not in SETTLED
    }
    if isinstance(settings.get("condition_costs"), str):
        # A file holds it as text; of columns that the rules do not use, rows to learn from may know nothing.
        costs = ast.literal_eval(settings["condition_costs"])
        settings["condition_costs"] = {
            name: cost
            for name, cost in costs.items()
            if any(name == column or name.startswith(f"{column} ") for column in model.columns)
        }
    return RuleSetClassifier(**settings, binarizer=FixedConditions(model.conditions))


# Data, budget and chance stay separate keyword arguments, as everywhere in scikit-learn.
def rule_stability(
    model: Model | RuleSetClassifier,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    n_resamples: int = 20,
    time_limit: float | None = 5.0,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Learn again from rows drawn with replacement and look for each rule among the new ones.

    Parameters
    ----------
    model : Model or fitted RuleSetClassifier
        Whose rules to look for.
    X : DataFrame, array or list of rows
        Rows to draw from.
    y : sequence of labels
        With two classes truth values, or the labels that the classifier was fitted to.
    sample_weight, sensitive_features
        As for ``RuleSetClassifier.fit``.
    n_resamples : int
        How often to learn again.
    time_limit : float or None
        Seconds for each resample.
    n_jobs : int or None
        Resamples at a time, as joblib counts them.
    random_state : int
        Seed of the draws.

    Returns
    -------
    DataFrame
        One line per rule: ``found_again``, the share of resamples that gave the same rule, and ``same_rows``, the mean
        overlap (Jaccard) on the given rows with the new rule that is nearest to it.

    Raises
    ------
    ConfigurationError
        When the classifier is not fitted, or there are no resamples.

    Examples
    --------
    >>> table = pd.DataFrame({"x": [1, 2, 3, 4] * 20})
    >>> classifier = RuleSetClassifier(2).fit(table, table["x"] > 2)
    >>> rule_stability(classifier, table, table["x"] > 2, n_resamples=2)["found_again"].tolist()
    [1.0]
    """
    if n_resamples < 1:
        raise ConfigurationError(f"n_resamples must be at least 1, not {n_resamples!r}.")
    table, rule_sets = as_frame(X), model_of(model).rule_sets
    if isinstance(model, Model):
        template = relearner(model)
    else:
        template = clone(getattr(model, "best_estimator_", model))
        used = model_of(model).settings
        as_learned = {name: used[name] for name in ("max_complexity", "logic", "label_weight")}
        if isinstance(template.teacher, str) and template.teacher == "auto":
            as_learned["teacher"] = used["teacher"]
        template.set_params(binarizer=FixedConditions(model_of(model).conditions), **as_learned)
    template.set_params(time_limit=time_limit, verbose=0, n_jobs=None)
    weights = checked_weights(sample_weight, len(table))
    weights = np.ones(len(table)) if weights is None else weights
    rng = np.random.default_rng(random_state)
    draws = [rng.multinomial(len(table), np.full(len(table), 1 / len(table))) for _ in range(n_resamples)]
    compared = Parallel(n_jobs=n_jobs)(
        delayed(_compare)(template, rule_sets, table, y, weights * drawn, sensitive_features) for drawn in draws
    )
    found, overlap = np.mean([c[0] for c in compared], axis=0), np.mean([c[1] for c in compared], axis=0)
    texts = [text for rule_set in rule_sets for text in rule_set.texts()]
    return pd.DataFrame({"rule": texts, "found_again": found, "same_rows": overlap})


def _compare(
    template: RuleSetClassifier,
    rule_sets: tuple[RuleSet, ...],
    table: pd.DataFrame,
    y: Any,
    weights: Any,
    sensitive: Any,
) -> tuple[list[float], list[float]]:
    """For every rule, whether it was found again and how much its rows overlap with the nearest new rule."""
    again = clone(template).fit(table, y, sample_weight=weights, sensitive_features=sensitive)
    found: list[float] = []
    overlap: list[float] = []
    for old, new in zip(rule_sets, again.model_.rule_sets, strict=True):
        meanings = {_meaning(clause, new.logic) for clause in new.clauses()}
        old_rows, new_rows = firing(old, table).astype(np.float64), firing(new, table).astype(np.float64)
        for position, clause in enumerate(old.clauses()):
            found.append(float(_meaning(clause, old.logic) in meanings))
            both = old_rows[:, position] @ new_rows
            either = old_rows[:, position].sum() + new_rows.sum(axis=0) - both
            overlap.append(float(np.max(both / np.maximum(either, 1), initial=0.0)))
    return found, overlap


def _meaning(clause: tuple[Condition, ...], logic: str) -> Any:
    phrases = simplified(clause, logic)
    return phrases if isinstance(phrases, bool) else frozenset(phrases)


def alternative_rules(
    classifier: RuleSetClassifier, X: Any, y: Any, *, sample_weight: Any = None, tolerance: float = 0.01, most: int = 10
) -> pd.DataFrame:
    """Find other rule sets that are about as good: one rule replaced by another of the rules generated.

    Parameters
    ----------
    classifier : fitted RuleSetClassifier
        For two classes; bounds on groups are not checked.
    X : DataFrame, array or list of rows
        Rows to count errors on.
    y : sequence of labels
        Their labels.
    sample_weight : sequence of numbers or None
        The weight of every row.
    tolerance : float
        Replacements may have more errors by at most this share of all weight.
    most : int
        At most so many replacements.

    Returns
    -------
    DataFrame
        One line per replacement within ``max_complexity``: ``rule``, ``instead``, ``errors`` and ``more_errors``; the
        fewest errors first.

    Raises
    ------
    ConfigurationError
        When it is no fitted classifier for two classes.
    """
    model, learner = model_of(classifier), getattr(classifier, "best_estimator_", classifier)
    if not model.is_binary or not isinstance(learner, RuleSetClassifier):
        raise ConfigurationError(
            "alternative_rules needs a fitted RuleSetClassifier for two classes: the rules that a fit generated are "
            "not in a model file."
        )
    rule_set, table = model.rule_set, learner.named_columns(X)
    weights = checked_weights(sample_weight, len(table))
    weights = np.ones(len(table)) if weights is None else weights
    accepts = rule_set.logic == "dnf"
    is_decided = (np.asarray(y) == learner.model_.classes[1]) == accepts
    pool = _pool(learner, rule_set)
    fired, replacements = firing(rule_set, table), firing(pool, table)
    errors = _errors(fired.any(axis=1), is_decided, weights)
    chosen = {_meaning(clause, rule_set.logic) for clause in rule_set.clauses()}
    texts, pool_texts, pool_meanings = rule_set.texts(), pool.texts(), [_meaning(c, pool.logic) for c in pool.clauses()]
    value = np.where(is_decided, -weights, weights)
    rows = []
    for position, rule in enumerate(rule_set.rules):
        others = np.delete(fired, position, axis=1).any(axis=1)
        found = _errors(others, is_decided, weights) + (value * ~others) @ replacements
        room = float(learner.settings_["max_complexity"]) - rule_set.complexity + len(rule)
        for place in np.flatnonzero(found <= errors + tolerance * weights.sum()):
            if len(pool.rules[place]) <= room and pool_meanings[place] not in chosen:
                rows.append((texts[position], pool_texts[place], float(found[place]), float(found[place] - errors)))
    rows.sort(key=lambda row: row[2])
    return pd.DataFrame(rows[:most], columns=["rule", "instead", "errors", "more_errors"])


def _pool(classifier: RuleSetClassifier, rule_set: RuleSet) -> RuleSet:
    conditions = classifier.binarizer_.conditions_
    run = next(iter(classifier.result_.runs.values()))
    clauses = ([conditions[feature] for feature in rule] for rule in run.pool[:MOST_POOL])
    return RuleSet.of(clauses, logic=rule_set.logic, columns=rule_set.columns, outcome=rule_set.outcome)


def _errors(decided: Any, is_decided: BoolArray, weights: FloatArray) -> float:
    return float(weights[decided != is_decided].sum())
