"""A second opinion on an integer program that closes a proof.

Floating-point solvers have called the feasible infeasible and the suboptimal optimal, so one alone is not enough.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from ..api.backend import Backend, MIPModel, MIPResult
from ..api.provenance import describe, fault_of
from ..backend_kit.mps import write_mps
from ..base.limits import Deadline
from ..base.status import Solution
from ..data.goal import ROUNDING, Candidate, Goal
from ..data.rules import Rule
from ..masters.pool_master import mip_limits_for
from ..masters.restricted_program import build_restricted


@frozen(eq=False)
class Confirmation:
    """What a second solver says of a rule set that a first one calls the best of a list."""

    agrees: bool
    """Whether it says as well that none is better."""
    candidates: tuple[Candidate, ...] = ()
    """Better rule sets that it found: the first solver was wrong."""
    note: str = ""
    """What to tell a person where the two contradict each other."""


def confirm(  # the program's parts and who solves it, when
    goal: Goal, backends: tuple[Backend, Backend], rules: Sequence[Rule], best: Candidate, deadline: Deadline
) -> Confirmation:
    """Ask a second solver whether a rule set is the best of all that a list makes.

    Parameters
    ----------
    goal
        What rule sets are judged by.
    backends
        The solver that says so, and the one that is asked.
    rules
        The list; the rule set is made of it.
    best
        The rule set.
    deadline
        When to give up: nothing is confirmed then.

    Returns
    -------
    Confirmation
        Whether it agrees. Where the two contradict each other, the program is written to a file.
    """
    first, second = backends
    model = build_restricted(goal, list(rules), count_once=goal.counts_once)
    position = {rule: at for at, rule in enumerate(rules)}
    is_listed = all(rule in position for rule in best.rules)
    start = [model.point([position[rule] for rule in best.rules])] if is_listed else []
    limits = mip_limits_for(goal, model.mip, deadline, None)
    try:
        answer = second.solve_mip(model.mip, limits, start=start)
        if not isinstance(answer, MIPResult):
            raise TypeError(f"solve_mip() must return a MIPResult, not {answer!r}")
    except Exception as error:  # a stranger's code: anything may come
        fault = fault_of("backend", second.name, second, error)
        return Confirmation(False, note=f"{fault}; the integer program rests on {first.name} alone")
    noise = ROUNDING * max(1.0, abs(best.objective))
    counted = [goal.evaluate(tuple(rules[at] for at in model.chosen(found.x))) for found in answer.solutions]
    better = tuple(each for each in counted if each.keeps_rows and each.objective < best.objective - noise)
    if better:
        least = min(each.objective for each in better)
        return Confirmation(False, better, _contradiction(first, second, model.mip, f"finds {least:.6g}", best))
    if answer.solution is Solution.INFEASIBLE and start:
        return Confirmation(False, (), _contradiction(first, second, model.mip, "calls it infeasible", best))
    proven = answer.solution is Solution.INFEASIBLE or (
        answer.bound is not None and answer.bound > best.objective - max(goal.step, 2 * noise) + noise
    )
    return Confirmation(proven)


def name_of(backend: Backend, of: Backend) -> str:
    """How a certificate speaks of the second solver."""
    return backend.name if backend.name != of.name else f"{backend.name} without presolve"


def _contradiction(first: Backend, second: Backend, model: MIPModel, said: str, best: Candidate) -> str:
    path = write_mps(model, Path(tempfile.mkdtemp(prefix="rulecg-")))
    return (
        f"the solvers contradict each other: {describe(first.name, first)} says that no rule set of a list is below "
        f"{best.objective:.6g}, {describe(name_of(second, first), second)} {said}. Nothing is claimed of it. The "
        f"program is in {path}: please give it to the solvers' maintainers"
    )
