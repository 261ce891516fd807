"""What a fit found and proved, as plain values that a file can hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from attrs import field, frozen

from .result import FitResult

MOST_ROUNDS = 1000
"""The history of longer runs is thinned out to this many rounds."""
HISTORY = ("class", "seconds", "iteration", "relaxation", "lower_bound", "incumbent", "pool_size")
"""What is kept of each round."""
ROWS = ("class", "row", "value", "true_value", "dual")
"""What is kept of each constraint row."""


@frozen(eq=False)
class Certificate:
    """What the fit found and proved; the numbers mean what they mean in :class:`rulecg.FitResult`."""

    objective: float
    lower_bound: float | None
    gap: float | None
    status: str
    stop: str
    errors: float
    seconds: float
    pool_size: int
    text: str
    """The same in plain words."""
    history: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """One entry per round of column generation."""
    constraints: tuple[Mapping[str, Any], ...] = ()
    """One entry per constraint row: value in the master, true value, dual in the last relaxation."""

    @classmethod
    def of(cls, result: FitResult) -> Certificate:
        """Take the certificate out of a fit's result.

        Parameters
        ----------
        result : FitResult
            The result of a fit.

        Returns
        -------
        Certificate
            The same without the runs, with at most ``MOST_ROUNDS`` rounds of history.
        """
        return cls(
            objective=result.objective,
            lower_bound=result.lower_bound,
            gap=result.gap,
            status=result.status,
            stop=result.stop,
            errors=result.errors,
            seconds=result.seconds,
            pool_size=result.pool_size,
            text=result.certificate(),
            history=_records(_thinned(result.history), HISTORY),
            constraints=_records(result.constraints, ROWS),
        )


def plain(value: Any) -> Any:
    """Turn a numpy scalar into a Python value; numbers that are not finite become None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _thinned(history: pd.DataFrame) -> pd.DataFrame:
    if len(history) <= MOST_ROUNDS:
        return history
    return history.iloc[np.unique(np.linspace(0, len(history) - 1, MOST_ROUNDS).astype(int))]


def _records(table: pd.DataFrame, names: Iterable[str]) -> tuple[dict[str, Any], ...]:
    kept = [name for name in names if name in table]
    rows = table[kept].astype(object).itertuples(index=False, name=None)
    return tuple({name: plain(value) for name, value in zip(kept, row, strict=True)} for row in rows)
