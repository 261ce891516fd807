"""The certificate file: gzip-compressed JSON, of which nothing is believed and little is taken at a time."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
MOST_BYTES = 200 * 2**20
"""A file may unpack to so many bytes."""
LARGEST = 2**52
"""Whole numbers beyond this are refused; sums are checked by those who add."""
MOST_CONDITIONS = 20_000
OPERATORS = {
    "number": ("<=", ">", "==", "!=", "missing", "present"),
    "category": ("==", "!=", "missing", "present"),
    "truth": ("true", "false", "missing", "present"),
}


class Refused(Exception):
    """The certificate does not prove its claim; the message is a sentence that says why."""


@dataclass(frozen=True)
class Condition:
    """A question about one column."""

    column: str
    operator: str
    value: str

    def __str__(self) -> str:
        words = {"missing": "is missing", "present": "is known", "true": "is true", "false": "is false"}
        return f"{self.column} {words.get(self.operator) or f'{self.operator} {self.value}'}"


@dataclass(frozen=True)
class Column:
    """What a column of the table holds, and which texts in it stand for a missing value."""

    kind: str
    missing: frozenset[str]


@dataclass(frozen=True)
class Node:
    """Prices for the rule sets that hold the chosen rules and others of at most these sizes."""

    sizes: tuple[int, ...]
    chosen: tuple[int, ...]
    positives: IntArray
    prices: IntArray
    """Of rules of size 2, 3, ...; they do not fall."""
    own: frozenset[int]
    """The next rules for which a node of their own follows."""


@dataclass(frozen=True)
class Certificate:
    """What the file says, each value of the right type and within bounds."""

    described: dict[str, Any]
    """The entries that the hash covers: what the problem is."""
    columns: dict[str, Column]
    conditions: tuple[Condition, ...]
    target: tuple[Condition, ...]
    weight: str | None
    separator: str
    logic: str
    max_conditions: int
    max_complexity: int
    false_negative: int
    false_positive: int
    digest: str
    rules: tuple[tuple[int, ...], ...]
    loss: int
    bound: int
    scale: int
    positives: IntArray
    per_size: int
    listed: tuple[tuple[int, ...], ...]
    dominated: tuple[tuple[tuple[int, ...], int], ...]
    nodes: tuple[Node, ...]


def read_certificate(path: Path | str) -> Certificate:
    """Read a file; Refused says what is wrong with it."""
    try:
        with gzip.open(path, "rb") as stream:
            text = stream.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(f"The certificate {path} cannot be read: {error}.") from None
    if len(text) > MOST_BYTES:
        raise Refused(f"The certificate unpacks to more than {MOST_BYTES // 2**20} MB.")
    try:
        content = json.loads(text, object_pairs_hook=_once, parse_float=_no_float, parse_constant=_no_float)
    except RecursionError:
        raise Refused("The certificate is nested too deeply.") from None
    except (ValueError, MemoryError) as error:
        raise Refused(f"The certificate is no JSON of the kind that certificates are: {str(error)[:200]}.") from None
    return _certificate(content)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given twice")
    return found


def _no_float(text: str) -> Any:
    raise ValueError(f"{text[:40]} is not a whole number")


def _certificate(content: Any) -> Certificate:
    described = _fields(content, {"format", "version", "described", "hash", "claim", "root", "list", "dominated", "nodes"})
    if described["format"] != "rulecg-certificate" or described["version"] != 1:
        raise Refused("The file is no certificate of version 1.")
    what = _fields(content["described"], {"table", "conditions", "target", "weight", "problem"})
    table = _fields(what["table"], {"separator", "columns"})
    problem = _fields(
        what["problem"], {"logic", "max_conditions", "max_complexity", "false_negative", "false_positive"}
    )
    columns = {str(name): _column(entry) for name, entry in _typed(table["columns"], dict).items()}
    conditions = _conditions(what["conditions"], columns)
    claim, root = _fields(content["claim"], {"rules", "loss", "bound"}), _fields(content["root"], {"scale", "positives", "size"})
    if problem["logic"] not in ("dnf", "cnf") or not isinstance(table["separator"], str) or len(table["separator"]) != 1:
        raise Refused("The logic must be dnf or cnf, and the separator one character.")
    most = _whole(problem["max_conditions"], 1, 64)
    listed = _rules(content["list"], len(conditions), most)
    return Certificate(
        described=what, columns=columns, conditions=conditions, target=_conditions(what["target"], columns),
        weight=None if what["weight"] is None else _typed(what["weight"], str), separator=table["separator"],
        logic=problem["logic"], max_conditions=most, max_complexity=_whole(problem["max_complexity"], 0, 100),
        false_negative=_whole(problem["false_negative"], 0, 2**20),
        false_positive=_whole(problem["false_positive"], 0, 2**20),
        digest=_typed(content["hash"], str),
        rules=_rules(claim["rules"], len(conditions), most, least=0), loss=_whole(claim["loss"], 0),
        bound=_whole(claim["bound"], 0), scale=_whole(root["scale"], 1, 2**30), positives=_wholes(root["positives"], 0),
        per_size=_whole(root["size"], 0), listed=listed,
        dominated=tuple(
            (_rules([pair[0]], len(conditions), most)[0], _whole(pair[1], 0, len(listed) - 1))
            for pair in map(_pair, _typed(content["dominated"], list))
        ),
        nodes=tuple(_node(entry, most, len(listed)) for entry in _typed(content["nodes"], list)),
    )  # fmt: skip


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise Refused(f"The certificate has {str(value)[:40]!r} where a {kind.__name__} belongs.")
    return value


def _fields(value: Any, names: set[str]) -> dict[str, Any]:
    if set(_typed(value, dict)) != names:
        raise Refused(f"The certificate has an entry with {sorted(value)[:12]} where {sorted(names)} belong.")
    return dict(value)


def _whole(value: Any, low: int = -LARGEST, high: int = LARGEST) -> int:
    if type(value) is not int or not low <= value <= high:
        raise Refused(f"The certificate has {str(value)[:40]!r} where a whole number from {low} to {high} belongs.")
    return value


def _wholes(values: Any, low: int = -LARGEST) -> IntArray:
    return np.array([_whole(value, low) for value in _typed(values, list)], dtype=np.int64)


def _pair(value: Any) -> Any:
    if len(_typed(value, list)) != 2:
        raise Refused("A dominated rule must come with the place of its dominator and nothing else.")
    return value


def _column(entry: Any) -> Column:
    found = _fields(entry, {"type", "missing"})
    if found["type"] not in OPERATORS:
        raise Refused(f"A column has the unknown type {str(found['type'])[:40]!r}.")
    return Column(found["type"], frozenset(_typed(text, str) for text in _typed(found["missing"], list)))


def _conditions(entries: Any, columns: dict[str, Column]) -> tuple[Condition, ...]:
    if not 0 < len(_typed(entries, list)) <= MOST_CONDITIONS:
        raise Refused(f"A certificate has 1 to {MOST_CONDITIONS} conditions, not {len(entries)}.")
    found = []
    for entry in entries:
        if len(_typed(entry, list)) != 3 or not all(type(part) is str for part in entry):
            raise Refused("A condition must be three texts: column, operator and value.")
        condition = Condition(*entry)
        if condition.column not in columns or condition.operator not in OPERATORS[columns[condition.column].kind]:
            raise Refused(f"The condition {str(condition)[:80]!r} does not fit any column.")
        found.append(condition)
    return tuple(found)


def _rules(entries: Any, n_conditions: int, most: int, least: int = 1) -> tuple[tuple[int, ...], ...]:
    found = []
    for entry in _typed(entries, list):
        rule = tuple(_whole(place, 0, n_conditions - 1) for place in _typed(entry, list))
        if len(set(rule)) < len(rule) or not least <= len(rule) <= most:
            raise Refused(f"A rule must have {least} to {most} different conditions, not {len(rule)}.")
        found.append(rule)
    return tuple(found)


def _node(entry: Any, most: int, n_listed: int) -> Node:
    found = _fields(entry, {"sizes", "chosen", "positives", "prices", "own"})
    sizes = tuple(_whole(size, 2, most + 1) for size in _typed(found["sizes"], list))
    chosen = tuple(_whole(place, 0, n_listed - 1) for place in _typed(found["chosen"], list))
    prices = _wholes(found["prices"])
    if len(prices) != most or (np.diff(prices) < 0).any():
        raise Refused("A node's prices must be one for each size of a rule, and must not fall.")
    own = frozenset(_whole(place, 0, n_listed - 1) for place in _typed(found["own"], list))
    return Node(sizes, chosen, _wholes(found["positives"], 0), prices, own)
