"""What every rival is: something that fits conditions and labels, predicts, and says how large it became.

This module and those that run in environments of their own (see :mod:`benchmarks.rivals.environments`) work on
Python 3.8 as well, because one rival needs it.
"""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Mapping, Sequence  # noqa: UP035 - Python 3.8

import numpy as np
import pandas as pd

Grid = Mapping[str, Sequence[Any]]
"""Parameters and the values that they may take."""


class Unsuitable(Exception):
    """The rival cannot be run on this data; the message says why, for the table."""


@dataclass(frozen=True)
class Availability:
    """Whether a rival can be run, with which interpreter, and if not, why not."""

    is_there: bool
    interpreter: str | None = None
    """None for this one."""
    reason: str = ""


class Rival(ABC):
    """A learner that the paper, or a user today, would compare with.

    Tables have one 0-1 column per condition, under a column index of (column, operator, value); so every rival sees
    the same conditions, as in the paper. Labels are booleans.
    """

    name: ClassVar[str]
    """Its name in tables and on the command line."""
    source: ClassVar[str]
    """Where it comes from: a paper, a package."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Modules that must be importable."""
    environment: ClassVar[str | None] = None
    """The environment that has them where this one does not."""
    grid: ClassVar[Grid] = {}
    """What the paper tunes, simplest model first, so that ties are won by the simpler one."""
    counts_rules: ClassVar[bool] = True
    """Whether its size can be counted in rules and conditions."""

    def __init__(self, **parameters: Any) -> None:
        unknown = set(parameters) - set(self.defaults())
        if unknown:
            raise TypeError(f"{self.name} has no parameter {', '.join(sorted(unknown))}; it has {self.defaults()}.")
        self.parameters: dict[str, Any] = {**self.defaults(), **parameters}

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Every parameter with the value that it has unless given."""
        return {}

    @abstractmethod
    def fit(self, X: pd.DataFrame, y: np.ndarray, sensitive: np.ndarray | None = None) -> Rival:
        """Learn from conditions, labels and, for fair learners, one sensitive value per sample."""

    @abstractmethod
    def predict(self, X: pd.DataFrame, sensitive: np.ndarray | None = None) -> np.ndarray:
        """The predicted labels."""

    def complexity(self) -> int | None:
        """Rules plus conditions of the fitted model; None where that means nothing."""
        return None

    @classmethod
    def missing(cls) -> list[str]:
        """Needed modules that this interpreter does not have."""
        return [module for module in cls.needs if importlib.util.find_spec(module) is None]


def without_complements(X: pd.DataFrame) -> pd.DataFrame:
    """One column of every pair of a condition and its opposite: what linear models and trees need.

    >>> X = pd.DataFrame([[1, 0, 1], [0, 1, 1]], columns=["a", "not a", "b"])
    >>> list(without_complements(X))
    ['a', 'b']
    """
    known, kept = set(), []
    for position in range(X.shape[1]):
        column = X.iloc[:, position].to_numpy().astype(bool)
        if (~column).tobytes() in known:
            continue
        known.add(column.tobytes())
        kept.append(position)
    return X.iloc[:, kept]


def condition_texts(X: pd.DataFrame) -> list[str]:
    """The columns as plain text, unique, for learners that want names."""
    return [f"c{number} {' '.join(map(str, np.atleast_1d(column)))}" for number, column in enumerate(X.columns)]
