"""From a table to yes-or-no features: every feature is a condition that a person can read."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import groupby
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from rulecg_core import Condition, ConfigurationError, UnknownNameError
from rulecg_core.base.arrays import AnyArray, BoolArray, FloatArray
from rulecg_core.data.conditions import EXACT_BELOW, as_numbers, exact_numbers, is_missing

from ..inputs.labels import checked_labels
from ..inputs.table import Kind, as_frame, column_kind, plain
from ..inputs.weights import checked_weights
from .thresholds import distinct_thresholds, quantile_thresholds
from .tree_gains import MOST_ROWS
from .tree_thresholds import tree_thresholds

THRESHOLDS = ("quantiles", "distinct", "trees")
BINARIZERS: dict[str, dict[str, Any]] = {
    "auto": {"thresholds": "trees", "refine": True},
    "deciles": {},
    "distinct": {"thresholds": "distinct"},
    "trees": {"thresholds": "trees"},
}
"""Binarizers by name, and their settings."""
FEW_ROWS = 2_000
"""With fewer rows than this, ``"auto"`` stays with deciles: thresholds that look at few labels fit their noise."""
SECONDS_PER_ENTRY, MOST_SHARE = 3e-6, 1 / 3
"""About how long trees look at one value of a table; ``"auto"`` stays with deciles where that would take more than this
share of the time limit."""


def binarizer_of(
    wanted: Binarizer | str | None, shape: tuple[int, ...], time_limit: float | None = None
) -> Binarizer:
    """Find a binarizer by name, or copy the given one.

    Parameters
    ----------
    wanted : Binarizer, str or None
        A name of ``BINARIZERS``; None is ``"auto"``, which depends on the table's shape.
    shape : tuple of int
        Rows and columns of the table.
    time_limit : float or None
        Seconds for the whole fit, of which looking for thresholds takes a part.

    Returns
    -------
    Binarizer
        Not fitted.

    Raises
    ------
    UnknownNameError
        When there is none of this name.
    """
    if isinstance(wanted, Binarizer):
        return clone(wanted)  # type: ignore[no-any-return]
    name = "auto" if wanted is None else str(wanted)
    if name not in BINARIZERS:
        raise UnknownNameError("binarizer", name, list(BINARIZERS))
    if name == "auto":
        n_rows, n_columns = shape
        seconds = min(n_rows, MOST_ROWS) * n_columns * SECONDS_PER_ENTRY
        if n_rows < FEW_ROWS or (time_limit is not None and seconds > MOST_SHARE * time_limit):
            name = "deciles"
    return Binarizer(**BINARIZERS[name])


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn the columns of a table into conditions such as ``age <= 45``, ``job == nurse``, ``income is missing``.

    * Numbers are compared with thresholds, in both directions. A threshold is written with as few digits as split the
      fitted data in the same way; it is never rounded further for display.
    * Categories get ``==`` and ``!=``; a column with two values gets one such pair, truth values get ``x``, ``not x``.
    * A column with missing values gets ``is missing`` and ``is known``; every other comparison with a missing value
      is false. A category never seen in ``fit`` is unequal to all that were.
    * Conditions that hold for every row or for none are left out.

    Parameters
    ----------
    n_quantiles : int
        Into how many equally full parts the quantiles cut a column: 10 for deciles, the paper's choice.
    thresholds : "quantiles", "distinct" or "trees"
        Where numeric columns are cut. ``"quantiles"`` of the rows are the paper's; a value that most rows share takes
        several of them. ``"distinct"`` are quantiles of the distinct values, however many rows have each. ``"trees"``
        looks at the labels given to ``fit`` as ``y``: thresholds lie where small boosted trees on all columns gain.
    max_thresholds : int or None
        With ``"trees"``, at most this many thresholds for one column; None for 3 on few rows to 16 on many, since fine
        cuts of few rows fit their noise.
    refine : bool
        While RuleSetClassifier learns, thresholds that good rules use are tried at every original value of their
        column, and those that do better join the conditions; what is proven is about the conditions at the end.
    include_minimum : bool
        Whether the lowest value is a threshold too, as in the paper (``x <= minimum`` singles out its rows); not with
        ``"trees"``.
    max_categories : int or None
        At most this many categories of a column get conditions, the most frequent ones; a warning says when it cuts.

    Attributes
    ----------
    conditions_ : list of Condition
        One per column of the result.

    Examples
    --------
    >>> binarizer = Binarizer(n_quantiles=2, include_minimum=False)
    >>> table = pd.DataFrame({"age": [20, 30, 40, 50], "smoker": ["no", "no", "yes", "no"]})
    >>> binarizer.fit_transform(table).astype(int)
    array([[1, 0, 0, 1],
           [1, 0, 0, 1],
           [0, 1, 1, 0],
           [0, 1, 0, 1]])
    >>> [str(condition) for condition in binarizer.conditions_]
    ['age <= 30', 'age > 30', 'smoker == yes', 'smoker != yes']
    """

    conditions_: list[Condition]
    n_features_in_: int
    feature_names_in_: AnyArray

    def __init__(
        self,
        n_quantiles: int = 10,
        *,
        thresholds: str = "quantiles",
        max_thresholds: int | None = None,
        refine: bool = False,
        include_minimum: bool = True,
        max_categories: int | None = 50,
    ) -> None:
        self.n_quantiles = n_quantiles
        self.thresholds = thresholds
        self.max_thresholds = max_thresholds
        self.refine = refine
        self.include_minimum = include_minimum
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Binarizer:
        """Choose the conditions.

        Parameters
        ----------
        X : DataFrame, array or list of rows
            The table.
        y : sequence of labels or None
            Needed where thresholds depend on labels (``"trees"``).
        sample_weight : sequence of numbers or None
            Rows with weight 0 count as absent, whole-number weights as repeated rows.

        Returns
        -------
        Binarizer
            The binarizer itself, fitted.

        Raises
        ------
        ConfigurationError
            When a column or a parameter cannot be used.
        """
        self._check_parameters()
        table = as_frame(X)
        validate_data(self, X, skip_check_array=True)
        weights = checked_weights(sample_weight, len(table))
        labels = self._checked_labels(y, len(table))
        if weights is not None and not np.all(weights > 0):
            kept = weights > 0
            table, weights = table[kept], weights[kept]
            labels = None if labels is None else labels[kept]
        self.column_names_ = tuple(table.columns)
        kinds = {name: column_kind(table[name], name) for name in self.column_names_}
        supervised: dict[str, list[float]] = {}
        if labels is not None:
            _, classes = np.unique(labels, return_inverse=True)
            each = np.ones(len(table)) if weights is None else weights
            supervised = tree_thresholds(table, kinds, classes.reshape(-1), each, self.max_thresholds)
        self.conditions_ = []
        for name, kind in kinds.items():
            self.conditions_ += self._column_conditions(name, kind, table[name], weights, supervised.get(name, ()))
        return self

    def transform(self, X: Any) -> BoolArray:
        """Evaluate every condition on every row.

        Parameters
        ----------
        X : DataFrame, array or list of rows
            The columns that ``fit`` saw.

        Returns
        -------
        bool array, rows × conditions
            Stored column by column.
        """
        check_is_fitted(self)
        table = self._named(X)
        features = np.empty((len(self.conditions_), len(table)), dtype=bool)
        first = 0
        for name, group in groupby(self.conditions_, key=lambda condition: condition.column):
            conditions = list(group)
            _evaluate(conditions, table[name], name, features[first : first + len(conditions)])
            first += len(conditions)
        return features.T

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Write the conditions as text; ``input_features`` is there for scikit-learn and must be what ``fit`` saw."""
        check_is_fitted(self)
        if input_features is not None and [str(name) for name in input_features] != list(self.column_names_):
            raise ValueError("input_features is not equal to the names of the columns seen in fit.")
        return np.array([str(condition) for condition in self.conditions_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = self.thresholds == "trees"
        # input_tags.string stays False although text is welcome: True would promise to take any Python object.
        return tags

    def _named(self, X: Any) -> pd.DataFrame:
        """The table under the names seen in fit, whether or not X brings names."""
        table = as_frame(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return table.set_axis(list(self.column_names_), axis=1)

    def _check_parameters(self) -> None:
        if not isinstance(self.n_quantiles, Integral) or self.n_quantiles < 2:
            raise ConfigurationError(f"n_quantiles must be a whole number of at least 2, not {self.n_quantiles!r}.")
        if self.thresholds not in THRESHOLDS:
            raise UnknownNameError("thresholds", str(self.thresholds), THRESHOLDS)
        most = self.max_thresholds
        if most is not None and (not isinstance(most, Integral) or most < 1):
            raise ConfigurationError(f"max_thresholds must be None or a whole number of at least 1, not {most!r}.")
        limit = self.max_categories
        if limit is not None and (not isinstance(limit, Integral) or limit < 1):
            raise ConfigurationError(f"max_categories must be None or a whole number of at least 1, not {limit!r}.")

    def _checked_labels(self, y: Any, n_rows: int) -> AnyArray | None:
        """The labels where thresholds depend on them."""
        if self.thresholds != "trees":
            return None
        if y is None:
            raise ConfigurationError(
                'Thresholds from trees depend on the labels: requires y to be passed, but the target y is None. Give y '
                'to fit, or say thresholds="distinct".'
            )
        return checked_labels(y, n_rows)

    def _column_conditions(
        self,
        name: str,
        kind: Kind,
        column: pd.Series[Any],
        weights: FloatArray | None,
        supervised: Sequence[float],
    ) -> list[Condition]:
        missing = is_missing(column)
        conditions: list[Condition] = []
        if missing.any():
            if missing.all():
                return []
            conditions = _both(Condition(name, "missing"))
            column = column[~missing]
            weights = None if weights is None else weights[~missing]
        if kind == "number":
            numbers = exact_numbers(column, name, np.ones(len(column), dtype=bool))
            return self._number_conditions(name, numbers, weights, supervised) + conditions
        values, weight_of = _categories(column, weights)
        if len(values) < 2:
            return conditions
        if kind == "boolean":
            return _both(Condition(name, "true")) + conditions
        if len(values) == 2:
            return _both(Condition(name, "==", values[1])) + conditions
        kept = self._kept_categories(name, values, weight_of)
        return [condition for value in kept for condition in _both(Condition(name, "==", value))] + conditions

    def _number_conditions(
        self, name: str, numbers: AnyArray, weights: FloatArray | None, supervised: Sequence[float]
    ) -> list[Condition]:
        distinct = np.unique(numbers)
        if len(distinct) == 2 and np.all(np.isfinite(distinct)) and np.all(distinct == np.round(distinct)):
            return _both(Condition(name, "==", plain(distinct[1])))
        match self.thresholds:
            case "trees":
                thresholds = list(supervised)
            case "distinct":
                thresholds = distinct_thresholds(numbers, int(self.n_quantiles), self.include_minimum)
            case _:
                thresholds = quantile_thresholds(numbers, weights, int(self.n_quantiles), self.include_minimum)
        return [condition for value in thresholds for condition in _both(Condition(name, "<=", value))]

    def _kept_categories(self, name: str, values: list[Any], weight_of: FloatArray) -> list[Any]:
        if self.max_categories is None or len(values) <= self.max_categories:
            return values
        warnings.warn(
            f"Column {name!r} has {len(values)} categories; only the {self.max_categories} most frequent get "
            "conditions of their own. Group rare categories, drop the column if it is an identifier, or raise "
            "max_categories.",
            stacklevel=4,
        )
        most_frequent = np.argsort(-weight_of, kind="stable")[: self.max_categories]
        return [values[position] for position in sorted(most_frequent)]


def _both(condition: Condition) -> list[Condition]:
    return [condition, condition.complement()]


def _categories(column: pd.Series[Any], weights: FloatArray | None) -> tuple[list[Any], FloatArray]:
    """The values of a column without missing entries, sorted, and how much weight each has."""
    codes, found = pd.factorize(np.asarray(column, dtype=object), sort=False)
    values = [plain(value) for value in found]
    order = sorted(range(len(values)), key=lambda position: values[position])
    totals = np.bincount(codes, weights, minlength=len(values)).astype(np.float64)
    return [values[position] for position in order], totals[order]


def _evaluate(conditions: list[Condition], column: pd.Series[Any], name: str, features: BoolArray) -> None:
    """Write each condition's truth values into its row of features; the column is decoded once for all of them."""
    operators = {condition.operator for condition in conditions}
    if operators & {"<=", ">"}:
        numbers = as_numbers(column, name)
        present = ~np.isnan(numbers)
    else:
        present = ~is_missing(column)
    if operators & {"==", "!="}:
        known = list(dict.fromkeys(condition.value for condition in conditions if condition.operator == "=="))
        codes = pd.Index(known, dtype=object).get_indexer(pd.Index(column.astype(object)))
        code_of = {value: code for code, value in enumerate(known)}
    with np.errstate(invalid="ignore"):
        for condition, holds in zip(conditions, features, strict=True):
            match condition.operator:
                case "<=" if abs(condition.value) < EXACT_BELOW:  # type: ignore[arg-type]
                    np.less_equal(numbers, condition.value, out=holds)  # type: ignore[arg-type]
                case ">" if abs(condition.value) < EXACT_BELOW:  # type: ignore[arg-type]
                    np.greater(numbers, condition.value, out=holds)  # type: ignore[arg-type]
                case "==":
                    np.equal(codes, code_of[condition.value], out=holds)
                case "!=":
                    np.not_equal(codes, code_of[condition.value], out=holds)
                    holds &= present
                case "missing":
                    np.logical_not(present, out=holds)
                case "present":
                    holds[:] = present
                case _:
                    holds[:] = condition.holds(column)
