"""The fewest columns that must change for a rejected row to be accepted: exact, for DNF and for CNF."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from rulecg_core import Condition, Mark, RuleSet
from rulecg_core.base.arrays import BoolArray
from rulecg_core.data.conditions import EXACT_BELOW

Needs: TypeAlias = tuple[Condition, ...]
"""Conditions on one column that must hold together."""
Changes: TypeAlias = dict[str, Needs]
OTHER = "another value"
"""Stands for a category that no condition names."""


def candidates(conditions: Sequence[Condition]) -> list[Any]:
    """List values of one column such that every way in which its conditions can hold is met by one of them.

    A number line is cut by the thresholds and compared numbers: each of them and the next number after it are enough.
    Missing is not among the values: nobody is advised to withhold something.
    """
    values = [condition.value for condition in conditions if condition.value is not None]
    if any(condition.operator in ("true", "false") for condition in conditions):
        return [True, False]
    marks = sorted(value for value in values if isinstance(value, Mark))
    if marks:
        scale = marks[0].scale
        near = {float(mark) + step for mark in marks for step in (-scale.step, 0.0, scale.step)}
        return sorted(Mark(at, scale) for at in near if scale.kind != "order" or 0 <= at < len(scale.levels))
    numbers = sorted({_exact(value) for value in values if isinstance(value, (int, float))})
    if numbers:
        return sorted({_next(numbers[0], -1), *numbers, *(_next(number, 1) for number in numbers)})
    texts = list(dict.fromkeys(value for value in values if isinstance(value, str)))
    other = OTHER
    while other in texts:
        other += "_"
    return [*texts, other]


def _exact(value: float) -> float:
    """Whole numbers that are compared as such stay what they are."""
    return value if isinstance(value, int) and abs(value) >= EXACT_BELOW else float(value)


def _next(number: float, direction: int) -> float:
    if isinstance(number, int):
        return number + direction
    return math.nextafter(number, direction * math.inf)


class RecourseSearch:
    """Finds smallest changes for patterns of a rule set's conditions (which of them hold in a row)."""

    def __init__(self, rule_set: RuleSet, immutable: frozenset[str], most: int) -> None:
        self.rule_set, self.immutable, self.most = rule_set, immutable, most
        self.columns = [condition.column for condition in rule_set.conditions]
        self.truth = self._truth_by_column()

    def _truth_by_column(self) -> list[BoolArray]:
        """For every condition, whether it holds for each candidate value of its column."""
        values = {
            name: candidates([c for c in self.rule_set.conditions if c.column == name]) for name in set(self.columns)
        }
        return [
            np.array([bool(condition.holds([value])[0]) for value in values[condition.column]])
            for condition in self.rule_set.conditions
        ]

    def smallest(self, pattern: BoolArray) -> list[tuple[int | None, Changes]]:
        """Ways with the fewest changed columns, at most ``most`` ways of at most ``most`` columns."""
        if self.rule_set.logic == "dnf":
            return self._smallest_dnf(pattern)
        for size in range(1, self.most + 1):
            found: list[tuple[int | None, Changes]] = []
            for features in self._cnf(pattern, {}, {}, size):
                changes = {name: self._needs(chosen) for name, chosen in features.items()}
                if (None, changes) not in found:
                    found.append((None, changes))
                if len(found) == self.most:
                    break
            if found:
                return found
        return []

    def _needs(self, features: Sequence[int]) -> Needs:
        return tuple(self.rule_set.conditions[feature] for feature in sorted(set(features)))

    def _smallest_dnf(self, pattern: BoolArray) -> list[tuple[int | None, Changes]]:
        """A rule fires when all its conditions hold, so its failing columns must change and no others."""
        reachable: list[tuple[int | None, Changes]] = []
        for number, rule in enumerate(self.rule_set.rules):
            by_column: dict[str, list[int]] = {}
            for feature in rule:
                by_column.setdefault(self.columns[feature], []).append(feature)
            failing = {name: own for name, own in by_column.items() if not pattern[own].all()}
            if len(failing) > self.most or self.immutable & set(failing):
                continue
            if all(np.logical_and.reduce([self.truth[feature] for feature in own]).any() for own in failing.values()):
                reachable.append((number, {name: self._needs(own) for name, own in failing.items()}))
        fewest = min((len(changes) for _, changes in reachable), default=0)
        return [way for way in reachable if len(way[1]) == fewest][: self.most]

    def _cnf(
        self, pattern: BoolArray, allowed: dict[str, BoolArray], chosen: dict[str, list[int]], size: int
    ) -> Iterator[dict[str, list[int]]]:
        """Every clause needs a condition that holds: branch on an open clause's conditions.

        ``allowed`` are the candidate values left for each changed column. A clause is settled by a column that stays,
        or by a changed one of which all values left will do.
        """
        open_clauses = [
            rule for rule in self.rule_set.rules if not any(self._settled(f, pattern, allowed) for f in rule)
        ]
        if not open_clauses:
            yield chosen
            return
        for feature in min(open_clauses, key=len):
            name = self.columns[feature]
            if name in self.immutable or (name not in allowed and len(allowed) == size):
                continue
            left = self.truth[feature] if name not in allowed else allowed[name] & self.truth[feature]
            if left.any():
                yield from self._cnf(
                    pattern, allowed | {name: left}, chosen | {name: [*chosen.get(name, ()), feature]}, size
                )

    def _settled(self, feature: int, pattern: BoolArray, allowed: dict[str, BoolArray]) -> bool:
        values = allowed.get(self.columns[feature])
        return bool(pattern[feature]) if values is None else bool(self.truth[feature][values].all())
