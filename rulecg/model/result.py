"""What fitting found and proved, in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from attrs import asdict, frozen

from rulecg_core import Result

from .expected import Expected

_HISTORY = ("seconds", "iteration", "relaxation", "lower_bound", "incumbent", "pool_size", "new_rules", "stage")


PER_CLASS = "per-class"
"""The status with several classes: what is proven is about each class against the rest, nothing about all together."""


@frozen(eq=False)
class FitResult:
    """What a fit found and proved.

    With several classes there is one run per class, that class against the rest: ``objective``, ``lower_bound``,
    ``seconds`` and ``pool_size`` are sums over the runs, ``errors`` are those of all rule sets together, and the status
    is "per-class", because nothing is proven about rule sets that decide together.
    """

    objective: float
    """Best objective value found: the Hamming loss, unless another loss was asked for."""
    lower_bound: float | None
    """No rule set (of each class) can have an objective below this; None when nothing was proven."""
    gap: float | None
    """``(objective - lower_bound) / objective``; None without a bound, and with several classes."""
    status: str
    """"optimal", "lp-optimal", "bounded" or "heuristic"; with several classes "per-class"."""
    stop: str
    errors: float
    """Training weight of the rows that are predicted wrongly."""
    seconds: float
    pool_size: int
    """Rules generated."""
    runs: Mapping[Any, Result]
    """The core's own result for each learned class."""
    confirmed: tuple[str, ...] = ()
    """What rows kept aside say about bounds that are to hold on new rows."""
    speaks_of: str = ""
    """The conditions that rules could use: "optimal" is over these and no others."""
    expected: Expected | None = None
    """What to expect on new rows; None where complexity was given and not chosen by folds."""

    @classmethod
    def of(cls, runs: Mapping[Any, Result], errors: float) -> FitResult:
        """Sum up the runs of a fit.

        Parameters
        ----------
        runs : mapping from label to Result
            One run for two classes, one run per class for more.
        errors : float
            Training weight of the rows that the rule sets together predict wrongly.

        Returns
        -------
        FitResult
            The runs' numbers together.
        """
        results = list(runs.values())
        bounds = [result.lower_bound for result in results]
        is_one = len(results) == 1
        return cls(
            objective=float(sum(result.objective for result in results)),
            lower_bound=None if None in bounds else float(sum(bound for bound in bounds if bound is not None)),
            gap=results[0].gap if is_one else None,
            status=str(results[0].status) if is_one else PER_CLASS,
            stop=str(next((result.stop for result in results if result.stop.value != "completed"), results[0].stop)),
            errors=errors,
            seconds=float(sum(result.seconds for result in results)),
            pool_size=sum(result.pool_size for result in results),
            runs=dict(runs),
        )

    @property
    def history(self) -> pd.DataFrame:
        """One line per round of column generation."""
        rounds = [
            {"class": label, **{name: value for name, value in asdict(event).items() if name in _HISTORY}}
            for label, result in self.runs.items()
            for event in result.history
        ]
        return pd.DataFrame(rounds, columns=["class", *_HISTORY])

    @property
    def constraints(self) -> pd.DataFrame:
        """One line per constraint row: its value in the master, its true value, its dual in the last relaxation."""
        rows = [
            {"class": label, "row": name, "value": value, "true_value": true, "dual": result.row_duals.get(name)}
            for label, result in self.runs.items()
            for name, (value, true) in result.row_values.items()
        ]
        return pd.DataFrame(rows, columns=["class", "row", "value", "true_value", "dual"])

    def work(self, is_counted: bool) -> str:
        """Say how much was done, in seconds of counted work or by the clock."""
        unit = "seconds of work" if is_counted else "seconds by the clock"
        rounds = sum(len(result.history) for result in self.runs.values())
        return f"{self.seconds:.3f} {unit}, {rounds} rounds, {self.pool_size} rules"

    def certificate(self) -> str:
        """Say in plain words what was proven."""
        if len(self.runs) == 1:
            parts = (next(iter(self.runs.values())).certificate(), self.speaks_of, *self.confirmed)
            return " ".join(part for part in parts if part)
        each = " ".join(f"{label}: {result.certificate()}" for label, result in self.runs.items())
        return (
            f"Each class has a rule set of its own, learned against the rest. {each} Together they get "
            f"{self.errors:.12g} training rows wrong (by weight), and nothing is proven about them together. "
            f"{self.speaks_of}"
        ).rstrip()

    def __str__(self) -> str:
        return self.certificate()
