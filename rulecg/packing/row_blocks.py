"""Rows of Parquet and CSV files, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from rulecg_core import ConfigurationError

BLOCK_ROWS = 1 << 17
"""So many rows are in memory as a table at a time."""
CSV_BYTES = 1 << 25
"""So many bytes of a CSV file are parsed at a time; what its columns hold is decided by the first so many."""


def pyarrow_or_advice() -> Any:
    """Import pyarrow, or say how to get it."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError:
        raise ConfigurationError("Packing tables needs pyarrow: pip install 'rulecg[parquet]'.") from None
    return pyarrow


def _as_paths(sources: Any) -> tuple[Path, ...]:
    return tuple(Path(source) for source in ([sources] if isinstance(sources, (str, Path)) else sources))


@frozen
class RowBlocks:
    """The rows of one file or several, in blocks; every pass over them opens the files anew.

    Parameters
    ----------
    sources : path or sequence of paths
        Parquet files, or CSV files (also gzip-compressed), all with the same columns.
    separator : str
        The one character between the values of a CSV file.
    na_values : sequence of str
        Further texts that stand for a missing value in CSV files.
    block_rows : int
        How many rows a block has at most.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "people.csv")
    ...     _ = file.write_text("age,job\\n31,cook\\n45,nurse\\n")
    ...     [block.num_rows for block in RowBlocks([file])]
    [2]
    """

    sources: tuple[Path, ...] = field(converter=_as_paths)
    separator: str = ","
    na_values: Sequence[str] = ()
    block_rows: int = BLOCK_ROWS

    def __attrs_post_init__(self) -> None:
        if not self.sources:
            raise ConfigurationError("There is nothing to pack: name at least one Parquet or CSV file.")
        for source in self.sources:
            if not source.is_file():
                raise ConfigurationError(f"{source} does not exist or is no file: give Parquet or CSV files.")

    def __iter__(self) -> Iterator[Any]:
        arrow = pyarrow_or_advice()
        schema = self.schema
        for source in self.sources:
            try:
                for batch in self._batches(source, schema):
                    for start in range(0, batch.num_rows, self.block_rows):
                        yield arrow.table(batch.slice(start, self.block_rows))
            except (arrow.ArrowException, OSError) as error:
                raise ConfigurationError(
                    f"Cannot read {source}: {str(error)[:300]}. All files need the same columns with the same types; "
                    "CSV files take their types from the beginning of the first one, so texts must appear there."
                ) from None

    @property
    def schema(self) -> Any:
        """Names and types of the columns, by the first file."""
        arrow = pyarrow_or_advice()
        first = self.sources[0]
        try:
            if _is_parquet(first):
                return arrow.parquet.read_schema(first).remove_metadata()
            with self._csv(first, None) as reader:
                return reader.schema
        except (arrow.ArrowException, OSError) as error:
            raise ConfigurationError(f"Cannot read {first}: {str(error)[:300]}.") from None

    def _batches(self, source: Path, schema: Any) -> Iterator[Any]:
        arrow = pyarrow_or_advice()
        names = schema.names
        if _is_parquet(source):
            with arrow.parquet.ParquetFile(source) as file:
                found = file.schema_arrow.remove_metadata()
                if found != schema:
                    raise ConfigurationError(
                        f"{source} has other columns or types than {self.sources[0]}: all files need the same."
                    )
                yield from (batch.select(names) for batch in file.iter_batches(self.block_rows))
            return
        with self._csv(source, schema) as reader:
            for batch in reader:
                if batch.schema.names != names:
                    raise ConfigurationError(f"{source} has other columns than {self.sources[0]}.")
                yield batch

    def _csv(self, source: Path, schema: Any) -> Any:
        csv = pyarrow_or_advice().csv
        nulls = [*csv.ConvertOptions().null_values, *self.na_values]
        return csv.open_csv(
            source,
            read_options=csv.ReadOptions(block_size=CSV_BYTES),
            parse_options=csv.ParseOptions(delimiter=self.separator),
            convert_options=csv.ConvertOptions(
                null_values=nulls, strings_can_be_null=True, column_types=None if schema is None else schema
            ),
        )


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == b"PAR1"
