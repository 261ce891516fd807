"""The hooks that a plugin may implement. One entry point in the group ``rulecg`` names the plugin's module."""

from __future__ import annotations

import pluggy

from ..base.events import Event
from .registry import Register

GROUP = "rulecg"

hookspec = pluggy.HookspecMarker(GROUP)
hookimpl = pluggy.HookimplMarker(GROUP)


@hookspec
def rulecg_register_backends(register: Register) -> None:
    """Call ``register(name, backend_class)`` for each solver backend."""


@hookspec
def rulecg_register_pricers(register: Register) -> None:
    """Call ``register(name, factory)`` for each pricer; ``needs_backend=True`` passes ``backend=`` to the factory."""


@hookspec
def rulecg_register_constraints(register: Register) -> None:
    """Call ``register(name, factory)`` for each constraint; ``"name:0.05,key=2"`` calls ``factory(0.05, key=2)``."""


@hookspec
def rulecg_register_masters(register: Register) -> None:
    """Call ``register(name, factory)`` for each master; called as ``factory(problem, constraints, backend)``."""


@hookspec
def rulecg_register_audits(register: Register) -> None:
    """Call ``register(name, function, section=…, title=…, order=…, needs=…)`` for each table that reports can show."""


@hookspec
def rulecg_on_event(event: Event) -> None:
    """Hear every event of every run; must return quickly and not change anything."""
