"""Column generation: solve the master, price, add rules, repeat; then choose a rule set and prove what can be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve

from ..api.master import Candidate, Master
from ..api.parts import SearchParts
from ..api.pricing import Pricer
from ..base.errors import ConfigurationError, InfeasibleError
from ..base.events import Finished, Observer, Started
from ..base.limits import Limits
from ..base.status import Status, Stop
from ..data.rules import Rule
from ..generation.rounds import generate
from ..generation.stages import Stage
from .advice import advice
from .finishing import choose_and_prove
from .plain_conditions import prefer_plain_conditions
from .result import Result
from .run import Run


def generate_columns(
    master: Master,
    pricers: Sequence[Pricer | tuple[str, Pricer]],
    limits: Limits = Limits(),  # noqa: B008 - Limits is frozen
    on_event: Observer | None = None,
    *,
    seed: int = 0,
    start: Sequence[Rule] = (),
    start_sets: Sequence[Sequence[Rule]] = (),
    search: SearchParts = SearchParts(),  # noqa: B008 - SearchParts is frozen
) -> Result:
    """Run column generation on the master with pricers in stages.

    ``start`` are rules to begin with, for example the pool of an earlier run, and ``start_sets`` whole rule sets.
    ``search`` says how rule sets are searched for meanwhile. Ctrl-C ends the run early with the best rule set so far.
    """
    stages = Stage.all_of(pricers)
    if not stages:
        raise ConfigurationError("Column generation needs at least one pricer.")
    for stage in stages:
        stage.pricer.prepare()
    from rulecg_search import condition_moves

    condition_moves.prepare()
    run = Run(master, stages, limits, on_event or (lambda event: None), np.random.default_rng(seed), search)
    run.start_clock()
    _tell_beginning(run)
    master.add_rules([*start, *(rule for rules in start_sets for rule in rules)])
    run.incumbents.add([master.evaluate(rules) for rules in start_sets], "an earlier run")
    empty = master.evaluate(())
    try:
        generate(run)
    except KeyboardInterrupt:
        run.stop = Stop.INTERRUPTED
        run.note("interrupted: choosing among the rules so far")
    try:
        run.incumbents.add([empty], "no rules")
        choose_and_prove(run)
    except KeyboardInterrupt:
        run.stop = Stop.INTERRUPTED
    return _result(run)


def _tell_beginning(run: Run) -> None:
    master, problem = run.master, run.master.problem
    names = tuple(stage.name for stage in run.stages)
    run.emit(
        Started(run.now(), problem.n_samples, problem.n_conditions, len(master.rows), master.backend.name, names)
    )
    run.notes = tuple(note for constraint in master.constraints for note in constraint.notes(problem))
    for note in run.notes:
        run.note(note)


def _result(run: Run) -> Result:
    """The chosen rule set with its certificate; an error when no rule set met keeps every bound."""
    master = run.master
    chosen = run.incumbents.choose()
    if chosen is None:
        raise InfeasibleError(master.conflict(), proven=False)
    # The bound holds for rule sets that keep the rows as the master counts: only such can be said to be optimal.
    kept = run.incumbents.best_kept
    best = kept or chosen
    chosen = prefer_plain_conditions(master, chosen)
    bound = _proven_bound(run, best, kept is not None)
    keeps_proxy = chosen.proxy_violation <= 1e-6
    status = _status(run, best, bound, keeps_proxy)
    more_notes = advice(master, chosen.rules)
    for note in more_notes:
        run.note(note)
    result = Result(
        rules=chosen.rules,
        rule_set=master.problem.rule_set(chosen.rules),
        best_rules=best.rules,
        objective=best.objective,
        selected_objective=chosen.objective,
        errors=chosen.errors,
        lower_bound=bound,
        status=status,
        stop=run.stop,
        relaxation=None if run.relaxation is None or not run.relaxation.feasible else run.relaxation.objective,
        seconds=run.now(),
        pool_size=len(master.pool),
        history=tuple(run.history),
        pool=tuple(master.pool.rules),
        rules_listed=run.rules_listed,
        row_values=master.row_values(chosen.rules),
        row_duals=master.row_duals() if run.relaxation is not None else {},
        counts_truly=master.counts_truly,
        keeps_proxy=keeps_proxy,
        notes=run.notes + more_notes,
    )
    run.emit(Finished(run.now(), status, run.stop, result.objective, bound, result.pool_size))
    return evolve(result, seconds=run.now())


def _proven_bound(run: Run, best: Candidate, best_is_kept: bool) -> float | None:
    trivial = run.master.trivial_bound
    if run.lower_bound is not None and best_is_kept:
        return min(max(run.rounded(run.lower_bound), trivial), best.objective)
    return trivial if best.objective <= trivial else None


def _status(run: Run, best: Candidate, bound: float | None, keeps_proxy: bool) -> Status:
    if bound is None:
        return Status.HEURISTIC
    if not keeps_proxy:
        return Status.BOUNDED
    if best.objective - bound <= 1e-9 * max(1.0, abs(bound)):
        return Status.OPTIMAL
    return Status.LP_OPTIMAL if run.certificate is not None else Status.BOUNDED
