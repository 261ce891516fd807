"""Learn a rule set from packed data: everything in memory where that fits, else in rounds over the partitions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, field, frozen

from rulecg_core import (
    ConfigurationError,
    Constraint,
    Engine,
    InfeasibleError,
    Limits,
    Result,
    Rule,
    RuleSet,
    Status,
    Stop,
    load_registry,
)
from rulecg_core.base.events import RoundFinished

from ..estimators.recipe import Recipe, compose
from ..model.scored_rule_sets import Learned
from .cell_goal import CellGoal, Verdict, stakes_of
from .checkpoint import State, load, save, task_key
from .learned_model import model_from
from .manifest import Manifest
from .run import PartitionRun, Parts, Work
from .samples import PartitionedSamples, outcome_of

BYTES_PER_ENTRY = 3.0
"""What a run in memory takes for every distinct row and condition, about, at its peak."""
BYTES_PER_ROW = 200.0
MEMORY_LIMIT = 2e9
"""By default, data that need less than this many bytes in memory are learned from there."""



def _names(names: Sequence[str] | str) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _constraints(wanted: str | Constraint | Sequence[str | Constraint]) -> tuple[str | Constraint, ...]:
    return (wanted,) if isinstance(wanted, (str, Constraint)) else tuple(wanted)


@frozen(eq=False)
class PackedSettings:
    """How a rule set is learned from packed data.

    Parameters
    ----------
    max_complexity, max_conditions, logic, constraints, backend, forbid, costs, random_state, time_limit
        As for :class:`rulecg.RuleSetClassifier`. The time limit is for learning in memory alone: rounds over partitions
        are limited by ``work``, so that they give the same answer on every machine.
    memory_limit : float
        Bytes that rows may take in memory. Where distinct rows need less, everything that works in memory works,
        proofs included; else a sample of this many bytes at most proposes, and all rows decide.
    work : Work
        How much rounds over partitions do.
    checkpoint : path or None
        A file that a run keeps after every round.
    resume : bool
        Whether to go on from the checkpoint, if it is there.
    """

    max_complexity: float = 30
    max_conditions: int = 5
    logic: str = "dnf"
    constraints: Sequence[str | Constraint] = field(default=(), converter=_constraints)
    backend: Any = None
    forbid: Sequence[str] = field(default=(), converter=_names)
    costs: Any = None
    random_state: int | None = None
    time_limit: float | None = 60.0
    memory_limit: float = MEMORY_LIMIT
    work: Work = field(factory=Work)
    checkpoint: str | Path | None = None
    resume: bool = False

    @property
    def prices(self) -> tuple[float, float]:
        """What a false positive and a false negative cost."""
        costs = dict(self.costs or {})
        if set(costs) - {"fp", "fn"}:
            raise ConfigurationError(f"costs must be like {{'fp': 5, 'fn': 1}}, not {self.costs!r}.")
        return float(costs.get("fp", 1.0)), float(costs.get("fn", 1.0))

    def told(self) -> dict[str, Any]:
        """Settings as a model file keeps them."""
        names = ("max_complexity", "max_conditions", "logic", "random_state", "costs", "time_limit")
        found = {name: getattr(self, name) for name in names}
        return {**found, "constraints": [str(each) for each in self.constraints], "forbid": list(self.forbid)}


def fit_packed(
    packed: str | Path | Manifest,
    settings: PackedSettings = PackedSettings(),
    *,
    engine: str | Engine = "local",
    say: Callable[[str], None] | None = None,
) -> Learned:
    """Learn a rule set from packed data.

    Parameters
    ----------
    packed : path or Manifest
        What :func:`rulecg.packing.pack.pack` made.
    settings : PackedSettings
        How to learn.
    engine : str or Engine
        Who asks the partitions: ``"local"``, ``"local:threads=4"``, ``"dask:tcp://10.0.0.1:8786"``, any executor.
    say : callable or None
        Called with a sentence now and then.

    Returns
    -------
    Learned
        The model, and what was found and proven.

    Raises
    ------
    ConfigurationError
        When data or settings cannot be used, or a partition file is not what was packed.
    InfeasibleError
        When no rule set was found that keeps all constraints.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> from rulecg.packing.pack import Packing, pack
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pd.DataFrame({"age": [20, 30, 40, 50] * 9, "sick": [0, 0, 1, 1] * 9})
    ...     table.to_csv(Path(folder, "people.csv"), index=False)
    ...     packed = pack(Path(folder, "people.csv"), Path(folder, "packed"), Packing("sick"))
    ...     learned = fit_packed(packed)
    >>> print(learned.model.rule_set)
    sick if
      age > 30
    """
    manifest = packed if isinstance(packed, Manifest) else Manifest.load(packed)
    say = say or (lambda sentence: None)
    _check(settings)
    recipe = compose(
        load_registry(),
        max_complexity=settings.max_complexity,
        constraints=settings.constraints,
        backend=settings.backend,
    )
    with engine_of(engine) as asked:
        samples = PartitionedSamples(manifest, asked, settings.logic, settings.forbid)
        sampled = samples.sample(_sampled_rows(samples, settings))
        needed = _bytes(sampled.n_distinct, len(samples.allowed))
        if needed <= settings.memory_limit:
            say(f"about {sampled.n_distinct:,} distinct rows: they fit into memory")
            result, rules = _in_memory(samples, recipe, settings)
        else:
            say(
                f"about {sampled.n_distinct:,} distinct rows would take {needed / 1e9:.1f} GB, more than the limit of "
                f"{settings.memory_limit / 1e9:.1f} GB: they stay on disk, and a sample of {len(sampled.X):,} proposes"
            )
            result, rules = _in_rounds(samples, sampled, recipe, settings, say)
        return model_from(result, rules, samples, settings.told())


@contextmanager
def engine_of(engine: str | Engine) -> Iterator[Engine]:
    """Make an engine by name and shut it down afterwards; one that is given stays as it is."""
    made = load_registry().engine(engine)
    try:
        yield made
    finally:
        if isinstance(engine, str):
            made.shutdown()


def _check(settings: PackedSettings) -> None:
    if not settings.memory_limit > 0:
        raise ConfigurationError(f"memory_limit must be a number of bytes above 0, not {settings.memory_limit!r}.")
    if isinstance(settings.max_conditions, bool) or int(settings.max_conditions) < 1:
        raise ConfigurationError(f"max_conditions must be at least 1, not {settings.max_conditions!r}.")


def _bytes(n_rows: int, n_conditions: int) -> float:
    return n_rows * (BYTES_PER_ENTRY * n_conditions + BYTES_PER_ROW)


def _sampled_rows(samples: PartitionedSamples, settings: PackedSettings) -> int:
    """How many rows the sample may have."""
    most = int(settings.memory_limit / _bytes(1, len(samples.allowed)))
    if most < 100:
        raise ConfigurationError(
            f"A memory_limit of {settings.memory_limit / 1e6:.3g} MB holds {most} rows of {len(samples.allowed)} "
            "conditions: give more, so that a sample can say anything."
        )
    return min(settings.work.sampled, most)


def _in_memory(
    samples: PartitionedSamples, recipe: Recipe, settings: PackedSettings
) -> tuple[Result, tuple[Rule, ...]]:
    """Learn as from a table in memory."""
    everything = samples.everything()
    labels = samples.manifest.labels[everything.cells]
    stakes = stakes_of(labels, everything.weights.astype(np.float64), settings.prices)
    problem = samples.problem(everything, settings.max_conditions, stakes=stakes)
    for part in (*recipe.pricers, *recipe.heuristics):
        part.plugin.prepare()
    result = recipe.learn(problem, Limits(seconds=settings.time_limit), None, settings.random_state or 0)
    return result, tuple(Rule(samples.allowed[at] for at in rule) for rule in result.rules)


def _in_rounds(
    samples: PartitionedSamples, sampled: Any, recipe: Recipe, settings: PackedSettings, say: Callable[[str], None]
) -> tuple[Result, tuple[Rule, ...]]:
    """Learn in rounds over the partitions."""
    began = time.perf_counter()
    costs = settings.prices
    goal = CellGoal.of(samples.manifest, recipe.constraints, recipe.backend, logic=settings.logic, costs=costs)
    parts = Parts(
        constraints=recipe.constraints,
        backend=recipe.backend,
        pricer=recipe.registry.pricer("beam", recipe.backend),
        heuristic=recipe.registry.heuristic("local-search", recipe.backend),
        max_conditions=min(settings.max_conditions, len(samples.allowed)),
        seed=settings.random_state or 0,
        costs=costs,
        work=settings.work,
    )
    parts.pricer.prepare()
    parts.heuristic.prepare()
    key = task_key(samples.manifest, {**settings.told(), **asdict(settings.work), "memory": settings.memory_limit})
    path = None if settings.checkpoint is None else Path(settings.checkpoint)
    state = State()
    if path is not None and settings.resume and path.exists():
        state = load(path, key)
        say(f"going on after round {state.round}")

    def keep(now: State) -> None:
        if path is not None:
            save(path, key, now)

    run = PartitionRun(samples, goal, parts, sampled, state, keep, say)
    best = run.go()
    # The rule without conditions stands alone: it is only compared at the end.
    candidates = [each for each in (best, _covering_all(goal)) if each is not None]
    chosen = min(candidates, key=lambda each: (each.merit, each.rules))
    if not chosen.is_feasible:
        values = {row.name: 0.0 for row in goal.goal.rows}
        raise InfeasibleError(values, proven=False)
    return _result(samples, chosen, run, time.perf_counter() - began), chosen.rules


def _covering_all(goal: CellGoal) -> Verdict:
    return goal.verdict((Rule(()),), goal.weights[None, :], goal.weights)


def _result(samples: PartitionedSamples, chosen: Verdict, run: PartitionRun, seconds: float) -> Result:
    """What was found and proven, as a run in memory tells it."""
    manifest, state = samples.manifest, run.state
    bound = state.bound if chosen.keeps_rows else None
    if bound is not None:
        bound = min(bound, chosen.objective)
    status = Status.HEURISTIC if bound is None else Status.BOUNDED
    if bound is not None and chosen.objective - bound <= 1e-9 * max(1.0, abs(bound)):
        status = Status.OPTIMAL
    history = tuple(
        RoundFinished(seconds, at + 1, math.nan if value is None else value, None, best, size, 0, "beam")
        for at, (value, best, size) in enumerate(state.history)
    )
    rules = [[manifest.conditions[at] for at in rule] for rule in chosen.rules]
    stakes = run.goal.goal.problem.stakes
    return Result(
        rules=chosen.rules,
        rule_set=RuleSet.of(
            rules, logic=samples.logic, columns=[name for name, _ in manifest.columns], outcome=outcome_of(manifest)  # type: ignore[arg-type]
        ),
        best_rules=chosen.rules,
        objective=chosen.objective,
        selected_objective=chosen.objective,
        errors=float(chosen.errors),
        cost=float(chosen.errors) if stakes is None else chosen.objective,
        objective_name="errors" if stakes is None else stakes.meaning,
        lower_bound=bound,
        status=status,
        stop=Stop.COMPLETED,
        relaxation=state.relaxation,
        seconds=seconds,
        pool_size=len(state.pool),
        history=history,
        pool=tuple(state.pool),
        counts_truly=run.goal.goal.counts_truly,
        keeps_proxy=chosen.keeps_rows,
    )
