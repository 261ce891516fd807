"""The rows that a constraint judges new data by."""

from __future__ import annotations

from attrs import frozen

from rulecg_core import Row


@frozen(eq=False)
class Judged:
    """The rows of a constraint on new data."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    unjudged: tuple[str, ...]
    """Names of groups and rows that were bounded on the training data and that the new data cannot judge."""
