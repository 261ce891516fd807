"""How sure every rule set of a model is, counted on labelled rows; and a model made from the runs of a fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, frozen

from rulecg_core import Condition, ConfigurationError, Result, RuleSet
from rulecg_core.base.arrays import AnyArray, BoolArray, FloatArray, IntArray

from ..inputs.weights import checked_weights
from .certificate import Certificate, plain
from .expected import Expected
from .model import Model
from .origin.versions import made_with
from .result import FitResult
from .scores import RuleScores, by_importance, firing


@frozen(eq=False)
class LabelledRows:
    """A table with the class and the weight of every row."""

    table: pd.DataFrame
    classes: AnyArray
    """The labels that occur, in the order in which models list them."""
    codes: IntArray
    """For every row the position of its label among the classes."""
    weights: FloatArray


@frozen(eq=False)
class Learned:
    """What a fit leaves behind."""

    model: Model
    result: FitResult

    def saying(self, confirmed: tuple[str, ...], cuts: str, expected: Expected | None = None) -> Learned:
        """Let result and certificate say over which conditions they speak, what is confirmed, and what to expect.

        Parameters
        ----------
        confirmed : tuple of str
            What rows kept aside say about bounds on new rows.
        cuts : str
            Where number columns are cut, as the binarizer describes it.
        expected : Expected or None
            What to expect on new rows.
        """
        conditions = self.model.conditions
        has_numbers = any(condition.operator in ("<=", ">") for condition in conditions)
        speaks_of = f"Rules could use {len(conditions)} conditions"
        speaks_of += f"; number columns are cut at {cuts}." if has_numbers else "."
        result = evolve(self.result, confirmed=confirmed, speaks_of=speaks_of, expected=expected)
        return Learned(evolve(self.model, certificate=Certificate.of(result), expected=expected), result)


def learned_from(
    runs: Mapping[Any, Result], rows: LabelledRows, conditions: Sequence[Condition], settings: Mapping[str, Any]
) -> Learned:
    """Make the model of a fit from its runs.

    Parameters
    ----------
    runs : mapping from label to Result
        One run for two classes, for the second one; one run per class for more.
    rows : LabelledRows
        The training rows.
    conditions : sequence of Condition
        Every condition that rules could use.
    settings : mapping
        The learner's parameters.

    Returns
    -------
    Learned
        The model with its most important rules first, and the result with its certificate.
    """
    rule_sets, fired = [], []
    for label, run in runs.items():
        decided = firing(run.rule_set, rows.table)
        order = by_importance(decided, _is_decided(run.rule_set, label, rows), rows.weights)
        rule_sets.append(run.rule_set.reordered(order.tolist()))
        fired.append(decided[:, order])
    scores, otherwise = score(rule_sets, fired, rows)
    model = Model(
        rule_sets=tuple(rule_sets),
        classes=tuple(plain(label) for label in rows.classes),
        scores=scores,
        class_weights=class_weights(rows),
        otherwise=otherwise,
        conditions=tuple(conditions),
        settings={**_plain_settings(settings), "made_with": made_with()},
    )
    result = FitResult.of(runs, float(rows.weights[model.decisions(fired) != rows.codes].sum()))
    model = evolve(model, settings={**model.settings, "work": result.work(bool(settings.get("deterministic")))})
    return Learned(evolve(model, certificate=Certificate.of(result)), result)


def score(
    rule_sets: Sequence[RuleSet], fired: Sequence[BoolArray], rows: LabelledRows
) -> tuple[tuple[RuleScores, ...], FloatArray | None]:
    """Count how often each rule is right.

    Parameters
    ----------
    rule_sets : sequence of RuleSet
        One for two classes, one per class for more.
    fired : sequence of bool arrays, rows × rules
        For every rule set, which of its rules decide which rows.
    rows : LabelledRows
        Rows with their labels.

    Returns
    -------
    tuple of RuleScores, float array or None
        The scores of every rule set, and with several classes the shares of the classes among rows that no rule set
        claims.
    """
    n_classes = len(rows.classes)
    scores, claimed = [], np.zeros(len(rows.table), dtype=bool)
    for position, (rule_set, decided) in enumerate(zip(rule_sets, fired, strict=True)):
        accepts = rule_set.logic == "dnf"
        is_class = rows.codes == (1 if n_classes == 2 else position)
        scores.append(RuleScores.from_training(decided, is_class == accepts, rows.weights))
        claimed |= decided.any(axis=1) == accepts
    if n_classes == 2:
        return tuple(scores), None
    counts = np.bincount(rows.codes[~claimed], rows.weights[~claimed], minlength=n_classes)
    return tuple(scores), (counts + 1) / (counts.sum() + n_classes)


def rescored(model: Model, X: Any, y: Any, sample_weight: Any = None) -> Model:
    """Count the precision of a model's rules anew, for example after its file was edited.

    Parameters
    ----------
    model : Model
        A model, whose rules stay as they are.
    X : DataFrame
        The columns that the rules look at.
    y : sequence of labels
        The class of every row, as the model calls it.
    sample_weight : sequence of numbers or None
        The weight of every row; None for 1 each.

    Returns
    -------
    Model
        The same rules with probabilities counted on these rows; it has a certificate only if the model had one.

    Raises
    ------
    ConfigurationError
        When a label is none of the model's classes, or the numbers of rows differ.
    """
    table, labels = model.checked(X), np.asarray(y, dtype=object)
    place = {label: position for position, label in enumerate(model.classes)}
    unknown = [label for label in dict.fromkeys(labels.tolist()) if label not in place]
    if unknown or len(labels) != len(table):
        raise ConfigurationError(
            f"y must hold one of the classes {', '.join(map(str, model.classes))} for each of the {len(table)} rows"
            + (f", not {unknown[0]!r}." if unknown else f"; it has {len(labels)} labels.")
        )
    weights = checked_weights(sample_weight, len(table))
    rows = LabelledRows(
        table=table,
        classes=np.array(model.classes, dtype=object),
        codes=np.array([place[label] for label in labels.tolist()], dtype=np.int64),
        weights=np.ones(len(table)) if weights is None else weights,
    )
    scores, otherwise = score(model.rule_sets, model.firings(table), rows)
    return evolve(
        model, scores=scores, otherwise=otherwise, class_weights=class_weights(rows), has_stale_scores=False
    )


def class_weights(rows: LabelledRows) -> FloatArray:
    """Sum the weight of every class."""
    return np.bincount(rows.codes, rows.weights, minlength=len(rows.classes)).astype(np.float64)


def _is_decided(rule_set: RuleSet, label: Any, rows: LabelledRows) -> BoolArray:
    """Which rows are of the class that the rules decide for: DNF rules accept, CNF clauses reject."""
    return np.asarray((rows.classes[rows.codes] == label) == (rule_set.logic == "dnf"))


def _plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a file can hold them; how fast and how loud the fit was is left out."""
    return {name: _plain_setting(value) for name, value in settings.items() if name not in ("n_jobs", "verbose")}


def _plain_setting(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (list, tuple)):
        return [item if isinstance(item, str) else repr(item) for item in value]
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    if value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return repr(value)
