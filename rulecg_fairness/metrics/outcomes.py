"""Labels, predictions and groups side by side, counted by group: what every metric starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from rulecg_core import BoolArray, ConfigurationError, FloatArray, Groups, IntArray

TN, FP, FN, TP = range(4)
"""The last axis of counts: label and prediction of a row, ``2 * y_true + y_pred``."""

RATES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "selection_rate": ((FP, TP), (TN, FP, FN, TP)),
    "true_positive_rate": ((TP,), (FN, TP)),
    "false_positive_rate": ((FP,), (TN, FP)),
    "accuracy": ((TN, TP), (TN, FP, FN, TP)),
}
"""Each rate as the cells it counts and the cells it is a share of."""

RATE_WORDS = {
    "selection_rate": "predicted positive",
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "accuracy": "accuracy",
}
"""What readers of a table call each rate."""


@frozen(eq=False)
class Outcomes:
    """Rows with a group, and which of all rows they are."""

    y_true: BoolArray
    y_pred: BoolArray
    weights: FloatArray
    group_of: IntArray
    """For every row, the number of its group."""
    names: tuple[str, ...]
    labelled: BoolArray
    """Which of the rows given have a group; the other fields hold only those."""

    @classmethod
    def of(
        cls, y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any = None, pos_label: Any = None
    ) -> Outcomes:
        """Check the columns and find each row's group (crossed over all sensitive features)."""
        truth, prediction = as_labels(y_true, "y_true", pos_label), as_labels(y_pred, "y_pred", pos_label)
        if truth.shape != prediction.shape:
            raise ConfigurationError(f"y_true has {len(truth)} rows but y_pred has {len(prediction)}.")
        weights = as_weights(sample_weight, len(truth))
        names, group_of = Groups.encode(sensitive_features, len(truth)).numbered()
        if not names:
            raise ConfigurationError("sensitive_features has no label at all: there are no groups to look at.")
        known = group_of >= 0
        return cls(truth[known], prediction[known], weights[known], group_of[known], names, known)

    def counts(self, weights: FloatArray | None = None) -> FloatArray:
        """Groups × (TN, FP, FN, TP): the weight of the rows, or the sum of whatever weights are given."""
        cell = self.group_of * 4 + 2 * self.y_true + self.y_pred
        values = np.bincount(cell, self.weights if weights is None else weights, minlength=4 * len(self.names))
        return np.asarray(values, dtype=np.float64).reshape(-1, 4)


def rate(counts: FloatArray, name: str) -> FloatArray:
    """The rate from counts (… × 4); NaN where nothing is there to be a share of."""
    counted, among = RATES[name]
    total = counts[..., list(among)].sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, counts[..., list(counted)].sum(axis=-1) / total, np.nan)


def effective_sizes(counts: FloatArray, squares: FloatArray | None, name: str) -> FloatArray:
    """Kish's effective number of rows that the rate is a share of; their number when all weigh 1 (no squares given)."""
    among = list(RATES[name][1])
    total = counts[..., among].sum(axis=-1)
    if squares is None:
        return np.asarray(total)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(total**2 / squares[..., among].sum(axis=-1))


def as_labels(labels: Any, name: str, pos_label: Any = None) -> BoolArray:
    """Labels as booleans: 0/1, -1/1 or booleans as they are, anything else by ``pos_label``."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ConfigurationError(f"{name} must be one column, not an array of shape {array.shape}.")
    if pos_label is not None:
        return np.asarray(array == pos_label)
    if array.dtype == bool:
        return array
    if array.dtype.kind in "iuf" and set(np.unique(array).tolist()) <= {-1, 0, 1}:
        return np.asarray(array == 1)
    if array.dtype.kind == "O" and all(isinstance(label, bool | np.bool_) for label in array):
        return array.astype(bool)
    raise ConfigurationError(f"{name} must hold booleans, 0/1 or -1/1; for other labels say which is pos_label.")


def as_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    """One finite weight of at least 0 per row; 1 unless given."""
    weights = np.ones(n_rows) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,) or not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ConfigurationError("sample_weight must be one finite number of at least 0 per row.")
    return weights
