"""Dates, durations and ordered categories: cut as numbers are, at marks that people can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rulecg_core import Condition, Scale

from ..inputs.table import column_scale


def on_scales(table: pd.DataFrame, scales: Mapping[str, Scale]) -> pd.DataFrame:
    """Replace columns by their numbers on a scale; the other columns are not copied.

    Parameters
    ----------
    table : DataFrame
        The rows.
    scales : mapping from name to Scale
        The columns to replace.

    Returns
    -------
    DataFrame
        The same rows.

    Examples
    --------
    >>> on_scales(pd.DataFrame({"grade": ["B", "A"]}), {"grade": Scale("order", ("A", "B"))})["grade"].tolist()
    [1.0, 0.0]
    """
    if not scales:
        return table
    shallow = table.copy(deep=False)
    for name, scale in scales.items():
        shallow[name] = scale.numbers(table[name], name)
    return shallow


def numbered(table: pd.DataFrame) -> pd.DataFrame:
    """Give dates, durations and ordered categories as numbers, for learners that know no scales.

    >>> numbered(pd.DataFrame({"day": pd.to_datetime(["1970-01-03"])}))["day"].tolist()
    [2.0]
    """
    return on_scales(table, {n: scale for n in table.columns if (scale := column_scale(table[n])) is not None})


def scaled(conditions: Sequence[Condition], scale: Scale, numbers: pd.Series[Any]) -> list[Condition]:
    """Turn conditions on a column's numbers into conditions at marks of its scale.

    Parameters
    ----------
    conditions : sequence of Condition
        What was found for the numbers.
    scale : Scale
        What the numbers stand for.
    numbers : Series
        The column on its scale.

    Returns
    -------
    list of Condition
        Thresholds that split the rows alike, each at the mark that is shortest to write. Ordered categories are cut
        between all of them.

    Examples
    --------
    >>> found = [Condition("day", "<=", 19_700), Condition("day", ">", 19_700)]
    >>> [str(condition) for condition in scaled(found, Scale("date"), pd.Series([19_650.0, 19_740.0]))]
    ['day <= 2024-01-01', 'day > 2024-01-01']
    """
    values = np.unique(numbers.dropna().to_numpy(dtype=np.float64))
    others = [condition for condition in conditions if condition.operator in ("missing", "present")]
    if len(values) < 2:
        return others
    name = str(conditions[0].column) if conditions else str(numbers.name)
    if scale.kind == "order":
        if len(values) == 2:
            upper = Condition(name, "==", scale.levels[int(values[1])])
            return [upper, upper.complement(), *others]
        cuts = dict.fromkeys(range(1, len(values)))
    else:
        # A column of two values comes as one that equals the higher.
        sides = {"<=": "right", "==": "left"}
        cuts = {
            int(np.searchsorted(values, condition.value, side=sides[condition.operator])): condition.value  # type: ignore
            for condition in conditions
            if condition.operator in sides
        }
    marks = [scale.simplest(float(values[cut - 1]), float(values[cut]), near) for cut, near in sorted(cuts.items())]  # type: ignore
    thresholds = [Condition(name, "<=", mark) for mark in marks]
    return [condition for one in thresholds for condition in (one, one.complement())] + others
