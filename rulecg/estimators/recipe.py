"""From names and settings to the parts of a run: backend, pricers, heuristics, constraints and master, found by the
registry."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from rulecg_core import (
    Backend,
    Complexity,
    ConfigurationError,
    Constraint,
    Event,
    Heuristic,
    Limits,
    Master,
    Observer,
    Pricer,
    Problem,
    Registry,
    Result,
    Schedule,
    Start,
    generate_columns,
    now,
)

from ..resampling.stable_choice import Chooser
from .forest_start import Starter


def _hear_nothing(event: Event) -> None:
    """An observer of runs that are nobody's news."""


Wanted: TypeAlias = str | Pricer | Heuristic
"""A pricer or heuristic by name or as an object."""
ScheduleLike: TypeAlias = Schedule | Mapping[str, Any] | Sequence[str] | str | Path | None
"""A schedule, changed settings, lines of TOML or a TOML file with them, or None for the usual one."""


@frozen(eq=False)
class Part:
    """A pricer or heuristic that takes part, with the name it goes by."""

    name: str
    plugin: Any
    only_large: bool = False
    """Whether it takes part on large data only."""


@frozen(eq=False)
class Recipe:
    """Everything a run needs besides the data."""

    registry: Registry
    backend: Backend
    constraints: tuple[Constraint, ...]
    pricers: tuple[Part, ...]
    """In the order of the stages."""
    heuristics: tuple[Part, ...]
    master: Callable[..., Master]
    schedule: Schedule = field(factory=Schedule)
    start: Start = field(factory=Start)
    """Rules and rule sets to begin with, for example those of an earlier run on the same data."""
    starter: Starter | None = None
    """Makes further rules to begin with, within the run's time."""
    choose: Chooser | None = None
    """Chooses again among the good rule sets of a run; None leaves the choice to the core."""
    select: str = "optimal"
    """Which rule set is shown where optimality is proven, as for :func:`rulecg_core.generate_columns`."""

    def taking_part(self, parts: Iterable[Part], problem: Problem) -> tuple[tuple[str, Any], ...]:
        """Those of some parts that take part for a problem, with their names."""
        is_large = self.schedule.is_large(problem)
        return tuple((part.name, part.plugin) for part in parts if is_large or not part.only_large)

    def stages(self, problem: Problem) -> tuple[tuple[str, Pricer], ...]:
        """The pricers that take part for a problem."""
        return self.taking_part(self.pricers, problem)

    def learn(self, problem: Problem, limits: Limits, observer: Observer | None, seed: int) -> Result:
        """Learn a rule set; plugins that listen hear every event, and the observer too."""
        return self.run(problem, limits, self.told_to(observer), seed)

    def run(self, problem: Problem, limits: Limits, on_event: Observer, seed: int) -> Result:
        """Learn a rule set; where somebody chooses again, that takes half of the time."""
        if self.choose is None:
            return self.run_once(problem, limits, on_event, seed)
        part = limits if limits.seconds is None else evolve(limits, seconds=limits.seconds / 2)
        result = self.run_once(problem, part, on_event, seed)
        again = self.going_on_from(result)

        def relearn(other: Problem, seconds: float) -> Result:
            return again.run_once(other, evolve(limits, seconds=seconds), _hear_nothing, seed)

        with self.master(problem, self.constraints, self.backend) as master:
            return self.choose(result, master.goal, seed, relearn)

    def going_on_from(self, result: Result) -> Recipe:
        """The same recipe, beginning with what a run has found."""
        return evolve(self, start=Start(result.pool, (result.best_rules, result.rules)), starter=None)

    def run_once(
        self, problem: Problem, limits: Limits, on_event: Observer, seed: int, halt: threading.Event | None = None
    ) -> Result:
        """Learn a rule set and leave the choice among the good ones to the core; setting the halt ends it early."""
        began, start = now(), self.start
        if self.starter is not None:
            start = evolve(start, rules=(*start.rules, *self.starter(problem)))
            if limits.seconds is not None:
                left = limits.seconds - (now() - began)
                limits = evolve(limits, seconds=max(left, 0.1 * limits.seconds))
        with self.master(problem, self.constraints, self.backend) as master:
            return generate_columns(
                master,
                self.stages(problem),
                limits,
                heuristics=self.taking_part(self.heuristics, problem),
                schedule=self.schedule,
                on_event=on_event,
                seed=seed,
                start=start,
                select=self.select,  # type: ignore[arg-type]  # checked by the core
                second_backend=self._second_backend(),
                halt=halt,
            )

    def _second_backend(self) -> Backend | None:
        """Another solver that is installed, for second opinions."""
        for entry in self.registry.of_kind("backend"):
            if entry.name != self.backend.name and entry.availability.available:
                return self.registry.backend(entry.name)
        return None

    def told_to(self, observer: Observer | None) -> Observer:
        """Passes events on to the plugins that listen, and to the observer."""

        def on_event(event: Event) -> None:
            self.registry.notify(event)
            if observer is not None:
                observer(event)

        return on_event


def compose(  # each is one of the estimator's settings, and nobody passes them by position
    registry: Registry,
    *,
    max_complexity: float,
    constraints: Iterable[str | Constraint] | str | Constraint = (),
    backend: str | Backend | None = None,
    pricers: Wanted | Sequence[Wanted] = "auto",
    heuristics: Wanted | Sequence[Wanted] = "auto",
    loss: str = "hamming",
    schedule: ScheduleLike = None,
) -> Recipe:
    """Resolve every name, so that a wrong one fails before any work is done.

    Parameters
    ----------
    registry : what plugins offer
    max_complexity : most rules and conditions together
    constraints, backend, pricers, heuristics, loss : names, with options as text, or objects
    schedule : who works when
    """
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
    stages = _parts(registry, "pricer", pricers, found_backend)
    if not stages:
        raise ConfigurationError("pricers is empty: name at least one pricer, or say 'auto'.")
    return Recipe(
        registry=registry,
        backend=found_backend,
        constraints=(Complexity(max_complexity), *(registry.constraint(constraint) for constraint in wanted)),
        pricers=stages,
        heuristics=_parts(registry, "heuristic", heuristics, found_backend),
        master=registry.master(loss),
        schedule=schedule_of(schedule),
    )


def schedule_of(schedule: ScheduleLike) -> Schedule:
    """The schedule that is meant."""
    if schedule is None:
        return Schedule()
    if isinstance(schedule, Schedule):
        return schedule
    if isinstance(schedule, Mapping):
        return Schedule().with_settings(schedule)
    if isinstance(schedule, (list, tuple)):
        return Schedule.from_lines(map(str, schedule))
    if not isinstance(schedule, (str, Path)):
        raise ConfigurationError(f"schedule must be a Schedule, a mapping or a TOML file, not {schedule!r}.")
    return Schedule.from_toml(schedule)


def _parts(registry: Registry, kind: str, wanted: Wanted | Sequence[Wanted], backend: Backend) -> tuple[Part, ...]:
    """The plugins that are wanted; those registered as defaults for ``"auto"``."""
    if isinstance(wanted, str) and wanted == "auto":
        large_only = set(registry.defaults(kind, is_large=True)) - set(registry.defaults(kind, is_large=False))
        return tuple(
            Part(name, registry.make(kind, name, backend), name in large_only)
            for name in registry.defaults(kind, is_large=True)
        )
    if not isinstance(wanted, (str, Pricer, Heuristic, Iterable)):
        raise ConfigurationError(f"{kind}s must be 'auto' or a sequence of names or {kind}s, not {wanted!r}.")
    named = [wanted] if isinstance(wanted, (str, Pricer, Heuristic)) else list(wanted)
    return tuple(
        Part(each if isinstance(each, str) else type(each).__name__, registry.make(kind, each, backend))
        for each in named
    )
