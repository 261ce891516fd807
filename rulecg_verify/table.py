"""The raw table: conditions are evaluated on it, equal rows become one sample, and all is hashed."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .certificate_file import Certificate, Column, Condition, IntArray, Refused

BoolArray = NDArray[np.bool_]
TRUE_WORDS = frozenset({"true", "t", "yes", "y", "1", "1.0", "on"})
FALSE_WORDS = frozenset({"false", "f", "no", "n", "0", "0.0", "off"})


@dataclass(frozen=True)
class Samples:
    """Distinct rows in the order of their patterns, as the learner of an OR of ANDs sees them (CNF is negated)."""

    holds: BoolArray
    """Samples × conditions."""
    miss: IntArray
    """What not covering each sample costs."""
    cover: IntArray
    """What each rule that covers it costs."""
    n_rows: int
    digest: str

    @property
    def positives(self) -> IntArray:
        """The samples that have a price in the certificate: those that cost something when missed."""
        return np.flatnonzero(self.miss > 0).astype(np.int64)


def read_samples(certificate: Certificate, path: Path | str) -> Samples:
    """Read the table, evaluate the conditions, and merge equal rows."""
    header, rows = _rows(path, certificate.separator)
    at = {name: place for place, name in enumerate(header)}
    texts: dict[str, list[str]] = {}
    for name in {c.column for c in (*certificate.conditions, *certificate.target)} | ({certificate.weight} - {None}):
        if name not in at:
            raise Refused(f"The table has no column {name!r}.")
        texts[str(name)] = [row[at[name]] for row in rows]
    parsed = {name: _parsed(texts[name], column, name) for name, column in certificate.columns.items() if name in texts}
    holds = np.array([_holds(condition, *parsed[condition.column]) for condition in certificate.conditions])
    label = np.logical_or.reduce([_holds(condition, *parsed[condition.column]) for condition in certificate.target])
    weights = np.ones(len(rows), dtype=np.int64) if certificate.weight is None else _weights(texts[certificate.weight])
    miss, cover = label * weights * certificate.false_negative, ~label * weights * certificate.false_positive
    if certificate.logic == "cnf":
        holds, miss, cover = ~holds, cover, miss
    keys = np.concatenate([np.packbits(holds.T, axis=1), (miss > cover)[:, None].astype(np.uint8)], axis=1)
    return _merged(holds.T, keys, miss, cover, certificate)


def _rows(path: Path | str, separator: str) -> tuple[list[str], list[list[str]]]:
    try:
        with open(path, "rb") as start:
            opened = gzip.open if start.read(2) == b"\x1f\x8b" else open
        with opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
            rows = [row for row in csv.reader(stream, delimiter=separator, skipinitialspace=True) if row]
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, TypeError) as error:
        raise Refused(f"The table {path} cannot be read: {error}.") from None
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows) or len(set(rows[0])) < len(rows[0]):
        raise Refused(f"The table {path} needs a header of different names, and rows with as many values.")
    return rows[0], rows[1:]


def _parsed(texts: list[str], column: Column, name: str) -> tuple[NDArray[np.generic], BoolArray]:
    """The values of a column, and which are missing."""
    missing = np.array([text in column.missing for text in texts])
    if column.kind == "category":
        return np.array(texts, dtype=object), missing  # type: ignore[return-value]
    if column.kind == "number":
        return np.array([math.nan if gone else _number(t, name) for t, gone in zip(texts, missing, strict=True)]), missing
    words = [text.strip().lower() for text in texts]
    unknown = np.array([word not in TRUE_WORDS and word not in FALSE_WORDS for word in words])
    return np.array([word in TRUE_WORDS for word in words]), missing | unknown


def _number(text: str, name: str) -> float:
    try:
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if math.isnan(number) or (abs(number) >= 2**53 and math.isfinite(number)):
        raise Refused(f"Column {name!r} holds {text[:40]!r} where a number below 2^53 belongs.")
    return number


def _weights(texts: list[str]) -> IntArray:
    if not all(text.isascii() and text.isdigit() and 0 < len(text) < 7 for text in texts):
        raise Refused("The weights of rows must be whole numbers from 0 to 999999.")
    return np.array([int(text) for text in texts], dtype=np.int64)


def _holds(condition: Condition, values: NDArray[np.generic], missing: BoolArray) -> BoolArray:
    """Where the condition holds; a missing value fulfils no comparison."""
    if condition.operator in ("missing", "present"):
        return missing == (condition.operator == "missing")
    if condition.operator in ("true", "false"):
        return ~missing & (values == (condition.operator == "true"))
    value = _number(condition.value, condition.column) if values.dtype.kind == "f" else condition.value
    if condition.operator in ("==", "!="):
        return ~missing & ((values == value) == (condition.operator == "=="))
    return ~missing & ((values <= value) == (condition.operator == "<="))  # type: ignore[operator]


def _merged(
    holds: BoolArray, keys: NDArray[np.uint8], miss: IntArray, cover: IntArray, certificate: Certificate
) -> Samples:
    lines = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).ravel()
    _, first, inverse = np.unique(lines, return_index=True, return_inverse=True)
    total = 0
    known: dict[bytes, int] = {}
    for key, missing, covering in zip(keys, miss.tolist(), cover.tolist(), strict=True):
        row = key.tobytes() + missing.to_bytes(8, "big") + covering.to_bytes(8, "big")
        if row not in known:
            known[row] = int.from_bytes(hashlib.sha256(row).digest(), "big")
        total += known[row]
    words = json.dumps(certificate.described, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    digest = hashlib.sha256(words.encode("ascii") + (total % 2**256).to_bytes(32, "big")).hexdigest()
    merged = [np.zeros(len(first), dtype=np.int64) for _ in range(2)]
    for sums, costs in zip(merged, (miss, cover), strict=True):
        np.add.at(sums, inverse.ravel(), costs)
    return Samples(holds[first], merged[0], merged[1], len(keys), digest)
