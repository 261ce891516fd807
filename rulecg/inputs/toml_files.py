"""Settings from TOML files that anybody may have written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from rulecg_core import ConfigurationError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAX_BYTES = 2**20


def read_toml(path: Path | str) -> dict[str, Any]:
    """Read a TOML file of at most one megabyte.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    dict
        What it holds.

    Raises
    ------
    ConfigurationError
        When it cannot be read or is no TOML; the message says why.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "fit.toml")
    ...     _ = file.write_text("[fit]\\nmax-complexity = 30\\n")
    ...     read_toml(file)
    {'fit': {'max-complexity': 30}}
    """
    try:
        with Path(path).open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ConfigurationError(f"{path} has more than {MAX_BYTES // 2**20} MB: it is no file of settings.")
        return tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"Cannot read {path}: {error.strerror or error}.") from None
    except RecursionError:
        raise ConfigurationError(f"{path} is no file of settings: it is nested too deeply.") from None
    except ValueError as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(f"{path} is not a TOML file: {error}.") from None
