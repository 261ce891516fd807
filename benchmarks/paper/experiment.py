"""What one table or figure is: cells to run, how to run one, and a page to write from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pandas as pd
from attrs import frozen

from .cells import Cell, Key
from .data import absence
from .pages import Page
from .protocol import Protocol


@frozen(eq=False)
class Request:
    """What somebody asked for; empty sequences for the table's own choice."""

    protocol: Protocol
    sets: Sequence[str] = ()
    learners: Sequence[str] = ()


class Experiment(ABC):
    """A table or figure of the paper."""

    name: ClassVar[str]
    title: ClassVar[str]
    printed: ClassVar[str]
    """Where it stands in the paper."""
    store: ClassVar[str]
    """File of its cells; tables that share cells share it."""
    sets: ClassVar[Sequence[str]]
    learners: ClassVar[Sequence[str]] = ()

    @staticmethod
    @abstractmethod
    def measure(key: Key, settings: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run one cell; an importable function, because other processes call it."""

    @abstractmethod
    def cells(self, request: Request) -> list[Cell]:
        """All cells of the table, in the order in which they are best run."""

    @abstractmethod
    def report(self, lines: pd.DataFrame, page: Page, request: Request) -> None:
        """Write the page."""

    def wanted_sets(self, request: Request) -> list[str]:
        """The data sets that are asked for and there."""
        return [name for name in request.sets or self.sets if not absence(name)]

    def absent_sets(self, request: Request) -> list[str]:
        """One sentence for each data set that is asked for and not there."""
        return [f"{name}: {absence(name)}." for name in request.sets or self.sets if absence(name)]

    def wanted_learners(self, request: Request) -> Sequence[str]:
        """The learners that are asked for."""
        return request.learners or self.learners
