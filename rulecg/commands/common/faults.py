"""What to say when code failed that should not have: whose it is, what happened, and how to see more."""

from __future__ import annotations

import os
import traceback
from importlib.metadata import entry_points

TRACEBACK_VARIABLE = "RULECG_TRACEBACK"
"""Set to 1 to see where an unexpected error came from."""


def fault_message(error: BaseException) -> str:
    """Describe an unexpected error in one sentence, naming the plugin in whose code it arose.

    Parameters
    ----------
    error
        What was raised.

    Returns
    -------
    str
        The sentence; with ``RULECG_TRACEBACK=1`` the traceback comes before it.
    """
    what = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}".rstrip(": ")
    plugin = _plugin_at_fault(error)
    if plugin is None:
        sentence = f"an unexpected error, which is a fault in rulecg ({what}). Please report it"
    else:
        sentence = (
            f"the plugin {plugin} failed ({what}). Tell its authors, or switch it off with "
            f"RULECG_DISABLE_PLUGINS={plugin}"
        )
    if os.environ.get(TRACEBACK_VARIABLE) == "1":
        return "".join(traceback.format_exception(error)) + sentence + "."
    return f"{sentence}; {TRACEBACK_VARIABLE}=1 shows where it happened."


def _plugin_at_fault(error: BaseException) -> str | None:
    """The distribution whose code is innermost in the traceback, if it is another's."""
    owners = {
        point.module.partition(".")[0]: point.dist.name if point.dist is not None else point.name
        for point in entry_points(group="rulecg")
    }
    walked = traceback.walk_tb(error.__traceback__)
    frames = [str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame, _ in walked]
    found = next((owners[package] for package in reversed(frames) if package in owners), None)
    return None if found == "rulecg" else found
