"""The raw table: conditions are evaluated on it, equal rows become one sample, and all is hashed."""

import csv
import gzip
import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .certificate_file import IntArray, Refused

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
        return np.flatnonzero(self.miss > 0)


def read_samples(described: dict[str, Any], path: Path | str) -> Samples:
    """Read the table, evaluate the conditions, and merge equal rows."""
    rows, problem = _rows(path, described["table"]["separator"]), described["problem"]
    texts = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    used = {condition[0] for condition in described["conditions"] + described["target"]}
    if not used | set(described["weight"]) <= set(texts):
        raise Refused(f"The table lacks the columns {sorted((used | set(described['weight'])) - set(texts))}.")
    parsed = {name: _parsed(texts[name], described["table"]["columns"][name], name) for name in used}
    holds = np.array([_holds(condition, *parsed[condition[0]]) for condition in described["conditions"]])
    label = np.logical_or.reduce([_holds(condition, *parsed[condition[0]]) for condition in described["target"]])
    weights = _weights(texts[described["weight"][0]]) if described["weight"] else np.ones(len(label), dtype=np.int64)
    miss, cover = label * weights * problem["false_negative"], ~label * weights * problem["false_positive"]
    if problem["logic"] == "cnf":
        holds, miss, cover = ~holds, cover, miss
    keys = np.concatenate([np.packbits(holds.T, axis=1), (miss > cover)[:, None].astype(np.uint8)], axis=1)
    lines = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.shape[1]))).ravel()
    _, first, inverse = np.unique(lines, return_index=True, return_inverse=True)
    sums = np.zeros((2, len(first)), dtype=np.int64)
    for total, costs in zip(sums, (miss, cover), strict=True):
        np.add.at(total, inverse.ravel(), costs)
    return Samples(holds.T[first], sums[0], sums[1], len(label), _digest(described, keys, miss, cover))


def _rows(path: Path | str, separator: str) -> list[list[str]]:
    try:
        with open(path, "rb") as start:
            opened: Any = gzip.open if start.read(2) == b"\x1f\x8b" else open
        with opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
            rows = [row for row in csv.reader(stream, delimiter=separator, skipinitialspace=True) if row]
    except (OSError, EOFError, ValueError, TypeError, csv.Error) as error:
        raise Refused(f"The table {path} cannot be read: {error}.") from None
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows) or len(set(rows[0])) < len(rows[0]):
        raise Refused(f"The table {path} needs a header of different names, and rows with as many values.")
    return rows


def _parsed(texts: tuple[str, ...], column: dict[str, Any], name: str) -> tuple[NDArray[Any], BoolArray]:
    """The values of a column, and which are missing."""
    tokens = set(column["missing"])
    missing = np.array([text in tokens for text in texts])
    if column["type"] == "category":
        return np.array(texts, dtype=object), missing
    if column["type"] == "number":
        return np.array([math.nan if text in tokens else _number(text, name) for text in texts]), missing
    words = [text.strip().lower() for text in texts]
    known = np.array([word in TRUE_WORDS or word in FALSE_WORDS for word in words])
    return np.array([word in TRUE_WORDS for word in words]), missing | ~known


def _number(text: str, name: str) -> float:
    try:
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        number = math.nan
    if math.isnan(number) or 2**53 <= abs(number) < math.inf:
        raise Refused(f"Column {name!r} holds {text[:40]!r} where a number below 2^53 belongs.")
    return number


def _weights(texts: tuple[str, ...]) -> IntArray:
    if not all(text.isascii() and text.isdigit() and len(text) < 7 for text in texts):
        raise Refused("The weights of rows must be whole numbers from 0 to 999999.")
    return np.array([int(text) for text in texts], dtype=np.int64)


def _holds(condition: list[str], values: NDArray[Any], missing: BoolArray) -> BoolArray:
    """Where the condition holds; a missing value fulfils no comparison."""
    name, operator, text = condition
    if operator in ("missing", "present"):
        return missing == (operator == "missing")
    if operator in ("true", "false"):
        return ~missing & (values == (operator == "true"))
    value = _number(text, name) if values.dtype.kind == "f" else text
    met = values == value if operator in ("==", "!=") else values <= value
    return ~missing & (met == (operator in ("==", "<=")))


def _digest(described: dict[str, Any], keys: NDArray[np.uint8], miss: IntArray, cover: IntArray) -> str:
    """The hash of the description, and of rows in any order."""
    rows = (key.tobytes() + m.to_bytes(8, "big") + c.to_bytes(8, "big") for key, m, c in zip(
        keys, miss.tolist(), cover.tolist(), strict=True))  # fmt: skip
    total = sum(int.from_bytes(hashlib.sha256(row).digest(), "big") for row in rows) % 2**256
    words = json.dumps(described, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(words.encode("ascii") + total.to_bytes(32, "big")).hexdigest()
