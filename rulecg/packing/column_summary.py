"""What a column holds, gathered block by block: distinct values with counts, or exact order statistics of numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from attrs import define, field

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import FloatArray

from .number_summary import FEW, NumberSummary
from .row_blocks import pyarrow_or_advice

MOST_TEXTS = 1_000_000
"""A column with more distinct texts than this is an identifier."""


@define(eq=False)
class ColumnSummary:
    """One column of Arrow tables: numbers, truth values, texts, dates or durations.

    >>> import pyarrow
    >>> summary = ColumnSummary.of("job", pyarrow.string())
    >>> summary.add(pyarrow.chunked_array([["cook", None, "cook"]]))
    >>> values, counts = summary.counted()
    >>> values.tolist(), counts.tolist()
    (['cook', None], [2.0, 1.0])
    """

    name: str
    type: Any
    numbers: NumberSummary | None
    texts: Counter[Any] = field(factory=Counter)
    n_missing: int = 0

    @classmethod
    def of(cls, name: str, type: Any) -> ColumnSummary:
        """Begin with a column of this Arrow type."""
        types = pyarrow_or_advice().types
        if types.is_dictionary(type):
            type = type.value_type
        if types.is_boolean(type) or types.is_string(type) or types.is_large_string(type):
            return cls(name, type, None)
        if types.is_temporal(type) and not types.is_time(type):
            return cls(name, type, NumberSummary(True))
        if types.is_integer(type) or types.is_floating(type) or types.is_decimal(type):
            return cls(name, type, NumberSummary(bool(types.is_integer(type))))
        if types.is_null(type):
            return cls(name, type, None)
        raise ConfigurationError(
            f"Column {name!r} holds values of type {type}, which rules cannot compare: drop it, or turn it into "
            "numbers, texts or dates first."
        )

    def add(self, column: Any) -> None:
        """Take in a block of the first pass."""
        self.n_missing += column.null_count
        if self.numbers is not None:
            self.numbers.add(self._known(column))
            return
        for entry in column.value_counts().to_pylist():
            if entry["values"] is not None:
                self.texts[entry["values"]] += entry["counts"]
        if len(self.texts) > MOST_TEXTS:
            raise ConfigurationError(
                f"Column {self.name!r} has more than {MOST_TEXTS:,} different texts: it is probably an identifier. "
                "Drop it, or group its values."
            )

    def wants_more(self, thresholds: str, n_quantiles: int, points: Any) -> bool:
        """Whether another pass has to :meth:`look` at the column before its conditions are known."""
        if self.numbers is None:
            return False
        if self.numbers.is_exact:
            self.numbers.is_first_pass = False
            return False
        if thresholds == "distinct":
            raise ConfigurationError(
                f"Column {self.name!r} has more than {FEW:,} distinct numbers, and quantiles of distinct values need "
                "all of them in memory: use thresholds=\"quantiles\", which count rows, or round the column."
            )
        last = self.numbers.count - 1
        positions = [last * part // n_quantiles for part in range(n_quantiles)]
        ranks = {min(place, last) for position in positions for place in (position, position + 1)}
        return self.numbers.want(ranks, tuple(points))

    def look(self, column: Any) -> None:
        """Take in a block of a further pass."""
        if self.numbers is not None and not self.numbers.is_exact:
            self.numbers.look(self._known(column))

    def counted(self) -> tuple[pd.Series[Any], FloatArray]:
        """Give distinct values, and how many rows have each."""
        if self.numbers is None:
            values = sorted(self.texts)
            counts = [self.texts[value] for value in values]
            is_boolean = bool(values) and isinstance(values[0], bool)
            missing = [None] if self.n_missing else []
            dtype = "boolean" if is_boolean else object
            column = pd.Series([*values, *missing], dtype=dtype)
            return column, np.array([*counts, *([self.n_missing] if missing else [])], dtype=np.float64)
        numbers, times = self.numbers.condensed()
        if pyarrow_or_advice().types.is_temporal(self.type):
            unit = "m8[us]" if pyarrow_or_advice().types.is_duration(self.type) else "M8[us]"
            column = pd.Series(numbers.view(np.int64).astype(unit))
        else:
            column = pd.Series(numbers, dtype="Int64" if self.n_missing and self.numbers.is_whole else None)
        if self.n_missing:
            column = pd.concat([column, pd.Series([None], dtype=column.dtype)], ignore_index=True)
            times = np.append(times, self.n_missing)
        return column, times.astype(np.float64)

    def _known(self, column: Any) -> Any:
        """The numbers of the rows that have one; dates and durations in microseconds."""
        arrow = pyarrow_or_advice()
        column = column.drop_null()
        if arrow.types.is_temporal(self.type):
            to = arrow.duration("us") if arrow.types.is_duration(self.type) else arrow.timestamp("us")
            column = column.cast(to).cast(arrow.int64())
        elif self.numbers is not None and self.numbers.is_whole:
            column = column.cast(arrow.int64())
        else:
            column = column.cast(arrow.float64())
        found = column.to_numpy()
        missing = np.isnan(found) if found.dtype.kind == "f" else np.zeros(0, dtype=bool)
        if missing.any():
            self._count_nan(int(missing.sum()))
            found = found[~missing]
        return found

    def _count_nan(self, count: int) -> None:
        # Later passes see the same ones again.
        if self.numbers is not None and self.numbers.is_first_pass:
            self.n_missing += count
