"""Column generation: solve the master, price, add rules, repeat; then choose a rule set and prove what can be."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from attrs import evolve, field, frozen

from ..api.backend import Backend
from ..api.heuristic import Heuristic
from ..api.master import Master
from ..api.pricing import Pricer
from ..api.provenance import describe
from ..base.errors import ConfigurationError
from ..base.events import Observer, Started
from ..base.interrupts import Interrupts
from ..base.limits import Limits, counting_work, is_counting
from ..base.status import Stop
from ..data.rules import Rule
from ..generation.stages import Stage
from .conclusion import conclude
from .phases import COMPLETION, GENERATION
from .result import Result
from .run import Run
from .schedule import Schedule
from .searching import Searching

Select: TypeAlias = Literal["optimal", "fewest-errors"]
"""Which rule set is shown where optimality is proven."""


def _as_tuple(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(rules)


def _as_tuples(sets: Iterable[Iterable[Rule]]) -> tuple[tuple[Rule, ...], ...]:
    return tuple(tuple(rules) for rules in sets)


@frozen
class Start:
    """What a run begins with, for example from an earlier run on the same problem."""

    rules: tuple[Rule, ...] = field(default=(), converter=_as_tuple)
    """Rules for the pool."""
    rule_sets: tuple[tuple[Rule, ...], ...] = field(default=(), converter=_as_tuples)
    """Whole rule sets."""


def generate_columns(  # what is composed and what it is composed with: all but three have a default
    master: Master,
    pricers: Sequence[Pricer | tuple[str, Pricer]],
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    heuristics: Sequence[Heuristic | tuple[str, Heuristic]] = (),
    schedule: Schedule = Schedule(),  # noqa: B008 - frozen
    on_event: Observer | None = None,
    seed: int = 0,
    start: Start = Start(),
    select: Select = "optimal",
    second_backend: Backend | None = None,
    halt: threading.Event | None = None,
) -> Result:
    """Run column generation.

    Parameters
    ----------
    master : Master
        Its goal is what rule sets are judged by; its pool grows. The run closes its sessions at the end.
    pricers : sequence of Pricer or (name, Pricer)
        Asked for new rules in this order in every round, until one finds any.
    limits : Limits
        How long, how often and how much.
    heuristics : sequence of Heuristic or (name, Heuristic)
        Look for rule sets beside the rounds; without any, rule sets come from integer programs alone.
    schedule : Schedule
        Who works when.
    on_event : callable or None
        Called with every event of the run; if it raises, a warning says so and the run goes on without it.
    seed : int
        For pricers and heuristics that use chance.
    start : Start
        Rules and rule sets to begin with.
    select : "optimal" or "fewest-errors"
        Where optimality is proven: show an optimal rule set (the first in the order of ties, if all could be
        enumerated), or the one with the fewest errors that was met, whatever its objective.
    second_backend : Backend or None
        Confirms integer programs that a proof rests on; None asks the master's own solver again, without presolve.
    halt : threading.Event or None
        Setting it ends the run early, from whatever thread, as Ctrl-C does.

    Returns
    -------
    Result
        The chosen rule set and what was proven. Ctrl-C ends the run early with the best rule set so far.

    Raises
    ------
    InfeasibleError
        When no rule set keeps every row, or none was found that does.
    KeyboardInterrupt
        On a second Ctrl-C, or on the first with nothing in hand.

    Examples
    --------
    >>> from rulecg_core import Complexity, HammingMaster, Problem, generate_columns, load_registry
    >>> registry = load_registry()
    >>> backend = registry.backend("highs")
    >>> problem = Problem.from_arrays([[1, 0], [1, 1], [0, 1]], [True, True, False], columns=["a", "b"])
    >>> master = HammingMaster(problem, [Complexity(4)], backend)
    >>> result = generate_columns(master, [registry.pricer("exact-search", backend)])
    >>> print(result.rule_set)
    positive if
      a
    >>> result.status.value
    'optimal'
    """
    stages = Stage.all_of(pricers)
    if not stages:
        raise ConfigurationError("Column generation needs at least one pricer.")
    named = [each if isinstance(each, tuple) else (type(each).__name__, each) for each in heuristics]
    if limits.counts_work or is_counting():
        _refuse_what_does_not_count(master.backend, stages, named)
        limits = evolve(limits, threads=1, counts_work=True)
    for stage in stages:
        stage.pricer.prepare()
    for _, heuristic in named:
        heuristic.prepare()
    halt = halt or threading.Event()
    if select not in get_args(Select):
        raise ConfigurationError(f"select must be one of {get_args(Select)}, not {select!r}.")
    run = Run(master, stages, limits, on_event, np.random.default_rng(seed), schedule, halt)
    run.searching, run.prefers_errors = Searching(run, named), select == "fewest-errors"
    run.second_backend = second_backend
    with counting_work(limits.counts_work), Interrupts(halt):
        try:
            _go_through(run, start)
            return conclude(run)
        finally:
            run.close()


def _refuse_what_does_not_count(
    backend: Backend, stages: Sequence[Stage], heuristics: Sequence[tuple[str, Heuristic]]
) -> None:
    """A repeatable run needs plugins that count their work: the others are named."""
    parts: list[tuple[str, str, Backend | Pricer | Heuristic]] = [("backend", backend.name, backend)]
    parts += [("pricer", stage.name, stage.pricer) for stage in stages]
    parts += [("heuristic", name, heuristic) for name, heuristic in heuristics]
    refused = [f"the {kind} {describe(name, plugin)}" for kind, name, plugin in parts if not plugin.counts_work]
    if refused:
        raise ConfigurationError(
            f"A repeatable run needs plugins that count their work, but {' and '.join(refused)} looks at the clock. "
            "Choose others, or do without deterministic=True."
        )


def _go_through(run: Run, start: Start) -> None:
    """All phases, or those before Ctrl-C."""
    run.start_clock()
    try:
        _begin(run, start)
        seconds, share = run.limits.seconds, run.schedule.generation.share
        deadline = run.deadline if seconds is None else run.deadline.within(seconds * share)
        for phase in GENERATION:
            phase(run, deadline)
        run.take([run.master.evaluate(())], "no rules")
        for phase in COMPLETION:
            phase(run, run.deadline)
    except KeyboardInterrupt:
        run.halt.set()
    if run.halt.is_set():
        if run.incumbents.choose() is None:
            raise KeyboardInterrupt
        run.take([run.master.evaluate(())], "no rules")
        run.stop = Stop.INTERRUPTED
        run.note("interrupted: this is the best rule set so far")


def _begin(run: Run, start: Start) -> None:
    """Tell observers what begins; take in what is known."""
    master, problem = run.master, run.problem
    names = tuple(stage.name for stage in run.stages)
    sizes = problem.n_samples, problem.n_conditions, len(run.goal.rows)
    run.emit(Started(run.now(), *sizes, master.backend.name, names))
    run.notes = tuple(note for constraint in master.constraints for note in constraint.notes(problem))
    if problem.unit != 1:
        run.notes += (f"sample weights are counted in units of {problem.unit:.3g}; results are in your own",)
    for note in run.notes:
        run.note(note)
    run.take_constant_rule()
    rules = [*start.rules, *(rule for rules in start.rule_sets for rule in rules)]
    master.add_rules([rule for rule in rules if len(rule)])
    run.take([master.evaluate(rules) for rules in start.rule_sets], "an earlier run")
