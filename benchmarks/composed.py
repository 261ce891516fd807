"""Runs composed by hand, as the benchmarks need them: a Hamming master with a bound on complexity, and what takes part
by default unless something else is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulecg_core import (
    Backend,
    HammingMaster,
    Heuristic,
    Limits,
    Observer,
    Pricer,
    Problem,
    Registry,
    RelaxationOptions,
    Result,
    Schedule,
    generate_columns,
    load_registry,
)


def defaults(registry: Registry, kind: str, problem: Problem, backend: Backend, schedule: Schedule) -> list[Any]:
    """The pricers or heuristics that take part by default, with their names."""
    names = registry.defaults(kind, is_large=schedule.is_large(problem))
    return [(name, registry.make(kind, name, backend)) for name in names]


# Eight parameters: each is one part of a run that some benchmark replaces, and all but three are given by name.
def run(
    problem: Problem,
    complexity: float,
    limits: Limits,
    *,
    backend: str | Backend | None = None,
    pricers: Sequence[tuple[str, Pricer]] | None = None,
    heuristics: Sequence[tuple[str, Heuristic]] | None = None,
    schedule: Schedule = Schedule(),  # noqa: B008 - frozen
    options: RelaxationOptions = RelaxationOptions(),  # noqa: B008 - frozen
    on_event: Observer | None = None,
) -> Result:
    """Learn a rule set of at most this complexity; None for pricers or heuristics takes the default ones."""
    registry = load_registry()
    solver = registry.backend(backend)
    if pricers is None:
        pricers = defaults(registry, "pricer", problem, solver, schedule)
    if heuristics is None:
        heuristics = defaults(registry, "heuristic", problem, solver, schedule)
    with HammingMaster(problem, [registry.constraint(f"complexity:{complexity:g}")], solver, options=options) as master:
        return generate_columns(
            master, pricers, limits, heuristics=heuristics, schedule=schedule, on_event=on_event
        )
