"""Who belongs to which group: the sensitive columns of a data set and the groups they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from ..base.arrays import BoolArray, IntArray, lock
from ..base.errors import ConfigurationError
from .conditions import is_missing

MISSING = -1


@frozen(eq=False)
class Group:
    """A named set of samples."""

    name: str
    members: BoolArray

    def __attrs_post_init__(self) -> None:
        lock(self, "members")

    def __str__(self) -> str:
        return self.name


@frozen(eq=False)
class Groups:
    """Sensitive columns, encoded.

    Parameters
    ----------
    columns
        Names of the sensitive columns.
    labels
        For every column its labels as text, sorted.
    codes
        Samples × columns: the position of the sample's label, -1 when it is missing.
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    codes: NDArray[np.int32]

    def __attrs_post_init__(self) -> None:
        lock(self, "codes")

    @classmethod
    def none(cls, n_samples: int) -> Groups:
        return cls((), (), np.zeros((n_samples, 0), dtype=np.int32))

    @classmethod
    def encode(cls, sensitive: Any, n_samples: int) -> Groups:
        """Read sensitive columns, whatever they come in.

        Parameters
        ----------
        sensitive
            One column (list, array or Series), a dict of columns, a DataFrame or a 2-D array; None for no groups.
        n_samples
            How many rows the data has.

        Returns
        -------
        Groups
            The columns, encoded.

        Raises
        ------
        ConfigurationError
            When a column has another number of rows or dimensions, or two have the same name.

        Examples
        --------
        >>> groups = Groups.encode({"sex": ["f", "m", None]}, 3)
        >>> groups.columns, groups.labels, groups.codes.ravel().tolist()
        (('sex',), (('f', 'm'),), [0, 1, -1])
        """
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
        """Make the groups that the columns make together, all columns by default; empty combinations are left out.

        Examples
        --------
        >>> groups = Groups.encode({"race": ["b", "a", "b"], "sex": ["f", "f", "m"]}, 3)
        >>> [group.name for group in groups.crossed()]
        ['a & f', 'b & f', 'b & m']
        """
        names, number = self.numbered(columns)
        return tuple(Group(name, number == position) for position, name in enumerate(names))

    def numbered(self, columns: Sequence[str] | None = None) -> tuple[tuple[str, ...], IntArray]:
        """Name the groups that the columns make together, and give every sample the number of its group.

        Parameters
        ----------
        columns
            The sensitive columns to cross, all by default.

        Returns
        -------
        names : tuple of str
            The groups that occur.
        number : array of int
            For every sample the position of its group's name; -1 where a label is missing.

        Raises
        ------
        ConfigurationError
            When a column is unknown.
        """
        chosen = self.columns if columns is None else tuple(columns)
        for name in chosen:
            if name not in self.columns:
                raise ConfigurationError(
                    f"Unknown sensitive feature {name!r}; known: {', '.join(self.columns) or 'none'}."
                )
        number = np.full(len(self.codes), MISSING, dtype=np.int64)
        if not chosen:
            return (), number
        codes = self.codes[:, [self.columns.index(name) for name in chosen]]
        labelled = (codes != MISSING).all(axis=1)
        combinations, inverse = np.unique(codes[labelled], axis=0, return_inverse=True)
        number[labelled] = inverse.reshape(-1)
        return tuple(self._names(chosen, combinations)), number

    def followed_by(self, other: Groups) -> Groups:
        """Put the samples of another table after these, so that equal labels are the same groups.

        Examples
        --------
        >>> both = Groups.encode(["b", "c"], 2).followed_by(Groups.encode(["a", "b"], 2))
        >>> [group.name for group in both.crossed()]
        ['a', 'b', 'c']
        """
        for one, another in ((self, other), (other, self)):
            lacking = [column for column in another.columns if column not in one.columns]
            if lacking:
                raise ConfigurationError(
                    f"One of the tables has no sensitive feature {lacking[0]!r}; it has "
                    f"{', '.join(one.columns) or 'none'}."
                )
        labels = [
            tuple(sorted({*self.labels[position], *other.labels[other.columns.index(column)]}))
            for position, column in enumerate(self.columns)
        ]
        codes = [
            np.concatenate([_renumbered(self, column, known), _renumbered(other, column, known)])
            for column, known in zip(self.columns, labels, strict=True)
        ]
        n_samples = len(self.codes) + len(other.codes)
        stacked = np.column_stack(codes) if codes else np.zeros((n_samples, 0), np.int32)
        return Groups(self.columns, tuple(labels), stacked.astype(np.int32))

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


def _renumbered(groups: Groups, column: str, labels: Sequence[str]) -> NDArray[np.int64]:
    """The column's codes as positions in other labels that contain its own."""
    position = groups.columns.index(column)
    place = {label: number for number, label in enumerate(labels)}
    # One more entry, for the code -1 of missing labels to point at.
    numbers = np.array([*(place[label] for label in groups.labels[position]), MISSING], dtype=np.int64)
    return numbers[groups.codes[:, position]]


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
