"""Options from a TOML file: the same names as on the command line, which overrides them.

A table named after a command holds options for that command alone::

    target = "approved"

    [fit]
    max-complexity = 30
    constraint = ["equalized-odds:0.05"]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulecg_core import ConfigurationError, UnknownNameError

from ...inputs.toml_files import read_toml
from .parser import CommandParser, Option


def options_from(path: str, command: str, commands: Mapping[str, CommandParser]) -> list[str]:
    """Read the options that a file sets for a command.

    Parameters
    ----------
    path
        A TOML file.
    command
        The command that will be run.
    commands
        The parsers of all commands, by name.

    Returns
    -------
    list of str
        The options as words of the command line.

    Raises
    ------
    ConfigurationError
        When the file cannot be read, or sets something that the command does not know.
    """
    document = read_toml(path)
    for name in commands:
        if name in document and not isinstance(document[name], dict):
            raise ConfigurationError(f"{name!r} in {path} must be a table with options of that command: [{name}].")
    chosen = {key: value for key, value in document.items() if key not in commands}
    chosen |= document.get(command, {})
    options = {
        name.removeprefix("--"): option
        for option in commands[command].options
        for name in option.names
        if name.startswith("--") and name not in ("--help", "--config")
    }
    words: list[str] = []
    for key, value in chosen.items():
        name = key.replace("_", "-")
        if name not in options:
            raise ConfigurationError(f"{path}: {UnknownNameError('option', key, options)}")
        words += _words(name, value, options[name], path)
    return words


def _words(name: str, value: Any, option: Option, path: str) -> list[str]:
    if option.is_switch:
        if not isinstance(value, bool):
            raise ConfigurationError(f"{name!r} in {path} must be true or false.")
        return [f"--{name}"] if value else []
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(item, (str, int, float)) and not isinstance(item, bool) for item in values):
        raise ConfigurationError(f"{name!r} in {path} must be text, a number or a list of these.")
    if option.is_repeated:
        return [f"--{name}={item}" for item in values]
    return [f"--{name}={','.join(map(str, values))}"]
