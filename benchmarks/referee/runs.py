"""One run of column generation on a case, and what is wrong with its answer."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rulecg_core import (
    Complexity,
    ConfigurationError,
    HammingMaster,
    InfeasibleError,
    Limits,
    Problem,
    Stakes,
    Status,
    ZeroOneMaster,
    generate_columns,
    load_registry,
)
from rulecg_core.testing.brute_force import BruteForcePricer

from .cases import case_of
from .judge import LOOSE, Case, Judge

SECONDS = 20.0


@cache
def registry() -> Any:
    """Loaded once."""
    return load_registry()


@cache
def backend_of(name: str) -> Any:
    """One of each."""
    return registry().backend(name)


def problem_of(case: Case, merge: bool) -> Problem:
    """The problem as the packages want it."""
    fp, fn = case.costs
    stakes = None
    if case.teacher is not None:
        stakes = Stakes.softened(case.labels, case.teacher, 0.5, case.weights, fp=fp, fn=fn)
    elif case.costs != (1.0, 1.0):
        stakes = Stakes.from_labels(case.labels, case.weights, fp=fp, fn=fn)
    return Problem.from_arrays(
        case.X, case.labels, weights=case.weights, sensitive_groups=case.groups, logic=case.logic,
        max_conditions=case.max_conditions, condition_costs=case.condition_costs, merge=merge, stakes=stakes,
    )  # fmt: skip


def constraints_of(case: Case) -> list[Any]:
    """The constraints, from the registry."""
    penalty = case.penalty
    size = Complexity(case.most, per_rule=case.per_rule, per_condition=case.per_condition, penalty=penalty)
    if case.constraint == "none":
        return [size]
    if case.constraint == "demographic-ratio":
        return [size, registry().constraint(f"demographic-parity:ratio={case.bound}")]
    return [size, registry().constraint(f"{case.constraint}:{case.bound}")]


def run(case: Case, config: dict[str, Any], seed: int) -> Any:
    """Run column generation as the configuration says."""
    backend = backend_of(config["backend"])
    cls = HammingMaster if case.loss == "hamming" else ZeroOneMaster
    made = {"brute force": BruteForcePricer}
    pricers = [
        made[name]() if name in made else registry().pricer(name, backend) for name in config["pricers"].split(", ")
    ]
    heuristics = [] if config["search"] == "none" else [registry().heuristic(config["search"])]
    master = cls(problem_of(case, config["rows"] == "merged"), constraints_of(case), backend)
    return generate_columns(master, pricers, Limits(seconds=SECONDS), heuristics=heuristics, seed=seed)


def faults_of(config: dict[str, Any], seed: int) -> tuple[str, list[str]]:
    """Run one pair of a problem and a configuration: its status, and every disagreement with the judge."""
    case = case_of(config, seed)
    judge = Judge(case)
    verdict = judge.verdict()
    try:
        result = run(case, config, seed)
    except InfeasibleError as error:
        if verdict.least_loose < np.inf and error.proven and not verdict.is_close:
            return "infeasible", [f"called infeasible, but there is {verdict.least_loose}"]
        return ("infeasible" if error.proven else "none found"), []
    except ConfigurationError as error:
        return "refused", [] if not verdict.is_defined else [f"refused: {error}"]
    if not verdict.is_defined:
        return "refused", ["a rate without rows was not refused"]
    return str(result.status) + (", first" if result.is_canonical else ""), list(_wrong(case, judge, verdict, result))


def _wrong(case: Case, judge: Judge, verdict: Any, result: Any) -> Any:
    """What the judge finds wrong with a result."""
    scale = float(np.abs(judge.uncovered).sum() + np.abs(judge.covered).sum())
    near = 1e-7 * scale
    shown = judge.count(tuple(rule.features for rule in result.rules))
    best = judge.count(tuple(rule.features for rule in result.best_rules))
    if abs(shown.errors - result.errors) > near:
        yield f"says {result.errors} errors, there are {shown.errors}"
    if abs(shown.objective - result.selected_objective) > near:
        yield f"says the objective of the rules shown is {result.selected_objective}, it is {shown.objective}"
    if abs(best.objective - result.objective) > near:
        yield f"says the objective is {result.objective}, it is {best.objective}"
    if shown.truly_broken > LOOSE:
        yield f"the rules shown break a bound by {shown.truly_broken}"
    if result.lower_bound is not None and result.lower_bound > verdict.least_loose + near:
        yield f"says nothing is below {result.lower_bound}, but there is {verdict.least_loose}"
    if result.status is Status.OPTIMAL:
        if not verdict.least_loose - near <= result.objective <= verdict.least + near:
            yield f"says {result.objective} is optimal, the optimum is {verdict.least}"
        if abs(result.selected_objective - result.objective) > near:
            yield "says optimal, but shows rules of another objective"
    if result.is_canonical and not verdict.is_close:
        found = frozenset(frozenset(rule.features) for rule in result.rules)
        if found != verdict.canonical:
            yield f"shows {sorted(map(sorted, found))}, the first optimum is {sorted(map(sorted, verdict.canonical))}"
