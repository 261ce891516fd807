"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rulecg_core import ConfigurationError


def write_text(path: Path | str, text: str) -> None:
    """Write a text file; on a full disk, or when stopped half-way, the file stays what it was before.

    Parameters
    ----------
    path
        Where to write. Devices and pipes, such as ``/dev/stdout``, are written to directly.
    text
        What to write, as UTF-8.

    Raises
    ------
    ConfigurationError
        When it cannot be written; the message says why.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(pathlib.Path(folder, "rules.txt"), "never approved")
    ...     [(file.name, file.read_text()) for file in pathlib.Path(folder).iterdir()]
    [('rules.txt', 'never approved')]
    """
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a file as :func:`write_text` does.

    Parameters
    ----------
    path
        Where to write.
    content
        What to write.

    Raises
    ------
    ConfigurationError
        When it cannot be written; the message says why.
    """
    with _errors_in_words(path):
        place = Path(os.path.realpath(path))
        if place.exists() and not place.is_file():
            with place.open("wb") as stream:
                stream.write(content)
            return
        with _beside(place) as part:
            with part.open("xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            if place.exists():
                shutil.copymode(place, part)
            part.replace(place)


def check_writable(path: Path | str) -> None:
    """Make sure that a file can be written, before hours are spent on what it will hold.

    Parameters
    ----------
    path
        Where something will be written. What is there already is not touched.

    Raises
    ------
    ConfigurationError
        When it could not be written; the message says why.

    Examples
    --------
    >>> check_writable("no such folder/model.json")
    Traceback (most recent call last):
    ...
    rulecg_core.base.errors.ConfigurationError: Cannot write no such folder/model.json: No such file or directory.
    """
    with _errors_in_words(path):
        place = Path(os.path.realpath(path))
        if place.is_dir():
            raise ConfigurationError(f"Cannot write {path}: it is a folder. Name a file in it.")
        if place.exists() and not os.access(place, os.W_OK):
            raise ConfigurationError(f"Cannot write {path}: it is write-protected. Choose another name.")
        if not place.exists() or place.is_file():
            with _beside(place) as part:
                part.open("x").close()


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A name for the unfinished file, which is gone afterwards."""
    part = place.with_name(f".{place.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        yield part
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def _errors_in_words(path: Path | str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"Cannot write {path}: {getattr(error, 'strerror', None) or error}.") from None
