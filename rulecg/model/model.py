"""A learned model without the learner: predicts, gives probabilities and explains with numpy and pandas alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from attrs import field, frozen

from rulecg_core import Condition, ConfigurationError, RuleSet
from rulecg_core.base.arrays import AnyArray, FloatArray

from .fingerprint import Fingerprint
from .multiclass import decide
from .scores import RuleScores, firing

if TYPE_CHECKING:
    from ..analysis.explain import Explanation


@frozen(eq=False)
class Certificate:
    """What the fit found and proved."""

    objective: float
    lower_bound: float | None
    gap: float | None
    status: str
    stop: str
    errors: float
    seconds: float
    pool_size: int
    text: str
    """The same in plain words."""
    history: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """One entry per round of column generation."""
    constraints: tuple[Mapping[str, Any], ...] = ()
    """One entry per constraint row: value in the master, true value, dual in the last relaxation."""


@frozen(eq=False)
class Model:
    """Rule sets with everything that prediction, explanation, export and reports need.

    With two classes there is one rule set, for ``classes[1]``; with more there is one per class, and the claim of the
    rule with the highest training precision wins.
    """

    rule_sets: tuple[RuleSet, ...]
    classes: tuple[Any, ...]
    scores: tuple[RuleScores, ...]
    class_weights: FloatArray
    otherwise: FloatArray | None = None
    """With more than two classes: probabilities of the classes where no rule set claims a row."""
    support: tuple[FloatArray, ...] = ()
    """For each rule set, the training weight that each rule decided."""
    target: str | None = None
    sensitive: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """Every condition that rules could use: the binarization."""
    settings: Mapping[str, Any] = field(factory=dict)
    certificate: Certificate | None = None
    """None when unknown, for example because the file was edited."""
    fingerprint: Fingerprint | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_binary(self) -> bool:
        return len(self.classes) == 2

    @property
    def rule_set(self) -> RuleSet:
        """The one rule set of a model with two classes."""
        if not self.is_binary:
            raise ConfigurationError(f"This model has {len(self.classes)} rule sets, one per class: see rule_sets.")
        return self.rule_sets[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rules look at."""
        return tuple(dict.fromkeys(c.column for rule_set in self.rule_sets for c in rule_set.conditions))

    def predict(self, X: Any) -> AnyArray:
        """The predicted class of every row of a DataFrame, a dict of columns or a 2-D array."""
        table = self._checked(X)
        labels = _as_labels(self.classes)
        if self.is_binary:
            return labels[self.rule_set.predict(table).astype(np.intp)]
        return labels[np.argmax(self._probabilities(table), axis=1)]

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of every class, in the order of ``classes``."""
        return self._probabilities(self._checked(X))

    def explain(self, X: Any, *, immutable: Sequence[str] | None = None, max_reasons: int = 4) -> list[Explanation]:
        """For every row the rules that fired, or the smallest changes that would make one fire."""
        from ..analysis.explain import explain_model

        return explain_model(self, self._checked(X), immutable=immutable, max_reasons=max_reasons)

    def __str__(self) -> str:
        parts = [str(rule_set) for rule_set in self.rule_sets]
        if self.certificate is not None:
            parts.append(self.certificate.text)
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        return "".join(rule_set._repr_html_() for rule_set in self.rule_sets)

    def _checked(self, X: Any) -> Any:
        """The table with text for column names; columns whose type changed since training are refused."""
        if isinstance(X, pd.DataFrame):
            X = X.set_axis([str(name) for name in X.columns], axis=1)
            if not X.columns.is_unique:
                twice = X.columns[X.columns.duplicated()][0]
                raise ConfigurationError(f"Two columns are called {twice!r}: rename one.")
            for rule_set in self.rule_sets:
                for condition in rule_set.conditions:
                    if condition.operator in ("==", "!=") and condition.column in X:
                        _check_type(condition, X[condition.column])
        return X

    def _probabilities(self, table: Any) -> FloatArray:
        columns, claims = [], []
        for rule_set, scores in zip(self.rule_sets, self.scores, strict=True):
            fired = firing(rule_set, table)
            decided = scores.probability(fired)
            columns.append(decided if rule_set.logic == "dnf" else 1 - decided)
            claims.append(fired.any(axis=1) == (rule_set.logic == "dnf"))
        if self.is_binary:
            return np.column_stack([1 - columns[0], columns[0]])
        assert self.otherwise is not None
        return decide(np.column_stack(claims), np.column_stack(columns), self.class_weights, self.otherwise)


def _as_labels(classes: tuple[Any, ...]) -> AnyArray:
    labels = np.array(classes)
    # numpy would turn 1 and "one" into text.
    return labels if labels.tolist() == list(classes) else np.array(classes, dtype=object)


def _check_type(condition: Condition, column: pd.Series[Any]) -> None:
    """A category compared with numbers, or the other way round, would silently never match."""
    is_text = isinstance(condition.value, str)
    known = column.dropna()
    if known.empty:
        return
    holds_numbers = pd.api.types.is_numeric_dtype(known.dtype) or pd.api.types.infer_dtype(known) in (
        "integer", "floating", "mixed-integer-float", "boolean",
    )  # fmt: skip
    holds_text = pd.api.types.infer_dtype(known) == "string"
    if (is_text and holds_numbers) or (not is_text and holds_text):
        was, now = ("text", "numbers") if is_text else ("numbers", "text")
        turn = "astype(str)" if is_text else "pipe(pd.to_numeric)"
        raise ConfigurationError(
            f"Column {condition.column!r} held {was} when the rules were learned, but now holds {now}: "
            f"turn it back, for example with table[{condition.column!r}].{turn}."
        )
