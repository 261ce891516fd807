"""A teacher's probabilities: of a random forest out of bag, of any classifier across folds, or as given.

A row's probability never comes from a model that was fitted on that row: a teacher that has seen the label would only
repeat it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from attrs import evolve, frozen
from sklearn.base import clone, is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import FloatArray, IntArray

from ..inputs.table import column_kind

FOREST = "forest"
TREES, LEAF_ROWS = 200, 3
"""How many trees a forest has, and how many rows each of their leaves at least."""
MOST_ROWS = 20_000
"""Each tree is grown on at most so many rows: more cost time and change little."""
FOLDS = 5


@frozen(eq=False, repr=False)
class Taught:
    """A teacher whose probabilities for the rows are known: computed once, used in many fits."""

    teacher: Any
    probabilities: FloatArray

    def __repr__(self) -> str:
        return str(self.teacher)


def teacher_probabilities(
    teacher: Any, table: pd.DataFrame, codes: IntArray, weights: FloatArray, seed: int, trees: int = TREES
) -> FloatArray | None:
    """Compute a teacher's probability of every class for every row, without the row's own label.

    Parameters
    ----------
    teacher : None, "forest", classifier or array
        A random forest's out-of-bag probabilities; any scikit-learn classifier, whose clones are fitted on shuffled
        folds that do not hold the row; or the probabilities themselves, one per row (of the second of two classes) or
        rows × classes.
    table : DataFrame
        The inputs. A pipeline is given the table as it is, other classifiers numbers (categories as their positions).
    codes : int array
        The class of each row, as a position.
    weights : float array
        The weight of each row.
    seed : int
        Seed of the forest and of the folds.
    trees : int
        How many trees a forest has.

    Returns
    -------
    float array, rows × classes, or None
        None without a teacher.

    Raises
    ------
    ConfigurationError
        When it is none of these, or its probabilities cannot be used.

    Examples
    --------
    >>> table = pd.DataFrame({"age": range(40)})
    >>> p = teacher_probabilities("forest", table, (table["age"] >= 20).to_numpy().astype(int), np.ones(40), 0)
    >>> bool(p[5, 1] < 0.2), bool(p[35, 1] > 0.8)
    (True, True)
    """
    if teacher is None:
        return None
    if isinstance(teacher, str) and teacher != FOREST:
        raise ConfigurationError(f"teacher must be None, 'forest', a classifier or probabilities, not {teacher!r}.")
    if isinstance(teacher, Taught):
        teacher = teacher.probabilities
    if not isinstance(teacher, str) and not hasattr(teacher, "fit"):
        return _given(teacher, len(codes), int(codes.max(initial=0)) + 1)
    numbers = _numbers(table)
    # Sorted by what they hold, so that the order in which rows came does not matter.
    order = np.lexsort((weights, codes, *numbers.T))
    found = np.zeros((len(codes), int(codes.max(initial=0)) + 1))
    if isinstance(teacher, str):
        found[order] = _out_of_bag(numbers[order], codes[order], weights[order], seed, trees)
        return found
    if isinstance(teacher, type) or not is_classifier(teacher) or not hasattr(teacher, "predict_proba"):
        raise ConfigurationError(f"The teacher {teacher!r} must be a classifier with predict_proba.")
    inputs = table.iloc[order] if isinstance(teacher, Pipeline) else numbers[order]
    found[order] = _across_folds(teacher, inputs, codes[order], weights[order], seed)
    return found


def is_given(teacher: Any) -> bool:
    """Say whether a teacher is probabilities, or has them, and need not be fitted."""
    return not (teacher is None or isinstance(teacher, str) or hasattr(teacher, "fit"))


def teacher_of_rows(teacher: Any, sample_weight: Any, rows: Any = None) -> Any:
    """Take what a teacher says about some rows: of given probabilities those of the rows, else the teacher as it is.

    Parameters
    ----------
    teacher : None, "forest", classifier or array
        The setting.
    sample_weight : sequence of numbers or None
        Rows without weight take no part.
    rows : int array or None
        Positions of the rows; None for all.
    """
    if isinstance(teacher, Taught):
        return evolve(teacher, probabilities=teacher_of_rows(teacher.probabilities, sample_weight, rows))
    if not is_given(teacher):
        return teacher
    found = np.asarray(teacher)
    if rows is not None:
        found = found[rows]
    if sample_weight is not None and found.ndim and len(found) == len(np.asarray(sample_weight)):
        found = found[np.asarray(sample_weight, dtype=np.float64) > 0]
    return found


def _out_of_bag(numbers: FloatArray, codes: IntArray, weights: FloatArray, seed: int, trees: int) -> FloatArray:
    n_rows = len(codes)
    forest = RandomForestClassifier(
        trees,
        min_samples_leaf=LEAF_ROWS,
        max_samples=MOST_ROWS if n_rows > MOST_ROWS else None,
        bootstrap=True,
        random_state=seed,
    )
    forest.fit(numbers, codes, sample_weight=weights)
    # Not oob_score=True, which warns where a row is in every bag: what is known without the row stands in for it.
    sums, times = np.zeros((n_rows, len(forest.classes_))), np.zeros(n_rows)
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        out = np.ones(n_rows, dtype=bool)
        out[drawn] = False
        sums[out] += tree.predict_proba(numbers[out])
        times[out] += 1
    totals = np.bincount(codes, weights)
    others = totals - np.eye(len(totals))[codes] * weights[:, None]
    prior = others / np.maximum(others.sum(axis=1, keepdims=True), 1e-300)
    known = times > 0
    return np.where(known[:, None], sums / np.maximum(times, 1)[:, None], prior)


def _across_folds(teacher: Any, inputs: Any, codes: IntArray, weights: FloatArray, seed: int) -> FloatArray:
    counts = np.bincount(codes)
    if counts[counts > 0].min() < 2 or len(codes) < 4:
        raise ConfigurationError("A teacher needs at least two rows of every class, to learn from other rows.")
    found = np.zeros((len(codes), len(counts)))
    folds = StratifiedKFold(int(min(FOLDS, counts[counts > 0].min())), shuffle=True, random_state=seed)
    takes_weights = has_fit_parameter(teacher, "sample_weight")
    for train, test in folds.split(np.zeros(len(codes)), codes):
        model = clone(teacher)
        some, rest = ((inputs.iloc[rows] if hasattr(inputs, "iloc") else inputs[rows]) for rows in (train, test))
        try:
            model.fit(some, codes[train], **({"sample_weight": weights[train]} if takes_weights else {}))
            found[np.ix_(test, model.classes_)] = model.predict_proba(rest)
        except ValueError as error:
            raise ConfigurationError(
                f"The teacher {teacher!r} cannot be fitted to these rows: {error} A pipeline gets the table as it is, "
                "any other classifier numbers with NaN for missing values."
            ) from error
    return found


def _given(probabilities: Any, n_rows: int, n_classes: int) -> FloatArray:
    try:
        found = np.asarray(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"teacher must be None, 'forest', a classifier or probabilities, not {probabilities!r}."
        ) from None
    if found.shape == (n_rows,) and n_classes == 2:
        found = np.column_stack([1.0 - found, found])
    if found.shape != (n_rows, n_classes) or not np.all((found >= 0) & (found <= 1)):
        raise ConfigurationError(
            f"The teacher's probabilities must lie between 0 and 1, one per row and class: {n_rows} rows × {n_classes} "
            f"classes (for two classes, one per row is enough); got shape {found.shape}."
        )
    return found


def _numbers(table: pd.DataFrame) -> FloatArray:
    """The table as numbers: categories as their positions in sorted order, NaN where a value is missing."""
    columns = []
    for name in table.columns:
        column = table[name]
        if column_kind(column, str(name)) == "category":
            codes, _ = pd.factorize(column.astype(object).where(column.notna(), None).map(_as_text), sort=True)
            columns.append(np.where(codes < 0, np.nan, codes.astype(np.float64)))
        else:
            columns.append(pd.to_numeric(column, errors="coerce").astype("float64").to_numpy())
    return np.column_stack(columns)


def _as_text(value: Any) -> str | None:
    return None if value is None else str(value)
