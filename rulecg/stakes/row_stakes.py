"""From labels, costs, class weights and a teacher's probabilities to what predicting each row costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from attrs import frozen

from rulecg_core import ConfigurationError, Stakes
from rulecg_core.base.arrays import AnyArray, FloatArray, IntArray

from ..inputs.table import plain
from .teachers import teacher_probabilities


@frozen(eq=False)
class RowObjective:
    """What the estimator's settings say about errors, worked out for some rows: costs, class weights, a teacher."""

    codes: IntArray
    weights: FloatArray
    costs: tuple[float, float]
    class_weights: FloatArray | None
    probabilities: FloatArray | None
    """The teacher's, rows × classes."""
    label_weight: float

    @classmethod
    def of(
        cls,
        settings: Mapping[str, Any],
        table: pd.DataFrame,
        classes: AnyArray,
        codes: IntArray,
        weights: FloatArray,
        seed: int = 0,
    ) -> RowObjective:
        """Work out the settings ``costs``, ``class_weight``, ``teacher`` and ``label_weight`` for some rows.

        Parameters
        ----------
        settings : mapping
            The estimator's parameters.
        table : DataFrame
            What the teacher learns from.
        classes : array
            The labels.
        codes : int array
            The class of each row.
        weights : float array
            The weight of each row.
        seed : int
            Seed of the teacher and of its folds.

        Raises
        ------
        ConfigurationError
            When a setting cannot be used.
        """
        found = cls(
            codes,
            weights,
            checked_costs(settings.get("costs")),
            checked_class_weights(settings.get("class_weight"), classes, codes, weights),
            teacher_probabilities(settings.get("teacher"), table, codes, weights, seed),
            settings.get("label_weight", 1.0),
        )
        found.stakes(0)  # checks the label weight before any work is done
        return found

    def stakes(self, position: int) -> Stakes | None:
        """Say what predicting each row to be, or not to be, of the class at the position costs."""
        return row_stakes(
            self.codes,
            self.weights,
            position,
            costs=self.costs,
            class_weights=self.class_weights,
            probabilities=self.probabilities,
            label_weight=self.label_weight,
        )


# Labels, weights, costs and the teacher are separate settings of the estimator, and each may be left out.
def row_stakes(
    codes: IntArray,
    weights: FloatArray,
    position: int,
    *,
    costs: tuple[float, float] = (1.0, 1.0),
    class_weights: FloatArray | None = None,
    probabilities: FloatArray | None = None,
    label_weight: float = 1.0,
) -> Stakes | None:
    """Say what predicting each row to be, or not to be, of one class costs.

    With ``q = label_weight * label + (1 - label_weight) * probabilities``, one number per row and class, missing a row
    costs its expected cost if it is of the class, covering it the expected cost if it is of another one.

    Parameters
    ----------
    codes : int array
        The class of each row, as a position.
    weights : float array
        The weight of each row.
    position : int
        The class that the rules describe: 1 for two classes.
    costs : pair of numbers
        What a false positive and a false negative cost.
    class_weights : float array or None
        What errors on rows of each class are multiplied by; None for 1 each.
    probabilities : float array, rows × classes, or None
        A teacher's; compute them once and use them for every label weight and class.
    label_weight : float
        From 0, the teacher alone, to 1, the labels alone.

    Returns
    -------
    Stakes or None
        Per row; None where every error costs the row's weight, as it does without stakes.

    Raises
    ------
    ConfigurationError
        When the probabilities do not fit the rows, or the label weight is not between 0 and 1.

    Examples
    --------
    >>> stakes = row_stakes(np.array([0, 1]), np.ones(2), 1, costs=(1.0, 5.0))
    >>> stakes.miss.tolist(), stakes.cover.tolist()
    ([0.0, 5.0], [1.0, 0.0])
    """
    if isinstance(label_weight, bool) or not isinstance(label_weight, Real) or not 0 <= label_weight <= 1:
        raise ConfigurationError(f"label_weight must be a number between 0 and 1, not {label_weight!r}.")
    softens = probabilities is not None and label_weight < 1
    is_weighted = costs != (1.0, 1.0) or class_weights is not None
    if not softens and not is_weighted:
        return None
    n_classes = int(codes.max(initial=0)) + 1
    if class_weights is not None:
        n_classes = max(n_classes, len(class_weights))
    if probabilities is not None:
        n_classes = max(n_classes, probabilities.shape[1])
    share = np.zeros((len(codes), n_classes))
    share[np.arange(len(codes)), codes] = 1.0
    if probabilities is not None and softens:
        if len(probabilities) != len(codes):
            raise ConfigurationError(f"A teacher gave {len(probabilities)} probabilities for {len(codes)} rows.")
        share *= label_weight
        share[:, : probabilities.shape[1]] += (1.0 - label_weight) * probabilities
    per_class = np.ones(n_classes) if class_weights is None else class_weights
    expected = share * per_class
    fp, fn = costs
    miss = fn * expected[:, position]
    cover = fp * np.delete(expected, position, axis=1).sum(axis=1)
    factors = [fn * per_class[position], *(fp * np.delete(per_class, position))]
    least = min((factor for factor in factors if factor > 0), default=1.0)
    meaning = "weighted cost" if is_weighted else "errors"
    if softens:
        meaning += " expected by the teacher"
    return Stakes.rounded(miss, cover, weights, meaning=meaning, least=float(least))


def checked_costs(costs: Any) -> tuple[float, float]:
    """Read ``costs={"fp": 5, "fn": 1}``: what false positives and false negatives cost, 1 where nothing is said.

    Parameters
    ----------
    costs : mapping or None
        The costs by name.

    Returns
    -------
    pair of float
        The cost of a false positive and of a false negative.

    Raises
    ------
    ConfigurationError
        When a name or a number cannot be meant.

    Examples
    --------
    >>> checked_costs({"fn": 10})
    (1.0, 10.0)
    """
    if costs is None:
        return 1.0, 1.0
    if not isinstance(costs, Mapping) or not set(costs) <= {"fp", "fn"}:
        raise ConfigurationError(f"costs must be a dict such as {{'fp': 5, 'fn': 1}}, or None, not {costs!r}.")
    found = {name: costs.get(name, 1.0) for name in ("fp", "fn")}
    for name, cost in found.items():
        if isinstance(cost, bool) or not isinstance(cost, Real) or not math.isfinite(cost) or cost <= 0:
            raise ConfigurationError(f"The cost {name!r} must be a finite number above 0, not {cost!r}.")
    return float(found["fp"]), float(found["fn"])


def checked_class_weights(
    class_weight: Any, classes: AnyArray, codes: IntArray, weights: FloatArray
) -> FloatArray | None:
    """Read ``class_weight`` as scikit-learn means it.

    Parameters
    ----------
    class_weight : None, "balanced" or mapping
        ``"balanced"`` gives every class the same total weight; a mapping gives numbers by label, 1 where none is given.
    classes : array
        The labels.
    codes : int array
        The class of each row.
    weights : float array
        The weight of each row.

    Returns
    -------
    float array or None
        One number per class; None for 1 each.

    Raises
    ------
    ConfigurationError
        When a label or a number cannot be meant.

    Examples
    --------
    >>> checked_class_weights("balanced", np.array(["no", "yes"]), np.array([0, 0, 0, 1]), np.ones(4)).round(2).tolist()
    [0.67, 2.0]
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights, minlength=len(classes))
        return np.asarray(weights.sum() / (len(classes) * totals), dtype=np.float64)
    if not isinstance(class_weight, Mapping):
        raise ConfigurationError(
            f"class_weight must be None, 'balanced' or a dict from labels to numbers, not {class_weight!r}."
        )
    place = {plain(label): at for at, label in enumerate(classes.tolist())}
    # On the command line every label is text.
    by_text = {str(label): at for label, at in place.items()}
    found = np.ones(len(classes))
    for label, weight in class_weight.items():
        at = place.get(plain(label), by_text.get(str(label)))
        if at is None:
            raise ConfigurationError(
                f"class_weight names the class {label!r}, but y has {', '.join(map(repr, place))}."
            )
        if isinstance(weight, bool) or not isinstance(weight, Real) or not math.isfinite(weight) or weight <= 0:
            raise ConfigurationError(f"The class weight of {label!r} must be a finite number above 0, not {weight!r}.")
        found[at] = float(weight)
    return found
