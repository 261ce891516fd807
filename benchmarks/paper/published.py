"""The paper's own numbers, from ``published.csv``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd
from attrs import frozen

PATH = Path(__file__).with_name("published.csv")


@frozen
class Figure:
    """A printed mean with its standard error or deviation, where one is printed."""

    mean: float
    error: float | None
    kind: str

    def __str__(self) -> str:
        return f"{self.mean:g}" if self.error is None else f"{self.mean:g} ({self.error:g})"


@cache
def _table() -> pd.DataFrame:
    return pd.read_csv(PATH).set_index(["table", "data", "method", "measure"]).sort_index()


def figure(table: str, data: str, method: str, measure: str) -> Figure | None:
    """A number of the paper; None where it prints none.

    >>> print(figure("accuracy", "heart", "CG", "test accuracy"))
    78.9 (2.4)
    """
    key = (table, data, method, measure)
    if key not in _table().index:
        return None
    line = _table().loc[[key]].iloc[0]
    error = None if pd.isna(line["error"]) else float(line["error"])
    return Figure(float(line["mean"]), error, "" if error is None else str(line["error_kind"]))
