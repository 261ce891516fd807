"""Input tables of every kind: what columns hold, how they are named, spelled, separated, sized, and what is missing."""

from __future__ import annotations

import decimal
import gzip
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rulecg

from .attempts import Attempt, command

N = 48
SIGNAL = np.arange(N) % 3 == 0

COLUMNS: dict[str, Callable[[np.ndarray], Any]] = {
    "float64": lambda s: np.where(s, 2.5, -1.5),
    "float32": lambda s: np.where(s, 2.5, -1.5).astype(np.float32),
    "float16": lambda s: np.where(s, 2.5, -1.5).astype(np.float16),
    "int8": lambda s: np.where(s, 100, -100).astype(np.int8),
    "int64": lambda s: np.where(s, 3, 7),
    "uint8": lambda s: np.where(s, 3, 255).astype(np.uint8),
    "uint64 at its maximum": lambda s: np.where(s, 2**64 - 1, 2**64 - 5000).astype(np.uint64),
    "int64 beyond 2^53": lambda s: np.where(s, 2**53 + 1, 2**53 + 3).astype(np.int64),
    "bool": lambda s: s,
    "nullable bool": lambda s: pd.array(s, dtype="boolean"),
    "nullable int": lambda s: pd.array(np.where(s, 1, 5), dtype="Int64"),
    "nullable float": lambda s: pd.array(np.where(s, 1.5, 5.5), dtype="Float64"),
    "text": lambda s: np.where(s, "yes please", "no"),
    "string dtype": lambda s: pd.array(np.where(s, "a", "b"), dtype="string"),
    "category": lambda s: pd.Categorical(np.where(s, "a", "b")),
    "ordered category": lambda s: pd.Categorical(np.where(s, "low", "high"), ["low", "mid", "high"], ordered=True),
    "category with unused values": lambda s: pd.Categorical(np.where(s, "a", "b"), list("abcdefg")),
    "category of numbers": lambda s: pd.Categorical(np.where(s, 1, 2)),
    "text of digits": lambda s: np.where(s, "007", "7"),
    "empty text": lambda s: np.where(s, "", "x"),
    "blanks": lambda s: np.where(s, " ", "  "),
    "emoji": lambda s: np.where(s, "🎉", "👩‍👩‍👧"),
    "right to left": lambda s: np.where(s, "שלום", "مرحبا"),
    "quotes and commas": lambda s: np.where(s, 'a "b", c', "d;e\tf"),
    "line breaks": lambda s: np.where(s, "a\nb", "a b"),
    "words for true and false": lambda s: np.where(s, "True", "False"),
    "yes and no": lambda s: np.where(s, "yes", "no"),
    "words for missing": lambda s: np.where(s, "NA", "null"),
    "datetime": lambda s: pd.to_datetime(np.where(s, "2020-01-01", "2021-06-01")),
    "datetime with zone": lambda s: pd.to_datetime(np.where(s, "2020-01-01", "2021-06-01")).tz_localize("UTC"),
    "timedelta": lambda s: pd.to_timedelta(np.where(s, 1, 5), unit="D"),
    "period": lambda s: pd.PeriodIndex(np.where(s, "2020-01", "2021-06"), freq="M"),
    "complex": lambda s: np.where(s, 1 + 2j, 3.0),
    "decimal": lambda s: [decimal.Decimal("1.5") if each else decimal.Decimal("9.25") for each in s],
    "integers of 400 digits": lambda s: [10**400 if each else -(10**400) for each in s],
    "lists": lambda s: [[1] if each else [2] for each in s],
    "dictionaries": lambda s: [{"a": 1} if each else {} for each in s],
    "bytes": lambda s: [b"a" if each else b"\xff" for each in s],
    "numbers and text mixed": lambda s: [1 if each else "one" for each in s],
    "true and 1 mixed": lambda s: [True if each else 5 for each in s],
    "sparse": lambda s: pd.arrays.SparseArray(s.astype(float)),
    "intervals": lambda s: pd.arrays.IntervalArray.from_arrays(np.where(s, 0, 5), np.where(s, 1, 6)),
    "huge": lambda s: np.where(s, 1e308, -1e308),
    "tiny": lambda s: np.where(s, 5e-324, 0.0),
    "negative zero": lambda s: np.where(s, 1.0, -0.0),
    "constant": lambda s: np.zeros(len(s)),
    "identifiers": lambda s: [f"person {at}" for at in range(len(s))],
}
MISSING: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "nothing missing": lambda s: np.zeros(len(s), bool),
    "one missing": lambda s: np.arange(len(s)) == 4,
    "a third missing": lambda s: np.arange(len(s)) % 3 == 1,
    "missing exactly where positive": lambda s: s,
    "all missing": lambda s: np.ones(len(s), bool),
}
NAMES: list[Any] = [
    "", " ", "a b", "a,b", 'say "hi"', "a\nb", "x" * 5000, "é", "👩‍👩‍👧", "\u202eabc", "1", "a > 3", "not a",
    "AND", "index", "__class__", "{x}", "%s", "<b>", "'; DROP TABLE t; --", "\x1b[31m", "=1+1", 0, -1, 1.5, None, True,
    ("a", "b"), float("nan"), pd.Timestamp("2020-01-01"), "y ", "Y", "prediction", "weight",
]  # fmt: skip
LABELS: dict[str, Callable[[np.ndarray], Any]] = {
    "bool": lambda s: s,
    "0 and 1": lambda s: s.astype(int),
    "1 and 2": lambda s: s + 1,
    "-1 and 1": lambda s: np.where(s, 1, -1),
    "text": lambda s: np.where(s, "good", "bad"),
    "float": lambda s: s.astype(float),
    "three classes": lambda s: np.arange(len(s)) % 3,
    "nullable": lambda s: pd.array(s, dtype="boolean"),
    "category": lambda s: pd.Categorical(np.where(s, "good", "bad")),
    "one class": lambda s: np.ones(len(s)),
    "missing labels": lambda s: np.where(s, 1.0, np.nan),
    "infinite": lambda s: np.where(s, np.inf, 0),
    "continuous": lambda s: np.linspace(0, 1, len(s)),
    "a class per row": lambda s: [f"c{at}" for at in range(len(s))],
    "mixed types": lambda s: [1 if each else "no" for each in s],
    "too short": lambda s: s[:-1],
    "two columns": lambda s: np.column_stack([s, s]),
    "empty": lambda s: [],
    "None": lambda s: None,
    "text of numbers": lambda s: np.where(s, "1", "0"),
}
SIZES = [(0, 2), (1, 1), (2, 1), (2, 0), (3, 500), (5, 1), (200, 40), (2000, 3)]
FITS_EXACTLY = {
    "float64", "float32", "float16", "int8", "int64", "uint8", "bool", "nullable bool", "nullable int",
    "nullable float", "text", "string dtype", "category", "text of digits", "emoji", "right to left",
}  # fmt: skip
"""Kinds of columns in which the label can be read off, so that one condition must be right on every row."""


def _classifier() -> rulecg.RuleSetClassifier:
    return rulecg.RuleSetClassifier(max_complexity=4, max_conditions=2, time_limit=20, random_state=0)


def check_fit(X: Any, y: Any, *, exact: bool = False) -> None:
    """Fit, and count the answer's errors by its predictions; ``exact`` says that there is a rule without errors."""
    model = _classifier().fit(X, y)
    predicted = np.asarray(model.predict(X))
    wrong = int(np.sum(predicted != np.asarray(y)))
    assert len(predicted) == len(y)
    if len(model.classes_) == 2:
        assert wrong == model.result_.errors, f"{wrong} errors by predictions, {model.result_.errors} by the result"
    assert not exact or wrong == 0, f"{wrong} errors where one condition makes none"


def _column(kind: str, gap: str, folder: Path) -> None:
    values = pd.Series(COLUMNS[kind](SIGNAL))
    absent = MISSING[gap](SIGNAL)
    if absent.any():
        values = values.astype(object).where(~absent, None) if values.dtype.kind in "biuc" else values.mask(absent)
    table = pd.DataFrame({"a": values, "noise": np.arange(N) % 5})
    check_fit(table, SIGNAL, exact=kind in FITS_EXACTLY and gap == "nothing missing")


def _named(name: Any, folder: Path) -> None:
    table = pd.DataFrame({"first": np.where(SIGNAL, 2.5, -1.5), "other": np.arange(N) % 5})
    table.columns = [name, "other"]
    check_fit(table, SIGNAL, exact=True)


def _labelled(kind: str, folder: Path) -> None:
    check_fit(pd.DataFrame({"a": np.arange(N) % 3, "b": np.arange(N) % 5}), LABELS[kind](SIGNAL))


def _sized(rows: int, columns: int, folder: Path) -> None:
    X = np.random.default_rng(0).integers(0, 9, (rows, columns)).astype(float)
    y = np.arange(rows) % 2 == 0 if columns == 0 else X[:, 0] > 4
    check_fit(X, y)


def _written(encoding: str, separator: str, ending: str, packed: bool, folder: Path) -> None:
    """A file fitted and predicted by the command line gives the labels back, or is refused by both."""
    lines = [separator.join(("größe", "b", "y"))]
    lines += [
        separator.join(("3" if each else "8", "ja" if at % 5 else "nö", str(int(each))))
        for at, each in enumerate(SIGNAL)
    ]
    data = ending.join(lines).encode(encoding)
    path = folder / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    model = folder / "m.json"
    options = ("--target", "y", "--separator", separator, "--max-complexity", "4", "--quiet", "--time-limit", "20")
    command("fit", path, *options, "--out", model)
    found = command("predict", model, path, "--separator", separator).split()[1:]
    assert found == [str(int(s)) for s in SIGNAL], "predictions of a readable file differ from its labels"


def attempts() -> Iterator[Attempt]:
    """Every kind of table."""
    room = "input tables"
    for kind in COLUMNS:
        for gap in MISSING:
            yield Attempt(room, f"a column of {kind}, {gap}", partial(_column, kind, gap))
    for name in NAMES:
        yield Attempt(room, f"a column named {name!r:.40}", partial(_named, name))
    for kind in LABELS:
        yield Attempt(room, f"labels: {kind}", partial(_labelled, kind))
    for rows, columns in SIZES:
        yield Attempt(room, f"{rows} rows, {columns} columns", partial(_sized, rows, columns))
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-32", "cp037"):
        for separator in (",", ";", "\t", "|"):
            for ending in ("\n", "\r\n", "\r"):
                for packed in (False, True):
                    name = f"file: {encoding}, {separator!r}, {ending!r}{', packed' if packed else ''}"
                    yield Attempt(room, name, partial(_written, encoding, separator, ending, packed))
