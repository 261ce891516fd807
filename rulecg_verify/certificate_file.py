"""The certificate file: gzip-compressed JSON, of which nothing is believed and little is taken at a time."""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
MOST_BYTES = 200 * 2**20
"""A file may unpack to so many bytes."""
OPERATORS = {
    "number": ("<=", ">", "==", "!=", "missing", "present"),
    "category": ("==", "!=", "missing", "present"),
    "truth": ("true", "false", "missing", "present"),
}
NATURAL, PRICE, SIZE = (0, 2**52), (-(2**52), 2**52), (2, 65)
CONDITION, RULE = [str], [(0, 20_000)]
SCHEMA = {
    "format": str,
    "version": (1, 1),
    "described": {
        "table": {"separator": str, "columns": {str: {"type": str, "missing": [str]}}},
        "conditions": [CONDITION],
        "target": [CONDITION],
        "weight": [str],
        "problem": {
            "logic": str, "max_conditions": (1, 64), "max_complexity": (0, 100),
            "false_negative": (0, 2**20), "false_positive": (0, 2**20),
        },
    },
    "hash": str,
    "claim": {"rules": [RULE], "loss": NATURAL, "best": [RULE], "best_loss": NATURAL, "bound": NATURAL},
    "root": {"scale": (1, 2**30), "positives": [NATURAL], "size": NATURAL},
    "list": [RULE],
    "dominated": [{"rule": RULE, "by": NATURAL}],
    "nodes": [{"sizes": [SIZE], "chosen": [NATURAL], "positives": [NATURAL], "prices": [PRICE], "own": [NATURAL]}],
}  # fmt: skip
"""A pair stands for a whole number from one to the other, a list for any number of such entries, str for any name."""


class Refused(Exception):
    """The certificate does not prove its claim; the message is a sentence that says why."""


def read_certificate(path: Path | str) -> dict[str, Any]:
    """Read a file, and check that everything in it has the right type and lies within bounds."""
    try:
        with gzip.open(path, "rb") as stream:
            text = stream.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise Refused(f"The certificate unpacks to more than {MOST_BYTES // 2**20} MB.")
        content = json.loads(text, object_pairs_hook=_once)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise Refused(f"The certificate cannot be read: {str(error)[:200]}.") from None
    _check(content, SCHEMA, "The certificate")
    _check_references(content)
    return dict(content)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _check(value: Any, schema: Any, where: str) -> None:
    kind = schema if isinstance(schema, type) else int if isinstance(schema, tuple) else type(schema)
    fits = type(value) is kind and (kind is not int or schema[0] <= value <= schema[1])
    if not fits or (kind is dict and str not in schema and set(value) != set(schema)):
        raise Refused(f"{where} holds {str(value)[:40]!r}, which does not belong there.")
    for entry in value if kind is list else ():
        _check(entry, schema[0], where)
    for name, entry in value.items() if kind is dict else ():
        _check(entry, schema.get(name, schema.get(str)), f"The entry {name[:40]!r}")


def _check_references(content: dict[str, Any]) -> None:
    """Conditions fit their columns; rules, places in the list and prices fit each other."""
    what, problem = content["described"], content["described"]["problem"]
    columns, n_listed, most = what["table"]["columns"], len(content["list"]), problem["max_conditions"]
    for condition in what["conditions"] + what["target"]:
        column = columns.get(condition[0], {}) if len(condition) == 3 else {}
        if not column or condition[1] not in OPERATORS.get(column["type"], ()):
            raise Refused(f"The condition {str(condition)[:80]} does not fit any column.")
    if content["format"] != "rulecg-certificate" or problem["logic"] not in ("dnf", "cnf"):
        raise Refused("This is no certificate of a rule set in dnf or cnf.")
    if not what["conditions"] or not what["target"] or len(what["weight"]) > 1 or len(what["table"]["separator"]) != 1:
        raise Refused("The certificate needs conditions, a target, and a separator of one character.")
    listed = content["list"] + [entry["rule"] for entry in content["dominated"]]
    for rule in listed + content["claim"]["rules"] + content["claim"]["best"]:
        if len(set(rule)) < len(rule) or len(rule) > most or max(rule, default=0) >= len(what["conditions"]):
            raise Refused(f"The rule {str(rule)[:80]} is not made of at most {most} different conditions.")
    places = [entry["by"] for entry in content["dominated"]]
    for node in content["nodes"]:
        places += node["chosen"] + node["own"]
        if len(node["prices"]) != most or any(np.diff(node["prices"]) < 0):
            raise Refused("A node's prices must be one for each size of a rule, and must not fall.")
    if not all(map(len, listed)) or max(places, default=-1) >= n_listed:
        raise Refused("A listed rule has no conditions, or a place lies beyond the list.")
