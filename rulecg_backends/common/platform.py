"""What differs between operating systems; nothing outside this module asks which one it is."""

from __future__ import annotations

import os
import subprocess
from typing import Any


def in_a_group_of_its_own() -> dict[str, Any]:
    """Arguments for :class:`subprocess.Popen`: Ctrl-C in a terminal reaches a whole group, and this child is stopped by
    its owner instead."""
    if os.name == "posix":
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
