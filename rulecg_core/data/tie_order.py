"""The one order in which equally good rule sets stand: fewest true errors, least complex, then by their text.

Texts are compared as conditions read, sorted, so that neither the order of samples nor that of columns matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from .goal import Candidate
from .problem import Problem
from .rules import Rule

RuleText: TypeAlias = tuple[str, ...]


def rule_text(problem: Problem, rule: Rule) -> RuleText:
    """Make a rule's place among others: its conditions as texts, sorted.

    Examples
    --------
    >>> problem = Problem.from_arrays([[True, False], [False, True]], [True, False], columns=["b", "a"])
    >>> rule_text(problem, Rule([0, 1]))
    ('a', 'b')
    """
    return tuple(sorted(str(problem.conditions[feature]) for feature in rule))


def in_order(problem: Problem, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Sort the rules of a rule set: the shorter ones first, equally long ones by their text."""
    return tuple(sorted(rules, key=lambda rule: (len(rule), rule_text(problem, rule))))


def tie_key(problem: Problem, candidate: Candidate) -> tuple[float, float, int, tuple[RuleText, ...]]:
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
    texts = tuple(rule_text(problem, rule) for rule in in_order(problem, candidate.rules))
    return candidate.errors, candidate.complexity, len(candidate.rules), texts


def least(problem: Problem, candidates: Sequence[Candidate]) -> Candidate:
    """Choose the first of some rule sets in the order of ties."""
    fewest = min((candidate.errors, candidate.complexity) for candidate in candidates)
    # Texts are made for few: there may be many thousands of rule sets.
    return min(
        (candidate for candidate in candidates if (candidate.errors, candidate.complexity) == fewest),
        key=lambda candidate: tie_key(problem, candidate),
    )
