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
    """Distinct rows that cost anything, as the learner of an OR of ANDs sees them (CNF is negated).

    The positives, which cost something when missed, come first; both kinds are in the order of their patterns.
    """

    holds: BoolArray
    """Samples × conditions."""
    miss: IntArray
    """What not covering each sample costs."""
    cover: IntArray
    """What each rule that covers it costs."""
    n_rows: int
    digest: str

    def counted(self, rules: list[list[int]]) -> tuple[BoolArray, IntArray]:
        """Rules × positives, and what each rule costs by what else it covers."""
        # The rule without conditions comes last, and goes: with no other there is an array of the right shape.
        covers = np.array([self.holds[:, rule].all(axis=1) for rule in [*rules, []]])[:-1]
        costs = np.array([self.cover[cover].sum() for cover in covers], dtype=np.int64)
        return covers[:, self.miss > 0], costs


def merged(described: dict[str, Any], texts: dict[str, tuple[str, ...]]) -> Samples:
    """Evaluate the conditions on columns of texts, and merge equal rows."""
    problem, used = described["problem"], {column for column, *_ in described["conditions"] + described["target"]}
    if lacking := (used | set(described["weight"])) - set(texts):
        raise Refused(f"The table lacks the columns {sorted(lacking)}.")
    parsed = {name: _parsed(texts[name], described["table"]["columns"][name], name) for name in used}
    holds = np.array([_holds(condition, *parsed[condition[0]]) for condition in described["conditions"]])
    label = np.any([_holds(condition, *parsed[condition[0]]) for condition in described["target"]], axis=0)
    weights = _weights(texts[described["weight"][0]]) if described["weight"] else np.ones(len(label), dtype=np.int64)
    miss, cover = label * weights * problem["false_negative"], ~label * weights * problem["false_positive"]
    if problem["logic"] == "cnf":
        holds, miss, cover = ~holds, cover, miss
    keys = np.concatenate([np.packbits(holds.T, axis=1), (miss > cover)[:, None].astype(np.uint8)], axis=1)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    sums = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(sums.T, inverse.ravel(), np.stack([miss, cover], axis=1))
    kept = np.concatenate([np.flatnonzero(costs) for costs in sums])
    digest = _digest(described, keys, miss, cover)
    return Samples(holds.T[first[kept]], sums[0][kept], sums[1][kept], len(label), digest)


def read_texts(path: Path | str, separator: str) -> dict[str, tuple[str, ...]]:
    """The columns of a table as they are written."""
    try:
        with open(path, "rb") as start:
            opened: Any = gzip.open if start.read(2) == b"\x1f\x8b" else open
        with opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
            rows = [row for row in csv.reader(stream, delimiter=separator, skipinitialspace=True) if row]
    except (OSError, EOFError, ValueError, TypeError, csv.Error) as error:
        raise Refused(f"The table {path} cannot be read: {error}.") from None
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows) or len(set(rows[0])) < len(rows[0]):
        raise Refused(f"The table {path} needs a header of different names, and rows with as many values.")
    return dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))


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
    stakes = np.stack([miss, cover], axis=1).astype(">i8")
    rows = (hashlib.sha256(key.tobytes() + pair.tobytes()) for key, pair in zip(keys, stakes, strict=True))
    total = sum(int.from_bytes(row.digest(), "big") for row in rows) % 2**256
    words = json.dumps(described, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(words.encode("ascii") + total.to_bytes(32, "big")).hexdigest()
