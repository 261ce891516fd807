"""Reading JSON from strangers: bounded in size and depth, no duplicate names, every value of the type it should be."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from rulecg_core import ConfigurationError

MAX_BYTES = 64 * 2**20
MAX_TEXT = 10_000
"""Longest text in a model file."""
MAX_ITEMS = 200_000
"""Longest list in a model file."""

T = TypeVar("T")


def read_json(path: Path | str, what: str) -> Any:
    """The JSON document in a file; an error that says what is wrong with it otherwise."""
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ConfigurationError(
                f"{path} has {size / 2**20:.0f} MB; {what} has at most {MAX_BYTES // 2**20} MB, so this is none."
            )
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"Cannot read {path}: {error.strerror or error}.") from None
    if len(raw) > MAX_BYTES:
        raise ConfigurationError(f"{path} goes on beyond {MAX_BYTES // 2**20} MB, so it is no {what}.")
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except RecursionError:
        raise ConfigurationError(f"{path} is no {what}: it is nested too deeply.") from None
    except ValueError as error:
        raise ConfigurationError(f"{path} is no {what}: {error}.") from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")


class Reader:
    """Takes values out of a JSON object, checking each; names that nobody took are refused at the end."""

    def __init__(self, entry: Any, where: str) -> None:
        if not isinstance(entry, dict):
            raise ConfigurationError(f"{where} must be an object, not {_shown(entry)}.")
        self.entry, self.where = dict(entry), where

    def take(self, name: str, kind: type[T] | tuple[type, ...]) -> Any:
        if name not in self.entry:
            raise ConfigurationError(f"{self.where} lacks {name!r}.")
        value = self.entry.pop(name)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if (isinstance(value, bool) and bool not in kinds) or not isinstance(value, kinds):
            names = " or ".join("null" if k is type(None) else k.__name__ for k in kinds)
            raise ConfigurationError(f"{name!r} in {self.where} must be {names}, not {_shown(value)}.")
        _check_size(value, f"{name!r} in {self.where}")
        return value

    def number(self, name: str, optional: bool = False) -> float | None:
        value = self.take(name, (int, float, type(None)) if optional else (int, float))
        return None if value is None else finite(value, f"{name!r} in {self.where}")

    def numbers(self, name: str, count: int | None = None) -> list[float]:
        values = self.take(name, list)
        if count is not None and len(values) != count:
            raise ConfigurationError(f"{name!r} in {self.where} has {len(values)} numbers, but {count} are needed.")
        return [finite(value, f"{name!r} in {self.where}") for value in values]

    def texts(self, name: str) -> list[str]:
        values = self.take(name, list)
        for value in values:
            if not isinstance(value, str):
                raise ConfigurationError(f"{name!r} in {self.where} must hold text only, not {_shown(value)}.")
            _check_size(value, f"{name!r} in {self.where}")
        return values  # type: ignore[no-any-return]

    def done(self) -> None:
        if self.entry:
            unknown = ", ".join(sorted(_shown(name) for name in self.entry)[:5])
            raise ConfigurationError(
                f"{self.where} has entries that this rulecg does not know: {unknown}. Use the release that wrote it."
            )


def finite(value: Any, where: str) -> float:
    """A finite number; anything else is refused."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigurationError(f"{where} must be a number, not {_shown(value)}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ConfigurationError(f"{where} is a number beyond all bounds.")
    return number


def scalars(values: Iterable[Any], where: str) -> list[Any]:
    """Text, numbers and truth values."""
    found = list(values)
    for value in found:
        if not isinstance(value, (str, bool, int, float)):
            raise ConfigurationError(f"{where} must hold text, numbers or truth values, not {_shown(value)}.")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            finite(value, where)
        _check_size(value, where)
    return found


def _check_size(value: Any, where: str) -> None:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise ConfigurationError(f"{where} is a text of {len(value)} characters; at most {MAX_TEXT} are allowed.")
    if isinstance(value, list) and len(value) > MAX_ITEMS:
        raise ConfigurationError(f"{where} has {len(value)} entries; at most {MAX_ITEMS} are allowed.")


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
