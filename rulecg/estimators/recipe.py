"""From names and settings to the parts of a run: backend, pricers, constraints and master, found by the registry."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import Any

from attrs import frozen

from rulecg_core import (
    Backend,
    ConfigurationError,
    Constraint,
    Limits,
    Master,
    Pricer,
    Problem,
    Registry,
    Result,
    Rule,
    generate_columns,
)
from rulecg_core.base.events import Event, Observer
from rulecg_core.generation.stages import DEFAULT_STAGES, FOR_LARGE_DATA


@frozen(eq=False)
class Recipe:
    """Everything a run needs besides the data."""

    registry: Registry
    backend: Backend
    constraints: tuple[Constraint, ...]
    pricers: tuple[tuple[str, Pricer], ...]
    """With their names, in the order of the stages."""
    master: Callable[..., Any]
    for_large_data: frozenset[str] = frozenset()
    """Names of pricers that only large data needs."""
    start: tuple[Rule, ...] = ()
    """Rules to begin with, for example the pool of an earlier run on the same data."""
    start_sets: tuple[tuple[Rule, ...], ...] = ()
    """Rule sets to begin with, for example the best ones of an earlier run."""

    def stages(self, problem: Problem) -> tuple[tuple[str, Pricer], ...]:
        """The pricers that take part for a problem."""
        return tuple(stage for stage in self.pricers if problem.is_large or stage[0] not in self.for_large_data)

    def learn(self, problem: Problem, limits: Limits, observer: Observer | None, seed: int) -> Result:
        """Learn a rule set; plugins that listen hear every event, and the observer too."""
        return self.run(problem, limits, self.told_to(observer), seed)[1]

    def run(self, problem: Problem, limits: Limits, on_event: Observer, seed: int) -> tuple[Master, Result]:
        """Learn a rule set; the master, with everything that it knows at the end, and the result."""
        master = self.master(problem, self.constraints, self.backend)
        result = generate_columns(
            master, self.stages(problem), limits, on_event, seed=seed, start=self.start, start_sets=self.start_sets
        )
        return master, result

    def told_to(self, observer: Observer | None) -> Observer:
        """Passes events on to the plugins that listen, and to the observer."""

        def on_event(event: Event) -> None:
            self.registry.notify(event)
            if observer is not None:
                observer(event)

        return on_event


def compose(
    registry: Registry,
    *,
    max_complexity: float,
    constraints: Iterable[str | Constraint] | str | Constraint,
    backend: str | Backend | None,
    pricers: str | Pricer | Sequence[str | Pricer],
    loss: str,
) -> Recipe:
    """Resolve every name, so that a wrong one fails before any work is done."""
    if (
        isinstance(max_complexity, bool)
        or not isinstance(max_complexity, Real)
        or not math.isfinite(max_complexity)
        or max_complexity < 0
    ):
        raise ConfigurationError(
            f"max_complexity must be a number of at least 0, the most rules and conditions together, "
            f"not {max_complexity!r}."
        )
    wanted = [constraints] if isinstance(constraints, (str, Constraint)) else list(constraints)
    found_backend = registry.backend(backend)
    complexity = registry.constraint(f"complexity:{max_complexity!r}")
    return Recipe(
        registry=registry,
        backend=found_backend,
        constraints=(complexity, *(registry.constraint(constraint) for constraint in wanted)),
        pricers=tuple(
            (pricer if isinstance(pricer, str) else type(pricer).__name__, registry.pricer(pricer, found_backend))
            for pricer in _stages(registry, pricers)
        ),
        master=registry.master(loss),
        for_large_data=FOR_LARGE_DATA if _is_auto(pricers) else frozenset(),
    )


def _stages(registry: Registry, pricers: str | Pricer | Sequence[str | Pricer]) -> list[str | Pricer]:
    if _is_auto(pricers):
        # A default pricer may have been switched off; the status then says what was not proven.
        known = set(registry.names("pricer"))
        return [name for name in DEFAULT_STAGES if name in known] or list(DEFAULT_STAGES)
    stages = [pricers] if isinstance(pricers, (str, Pricer)) else list(pricers)
    if not stages:
        raise ConfigurationError("pricers is empty: name at least one pricer, or say 'auto'.")
    return stages


def _is_auto(pricers: str | Pricer | Sequence[str | Pricer]) -> bool:
    return isinstance(pricers, str) and pricers == "auto"
