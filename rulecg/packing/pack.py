"""From Parquet and CSV files to partition files: conditions from exact counts, then packed bits, row block by block."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from attrs import field, frozen
from numpy.typing import NDArray

from rulecg_core import ConfigurationError, Groups, UnknownNameError
from rulecg_core.base.arrays import BoolArray, IntArray

from ..binarize.binarizer import Binarizer
from ..binarize.by_name import BINARIZERS
from ..partitions.manifest import FILE, Manifest, Partition
from .column_summary import ColumnSummary
from .partition_writer import PartitionWriter
from .row_blocks import RowBlocks, pyarrow_or_advice

PARTITION_ROWS = 4_000_000
"""About so many rows go into one partition; packing them takes about a gigabyte of memory with 100 conditions."""
LARGEST_WEIGHT = 2**31
_POSITIVE = ("1", "true", "yes")


def _names(names: Sequence[str] | str) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


@frozen
class Packing:
    """What is to be packed, and how.

    Parameters
    ----------
    target : str
        The column to predict, of two values.
    positive : str or None
        The value that rules describe, as text; None where the column says so itself (1, true, yes).
    sensitive : sequence of str
        Columns that define groups.
    drop : sequence of str
        Columns to leave out altogether.
    weight : str or None
        A column of whole numbers that say how often each row counts.
    binarizer : Binarizer, str or None
        How columns become conditions; names are ``"deciles"`` (None) and ``"distinct"``. Those that look at labels row
        by row cannot be used here.
    partition_rows : int
        About how many rows go into one partition.

    Examples
    --------
    >>> Packing("outcome", sensitive="sex").sensitive
    ('sex',)
    """

    target: str
    positive: str | None = None
    sensitive: Sequence[str] = field(default=(), converter=_names)
    drop: Sequence[str] = field(default=(), converter=_names)
    weight: str | None = None
    binarizer: Binarizer | str | None = None
    partition_rows: int = PARTITION_ROWS

    def __attrs_post_init__(self) -> None:
        if self.partition_rows < 1:
            raise ConfigurationError(f"partition_rows must be at least 1, not {self.partition_rows!r}.")

    def check(self, names: Sequence[str]) -> None:
        """Refuse names of columns that are not there."""
        for name in (self.target, *self.sensitive, *self.drop, *([self.weight] if self.weight else [])):
            if name not in names:
                raise UnknownNameError("column", name, names)

    def inputs(self, names: Sequence[str]) -> list[str]:
        """The columns that conditions may speak of."""
        left_out = {self.target, self.weight, *self.drop}
        return [name for name in names if name not in left_out]

    def fresh_binarizer(self) -> Binarizer:
        """The binarizer that is meant, not fitted."""
        if isinstance(self.binarizer, Binarizer):
            return self.binarizer
        name = "deciles" if self.binarizer is None else str(self.binarizer)
        if name not in BINARIZERS:
            raise UnknownNameError("binarizer", name, list(BINARIZERS))
        return Binarizer(**BINARIZERS[name])


def pack(
    sources: Any,
    out: str | Path,
    packing: Packing,
    *,
    separator: str = ",",
    na_values: Sequence[str] = (),
    say: Callable[[str], None] | None = None,
) -> Manifest:
    """Pack tables into partition files, in memory bounded by one partition, whatever their size.

    Parameters
    ----------
    sources : path or sequence of paths
        Parquet or CSV files with the same columns.
    out : path
        A folder for the partition files and their manifest; it must not hold packed data yet.
    packing : Packing
        What is to be packed, and how.
    separator, na_values
        As for :func:`rulecg.inputs.table_files.read_table`.
    say : callable or None
        Called with a sentence now and then.

    Returns
    -------
    Manifest
        What was packed.

    Raises
    ------
    ConfigurationError
        When files, columns or settings cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pd.DataFrame({"age": [20, 30, 40, 50], "sick": [0, 0, 1, 1]})
    ...     table.to_csv(Path(folder, "people.csv"), index=False)
    ...     packed = pack(Path(folder, "people.csv"), Path(folder, "packed"), Packing("sick"))
    ...     packed.n_rows, len(packed.partitions), [str(condition) for condition in packed.conditions][:2]
    (4, 1, ['age <= 20', 'age > 20'])
    """
    say = say or (lambda sentence: None)
    blocks = RowBlocks(sources, separator, tuple(na_values))
    names = list(blocks.schema.names)
    packing.check(names)
    folder = Path(out)
    if (folder / FILE).exists():
        raise ConfigurationError(f"{folder} holds packed data already: choose another folder, or remove it first.")
    counted = _Counted.of(blocks, packing, say)
    binarizer = packing.fresh_binarizer().fit_counted(counted.inputs)
    if not binarizer.conditions_:
        raise ConfigurationError("No column tells rows apart: there is nothing that rules could be made of.")
    folder.mkdir(parents=True, exist_ok=True)
    rows = _Rows(packing, binarizer, counted)
    partitions: list[Partition] = []
    for partition in _partitions(blocks, rows, packing.partition_rows, folder):
        partitions.append(partition)
        say(f"packed {sum(each.n_rows for each in partitions):,} of {counted.n_rows:,} rows")
    made = Manifest(
        folder=folder,
        conditions=tuple(binarizer.conditions_),
        columns=tuple((name, counted.kinds[name]) for name in counted.inputs),
        target=packing.target,
        positive=counted.classes[1],
        negative=counted.classes[0],
        sensitive=tuple(packing.sensitive),
        group_labels=counted.group_labels,
        cuts=binarizer.described(),
        na_values=tuple(na_values),
        partitions=tuple(partitions),
    )
    made.save()
    return made


def _partitions(blocks: RowBlocks, rows: _Rows, most: int, folder: Path) -> Iterator[Partition]:
    """Write one partition file after the other."""
    writer, written = PartitionWriter(len(rows.binarizer.conditions_)), 0
    for block in blocks:
        start = 0
        while start < block.num_rows:
            taken = block.slice(start, most - writer.n_rows)
            writer.add(*rows.of(taken))
            start += taken.num_rows
            if writer.n_rows == most:
                yield writer.write(folder / f"partition-{written:05}.bits")
                written += 1
    if writer.n_rows:
        yield writer.write(folder / f"partition-{written:05}.bits")


@frozen(eq=False)
class _Counted:
    """What the passes before packing found."""

    n_rows: int
    classes: tuple[str, str]
    """The negative and the positive value of the target, as text."""
    positive: Any
    """The positive value itself."""
    inputs: dict[str, Any]
    """For every input column its distinct values and how many rows have each."""
    kinds: dict[str, str]
    group_labels: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, blocks: RowBlocks, packing: Packing, say: Callable[[str], None]) -> _Counted:
        names = list(blocks.schema.names)
        inputs = packing.inputs(names)
        types = {name: blocks.schema.field(name).type for name in names}
        wanted = list(dict.fromkeys([*inputs, packing.target, *packing.sensitive]))
        found = {name: ColumnSummary.of(name, types[name]) for name in wanted}
        n_rows = 0
        for block in blocks:
            n_rows += block.num_rows
            for name, summary in found.items():
                summary.add(block[name])
        if not n_rows:
            raise ConfigurationError("The files have no rows.")
        say(f"counted {n_rows:,} rows")
        binarizer = packing.fresh_binarizer()
        points = binarizer.cut_points or {}
        while _wanting(found, binarizer, points):
            for block in blocks:
                for name, summary in found.items():
                    summary.look(block[name])
            for summary in found.values():
                if summary.numbers is not None:
                    summary.numbers.passed()
            say("looked closer at number columns")
        negative, positive = _classes(found[packing.target], packing)
        return cls(
            n_rows=n_rows,
            classes=(str(negative), str(positive)),
            positive=positive,
            inputs={name: found[name].counted() for name in inputs},
            kinds={name: _kind(types[name]) for name in inputs},
            group_labels=tuple(Groups.encode(found[name].counted()[0], len(found[name].counted()[0])).labels[0]
                               for name in packing.sensitive),
        )  # fmt: skip


def _wanting(found: dict[str, ColumnSummary], binarizer: Binarizer, points: Any) -> bool:
    """Whether any column needs another pass; each is asked, so that all that need one share it."""
    asked = [
        summary.wants_more(binarizer.thresholds, int(binarizer.n_quantiles), points.get(name, ()))
        for name, summary in found.items()
    ]
    return any(asked)


def _kind(type: Any) -> str:
    types = pyarrow_or_advice().types
    if types.is_boolean(type):
        return "truth value"
    if types.is_duration(type):
        return "duration"
    if types.is_temporal(type):
        return "date"
    return "number" if types.is_integer(type) or types.is_floating(type) or types.is_decimal(type) else "category"


def _classes(target: ColumnSummary, packing: Packing) -> tuple[Any, Any]:
    """The negative and the positive value of the target."""
    if target.n_missing:
        raise ConfigurationError(
            f"{target.n_missing} rows have no value in {target.name!r}: leave such rows out of the files."
        )
    values = target.counted()[0].tolist()
    shown = ", ".join(map(str, values[:10]))
    if len(values) != 2:
        raise ConfigurationError(
            f"The column {target.name!r} has {len(values)} different values ({shown}): packed data are for two classes."
        )
    if packing.positive is None:
        chosen = [value for value in values if str(value).lower().removesuffix(".0") in _POSITIVE]
        if len(chosen) != 1:
            raise ConfigurationError(f"Say which value of {target.name!r} is positive, one of {shown}.")
    else:
        chosen = [value for value in values if str(value) == packing.positive]
        if not chosen:
            raise ConfigurationError(f"No row has {packing.positive!r} in {target.name!r}; its values are {shown}.")
    return next(value for value in values if value != chosen[0]), chosen[0]


@frozen(eq=False)
class _Rows:
    """Turns blocks into what partitions hold."""

    packing: Packing
    binarizer: Binarizer
    counted: _Counted

    def of(self, block: Any) -> tuple[BoolArray, BoolArray, NDArray[np.int32], IntArray]:
        """Conditions, labels, groups and weights of the rows of a block."""
        packing = self.packing
        features = self.binarizer.transform(block.select(list(self.counted.inputs)).to_pandas())
        target = pyarrow_or_advice().compute.equal(block[packing.target], self.counted.positive)
        labels = target.to_numpy().astype(bool)
        groups = np.zeros((block.num_rows, len(packing.sensitive)), dtype=np.int32)
        for at, (name, known) in enumerate(zip(packing.sensitive, self.counted.group_labels, strict=True)):
            encoded = Groups.encode(block[name].to_pandas(), block.num_rows)
            place = {label: number for number, label in enumerate(known)}
            numbers = np.array([*(place[label] for label in encoded.labels[0]), -1], dtype=np.int32)
            groups[:, at] = numbers[encoded.codes[:, 0]]
        return features, labels, groups, self._weights(block)

    def _weights(self, block: Any) -> IntArray:
        if self.packing.weight is None:
            return np.ones(block.num_rows, dtype=np.int64)
        column: pd.Series[Any] = block[self.packing.weight].to_pandas()
        weights = column.to_numpy(dtype=np.float64, na_value=np.nan)
        whole = (weights == np.round(weights)) & (weights >= 1) & (weights < LARGEST_WEIGHT)
        if not whole.all():
            raise ConfigurationError(
                f"Weights of packed rows are whole numbers from 1 to 2^31, so that every sum is exact; the column "
                f"{self.packing.weight!r} holds {weights[~whole][0]:g}. Multiply and round them, and leave out rows "
                "of weight 0."
            )
        return weights.astype(np.int64)


def say_on_stderr(sentence: str) -> None:
    """Tell how packing goes on, where it does not mix with results."""
    print(sentence, file=sys.stderr, flush=True)
