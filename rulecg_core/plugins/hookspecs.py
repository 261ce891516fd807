"""The hooks that a plugin may implement. One entry point in the group ``rulecg`` names the plugin's module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pluggy

from ..base.events import Event
from .kinds import KINDS, Kind

GROUP = "rulecg"
API = 1
"""The number of this set of hooks and interfaces. A plugin module that says ``RULECG_API = 2`` is named and skipped by
a version that has another number."""

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


@hookspec
def rulecg_on_event(event: Event) -> None:
    """Hear every event of every run; must return quickly and not change anything."""


def specifications(kinds: Iterable[Kind] = tuple(KINDS.values())) -> type:
    """All hooks: one that registers plugins for each kind, and the one for events."""
    hooks: dict[str, Any] = {"rulecg_on_event": rulecg_on_event}
    for kind in kinds:
        hooks[kind.hook] = _registration_hook(kind)
    return type("Hooks", (), hooks)


def _registration_hook(kind: Kind) -> Any:
    def register_hook(register: Any) -> None: ...

    register_hook.__name__ = register_hook.__qualname__ = kind.hook
    register_hook.__doc__ = kind.help
    return hookspec(register_hook)
