"""Finds plugins through entry points and collects what they register."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from ..api.backend import Backend
from . import hookspecs
from .registry import KINDS, Entry, Kind, Problem, Registry

DISABLE_VARIABLE = "RULECG_DISABLE_PLUGINS"
"""Comma-separated names of entry points or distributions that are not loaded."""


def load_registry(
    found: Iterable[EntryPoint] | None = None, environ: Mapping[str, str] | None = None
) -> Registry:
    """A fresh registry of everything that installed plugins offer.

    A plugin that fails is listed in ``registry.problems`` with its distribution; the others are not affected.
    """
    environ = os.environ if environ is None else environ
    disabled = {name.strip().lower() for name in environ.get(DISABLE_VARIABLE, "").split(",") if name.strip()}
    registry = Registry()
    for point in sorted(entry_points(group=hookspecs.GROUP) if found is None else found, key=lambda p: p.name):
        distribution = point.dist.name if point.dist is not None else "an unknown distribution"
        if {point.name.lower(), distribution.lower()} & disabled:
            continue
        try:
            _load(registry, point, distribution)
        except Exception as error:  # a stranger's code: anything may come, and the rest must go on
            registry.problems.append(Problem(point.name, distribution, f"{type(error).__name__}: {error}"))
    for (kind, name), entries in registry.entries.items():
        if len(entries) > 1:
            claimants = " and ".join(entry.distribution for entry in entries)
            registry.problems.append(
                Problem(name, entries[-1].distribution, f"the {kind} name {name!r} is claimed by {claimants}")
            )
    return registry


def _load(registry: Registry, point: EntryPoint, distribution: str) -> None:
    # One manager per plugin: what a hook does, and where it fails, is then known to be this plugin's.
    manager = pluggy.PluginManager(hookspecs.GROUP)
    manager.add_hookspecs(hookspecs)
    plugin = point.load()
    manager.register(plugin, name=f"{distribution}:{point.name}")
    manager.check_pending()
    for name in _forgotten(manager, plugin):
        message = f"{name} does nothing, because it is not marked with @hookimpl: import it from rulecg_core"
        registry.problems.append(Problem(point.name, distribution, message))
    collected: list[Entry] = []
    for kind in KINDS:
        hook = getattr(manager.hook, f"rulecg_register_{kind}s")
        hook(register=_collector(kind, distribution, collected))
    for entry in collected:
        registry.add(entry)
    if manager.hook.rulecg_on_event.get_hookimpls():
        registry.observers.append((distribution, lambda event: manager.hook.rulecg_on_event(event=event)))


def _forgotten(manager: pluggy.PluginManager, plugin: Any) -> list[str]:
    """Functions of the plugin that have the name of a hook but were not registered as one."""
    marked = {caller.name for caller in manager.get_hookcallers(plugin) or ()}
    hooks = [name for name in vars(hookspecs) if name.startswith("rulecg_")]
    return [name for name in hooks if callable(getattr(plugin, name, None)) and name not in marked]


def _collector(kind: Kind, distribution: str, collected: list[Entry]) -> Callable[..., None]:
    def register(name: str, factory: Callable[..., Any], *, needs_backend: bool = False, **placement: Any) -> None:
        if not isinstance(name, str) or not name or any(c in name for c in ":,= \t\n"):
            raise ValueError(f"{name!r} cannot be the name of a {kind}: use letters, digits and dashes")
        if kind == "backend" and not (isinstance(factory, type) and issubclass(factory, Backend)):
            raise TypeError(f"the backend {name!r} is not a subclass of rulecg_core.Backend")
        if not callable(factory):
            raise TypeError(f"the {kind} {name!r} cannot be called to make one")
        collected.append(Entry(kind, name, factory, distribution, needs_backend, placement))

    return register
