"""Tables from files: CSV, gzip-compressed CSV and Parquet, with bounds on what a stranger's file may do."""

from __future__ import annotations

import gzip
import re
import shutil
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from rulecg_core import ConfigurationError, RulecgWarning
from rulecg_core.data.conditions import as_truth_values

MAX_LINE = 512 * 2**10
"""A line of this many bytes, or a somewhat longer one, is taken for a mistake."""
MAX_COLUMNS = 20_000
STANDARD_INPUT = "-"
"""In place of a file's name: the table comes from standard input."""
KEPT_IN_MEMORY = 64 * 2**20
"""Pipes beyond this many bytes are put into a temporary file."""
_EXACT = {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
"""What makes pandas read a number as the float nearest to it; before 3.1 it may be the one beside it."""
_WRITTEN = {
    "date": re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?"),
    "duration": re.compile(r"-?\d+ days?( \d\d:\d\d:\d\d(\.\d{1,6})?)?"),
}
"""How dates and durations stand in CSV files: ISO 8601, and as pandas writes durations."""
_EXAMPLES = {"date": "dates as 2024-03-31 or 2024-03-31 14:30", "duration": "durations as 3 days 04:30:00"}
_ZONE = re.compile(r":\d\d.*(Z|[+-]\d\d:?\d\d)$")
_KINDS_OF_FILE = "give a CSV file (.csv, .csv.gz) or a Parquet file (.parquet)"


def read_table(
    path: Path | str,
    *,
    separator: str = ",",
    kinds: Mapping[str, str] | None = None,
    na_values: Sequence[str] = (),
) -> pd.DataFrame:
    """Read the table in a file; what the file holds decides whether it is CSV, gzip-compressed CSV or Parquet.

    Parameters
    ----------
    path
        A file, a pipe such as ``/dev/stdin``, or ``-`` for standard input.
    separator
        The one character between the values of a CSV file; ``\\t`` written out is a tab.
    kinds
        What the columns held when a model was learned: a ``"category"`` is read as text, so that codes such as 007
        stay what they are, a ``"truth value"`` as true, false or missing, however it is spelled, a ``"date"`` or
        ``"duration"`` as one. Columns of a CSV file that are not named here and hold nothing but ISO dates (2024-03-31,
        or with a time) are read as dates, and those of durations as pandas writes them (3 days 04:30:00) as such.
    na_values
        Further texts that stand for a missing value, such as ``?``.

    Returns
    -------
    pandas.DataFrame
        Named columns and numbered rows. An index with a name, as Parquet files of pandas may have, is a column.

    Raises
    ------
    ConfigurationError
        When the file cannot be read, or its header and its rows do not fit together.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.csv")
    ...     _ = file.write_text("code;age\\n007;31\\n008;45\\n")
    ...     read_table(file, separator=";", kinds={"code": "category"}).to_dict("list")
    {'code': ['007', '008'], 'age': [31, 45]}
    """
    separator = _checked_separator(separator)
    kinds = kinds or {}
    with _opened(path) as stream:
        start = stream.read(4)
        stream.seek(0)
        if start == b"PAR1":
            table = _read_parquet(stream, path)
        elif str(path).lower().endswith((".parquet", ".pq")):
            raise ConfigurationError(f"Cannot read {path} as Parquet: it does not begin as such files do.")
        else:
            compression = "gzip" if start[:2] == b"\x1f\x8b" else None
            _check_lines(stream, path, compression)
            table = _dated(_read_csv(stream, path, separator, kinds, compression, na_values), kinds, path)
    if table.shape[1] > MAX_COLUMNS:
        raise ConfigurationError(f"{path} has {table.shape[1]} columns; at most {MAX_COLUMNS} are taken.")
    if not len(table):
        raise ConfigurationError(f"{path} has no rows.")
    _refuse_repeated([str(name) for name in table.columns], path)
    return _with_truth_values(table.set_axis([str(name) for name in table.columns], axis=1), kinds)


def _checked_separator(separator: str) -> str:
    separator = "\t" if separator == "\\t" else separator
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
        raise ConfigurationError(
            f"The separator must be one character such as , or ; or \\t for a tab, not {separator!r:.40}."
        )
    return separator


@contextmanager
def _opened(path: Path | str) -> Iterator[BinaryIO]:
    """The bytes of a file, or of a pipe, which is read to its end first because a table is looked at twice."""
    try:
        if str(path) == STANDARD_INPUT:
            if sys.stdin is None:
                raise ConfigurationError(f"Standard input is closed: {_KINDS_OF_FILE}.")
            with _spooled(sys.stdin.buffer, "standard input") as copy:
                yield copy
            return
        if Path(path).is_dir() or not Path(path).exists():
            what = "is a folder, not a file" if Path(path).is_dir() else "does not exist"
            raise ConfigurationError(f"{path} {what}: {_KINDS_OF_FILE}.")
        with Path(path).open("rb") as stream:
            if Path(path).is_file():
                yield stream
            else:
                with _spooled(stream, path) as copy:
                    yield copy
    except (OSError, ValueError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"Cannot read {path}: {getattr(error, 'strerror', None) or error}.") from None


@contextmanager
def _spooled(stream: Any, path: Path | str) -> Iterator[BinaryIO]:
    with tempfile.SpooledTemporaryFile(KEPT_IN_MEMORY) as copy:
        start = stream.read(MAX_LINE)
        if b"\x00" in start and start[:4] != b"PAR1" and start[:2] != b"\x1f\x8b":
            raise ConfigurationError(f"{path} is not text: {_KINDS_OF_FILE}.")
        copy.write(start)
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy  # type: ignore[misc]


def _check_lines(stream: BinaryIO, path: Path | str, compression: str | None) -> None:
    """Refuse lines without end before a parser tries to hold them."""
    text: Any = gzip.GzipFile(fileobj=stream) if compression else stream
    try:
        chunk = text.read(MAX_LINE)
        if b"\x00" in chunk:
            raise ConfigurationError(f"{path} is not text: {_KINDS_OF_FILE}.")
        while len(chunk) == MAX_LINE:
            if b"\n" not in chunk and b"\r" not in chunk:
                raise ConfigurationError(
                    f"{path} has a line of more than {MAX_LINE // 2**10} KB. It is probably not a CSV file, or a "
                    "quotation mark is not closed."
                )
            chunk = text.read(MAX_LINE)
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(f"Cannot read {path}: {error}.") from None
    stream.seek(0)


def _read_csv(
    stream: BinaryIO,
    path: Path | str,
    separator: str,
    kinds: Mapping[str, str],
    compression: Any,
    na_values: Sequence[str],
) -> pd.DataFrame:
    settings: dict[str, Any] = {"sep": separator, "compression": compression, "skipinitialspace": True}
    try:
        header = pd.read_csv(stream, header=None, nrows=1, dtype=str, keep_default_na=False, **settings).iloc[0]
        # pandas would rename the second of two equal names, so that a repeated target became an input.
        _refuse_repeated([name for name in header.tolist() if name], path)
        stream.seek(0)
        texts = {name: str for name in header.tolist() if kinds.get(name) in ("category", "truth value")}
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # Without index_col pandas would take the first value of rows that are too long for an index.
            settings |= {"na_values": list(na_values), "low_memory": False, "index_col": False, **_EXACT}
            return pd.read_csv(stream, dtype=texts, **settings)
    except pd.errors.ParserWarning:
        raise ConfigurationError(
            f"The rows of {path} have more values than its header has names, so that nobody can say which value "
            "belongs to which column: add the missing name, or put values that hold a separator in quotation marks."
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, ValueError, OSError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"Cannot read {path} as CSV: {str(error).strip()[:200]}.") from None


def _dated(table: pd.DataFrame, kinds: Mapping[str, str], path: Path | str) -> pd.DataFrame:
    """Texts that are dates or durations as such; nothing is taken for one that could be read in two ways."""
    changed = {}
    for name in table.columns:
        kind = kinds.get(str(name))
        if kind not in (None, *_WRITTEN) or pd.api.types.is_numeric_dtype(table[name].dtype):
            continue
        texts = table[name].dropna()
        distinct = [str(text) for text in texts.unique()]
        for wanted in (kind,) if kind else _WRITTEN:
            if distinct and all(map(_WRITTEN[wanted].fullmatch, distinct)):
                with suppress(ValueError):  # 2024-02-31
                    changed[name] = _parsed(table[name], wanted, distinct)
        if kind and distinct and name not in changed:
            raise ConfigurationError(
                f"Column {str(name)!r:.80} of {path} held {kind}s when the rules were learned, but now holds values "
                f"such as {distinct[0]!r:.60}: write {_EXAMPLES[kind]}."
            )
    return table.assign(**changed)


def _parsed(column: pd.Series[Any], kind: str, distinct: Sequence[str]) -> pd.Series[Any]:
    if kind == "duration":
        return pd.to_timedelta(column)
    return pd.to_datetime(column, format="ISO8601", utc=any(map(_ZONE.search, distinct)))


def _refuse_repeated(names: list[str], path: Path | str) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigurationError(f"{path} has two columns called {twice!r:.80}: rename one.")


def _read_parquet(stream: BinaryIO, path: Path | str) -> pd.DataFrame:
    try:
        table = pd.read_parquet(stream, engine="pyarrow")
    except ImportError:
        raise ConfigurationError(f"Reading {path} needs pyarrow: pip install pyarrow, or save it as CSV.") from None
    except Exception as error:  # pyarrow's own errors share no base class with Python's
        raise ConfigurationError(f"Cannot read {path} as Parquet: {str(error)[:200]}.") from None
    for level, name in enumerate(table.index.names):
        if name is not None and name in table:
            raise ConfigurationError(f"{path} has a column and an index called {name!r:.80}: rename one.")
        if name is not None:
            table[name] = table.index.get_level_values(level)
    # What is left of the index are row numbers, which have no name and say nothing about the rows.
    return table.reset_index(drop=True)


def _with_truth_values(table: pd.DataFrame, kinds: Mapping[str, str]) -> pd.DataFrame:
    """Columns that were truth values in training as such again; what else stands there is told."""
    changed = {}
    for name, kind in kinds.items():
        if kind != "truth value" or name not in table or pd.api.types.is_bool_dtype(table[name].dtype):
            continue
        column = table[name]
        truth, known = as_truth_values(column)
        changed[name] = pd.Series(truth, index=column.index, dtype=object).where(known, None)
        others = column[column.notna().to_numpy() & ~known]
        if len(others):
            examples = ", ".join(repr(str(text)) for text in others.unique()[:3])
            values, are, count = ("value", "is", "counts") if len(others) == 1 else ("values", "are", "count")
            warnings.warn(
                f"{len(others)} {values} of column {name!r}, which held truth values when the rules were learned, "
                f"{are} neither true nor false ({examples}) and {count} as missing.",
                RulecgWarning,
                stacklevel=3,
            )
    return table.assign(**changed)
