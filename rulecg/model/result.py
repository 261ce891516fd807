"""What fitting found and proved, in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from attrs import asdict, frozen

from rulecg_core import Result, Status

_WEAKEST_FIRST = (Status.HEURISTIC, Status.BOUNDED, Status.LP_OPTIMAL, Status.OPTIMAL)
_HISTORY = ("seconds", "iteration", "relaxation", "lower_bound", "incumbent", "pool_size", "new_rules", "stage")


@frozen(eq=False)
class FitResult:
    """The certificate of a fit. With several classes the numbers are sums over the classes' runs, and the status is
    the weakest of theirs."""

    objective: float
    """Best objective value found: the Hamming loss, unless another loss was asked for."""
    lower_bound: float | None
    """No rule set (of each class) can have an objective below this; None when nothing was proven."""
    gap: float | None
    """``(objective - lower_bound) / objective``; None without a bound."""
    status: str
    """"optimal", "lp-optimal", "bounded" or "heuristic"."""
    stop: str
    errors: float
    """Training weight of the rows that the chosen rule set gets wrong (each class against the rest)."""
    seconds: float
    pool_size: int
    """Rules generated."""
    history: pd.DataFrame
    """One line per round of column generation."""
    constraints: pd.DataFrame
    """One line per constraint row: its value in the master, its true value, and its dual in the last relaxation."""
    runs: Mapping[Any, Result]
    """The core's own result for each learned class."""

    @classmethod
    def of(cls, runs: Mapping[Any, Result]) -> FitResult:
        results = list(runs.values())
        objective = float(sum(result.objective for result in results))
        bounds = [result.lower_bound for result in results]
        lower_bound = None if None in bounds else float(sum(bound for bound in bounds if bound is not None))
        gap = None
        if lower_bound is not None:
            gap = 0.0 if objective <= lower_bound else (objective - lower_bound) / max(abs(objective), 1e-12)
        weakest = min((result.status for result in results), key=_WEAKEST_FIRST.index)
        return cls(
            objective=objective,
            lower_bound=lower_bound,
            gap=gap,
            status=str(weakest),
            stop=str(next((result.stop for result in results if result.stop.value != "completed"), results[0].stop)),
            errors=float(sum(result.errors for result in results)),
            seconds=float(sum(result.seconds for result in results)),
            pool_size=sum(result.pool_size for result in results),
            history=_history(runs),
            constraints=_constraints(runs),
            runs=dict(runs),
        )

    def certificate(self) -> str:
        """What was proven, in plain words."""
        if len(self.runs) == 1:
            return next(iter(self.runs.values())).certificate()
        return "\n".join(f"{label}: {result.certificate()}" for label, result in self.runs.items())

    def __str__(self) -> str:
        return self.certificate()


def _history(runs: Mapping[Any, Result]) -> pd.DataFrame:
    rounds = [
        {"class": label, **{name: value for name, value in asdict(event).items() if name in _HISTORY}}
        for label, result in runs.items()
        for event in result.history
    ]
    return pd.DataFrame(rounds, columns=["class", *_HISTORY])


def _constraints(runs: Mapping[Any, Result]) -> pd.DataFrame:
    rows = [
        {"class": label, "row": name, "value": value, "true_value": true, "dual": result.row_duals.get(name)}
        for label, result in runs.items()
        for name, (value, true) in result.row_values.items()
    ]
    return pd.DataFrame(rows, columns=["class", "row", "value", "true_value", "dual"])
