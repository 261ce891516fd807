"""Among rule sets that are equally good, prefer the one that reads better."""

from __future__ import annotations

from collections.abc import Iterator

from ..data.goal import Candidate, Goal
from ..data.rules import Rule


def tidied(goal: Goal, candidate: Candidate) -> Candidate:
    """Leave out rules and conditions that nothing is lost without, then prefer plain conditions.

    Parameters
    ----------
    goal
        What rule sets are judged by.
    candidate
        The rule set that was chosen.

    Returns
    -------
    Candidate
        No worse in objective and errors, no larger, and every row that held still does, in true counts and as the
        master counts. Leaving out one more rule or condition would break one of these.
    """
    return prefer_plain_conditions(goal, without_redundancy(goal, candidate))


def without_redundancy(goal: Goal, candidate: Candidate) -> Candidate:
    """Leave out one rule or condition after the other as long as nothing gets worse; always what makes the rule set
    smallest, and of several the first in the order of their text."""
    best = candidate
    while True:
        smaller = [found for found in map(goal.evaluate, _with_less(best)) if _loses_nothing(found, best)]
        if not smaller:
            return best
        best = min(smaller, key=lambda found: (found.complexity, str(goal.problem.rule_set(found.rules))))


def _with_less(candidate: Candidate) -> Iterator[tuple[Rule, ...]]:
    """The rule sets with one rule or one condition less."""
    for position, rule in enumerate(candidate.rules):
        others = (*candidate.rules[:position], *candidate.rules[position + 1 :])
        yield others
        if len(rule) > 1:
            for feature in rule:
                shorter = Rule(other for other in rule if other != feature)
                if shorter not in others:
                    yield (*candidate.rules[:position], shorter, *candidate.rules[position + 1 :])


def _loses_nothing(found: Candidate, known: Candidate) -> bool:
    """Whether a smaller rule set is as good and keeps what the larger one keeps; costs of 0 leave the size as it is."""
    is_kept = found.keeps_rows or not known.keeps_rows
    return _no_worse(found, known) and is_kept


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
