"""Who belongs to which group: the sensitive columns of a data set and the groups they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from ..base.arrays import BoolArray
from ..base.errors import ConfigurationError
from .conditions import is_missing

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
        codes = self.codes[:, [self.columns.index(name) for name in names]]
        labelled = (codes != MISSING).all(axis=1)
        combinations, inverse = np.unique(codes[labelled], axis=0, return_inverse=True)
        number = np.full(len(codes), MISSING)
        number[labelled] = inverse.reshape(-1)
        group_names = self._names(names, combinations)
        return tuple(Group(name, number == position) for position, name in enumerate(group_names))

    def _names(self, columns: tuple[str, ...], combinations: NDArray[np.int32]) -> list[str]:
        """Labels alone ("Black & Female") where they speak for themselves; numbers get their column ("sex=1")."""
        labels = [self.labels[self.columns.index(column)] for column in columns]
        plain = [all(_speaks_for_itself(label) for label in of_column) for of_column in labels]
        parts = [
            [of_column[code] for of_column, code in zip(labels, combination, strict=True)]
            for combination in combinations
        ]
        names = [
            " & ".join(
                part if speaks else f"{column}={part}"
                for column, part, speaks in zip(columns, group, plain, strict=True)
            )
            for group in parts
        ]
        if max(Counter(names).values(), default=1) == 1:
            return names
        # Labels that contain the separator can make two groups read alike: quote them.
        return [" & ".join(f"{c}={p!r}" for c, p in zip(columns, group, strict=True)) for group in parts]


def _speaks_for_itself(label: str) -> bool:
    return any(c.isalpha() for c in label) and label.lower() not in ("true", "false")


def _named_columns(sensitive: Any) -> dict[str, Any]:
    if hasattr(sensitive, "columns") and hasattr(sensitive, "iloc"):
        names = [str(name) for name in sensitive.columns]
        if len(set(names)) < len(names):
            twice = next(name for name, times in Counter(names).items() if times > 1)
            raise ConfigurationError(f"Two sensitive features are called {twice!r}: rename one of them.")
        return {name: sensitive.iloc[:, position] for position, name in enumerate(names)}
    if isinstance(sensitive, Mapping):
        return {str(name): _one_dimensional(column) for name, column in sensitive.items()}
    if hasattr(sensitive, "isna"):
        name = getattr(sensitive, "name", None)
        return {"group" if name is None else str(name): sensitive}
    array = _as_array(sensitive)
    if array.ndim == 2:
        return {f"group{position}": array[:, position] for position in range(array.shape[1])}
    return {"group": _one_dimensional(array)}


def _as_array(values: Any) -> NDArray[Any]:
    # NumPy would turn the None or NaN of a mixed list into the text "nan", which is a label like any other.
    return np.array(values, dtype=object) if isinstance(values, list | tuple) else np.asarray(values)


def _one_dimensional(column: Any) -> Any:
    column = column if hasattr(column, "isna") else _as_array(column)
    if column.ndim != 1:
        raise ConfigurationError(f"A sensitive feature must be one column, not an array of shape {column.shape}.")
    return column


def _encode(column: Any) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    present = ~is_missing(column)
    # Labels are text from here on: 1, "1" and True of mixed columns would otherwise not even sort.
    values = np.asarray(column.astype(object) if hasattr(column, "isna") else column)[present]
    texts, text_of = np.unique(values.astype(str), return_inverse=True)
    labels, label_of = np.unique([_without_needless_point(str(text)) for text in texts], return_inverse=True)
    codes = np.full(len(present), MISSING, dtype=np.int32)
    if len(labels):
        codes[present] = label_of[text_of]
    return tuple(str(label) for label in labels), codes


def _without_needless_point(label: str) -> str:
    # A missing value turns a column of whole numbers into floats; "1.0" and "1" must stay the same group.
    return label[:-2] if label.endswith(".0") and label[:-2].lstrip("-").isdigit() else label
