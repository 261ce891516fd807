"""The model: what a fitted estimator holds, what a file stores, and what predicts, explains and is exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from attrs import field, frozen

from rulecg_core import Condition, ConfigurationError, RuleSet
from rulecg_core.base.arrays import AnyArray, BoolArray, FloatArray, IntArray

from ..inputs.sensitive_columns import column_of
from ..monitoring.baseline import Baseline
from .certificate import Certificate
from .checked_table import checked_table
from .edits import Edit
from .expected import Expected
from .multiclass import ClassRuleSets, decide
from .origin.fingerprint import Fingerprint
from .scores import RuleScores, firing, rule_table

if TYPE_CHECKING:
    from ..analysis.explain import Explanation


@frozen(eq=False)
class Model:
    """Rule sets with everything that prediction, explanation, export and reports need.

    A fitted estimator holds one as ``model_``, a model file stores one. With two classes there is one rule set, for
    ``classes[1]``; with more there is one per class, and the claim of the rule with the highest training precision
    wins.

    Parameters
    ----------
    rule_sets : tuple of RuleSet
        One for two classes, one per class for more.
    classes : tuple
        The labels.
    scores : tuple of RuleScores
        For every rule set, how sure its rules are.
    class_weights : float array
        The training weight of every class.

    Examples
    --------
    >>> from rulecg import RuleSetClassifier
    >>> from rulecg.datasets import load
    >>> data, target, _ = load("tic-tac-toe")
    >>> model = RuleSetClassifier(max_complexity=32).fit(data, target).model_
    >>> len(model.rule_set), model.certificate.status, bool((model.predict(data) == target).all())
    (8, 'optimal', True)
    """

    rule_sets: tuple[RuleSet, ...]
    classes: tuple[Any, ...]
    scores: tuple[RuleScores, ...]
    class_weights: FloatArray
    otherwise: FloatArray | None = None
    """With more than two classes: probabilities of the classes where no rule set claims a row."""
    target: str | None = None
    sensitive: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """Every condition that rules could use: the binarization."""
    settings: Mapping[str, Any] = field(factory=dict)
    certificate: Certificate | None = None
    """None when unknown, for example because the file was edited."""
    fingerprint: Fingerprint | None = None
    has_stale_scores: bool = False
    """Whether the rules were edited after their precision was counted, so that probabilities are not known."""
    notes: tuple[str, ...] = ()
    baseline: Baseline | None = None
    """What was counted on the training rows; None when unknown."""
    edits: tuple[Edit, ...] = ()
    """What was changed by hand since the rules were learned, step by step."""
    expected: Expected | None = None
    """What to expect on new rows; None when unknown."""

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, and so one rule set."""
        return len(self.classes) == 2

    @property
    def has_unequal_costs(self) -> bool:
        """Whether errors cost differently by class, so that the likelier class is not always the better answer."""
        return any(self.settings.get(name) is not None for name in ("costs", "class_weight"))

    @property
    def rule_set(self) -> RuleSet:
        """The one rule set of a model with two classes."""
        if not self.is_binary:
            raise ConfigurationError(f"This model has {len(self.classes)} rule sets, one per class: see rule_sets.")
        return self.rule_sets[0]

    @property
    def readable(self) -> RuleSet | ClassRuleSets:
        """What people read: the rule set, or with several classes those of all classes."""
        if self.is_binary:
            return self.rule_sets[0]
        return ClassRuleSets(self.classes, self.rule_sets, self.fallback)

    @property
    def fallback(self) -> Any:
        """The class of rows that no rule set claims; with two classes the one that the rules do not describe."""
        if self.otherwise is None:
            return self.classes[0]
        # The heavier class wins a tie, here as in `decide`.
        by_weight = np.argsort(-self.class_weights, kind="stable")
        return self.classes[int(by_weight[np.argmax(self.otherwise[by_weight])])]

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The columns that the sensitive names are about: ``age`` for ``age > 25``."""
        return tuple(dict.fromkeys(column_of(name) for name in self.sensitive))

    @property
    def na_values(self) -> tuple[str, ...]:
        """Texts that stand for a missing value."""
        texts = self.settings.get("na_values") or ()
        return tuple(str(text) for text in texts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rules look at."""
        return tuple(dict.fromkeys(c.column for rule_set in self.rule_sets for c in rule_set.conditions))

    def rule_table(self) -> pd.DataFrame:
        """List all rules with how they did on the training rows.

        Returns
        -------
        DataFrame
            One line per rule: class, rule, n_conditions, support, coverage, true_positives, false_positives, precision
            and recall. DNF rules decide for their class, CNF clauses against it.
        """
        total = float(self.class_weights.sum())
        tables = []
        for number, (rule_set, scores) in enumerate(zip(self.rule_sets, self.scores, strict=True)):
            position = 1 if self.is_binary else number
            decided, weight = self.classes[position], float(self.class_weights[position])
            if rule_set.logic == "cnf":
                decided, weight = self.classes[0] if self.is_binary else f"not {decided}", total - weight
            tables.append(rule_table(rule_set, scores, decided, weight, total))
        return pd.concat(tables, ignore_index=True)

    def predict(self, X: Any) -> AnyArray:
        """Predict the class of every row.

        Parameters
        ----------
        X : DataFrame, dict of columns or 2-D array
            The columns that the rules look at; an array has all columns of the training table in their order.

        Returns
        -------
        array
            One label per row.

        Raises
        ------
        ConfigurationError
            When a column is missing or holds another type than the rules compare with.
        """
        return self.labels_at(self.decide(X))

    def labels_at(self, positions: IntArray) -> AnyArray:
        """Give the labels of positions among ``classes``."""
        return _as_labels(self.classes)[positions]

    def decide(self, X: Any) -> IntArray:
        """Find for every row the position of the predicted class among ``classes``; takes what ``predict`` takes."""
        return self.decisions(self.firings(self.checked(X)))

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability of every class, in the order of ``classes``; takes what ``predict`` takes.

        Returns
        -------
        float array, rows × classes
            The training precision of the surest rule that decides the row.

        Raises
        ------
        ConfigurationError
            When the rules were edited after their precision was counted.
        """
        if self.has_stale_scores:
            raise ConfigurationError(
                "The file was changed after the precision of its rules was counted, so probabilities are not known. "
                "Count anew with rulecg.model.scored_rule_sets.rescored(model, X, y), or learn again."
            )
        return self.probabilities(self.firings(self.checked(X)))

    def explain(self, X: Any, *, immutable: Sequence[str] | None = None, max_reasons: int = 4) -> list[Explanation]:
        """Say for every row which rules decided, and for rejected rows the smallest changes that would be enough.

        Parameters
        ----------
        X : DataFrame, dict of columns or 2-D array
            As for ``predict``.
        immutable : sequence of str or None
            Columns that are never proposed to change; None for the sensitive ones.
        max_reasons : int
            At most so many changes in a way, and so many ways.

        Returns
        -------
        list of Explanation
            One for every row.
        """
        from ..analysis.explain import explain_model

        return explain_model(self, self.checked(X), immutable=immutable, max_reasons=max_reasons)

    def firings(self, table: Any) -> list[BoolArray]:
        """Find for every rule set which of its rules (columns) decide which rows; the table is a checked one."""
        return [firing(rule_set, table) for rule_set in self.rule_sets]

    def decisions(self, fired: Sequence[BoolArray]) -> IntArray:
        """Find the position of the predicted class from the rules that fired."""
        if self.is_binary:
            return (fired[0].any(axis=1) == (self.rule_sets[0].logic == "dnf")).astype(np.intp)
        return np.argmax(self.probabilities(fired), axis=1)

    def probabilities(self, fired: Sequence[BoolArray]) -> FloatArray:
        """Compute the probability of every class from the rules that fired."""
        columns, claims = [], []
        for rule_set, scores, own in zip(self.rule_sets, self.scores, fired, strict=True):
            decided = scores.probability(own, on_its_side=not (self.is_binary and self.has_unequal_costs))
            columns.append(decided if rule_set.logic == "dnf" else 1 - decided)
            claims.append(own.any(axis=1) == (rule_set.logic == "dnf"))
        if self.otherwise is None:
            return np.column_stack([1 - columns[0], columns[0]])
        return decide(np.column_stack(claims), np.column_stack(columns), self.class_weights, self.otherwise)

    def checked(self, X: Any) -> Any:
        """Check a table against what the rules compare with.

        Parameters
        ----------
        X : DataFrame, dict of columns or 2-D array
            As for ``predict``.

        Returns
        -------
        DataFrame or array
            The table with text for column names, and truth values for what stands for them in columns that held truth
            values when the rules were learned; other entries of such columns count as missing, and a warning says how
            many there are.

        Raises
        ------
        ConfigurationError
            When two columns have one name, or a column's type has changed.
        """
        return checked_table(X, self.rule_sets, self.conditions, self.na_values)

    def __str__(self) -> str:
        parts = [str(rule_set) for rule_set in self.rule_sets]
        if self.certificate is not None:
            parts.append(self.certificate.text)
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        return "".join(rule_set._repr_html_() for rule_set in self.rule_sets)


def model_of(source: Any) -> Model:
    """Take the model out of a fitted estimator, or a model as it is.

    Parameters
    ----------
    source : Model or fitted estimator
        A Model, a RuleSetClassifier or a RuleSetClassifierCV.

    Returns
    -------
    Model
        The model.

    Raises
    ------
    ConfigurationError
        When it is an estimator that is not fitted, or neither a model nor an estimator.
    """
    if isinstance(source, Model):
        return source
    found = getattr(source, "model_", None)
    if isinstance(found, Model):
        return found
    if hasattr(source, "fit"):
        raise ConfigurationError(f"This {type(source).__name__} is not fitted yet: call fit(X, y) first.")
    raise ConfigurationError(
        f"A rulecg Model or a fitted RuleSetClassifier is needed here, not {type(source).__name__}: use "
        "rulecg.load_model(path) for a model file."
    )


def _as_labels(classes: tuple[Any, ...]) -> AnyArray:
    labels = np.array(classes)
    # numpy would turn 1 and "one" into text.
    return labels if labels.tolist() == list(classes) else np.array(classes, dtype=object)
