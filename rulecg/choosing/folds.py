"""Folds that rows are dealt to: shuffled by a seed, alike in labels and sensitive groups, in whatever order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rulecg_core import ConfigurationError, Groups
from rulecg_core.base.arrays import IntArray

from ..inputs.dataframes import plain_column
from ..model.scored_rule_sets import LabelledRows


def dealt_folds(rows: LabelledRows, sensitive: Groups, n_folds: int, seed: int, together: IntArray | None) -> IntArray:
    """Deal rows to folds, each label and sensitive group evenly.

    Which fold a row falls into depends on the seed and on what the rows hold, not on their order.

    Parameters
    ----------
    rows : LabelledRows
        The rows.
    sensitive : Groups
        Their sensitive groups.
    n_folds : int
        How many folds.
    seed : int
        Seed of the shuffle.
    together : int array or None
        Rows with equal numbers stay together; None when every row stands for itself.

    Returns
    -------
    int array
        The fold of every row.

    Examples
    --------
    >>> table = pd.DataFrame({"x": range(6)})
    >>> rows = LabelledRows(table, np.array([0, 1]), np.array([0, 0, 0, 0, 1, 1]), np.ones(6))
    >>> folds = dealt_folds(rows, Groups.none(6), 2, 0, None)
    >>> np.bincount(folds).tolist(), np.bincount(folds[rows.codes == 1]).tolist()
    ([3, 3], [1, 1])
    """
    cells = pd.DataFrame({"label": rows.codes, **{str(at): codes for at, codes in enumerate(sensitive.codes.T)}})
    cell = cells.groupby(list(cells.columns), sort=True).ngroup().to_numpy()
    try:
        contents = pd.util.hash_pandas_object(rows.table, index=False).to_numpy()
    except TypeError:
        # What cannot be hashed cannot be learned from either; that is said where conditions are made.
        contents = np.zeros(len(cell), dtype=np.uint64)
    rng = np.random.default_rng(seed)
    folds = np.empty(len(cell), dtype=np.int64)
    if together is None:
        order = np.lexsort([contents, cell])
        shuffled = [rng.permutation(part) for part in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1)]
        # Dealt out one after the other, through all cells, so that no fold gets all the remainders.
        folds[np.concatenate(shuffled)] = np.arange(len(cell)) % n_folds
        return folds
    return _dealt_together(cell, contents, together, n_folds, rng)


def _dealt_together(
    cell: IntArray, contents: IntArray, together: IntArray, n_folds: int, rng: np.random.Generator
) -> IntArray:
    """Whole groups, the largest first, each to the fold where its cells are rarest so far."""
    n_groups = int(together.max()) + 1
    counts = np.zeros((n_groups, int(cell.max()) + 1))
    np.add.at(counts, (together, cell), 1.0)
    sums = np.zeros(n_groups, dtype=np.uint64)
    np.add.at(sums, together, contents.astype(np.uint64))
    order = np.argsort(sums, kind="stable")
    order = rng.permutation(order)
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    totals = np.maximum(counts.sum(axis=0), 1.0)
    dealt = np.zeros((n_folds, counts.shape[1]))
    fold_of = np.empty(n_groups, dtype=np.int64)
    for group in order.tolist():
        share = counts[group] / totals
        fullness = dealt @ share + 1e-6 * dealt.sum(axis=1)
        fold_of[group] = int(np.argmin(fullness))
        dealt[fold_of[group]] += share
    return fold_of[together]


def most_folds(codes: IntArray, together: IntArray | None, wanted: int) -> int:
    """Say into how many folds rows can be dealt so that every fold has every class.

    Parameters
    ----------
    codes : int array
        The class of every row.
    together : int array or None
        Rows with equal numbers stay together.
    wanted : int
        How many folds there should be.

    Returns
    -------
    int
        At most as many; less than 2 when the rows are too few.

    Examples
    --------
    >>> most_folds(np.array([0, 0, 0, 1, 1]), None, 5), most_folds(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]), 5)
    (2, 1)
    """
    if together is None:
        units = np.bincount(codes)
    else:
        units = np.array([len(np.unique(together[codes == code])) for code in np.unique(codes)])
    return int(min(wanted, units[units > 0].min()))


def checked_groups(groups: Any, sample_weight: Any, n_rows: int) -> IntArray | None:
    """Number the groups of samples that stay together, as scikit-learn means ``groups``.

    Parameters
    ----------
    groups : sequence or None
        One label per row.
    sample_weight : sequence of numbers or None
        Rows without weight take no part.
    n_rows : int
        How many rows take part.

    Returns
    -------
    int array or None
        A number for every row that takes part; None without groups.

    Raises
    ------
    ConfigurationError
        When there is not one label per row.

    Examples
    --------
    >>> checked_groups(["b", "a", "b"], None, 3).tolist()
    [1, 0, 1]
    """
    if groups is None:
        return None
    found = np.asarray(plain_column(groups))
    if sample_weight is not None and found.shape == np.asarray(sample_weight).shape:
        found = found[np.asarray(sample_weight, dtype=np.float64) > 0]
    if found.shape != (n_rows,):
        raise ConfigurationError(
            f"groups must be one label for each row, saying which rows stay together; their shape is {found.shape}."
        )
    return np.unique(found.astype(str), return_inverse=True)[1].reshape(-1).astype(np.int64)
