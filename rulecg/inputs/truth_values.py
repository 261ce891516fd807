"""Truth values however they are spelled: True, yes, T, 1 and their opposites."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

_SPELLINGS = {
    **dict.fromkeys(("true", "yes", "t", "y", "1", "1.0", "on"), True),
    **dict.fromkeys(("false", "no", "f", "n", "0", "0.0", "off"), False),
}


def as_truth_values(column: pd.Series[Any]) -> tuple[pd.Series[Any], dict[str, int]]:
    """Read every value of a column as true, false or missing, by itself and whatever else stands in the column.

    Parameters
    ----------
    column
        Truth values, the numbers 0 and 1, or text such as ``True``, ``yes``, ``T`` and ``1``, in any case.

    Returns
    -------
    tuple
        The column with True, False and None, and how often each value occurs that is neither; these count as missing.

    Examples
    --------
    >>> read, others = as_truth_values(pd.Series(["Yes", "F", None, "unknown"]))
    >>> read.tolist(), others
    ([True, False, None, None], {'unknown': 1})
    """
    codes, values = pd.factorize(np.asarray(column.astype(object), dtype=object))
    meanings = [_SPELLINGS.get(str(value).strip().lower()) for value in values]
    others: Counter[str] = Counter()
    for code, count in zip(*np.unique(codes[codes >= 0], return_counts=True), strict=True):
        if meanings[code] is None:
            others[str(values[code])] += int(count)
    # A missing value has code -1, which finds the None put at the end.
    read = np.array([*meanings, None], dtype=object)[codes]
    return pd.Series(read, index=column.index, name=column.name, dtype=object), dict(others.most_common())
