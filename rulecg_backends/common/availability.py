"""Whether a solver's Python package is installed, found out without importing it."""

from __future__ import annotations

from importlib.util import find_spec

from rulecg_core import Availability


def package_availability(module: str, distribution: str, install: str) -> Availability:
    """Looks for the top-level module on the import path."""
    try:
        found = find_spec(module) is not None
    except (ImportError, ValueError):
        # A module that was blocked or half imported has no spec; it cannot be used either.
        found = False
    if found:
        return Availability(True)
    return Availability(False, f"the package {distribution!r} is not installed", install)
