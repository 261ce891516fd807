"""Tables from files: CSV, gzip-compressed CSV and Parquet, with bounds on what a stranger's file may do."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rulecg_core import ConfigurationError

MAX_LINE = 512 * 2**10
"""A line of this many bytes, or a somewhat longer one, is taken for a mistake."""
MAX_COLUMNS = 20_000
PARQUET = (".parquet", ".pq")


def read_table(path: Path | str, *, separator: str = ",", kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The table in a file. ``kinds`` says which columns are categories, so that codes such as 007 stay text."""
    path = Path(path)
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise ConfigurationError(f"{path} {what}: give a CSV file (.csv, .csv.gz) or a Parquet file (.parquet).")
    if path.suffix.lower() in PARQUET:
        table = _read_parquet(path)
    else:
        _check_lines(path)
        table = _read_csv(path, separator, kinds or {})
    if table.shape[1] > MAX_COLUMNS:
        raise ConfigurationError(f"{path} has {table.shape[1]} columns; at most {MAX_COLUMNS} are taken.")
    if not len(table):
        raise ConfigurationError(f"{path} has no rows.")
    names = [str(name) for name in table.columns]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise ConfigurationError(f"{path} has two columns called {twice!r:.80}: rename one.")
    return table.set_axis(names, axis=1)


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _check_lines(path: Path) -> None:
    """Refuse lines without end before a parser tries to hold them."""
    opener: Any = gzip.open if _is_gzip(path) else open
    try:
        with opener(path, "rb") as stream:
            chunk = stream.read(MAX_LINE)
            if b"\x00" in chunk:
                raise ConfigurationError(f"{path} is not text: give a CSV file (.csv, .csv.gz) or a .parquet file.")
            while len(chunk) == MAX_LINE:
                if b"\n" not in chunk and b"\r" not in chunk:
                    raise ConfigurationError(
                        f"{path} has a line of more than {MAX_LINE // 2**10} KB. It is probably not a CSV file, or a "
                        "quotation mark is not closed."
                    )
                chunk = stream.read(MAX_LINE)
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(f"Cannot read {path}: {error}.") from None


def _read_csv(path: Path, separator: str, kinds: Mapping[str, str]) -> pd.DataFrame:
    compression: Any = "gzip" if _is_gzip(path) else None
    try:
        with path.open("rb") as raw, gzip.open(raw) if compression else raw as stream:
            header = pd.read_csv(stream, sep=separator, nrows=0, skipinitialspace=True).columns
        as_text = {name: str for name in header if kinds.get(str(name)) == "category"}
        return pd.read_csv(
            path, sep=separator, compression=compression, skipinitialspace=True, dtype=as_text, low_memory=False
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, ValueError, OSError) as error:
        raise ConfigurationError(f"Cannot read {path} as CSV: {str(error).strip()[:200]}.") from None


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        return pd.read_parquet(path, engine="pyarrow")
    except ImportError:
        raise ConfigurationError(f"Reading {path} needs pyarrow: pip install pyarrow, or save it as CSV.") from None
    except Exception as error:  # pyarrow's own errors share no base class with Python's
        raise ConfigurationError(f"Cannot read {path} as Parquet: {str(error)[:200]}.") from None


def write_text(path: Path | str, text: str) -> None:
    """Write a result; an error that says why when it cannot be."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"Cannot write {path}: {error.strerror or error}.") from None
