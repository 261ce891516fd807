"""The one order in which equally good rule sets stand: fewest true errors, least complex, then by their text.

Texts are compared as conditions read, sorted, so that neither the order of samples nor that of columns matters; what a
column is comes before what it is not (``!=``), which is harder to read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ...data.goal import Candidate
from ...data.problem import Problem
from ...data.rules import Rule

RuleText: TypeAlias = tuple[tuple[bool, str], ...]
TieKey: TypeAlias = tuple[float, float, int, tuple[tuple[int, RuleText], ...]]
DIGITS = 11
"""Errors and sizes that agree in so many digits of what there is in all are equal: sums of fractions leave traces."""


def rule_text(problem: Problem, rule: Rule) -> RuleText:
    """Make a rule's place among others: its conditions as texts, sorted.

    Examples
    --------
    >>> problem = Problem.from_arrays([[True, False], [False, True]], [True, False], columns=["b", "a"])
    >>> rule_text(problem, Rule([0, 1]))
    ((False, 'a'), (False, 'b'))
    """
    conditions = (problem.conditions[feature] for feature in rule)
    return tuple(sorted((condition.operator == "!=", str(condition)) for condition in conditions))


def in_order(problem: Problem, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Sort the rules of a rule set: the shorter ones first, equally long ones by their text."""
    return tuple(sorted(rules, key=lambda rule: (len(rule), rule_text(problem, rule))))


def tie_key(problem: Problem, candidate: Candidate) -> TieKey:
    """Make the place of a rule set among those with an equal objective; the least is the canonical one.

    Parameters
    ----------
    problem
        What the rules are rules of.
    candidate
        A rule set, counted.

    Returns
    -------
    tuple
        Its true errors, its complexity, its number of rules and its text, in the order of the comparison.
    """
    texts = sorted((len(rule), rule_text(problem, rule)) for rule in candidate.rules)
    return (*_counts(problem, candidate), len(candidate.rules), tuple(texts))


def first_of(problem: Problem, candidates: Sequence[Candidate]) -> Candidate:
    """Choose the first of some rule sets in the order of ties."""
    fewest = min(_counts(problem, candidate) for candidate in candidates)
    # Texts are made for few: there may be many thousands of rule sets.
    return min(
        (candidate for candidate in candidates if _counts(problem, candidate) == fewest),
        key=lambda candidate: tie_key(problem, candidate),
    )


def _counts(problem: Problem, candidate: Candidate) -> tuple[float, float]:
    """Errors as a share of all weights, and complexity, without what rounding leaves."""
    total = float(problem.weights.sum())
    return round(candidate.errors / total, DIGITS), round(candidate.complexity, DIGITS)
