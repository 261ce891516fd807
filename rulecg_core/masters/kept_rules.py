"""Rules that must be in the rule set, with the rest learned beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import field, frozen

from ..api.constraint import Constraint
from ..base.errors import ConfigurationError
from ..data.conditions import Condition
from ..data.linear_form import Row
from ..data.problem import Problem
from ..data.rules import Rule

Clause = frozenset[Condition]


def _clauses(value: Any) -> tuple[Clause, ...]:
    clauses = value.clauses() if hasattr(value, "clauses") else value
    return tuple(dict.fromkeys(frozenset(clause) for clause in clauses))


@frozen
class KeepRules(Constraint):
    """Rules that are in every rule set; the best ones beside them are learned, and proofs are about all rule sets with
    the kept rules.

    Kept rules count towards every bound on the rule set (complexity, rates, columns), but are not held to what is
    asked of single rules (support, precision, most conditions): who keeps a rule by hand means it.

    Parameters
    ----------
    rules
        A rule set, or rules as lists of conditions (CNF: clauses, as they print). Their conditions must be among those
        that the problem may use, or required.

    Examples
    --------
    >>> from rulecg_core import Complexity, HammingMaster, generate_columns, load_registry
    >>> X, y = [[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 0, 1]], [True, True, False, True]
    >>> problem = Problem.from_arrays(X, y, columns=["a", "b", "c"])
    >>> registry = load_registry()
    >>> backend = registry.backend("highs")
    >>> master = HammingMaster(problem, [Complexity(4), KeepRules([[Condition("a")]])], backend)
    >>> result = generate_columns(master, [registry.pricer("exact-search", backend)])
    >>> print(result.rule_set)
    positive if
      a
      or c
    >>> result.status.value
    'optimal'
    """

    rules: tuple[Clause, ...] = field(converter=_clauses)

    def rows(self, problem: Problem) -> Sequence[Row]:
        return ()

    def kept_rules(self, problem: Problem) -> Sequence[Rule]:
        """The kept rules as features of the problem."""
        feature = {condition: number for number, condition in enumerate(problem.conditions)}
        return [Rule(self._features(clause, problem, feature)) for clause in self.rules]

    def _features(self, clause: Clause, problem: Problem, feature: dict[Condition, int]) -> Iterable[int]:
        text = " and ".join(sorted(map(str, clause)))
        if not clause:
            raise ConfigurationError("A rule to keep has no conditions: it would cover everything.")
        for condition in problem.required:
            if condition not in clause:
                raise ConfigurationError(
                    f"The rule to keep {text!r} lacks the condition {str(condition)!r}, which every rule must have."
                )
        own = [condition for condition in clause if condition not in problem.required] or list(clause)
        for condition in own:
            if condition not in feature:
                raise ConfigurationError(
                    f"The rule to keep {text!r} has the condition {str(condition)!r}, which no rule may use: it is "
                    "forbidden, or not among the conditions that were made from the table."
                )
        return [feature[condition] for condition in own]
