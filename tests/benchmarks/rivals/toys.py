"""Small data with known answers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


def truth_table(n_columns: int) -> pd.DataFrame:
    """Every row of zeros and ones once, with a column for each value and one for its opposite."""
    rows = np.array(list(itertools.product((0, 1), repeat=n_columns)), dtype=np.uint8)
    columns = [(f"x{j}", operator, 1) for operator in ("==", "!=") for j in range(n_columns)]
    return pd.DataFrame(np.column_stack([rows, 1 - rows]), columns=pd.MultiIndex.from_tuples(columns))


def two_groups(seed: int, n: int = 600) -> tuple[pd.DataFrame, npt.NDArray[np.bool_], npt.NDArray[Any]]:
    """Labels that depend on a score which one group gets less of: true positive rates differ."""
    rng = np.random.default_rng(seed)
    group = rng.random(n) < 0.4
    first = rng.random(n) < np.where(group, 0.35, 0.65)
    second = rng.random(n) < 0.5
    y = rng.random(n) < np.where(first, 0.8, 0.25) * np.where(second, 1.0, 0.7)
    columns = pd.MultiIndex.from_tuples([("first", "==", 1), ("second", "==", 1), ("group", "==", 1)])
    return pd.DataFrame(np.column_stack([first, second, group]).astype(np.uint8), columns=columns), y, group
