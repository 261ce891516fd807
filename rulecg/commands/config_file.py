"""Options from a TOML file: the same names as on the command line, which overrides them.

A table named after a command holds options for that command alone::

    target = "approved"

    [fit]
    max-complexity = 30
    constraint = ["equalized-odds:0.05"]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rulecg_core import ConfigurationError, UnknownNameError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def options_from(path: str, command: str, parser: argparse.ArgumentParser, commands: set[str]) -> list[str]:
    """The file's options as command line words."""
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"Cannot read {path}: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not a TOML file: {error}.") from None
    chosen = {key: value for key, value in document.items() if key not in commands}
    chosen |= document.get(command, {})
    options = {
        option.removeprefix("--"): action
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--") and option not in ("--help", "--config")
    }
    words: list[str] = []
    for key, value in chosen.items():
        name = key.replace("_", "-")
        if name not in options:
            raise ConfigurationError(f"{path}: {UnknownNameError('option', key, options)}")
        words += _words(name, value, options[name], path)
    return words


def _words(name: str, value: Any, action: argparse.Action, path: str) -> list[str]:
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ConfigurationError(f"{name!r} in {path} must be true or false.")
        return [f"--{name}"] if value else []
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(item, (str, int, float)) and not isinstance(item, bool) for item in values):
        raise ConfigurationError(f"{name!r} in {path} must be text, a number or a list of these.")
    if isinstance(action, argparse._AppendAction):
        return [f"--{name}={item}" for item in values]
    return [f"--{name}={','.join(map(str, values))}"]
