"""Model files, TOML and CSV with random damage: loaded as they were, or refused with a sentence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rulecg

from .attempts import Attempt, command

_PIECES = [
    b"", b"\x00", b"\xff\xfe", b'"', b"{", b"[" * 3000, b"}" * 50, b"1e999", b"NaN", b"null", b"-1", b"\\u0000", b",",
    b"\n", b"9" * 500, b"true", b'"a":', b"\r", b"=", b"[[fit]]\n", b"fit=1\n", b"'''", b"\xf0\x9f\x8e\x89", b"\x1b[2J",
]  # fmt: skip
_VALUES: list[Any] = [None, -1, 10**30, 1.5, "", "x", [], {}, [[]], True, [None], {"a": {}}, "\x00", 1e308]


def _trained(folder: Path) -> tuple[Path, pd.DataFrame]:
    at = np.arange(40)
    table = pd.DataFrame({"a": at % 7, "b": np.where(at % 3, "x", "z")})
    table.assign(y=(at % 7 > 3).astype(int)).to_csv(folder / "t.csv", index=False)
    path = folder / "m.json"
    source = folder / "t.csv"
    if not _MODEL:
        command("fit", source, "--target", "y", "--max-complexity", "4", "--quiet", "--time-limit", "20", "--out", path)
        _MODEL.append(path.read_bytes())
    path.write_bytes(_MODEL[0])
    return path, table


_MODEL: list[bytes] = []
"""The model file that all damage is done to, once it was made."""


def damaged(data: bytes, seed: int) -> bytes:
    """The bytes with one to four cuts, copies and insertions, the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        at, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + 40) if chance.random() < 0.7 else end
        middle = chance.choice([b"", data[at:end] * 2, chance.choice(_PIECES)])
        data = data[:at] + middle + data[end:]
    return data


def _use(path: Path, table: pd.DataFrame, before: np.ndarray, *, edited: bool) -> None:
    model = rulecg.load_model(path, allow_edited=edited)
    found = np.asarray(model.predict(table))
    assert len(found) == len(table)
    assert edited or np.array_equal(found, before), "a damaged file predicts something else, without a word"


def _damaged_model(seed: int, folder: Path) -> None:
    path, table = _trained(folder)
    before = np.asarray(rulecg.load_model(path).predict(table))
    path.write_bytes(damaged(path.read_bytes(), seed))
    _use(path, table, before, edited=seed % 2 == 0)


def _odd_value(seed: int, folder: Path) -> None:
    """One value of the document replaced by another, whatever its place."""
    path, table = _trained(folder)
    before = np.asarray(rulecg.load_model(path).predict(table))
    document, chance = json.loads(path.read_bytes()), random.Random(seed)
    at: Any = document
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = chance.choice(keys)
        if not isinstance(at[key], (dict, list)) or not at[key] or chance.random() < 0.2:
            break
        at = at[key]
    at[key] = chance.choice(_VALUES)
    path.write_text(json.dumps(document), encoding="utf-8")
    _use(path, table, before, edited=seed % 2 == 0)


def _damaged_toml(seed: int, folder: Path) -> None:
    _trained(folder)
    plain = b'[fit]\ntarget = "y"\nmax-complexity = 4\ntime-limit = 5\nlogic = "dnf"\nquiet = true\nseed = 3\n'
    (folder / "c.toml").write_bytes(damaged(plain, seed))
    command("fit", folder / "t.csv", "--config", folder / "c.toml", "--time-limit", "5", "--out", folder / "n.json")
    rulecg.load_model(folder / "n.json")


def _odd_toml(seed: int, folder: Path) -> None:
    """A file that is TOML, with odd values for options that are there and for others that are not."""
    _trained(folder)
    chance = random.Random(seed)
    odd = ["0", "-1", "3", "1e400", "nan", "inf", '""', '"x"', "true", "[]", '["a"]', "[[]]", "{}", "1979-05-27"]
    names = ["max-complexity", "logic", "seed", "jobs", "quiet", "sensitive", "constraint", "backend", "nonsense"]
    lines = [f"{name} = {chance.choice(odd)}" for name in chance.sample(names, chance.randint(1, 2))]
    (folder / "c.toml").write_text("\n".join(["[fit]", 'target = "y"', *lines]), encoding="utf-8")
    command("fit", folder / "t.csv", "--config", folder / "c.toml", "--time-limit", "5", "--out", folder / "n.json")
    rulecg.load_model(folder / "n.json")


def _damaged_csv(seed: int, folder: Path) -> None:
    path, _ = _trained(folder)
    new = folder / "new.csv"
    new.write_bytes(damaged((folder / "t.csv").read_bytes(), seed))
    shown = command("predict", path, new).split()
    assert shown[0] == "prediction"
    assert set(shown[1:]) <= {"0", "1"}, f"predictions that are no labels: {set(shown[1:])}"


def attempts(each: int = 150) -> Iterator[Attempt]:
    """So many damaged files of each kind, from seeds."""
    kinds = {
        "model bytes": _damaged_model,
        "model values": _odd_value,
        "TOML bytes": _damaged_toml,
        "TOML values": _odd_toml,
        "CSV": _damaged_csv,
    }
    for name, call in kinds.items():
        for seed in range(each):
            yield Attempt(f"hostile files: {name}", f"seed {seed}", partial(call, seed))
