"""The manifest of packed data: which conditions there are, which cells of rows, and which partition files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen

from rulecg_core import Condition, ConfigurationError, Groups
from rulecg_core.base.arrays import IntArray

FORMAT, VERSION = "rulecg/packed", 1
FILE = "manifest.json"


@frozen(order=True)
class Cell:
    """Rows with the same label and the same groups."""

    label: bool
    groups: tuple[int, ...] = ()
    """For every sensitive column the position of the row's label, -1 where it is missing."""


@frozen
class Segment:
    """The rows of one cell in a partition file: whole words of 64 rows."""

    cell: Cell
    start: int
    stop: int
    n_samples: int
    weight: int
    """How many rows (or how much sample weight) they stand for."""


@frozen
class Partition:
    """One partition file: small enough to be sent to whoever reads the file."""

    path: str
    n_rows: int
    n_samples: int
    """Rows after equal ones were merged."""
    n_conditions: int
    n_words: int
    n_planes: int
    """How many binary digits the largest weight has."""
    n_sketched: int
    """How many rows the file lists by the hash of what they hold."""
    segments: tuple[Segment, ...]
    sha256: str

    @property
    def n_bytes(self) -> int:
        """How long the file is."""
        return 8 * (self.n_words * (self.n_conditions + self.n_planes) + 2 * self.n_sketched)


@frozen(eq=False)
class Manifest:
    """Everything about packed data besides the rows."""

    folder: Path
    conditions: tuple[Condition, ...]
    columns: tuple[tuple[str, str], ...]
    """Name and kind of every input column."""
    target: str
    positive: str
    """The value of the target that rules describe, as text."""
    negative: str
    sensitive: tuple[str, ...]
    group_labels: tuple[tuple[str, ...], ...]
    cuts: str
    """Where number columns are cut, in words."""
    partitions: tuple[Partition, ...]
    na_values: tuple[str, ...] = ()
    cells: tuple[Cell, ...] = field(init=False)
    weights: IntArray = field(init=False)
    """The weight of every cell."""

    def __attrs_post_init__(self) -> None:
        total: dict[Cell, int] = {}
        for partition in self.partitions:
            for segment in partition.segments:
                total[segment.cell] = total.get(segment.cell, 0) + segment.weight
        # Frozen classes set derived fields through object.__setattr__.
        object.__setattr__(self, "cells", tuple(sorted(total)))
        object.__setattr__(self, "weights", np.array([total[cell] for cell in sorted(total)], dtype=np.int64))

    @property
    def n_rows(self) -> int:
        """How many rows were packed."""
        return sum(partition.n_rows for partition in self.partitions)

    @property
    def labels(self) -> Any:
        """For every cell whether its rows are positive."""
        return np.array([cell.label for cell in self.cells], dtype=bool)

    @property
    def groups(self) -> Groups:
        """The groups of every cell."""
        codes = np.array([cell.groups for cell in self.cells], dtype=np.int32).reshape(len(self.cells), -1)
        return Groups(self.sensitive, self.group_labels, codes)

    def save(self) -> None:
        """Write the manifest into its folder."""
        entry = {
            "format": FORMAT,
            "version": VERSION,
            "target": self.target,
            "positive": self.positive,
            "negative": self.negative,
            "columns": [list(column) for column in self.columns],
            "conditions": [condition.to_dict() for condition in self.conditions],
            "sensitive": list(self.sensitive),
            "group_labels": [list(labels) for labels in self.group_labels],
            "cuts": self.cuts,
            "na_values": list(self.na_values),
            "partitions": [_partition_entry(partition) for partition in self.partitions],
        }
        (self.folder / FILE).write_text(json.dumps(entry, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: str | Path) -> Manifest:
        """Read the manifest of a folder that :func:`rulecg.packing.pack.pack` made.

        Raises
        ------
        ConfigurationError
            When there is none, or one of another version.
        """
        folder = Path(folder)
        try:
            entry = json.loads((folder / FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"{folder} is no packed data ({error}): rulecg pack makes it from Parquet or CSV files."
            ) from None
        if not isinstance(entry, dict) or (entry.get("format"), entry.get("version")) != (FORMAT, VERSION):
            raise ConfigurationError(f"{folder / FILE} is not packed data of version {VERSION}: pack it again.")
        try:
            return cls(
                folder=folder,
                conditions=tuple(Condition.from_dict(each) for each in entry["conditions"]),
                columns=tuple((str(name), str(kind)) for name, kind in entry["columns"]),
                target=entry["target"],
                positive=entry["positive"],
                negative=entry["negative"],
                sensitive=tuple(entry["sensitive"]),
                group_labels=tuple(tuple(labels) for labels in entry["group_labels"]),
                cuts=entry["cuts"],
                na_values=tuple(entry["na_values"]),
                partitions=tuple(_partition(folder, each) for each in entry["partitions"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigurationError(f"{folder / FILE} is damaged ({error!r:.100}): pack the data again.") from None


def _partition_entry(partition: Partition) -> dict[str, Any]:
    names = ("n_rows", "n_samples", "n_conditions", "n_words", "n_planes", "n_sketched", "sha256")
    segments = [
        [each.cell.label, list(each.cell.groups), each.start, each.stop, each.n_samples, each.weight]
        for each in partition.segments
    ]
    own = {name: getattr(partition, name) for name in names}
    return {"file": Path(partition.path).name, **own, "segments": segments}


def _partition(folder: Path, entry: Mapping[str, Any]) -> Partition:
    numbers = {name: int(entry[name]) for name in entry if name.startswith("n_")}
    segments = tuple(
        Segment(Cell(bool(label), tuple(groups)), *map(int, rest)) for label, groups, *rest in entry["segments"]
    )
    name = Path(str(entry["file"])).name
    return Partition(path=str((folder / name).absolute()), sha256=str(entry["sha256"]), segments=segments, **numbers)
