"""Finds plugins through entry points and collects what they register."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from .hookspecs import API, GROUP, specifications
from .kinds import KINDS, Kind
from .registry import Entry, Fault, Registry

DISABLE_VARIABLE = "RULECG_DISABLE_PLUGINS"
"""Comma-separated names of entry points or distributions that are not loaded."""


def load_registry(
    found: Iterable[EntryPoint] | None = None, environ: Mapping[str, str] | None = None
) -> Registry:
    """Make a fresh registry of everything that installed plugins offer.

    Parameters
    ----------
    found : entry points to load; None for those installed in the group ``rulecg``
    environ : where to look for RULECG_DISABLE_PLUGINS; None for the environment

    Returns
    -------
    Registry
        A plugin that fails is listed in its ``faults`` with its distribution; the others are not affected.

    Examples
    --------
    >>> load_registry().backend("highs").name
    'highs'
    """
    environ = os.environ if environ is None else environ
    disabled = {name.strip().lower() for name in environ.get(DISABLE_VARIABLE, "").split(",") if name.strip()}
    registry = Registry()
    for point in sorted(entry_points(group=GROUP) if found is None else found, key=lambda p: p.name):
        distribution = point.dist.name if point.dist is not None else "an unknown distribution"
        if {point.name.lower(), distribution.lower()} & disabled:
            continue
        try:
            _load(registry, point, distribution)
        except Exception as error:  # a stranger's code: anything may come, and the rest must go on
            registry.faults.append(Fault(point.name, distribution, f"{type(error).__name__}: {error}"))
    for (kind, name), entries in registry.entries.items():
        if len(entries) > 1:
            claimants = " and ".join(entry.distribution for entry in entries)
            registry.faults.append(
                Fault(name, entries[-1].distribution, f"the {kind} name {name!r} is claimed by {claimants}")
            )
    return registry


def _load(registry: Registry, point: EntryPoint, distribution: str) -> None:
    plugin = point.load()
    wanted = getattr(plugin, "RULECG_API", API)
    if wanted != API:
        message = f"made for plugin API {wanted!r}, but this version has {API}: install versions that fit"
        registry.faults.append(Fault(point.name, distribution, message))
        return
    # One manager per plugin: what a hook does, and where it fails, is then known to be this plugin's.
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(specifications())
    manager.register(plugin, name=f"{distribution}:{point.name}")
    manager.check_pending()
    registry.faults += [Fault(point.name, distribution, message) for message in _unmarked(plugin)]
    collected: list[Entry] = []
    for kind in KINDS.values():
        getattr(manager.hook, kind.hook)(register=_collector(kind, distribution, collected))
    for entry in collected:
        registry.add(entry)
    if manager.hook.rulecg_on_event.get_hookimpls():
        registry.observers.append((distribution, lambda event: manager.hook.rulecg_on_event(event=event)))


def _unmarked(plugin: Any) -> list[str]:
    """Hooks that somebody wrote but forgot to mark: pluggy passes over them without a word."""
    hooks = {"rulecg_on_event", *(kind.hook for kind in KINDS.values())}
    written = {name: getattr(plugin, name) for name in sorted(hooks) if hasattr(plugin, name)}
    unmarked = [name for name, function in written.items() if not hasattr(function, f"{GROUP}_impl")]
    return [f"{name} has no effect: put @rulecg_core.hookimpl in front of it" for name in unmarked]


def _collector(kind: Kind, distribution: str, collected: list[Entry]) -> Callable[..., None]:
    def register(
        name: str,
        factory: Callable[..., Any],
        *,
        needs_backend: bool = False,
        default: int | None = None,
        only_large: bool = False,
        **placement: Any,
    ) -> None:
        if not isinstance(name, str) or not name or any(c in name for c in ":,= \t\n"):
            raise ValueError(f"{name!r} cannot be the name of a {kind.name}: use letters, digits and dashes")
        base = kind.base
        if kind.registers_classes and base and not (isinstance(factory, type) and issubclass(factory, base)):
            raise TypeError(f"the {kind.name} {name!r} is not a subclass of rulecg_core.{base.__name__}")
        if not callable(factory):
            raise TypeError(f"the {kind.name} {name!r} cannot be called to make one")
        collected.append(
            Entry(kind.name, name, factory, distribution, needs_backend, default, only_large, placement)
        )

    return register
