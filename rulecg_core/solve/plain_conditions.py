"""Among rule sets that are equally good, prefer the one that reads better."""

from __future__ import annotations

from ..data.goal import Candidate, Goal
from ..data.rules import Rule


def prefer_plain_conditions(goal: Goal, candidate: Candidate) -> Candidate:
    """Replace ``column != value`` by ``column == other`` wherever nothing gets worse: people read it more easily."""
    problem = goal.problem
    plain: dict[str, list[int]] = {}
    for feature, condition in enumerate(problem.conditions):
        if condition.operator == "==":
            plain.setdefault(condition.column, []).append(feature)
    best = candidate
    for position in range(len(candidate.rules)):
        for feature in candidate.rules[position]:
            condition = problem.conditions[feature]
            if condition.operator != "!=":
                continue
            for other in plain.get(condition.column, []):
                rule = best.rules[position]
                changed = Rule((set(rule.features) - {feature}) | {other})
                if feature not in rule.features or len(changed) != len(rule):
                    continue
                rules = (*best.rules[:position], changed, *best.rules[position + 1 :])
                found = goal.evaluate(rules)
                if _no_worse(found, best):
                    best = found
    return best


def _no_worse(found: Candidate, known: Candidate) -> bool:
    return (
        len(set(found.rules)) == len(found.rules)
        and found.objective <= known.objective
        and found.cost <= known.cost
        and found.errors <= known.errors
        and found.complexity <= known.complexity
        and found.is_feasible
    )
