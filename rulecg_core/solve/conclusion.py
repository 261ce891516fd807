"""The end of a run: the chosen rule set, the bound, and what may be said of both."""

from __future__ import annotations

from attrs import evolve

from ..base.errors import InfeasibleError
from ..base.events import Finished
from ..base.status import Status
from ..data.goal import Candidate
from ..proof.optima.equal_covers import TooManyRulesError
from ..proof.optima.first_optimum import with_first_rules
from ..proof.optima.tie_order import first_of
from .advice import advice
from .result import Result
from .run import Run
from .tidy_rules import tidied

NEAR_BEST = 50
"""How many good rule sets a result keeps beside the chosen one."""


def conclude(run: Run) -> Result:
    """The chosen rule set with its certificate; an error when no rule set met keeps every bound."""
    run.compare_with_all_rules()
    goal, relaxation = run.goal, run.relaxation or run.guidance
    chosen = run.incumbents.choose()
    if chosen is None:
        raise InfeasibleError(_conflict(run), proven=False)
    optimum = _proven_optimum(run)
    if optimum is not None:
        chosen = optimum
    elif run.problem.n_samples <= run.schedule.plain_samples and not run.halt.is_set():
        chosen = tidied(goal, chosen)
    run.incumbents.add([chosen])
    # The bound holds for rule sets that keep the rows as the master counts: only such can be said to be optimal.
    kept = run.incumbents.best_kept
    best = optimum or kept or chosen
    bound = _proven_bound(run, best, kept is not None)
    claimed_by = _claimed_by(run, best) if chosen.keeps_rows else ()
    status = _status(run, best, bound, chosen.keeps_rows)
    if claimed_by and status is not Status.OPTIMAL:
        status = Status.CLAIMED
    more_notes = advice(goal, goal.completed(chosen.rules))
    for note in more_notes:
        run.note(note)
    result = Result(
        rules=goal.completed(chosen.rules),
        rule_set=run.problem.rule_set(goal.completed(chosen.rules)),
        best_rules=goal.completed(best.rules),
        objective=best.objective,
        selected_objective=chosen.objective,
        errors=chosen.errors,
        cost=chosen.cost,
        objective_name="errors" if run.problem.stakes is None else run.problem.stakes.meaning,
        lower_bound=bound,
        status=status,
        stop=run.stop,
        relaxation=relaxation.value if relaxation is not None and relaxation.feasible else None,
        seconds=run.now(),
        pool_size=len(run.master.pool),
        history=tuple(run.history),
        pool=tuple(run.master.pool.rules),
        rules_listed=run.rules_listed,
        row_values=goal.row_values(chosen.rules),
        row_duals={} if relaxation is None else dict(relaxation.row_duals),
        counts_truly=goal.counts_truly,
        keeps_proxy=chosen.keeps_rows,
        notes=run.notes + more_notes,
        guidance=run.guidance,
        closed_by=run.closed_by if status is Status.OPTIMAL else (),
        optima=None if run.first_optimum is None else run.first_optimum.optima,
        claimed_by=claimed_by,
        proof=run.certificate,
        near_best=tuple(map(goal.completed, run.incumbents.nearly_chosen(NEAR_BEST))),
    )
    result = _in_weights(result, run.problem.unit)
    run.emit(Finished(run.now(), status, run.stop, result.objective, result.lower_bound, result.pool_size))
    return evolve(result, seconds=run.now())


def _proven_optimum(run: Run) -> Candidate | None:
    """Where optimality is proven, the rule set to show: the first of all optima, or of those that were met; None where
    nothing is proven or the fewest errors are asked for."""
    if run.prefers_errors:
        return None
    if run.first_optimum is not None:
        return run.first_optimum.candidate
    best = run.incumbents.best_kept
    if best is None or not run.is_proven(best):
        return None
    tied = [found for found in run.incumbents.kept if found.objective <= best.objective * (1 + 1e-12) + 1e-12]
    first = first_of(run.problem, tied)
    try:
        return with_first_rules(run.goal, first)
    except TooManyRulesError:
        return first


def _in_weights(result: Result, unit: float) -> Result:
    """The result in the user's sample weights instead of the problem's unit."""
    if unit == 1:
        return result
    return evolve(
        result,
        objective=result.objective * unit,
        selected_objective=result.selected_objective * unit,
        errors=result.errors * unit,
        cost=result.cost * unit,
        lower_bound=None if result.lower_bound is None else result.lower_bound * unit,
        relaxation=None if result.relaxation is None else result.relaxation * unit,
        row_duals={name: dual * unit for name, dual in result.row_duals.items()},
    )


def _proven_bound(run: Run, best: Candidate, best_is_kept: bool) -> float | None:
    least = run.goal.least_objective
    if run.lower_bound is None or not best_is_kept:
        return least if best.objective <= least else None
    bound = max(run.rounded(run.lower_bound), least)
    if bound > best.objective + 1e-6 * max(1.0, abs(bound)):
        # What was proven is refuted by a rule set that was counted: somebody erred, and nothing may be said.
        run.note(
            f"a contradiction: no rule set was to be below {bound:.6g}, but one with {best.objective:.6g} was found. "
            f"Nothing is claimed. Please report this with the solver ({run.master.backend.name}) and its version"
        )
        return None
    return min(bound, best.objective)


def _claimed_by(run: Run, best: Candidate) -> tuple[str, ...]:
    """Those who say, without being trusted, that nothing is better."""
    reached = best.objective - 1e-9 * max(1.0, abs(best.objective))
    beyond = best.objective + 1e-6 * max(1.0, abs(best.objective))
    return tuple(who for who, bound in run.ledger.claims.items() if reached <= run.rounded(bound) and bound <= beyond)


def _status(run: Run, best: Candidate, bound: float | None, keeps_proxy: bool) -> Status:
    if bound is None:
        return Status.HEURISTIC
    if not keeps_proxy:
        return Status.BOUNDED
    if best.objective - bound <= 1e-9 * max(1.0, abs(bound)):
        return Status.OPTIMAL
    return Status.LP_OPTIMAL if run.certificate is not None else Status.BOUNDED


def _conflict(run: Run) -> dict[str, float]:
    """The rows to name when no rule set keeps all of them, and by how much each misses its bound."""
    relaxation = run.relaxation or run.guidance
    if relaxation is None:
        values = run.goal.row_values(())
        return {row.name: row.violation(values[row.name][0]) for row in run.goal.rows}
    if not relaxation.feasible:
        return relaxation.conflict()
    return {name: 0.0 for name, dual in relaxation.row_duals.items() if abs(dual) > 1e-9}
