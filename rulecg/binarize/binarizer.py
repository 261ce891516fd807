"""From a table to yes-or-no features: every feature is a condition that a person can read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import groupby
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rulecg_core import Condition, ConfigurationError, Mark, UnknownNameError
from rulecg_core.base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rulecg_core.data.conditions import EXACT_BELOW, exact_numbers, is_missing, numbers_on

from ..inputs.dataframes import header
from ..inputs.labels import checked_labels
from ..inputs.table import Kind, as_frame, column_kind, column_scale, plain
from ..inputs.weights import checked_weights
from .best_cuts import CutPoints, best_cuts, checked_cut_points, united
from .scaled_columns import on_scales, scaled
from .thresholds import distinct_thresholds, quantile_thresholds
from .tree_thresholds import tree_thresholds

THRESHOLDS = ("quantiles", "best", "distinct", "trees")
SUPERVISED = ("best", "trees")
"""Those that look at labels."""


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn the columns of a table into conditions such as ``age <= 45``, ``job == nurse``, ``income is missing``.

    * Numbers are compared with thresholds, in both directions. A threshold is written with as few digits as split the
      fitted data in the same way; it is never rounded further for display.
    * Dates, durations and ordered categories are cut as numbers are, at marks such as 2024-01-01.
    * Categories get ``==`` and ``!=``; a column with two values gets one such pair, truth values get ``x``, ``not x``.
    * A column with missing values gets ``is missing`` and ``is known``; every other comparison with a missing value
      is false. A category never seen in ``fit`` is unequal to all that were.
    * Conditions that hold for every row or for none are left out.

    Parameters
    ----------
    n_quantiles : int
        Into how many equally full parts the quantiles cut a column: 10 for deciles, the paper's choice.
    thresholds : "quantiles", "best", "distinct" or "trees"
        Where numeric columns are cut. ``"quantiles"`` of the rows are the paper's; a value that most rows share takes
        several of them. ``"best"`` are those and, where a column has one, a threshold that by itself tells the labels
        apart far better, so that one that does so perfectly is always there. ``"distinct"`` are quantiles of
        the distinct values, however many rows have each. ``"trees"`` are thresholds where small boosted trees gain.
        ``"best"`` and ``"trees"`` look at the labels given to ``fit`` as ``y``.
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
    cut_points : dict from column to numbers, or None
        Where numeric columns are cut besides, such as ``{"age": [18, 25, 65]}``: ages that mean something.

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
        cut_points: CutPoints | None = None,
    ) -> None:
        self.n_quantiles = n_quantiles
        self.thresholds = thresholds
        self.max_thresholds = max_thresholds
        self.refine = refine
        self.include_minimum = include_minimum
        self.max_categories = max_categories
        self.cut_points = cut_points

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
        validate_data(self, header(X), skip_check_array=True)
        weights = checked_weights(sample_weight, len(table))
        labels = self._checked_labels(y, len(table))
        if weights is not None and not np.all(weights > 0):
            kept = weights > 0
            table, weights = table[kept], weights[kept]
            labels = None if labels is None else labels[kept]
        self.column_names_ = tuple(table.columns)
        scales = {name: scale for name in self.column_names_ if (scale := column_scale(table[name])) is not None}
        table = on_scales(table, scales)
        kinds = {name: column_kind(table[name], name) for name in self.column_names_}
        numeric = [name for name, kind in kinds.items() if kind == "number"]
        supervised: dict[str, list[float]] = {}
        if labels is not None:
            classes = np.unique(labels, return_inverse=True)[1].reshape(-1)
            each = np.ones(len(table)) if weights is None else weights
            if self.thresholds == "trees":
                supervised = tree_thresholds(table, kinds, classes, each, self.max_thresholds)
            else:
                supervised = {name: self._best(table[name], name, classes, each, weights) for name in numeric}
        self._given = checked_cut_points(self.cut_points, numeric, self.column_names_)
        self.conditions_ = []
        for name, kind in kinds.items():
            found = self._column_conditions(name, kind, table[name], weights, supervised.get(name, ()))
            self.conditions_ += scaled(found, scales[name], table[name]) if name in scales else found
        return self

    def fit_counted(self, columns: Mapping[str, tuple[pd.Series[Any], FloatArray]]) -> Binarizer:
        """Choose the conditions from the distinct values of every column and how often each occurs.

        Parameters
        ----------
        columns : mapping from name to Series and float array
            For every column its distinct values (None or NaN where missing), and how many rows have each.

        Returns
        -------
        Binarizer
            The binarizer itself, with the conditions that ``fit`` chooses for the rows that were counted.

        Raises
        ------
        ConfigurationError
            When a column or a parameter cannot be used, or thresholds depend on labels.
        """
        self._check_parameters()
        if self.thresholds in SUPERVISED:
            raise ConfigurationError(
                f'thresholds="{self.thresholds}" depend on labels, row by row, and the rows of packed data are only '
                'counted: say "quantiles" or "distinct", or name cut_points.'
            )
        self.column_names_ = tuple(columns)
        self.feature_names_in_, self.n_features_in_ = np.array(self.column_names_, dtype=object), len(columns)
        scales = {name: scale for name, (values, _) in columns.items() if (scale := column_scale(values)) is not None}
        counted = {
            name: (pd.Series(scales[name].numbers(values, name)) if name in scales else values, counts)
            for name, (values, counts) in columns.items()
        }
        kinds = {name: column_kind(values, name) for name, (values, _) in counted.items()}
        numeric = [name for name, kind in kinds.items() if kind == "number"]
        self._given = checked_cut_points(self.cut_points, numeric, self.column_names_)
        self.conditions_ = []
        for name, kind in kinds.items():
            values, counts = counted[name]
            found = self._column_conditions(name, kind, values, counts, ())
            self.conditions_ += scaled(found, scales[name], values) if name in scales else found
        return self

    def described(self) -> str:
        """Say in words where number columns are cut; the end of a sentence that begins "number columns are cut at"."""
        parts = "deciles" if self.n_quantiles == 10 else f"quantiles ({self.n_quantiles} parts)"
        words = {
            "quantiles": f"{parts} of the rows",
            "best": f"{parts} of the rows and where one cut tells the labels apart far better",
            "distinct": f"{parts} of the distinct values",
            "trees": "thresholds that small trees chose by the labels",
        }[self.thresholds]
        words += ", refined at original values while learning" if self.refine else ""
        return words + (f", and at given points of {', '.join(map(str, self.cut_points))}" if self.cut_points else "")

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
        tags.target_tags.required = self.thresholds in SUPERVISED
        # input_tags.string stays False although text is welcome: True would promise to take any Python object.
        return tags

    def _named(self, X: Any) -> pd.DataFrame:
        """The table under the names seen in fit, whether or not X brings names."""
        table = as_frame(X)
        validate_data(self, header(X), reset=False, skip_check_array=True)
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
        if self.thresholds not in SUPERVISED:
            return None
        if y is None:
            raise ConfigurationError(
                f'thresholds="{self.thresholds}" depend on the labels: requires y to be passed, but the target y is '
                'None. Give y to fit, or say thresholds="distinct".'
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
        distinct, given = np.unique(numbers), self._given.get(name, [])
        is_pair = len(distinct) == 2 and np.all(np.isfinite(distinct)) and np.all(distinct == np.round(distinct))
        if is_pair and not given:
            return _both(Condition(name, "==", plain(distinct[1])))
        match self.thresholds:
            case "trees" | "best":
                thresholds = list(supervised)
            case "distinct":
                thresholds = distinct_thresholds(numbers, int(self.n_quantiles), self.include_minimum)
            case _:
                thresholds = quantile_thresholds(numbers, weights, int(self.n_quantiles), self.include_minimum)
        thresholds = united(thresholds, given, numbers) if given else thresholds
        return [condition for value in thresholds for condition in _both(Condition(name, "<=", value))]

    def _best(
        self, column: pd.Series[Any], name: str, classes: IntArray, each: FloatArray, weights: FloatArray | None
    ) -> list[float]:
        """Quantiles of a number column, and the cut that tells the classes apart far better if there is one."""
        known = ~np.asarray(is_missing(column), dtype=bool)
        numbers = exact_numbers(column, name, known)
        weights = None if weights is None else weights[known]
        quantiles = quantile_thresholds(numbers, weights, int(self.n_quantiles), self.include_minimum)
        best = best_cuts(numbers, classes[known], each[known], quantiles)
        # A quantile that splits the rows alike is the paper's and stays.
        return united(best, quantiles, numbers) if best else quantiles

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
        threshold = next(condition.value for condition in conditions if condition.operator in ("<=", ">"))
        numbers = numbers_on(threshold, column, name)
        present = ~is_missing(column) if isinstance(threshold, Mark) else ~np.isnan(numbers)
    else:
        present = ~is_missing(column)
    if operators & {"==", "!="}:
        known = list(dict.fromkeys(condition.value for condition in conditions if condition.operator in ("==", "!=")))
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
