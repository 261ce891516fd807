"""The kinds of plugin: adding one is one entry in :data:`KINDS`."""

from __future__ import annotations

from attrs import frozen

from ..api.backend import Backend
from ..api.constraint import Constraint
from ..api.engine import Engine
from ..api.heuristic import Heuristic
from ..api.master import Master
from ..api.pricing import Pricer


@frozen
class Kind:
    """One kind of plugin: the hook that registers it, what it must be, and the contract that tests it."""

    name: str
    base: type | None
    """What is made must be an instance of this; None for plain functions."""
    help: str
    """What to do in the hook, for plugin authors."""
    contract: str | None
    """The class in ``rulecg_core.testing`` that checks such a plugin."""
    registers_classes: bool = False
    """Whether the class itself is registered and must be a subclass of the base."""

    @property
    def hook(self) -> str:
        """The name of the hook."""
        return f"rulecg_register_{self.name}s"


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "backend",
            Backend,
            "Call ``register(name, backend_class)`` for each solver backend.",
            "BackendContract",
            registers_classes=True,
        ),
        Kind(
            "master",
            Master,
            "Call ``register(name, factory)`` for each master; called as ``factory(problem, constraints, backend)``.",
            "MasterContract",
        ),
        Kind(
            "pricer",
            Pricer,
            "Call ``register(name, factory)`` for each pricer; ``needs_backend=True`` passes ``backend=`` to the "
            "factory, ``default=N`` makes it take part by default, in the order of N, with ``only_large=True`` only on "
            "large data.",
            "PricerContract",
        ),
        Kind(
            "heuristic",
            Heuristic,
            "Call ``register(name, factory)`` for each heuristic that looks for rule sets; ``default=N`` as for "
            "pricers.",
            "HeuristicContract",
        ),
        Kind(
            "constraint",
            Constraint,
            'Call ``register(name, factory)`` for each constraint; ``"name:0.05,key=2"`` calls ``factory(0.05, '
            "key=2)``.",
            "ConstraintContract",
        ),
        Kind(
            "audit",
            None,
            "Call ``register(name, function, section=..., title=..., order=...)`` for each table of evidence about "
            "predictions, and say where in the report it belongs.",
            None,
        ),
        Kind(
            "engine",
            Engine,
            'Call ``register(name, factory)`` for each engine that maps functions over partitions; ``"name:key=2"`` '
            "calls ``factory(key=2)``.",
            "EngineContract",
        ),
    )
}
