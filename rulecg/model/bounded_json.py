"""Reading JSON from strangers: bounded in size and depth, no name twice in an object, every value of its type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rulecg_core import ConfigurationError

MAX_BYTES = 64 * 2**20

T = TypeVar("T")


def read_bytes(path: Path | str, what: str) -> bytes:
    """Read a file of bounded size.

    Parameters
    ----------
    path : Path or str
        The file.
    what : str
        What the file should be, for messages.

    Returns
    -------
    bytes
        What stands in it.

    Raises
    ------
    ConfigurationError
        When it cannot be read, or is too large to be what it should be.
    """
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
    return raw


def decode(raw: bytes, kind: type[T], where: str) -> T:
    """Decode JSON into a type whose fields say what may stand there.

    Parameters
    ----------
    raw : bytes
        JSON in UTF-8.
    kind : type
        A msgspec struct. What it does not allow is refused where it stands, before the rest is built.
    where : str
        What is read, for messages.

    Returns
    -------
    an instance of ``kind``

    Raises
    ------
    ConfigurationError
        When it is no JSON, or not what the type says.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except RecursionError:
        raise ConfigurationError(f"{where}: it is nested too deeply.") from None
    except (msgspec.MsgspecError, ValueError) as error:  # the latter for text that is no UTF-8
        raise ConfigurationError(f"{where}: {error}.") from None


def plain_object(raw: bytes, where: str) -> dict[str, Any]:
    """Parse JSON that was decoded before into plain values; a name that occurs twice in one object is refused."""
    try:
        return json.loads(raw, object_pairs_hook=_no_duplicates)  # type: ignore[no-any-return]
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{where}: {error}.") from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found
