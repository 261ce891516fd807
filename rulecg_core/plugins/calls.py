"""Plugins asked for in text: ``"name:0.05,key=2"``."""

from __future__ import annotations

from typing import Any

from ..base.errors import ConfigurationError


def parse_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Read a name, positional and named arguments; numbers are read as numbers.

    >>> parse_call("equalized-odds:0.05,eps_fpr=0.1")
    ('equalized-odds', [0.05], {'eps_fpr': 0.1})
    """
    name, _, rest = text.partition(":")
    args: list[Any] = []
    options: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = part.partition("=")
        if equals:
            options[key.strip().replace("-", "_")] = _literal(value.strip())
        elif options:
            raise ConfigurationError(f"In {text!r}, {part!r} stands after a named argument: put it first or name it.")
        else:
            args.append(_literal(part))
    return name.strip(), args, options


def _literal(text: str) -> Any:
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
