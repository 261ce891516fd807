"""``rulecg plugins``: everything that installed plugins offer, and what keeps the rest from being used."""

from __future__ import annotations

import argparse

from rulecg_core import Registry, load_registry
from rulecg_core.plugins.kinds import KINDS
from rulecg_core.plugins.registry import Entry

from ..common.parser import CommandParser

NAME = "plugins"
HELP = "List every backend, pricer, constraint and master, where it comes from and whether it can be used."


def add_arguments(parser: CommandParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("--strict", action="store_true", help="exit with code 1 when a plugin has a problem")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    registry = load_registry()
    print(render(registry))
    return 1 if arguments.strict and registry.faults else 0


def render(registry: Registry) -> str:
    """Write the listing: one table per kind, then the problems.

    Parameters
    ----------
    registry
        What was found.

    Returns
    -------
    str
        Text for people.
    """
    default = registry.config.backend
    blocks = []
    for kind in KINDS:
        rows = [_row(entry, default) for entry in registry if entry.kind == kind]
        blocks.append(f"{kind.capitalize()}s\n" + (_aligned(rows) if rows else "  none"))
    if registry.faults:
        lines = [f"  {problem}" for problem in registry.faults]
        blocks.append("Problems\n" + "\n".join(lines))
    return "\n\n".join(blocks)


def _row(entry: Entry, default_backend: str) -> tuple[str, str, str, str]:
    found = entry.availability
    if found.available:
        state = "default" if entry.kind == "backend" and entry.name == default_backend else "available"
        return entry.name, entry.distribution, state, entry.summary
    install = f"; install: {found.install}" if found.install else ""
    return entry.name, entry.distribution, "not available", f"{found.reason}{install}"


def _aligned(rows: list[tuple[str, str, str, str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]).rstrip()
        for row in rows
    )
