"""Whether a solver's Python package is installed, found out without importing it."""

from __future__ import annotations

from importlib.util import find_spec

from ..api.backend import Availability


def package_availability(module: str, distribution: str, install: str) -> Availability:
    """Look for a top-level module on the import path.

    Parameters
    ----------
    module : str
        What is imported.
    distribution : str
        What is installed, for the message.
    install : str
        The command that brings it.

    Returns
    -------
    Availability
        Available when the module is there; else with the reason and the command.

    Examples
    --------
    >>> package_availability("no_such_module", "no-such-package", "pip install no-such-package").reason
    "the package 'no-such-package' is not installed"
    """
    try:
        found = find_spec(module) is not None
    except (ImportError, ValueError):
        # A module that was blocked or half imported has no spec; it cannot be used either.
        found = False
    if found:
        return Availability(True)
    return Availability(False, f"the package {distribution!r} is not installed", install)
