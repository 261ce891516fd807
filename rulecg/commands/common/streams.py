"""Standard output and standard error, whatever they are connected to."""

from __future__ import annotations

import io
import os
import sys

from rulecg_core import ConfigurationError


def prepare_streams() -> None:
    """Make sure that printing never fails half-way because of what a stream is connected to.

    Closed descriptors are filled, so that no file opened later gets the number of standard output and with it whatever
    a solver prints. Characters that a stream cannot show are spelled out.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
    if sys.stdout is None:
        # Opened for reading: whoever prints a result hears that nobody can see it.
        sys.stdout = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def abandon_output() -> None:
    """Send what is still waiting to be printed nowhere, so that the interpreter does not fail on it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, io.UnsupportedOperation):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    finally:
        os.close(nowhere)


def deliver(text: str, out: str | None) -> None:
    """Give a result to whoever asked for it: into a file, or to standard output.

    Parameters
    ----------
    text
        The result, which programs may read: it arrives as it is or not at all.
    out
        A file's name; None for standard output.

    Raises
    ------
    ConfigurationError
        When the file cannot be written, or standard output cannot hold some character.
    """
    if out:
        from ...exports.output_files import write_text

        write_text(out, text)
        return
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise ConfigurationError(
            f"Standard output takes {encoding} only, which has no {character!a}: write to a file with --out, or set "
            "PYTHONIOENCODING=utf-8."
        ) from None
    sys.stdout.write(text)
