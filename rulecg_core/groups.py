"""Who belongs to which group: the sensitive columns of a data set and the groups they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from .arrays import BoolArray
from .conditions import is_missing
from .errors import ConfigurationError

MISSING = -1


@frozen(eq=False)
class Group:
    """A named set of samples."""

    name: str
    members: BoolArray

    def __str__(self) -> str:
        return self.name


@frozen(eq=False)
class Groups:
    """Sensitive columns, encoded: ``codes[i, c]`` numbers the label of sample i in column c, -1 when missing."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    codes: NDArray[np.int32]

    @classmethod
    def none(cls, n_samples: int) -> Groups:
        return cls((), (), np.zeros((n_samples, 0), dtype=np.int32))

    @classmethod
    def encode(cls, sensitive: Any, n_samples: int) -> Groups:
        """From one column (array or Series), a dict of columns, a DataFrame or a 2-D array; None for no groups."""
        if sensitive is None:
            return cls.none(n_samples)
        named = _named_columns(sensitive)
        for name, column in named.items():
            if len(column) != n_samples:
                raise ConfigurationError(
                    f"The sensitive feature {name!r} has {len(column)} rows but the data has {n_samples}: "
                    "give one value per row, in the same order."
                )
        encoded = [_encode(column) for column in named.values()]
        codes = np.column_stack([codes for _, codes in encoded]) if encoded else np.zeros((n_samples, 0), np.int32)
        return cls(tuple(named), tuple(labels for labels, _ in encoded), codes)

    def take(self, rows: NDArray[Any]) -> Groups:
        return Groups(self.columns, self.labels, self.codes[rows])

    @property
    def missing(self) -> BoolArray:
        """Samples with a missing label in any sensitive column."""
        return np.asarray((self.codes == MISSING).any(axis=1))

    def of_column(self, column: str) -> tuple[Group, ...]:
        """The groups of one sensitive column."""
        return self.crossed((column,))

    def crossed(self, columns: Sequence[str] | None = None) -> tuple[Group, ...]:
        """The groups that the columns make together, all columns by default; empty combinations are left out."""
        names = self.columns if columns is None else tuple(columns)
        for name in names:
            if name not in self.columns:
                raise ConfigurationError(
                    f"Unknown sensitive feature {name!r}; known: {', '.join(self.columns) or 'none'}."
                )
        if not names:
            return ()
        positions = [self.columns.index(name) for name in names]
        groups = []
        for combination in product(*(range(len(self.labels[position])) for position in positions)):
            members = np.ones(len(self.codes), dtype=bool)
            for position, code in zip(positions, combination, strict=True):
                members &= self.codes[:, position] == code
            if members.any():
                parts = [self.labels[p][code] for p, code in zip(positions, combination, strict=True)]
                groups.append(Group(" & ".join(parts), members))
        return tuple(groups)


def _named_columns(sensitive: Any) -> dict[str, Any]:
    if hasattr(sensitive, "columns") and hasattr(sensitive, "iloc"):
        return {str(name): sensitive.iloc[:, position] for position, name in enumerate(sensitive.columns)}
    if isinstance(sensitive, Mapping):
        return {str(name): _one_dimensional(column) for name, column in sensitive.items()}
    if hasattr(sensitive, "isna"):
        name = getattr(sensitive, "name", None)
        return {"group" if name is None else str(name): sensitive}
    array = np.asarray(sensitive)
    if array.ndim == 2:
        return {f"group{position}": array[:, position] for position in range(array.shape[1])}
    return {"group": _one_dimensional(sensitive)}


def _one_dimensional(column: Any) -> Any:
    column = column if hasattr(column, "isna") else np.asarray(column)
    if column.ndim != 1:
        raise ConfigurationError(f"A sensitive feature must be one column, not an array of shape {column.shape}.")
    return column


def _encode(column: Any) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    present = ~is_missing(column)
    # Labels are text from here on: 1, "1" and True of mixed columns would otherwise not even sort.
    values = np.asarray(column.astype(object) if hasattr(column, "isna") else column)[present].astype(str)
    labels, inverse = np.unique(values, return_inverse=True)
    codes = np.full(len(present), MISSING, dtype=np.int32)
    codes[present] = inverse
    return tuple(str(label) for label in labels), codes
