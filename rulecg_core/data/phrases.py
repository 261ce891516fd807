"""What a clause says about each column, with everything implied or repeated left out: the basis of readable rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

from attrs import frozen

from .conditions import Condition

State: TypeAlias = Literal["missing", "known", "true", "false"]


@frozen
class Interval:
    """``low < column <= high``; one end may be open."""

    column: str
    low: float | None = None
    high: float | None = None


@frozen
class OneOf:
    """The column's value is among these, or (``negated``) known and none of these."""

    column: str
    values: tuple[Any, ...]
    negated: bool = False


@frozen
class Is:
    """The column is missing, known, true or false."""

    column: str
    state: State


Phrase: TypeAlias = Interval | OneOf | Is
Simplified: TypeAlias = tuple[Phrase, ...] | bool
"""Phrases joined by "and" (or by "or"); True or False when the clause does not depend on the row."""


def conjunction(conditions: Iterable[Condition]) -> Simplified:
    """All of the conditions at once, column by column; False when they cannot hold together, True when there are none.

    >>> conjunction([Condition("age", ">", 23), Condition("age", "<=", 45), Condition("age", "<=", 50)])
    (Interval(column='age', low=23, high=45),)
    """
    phrases: list[Phrase] = []
    for column, own in _by_column(conditions):
        found = _all_of(column, own)
        if found is None:
            return False
        phrases += found
    return tuple(phrases) or True


def disjunction(conditions: Iterable[Condition]) -> Simplified:
    """At least one of the conditions, column by column; True when one always holds, False when there are none.

    >>> disjunction([Condition("job", "==", "nurse"), Condition("job", "==", "teacher")])
    (OneOf(column='job', values=('nurse', 'teacher'), negated=False),)
    """
    phrases: list[Phrase] = []
    for column, own in _by_column(conditions):
        found = _any_of(column, own)
        if found is None:
            return True
        phrases += found
    return tuple(phrases) or False


def _by_column(conditions: Iterable[Condition]) -> list[tuple[str, list[Condition]]]:
    columns: dict[str, list[Condition]] = {}
    for condition in conditions:
        columns.setdefault(condition.column, []).append(condition)
    return list(columns.items())


def _values(conditions: Sequence[Condition], operator: str) -> list[Any]:
    return list(dict.fromkeys(c.value for c in conditions if c.operator == operator))


def _states(conditions: Sequence[Condition]) -> set[str]:
    return {str(c.operator) for c in conditions} & {"missing", "present", "true", "false"}


def _all_of(column: str, conditions: Sequence[Condition]) -> list[Phrase] | None:
    """The shortest phrases that say the same as all conditions on the column; None when they exclude each other."""
    states = _states(conditions)
    low, high = max(_values(conditions, ">"), default=None), min(_values(conditions, "<="), default=None)
    equal, unequal = _values(conditions, "=="), _values(conditions, "!=")
    if "missing" in states:
        return [Is(column, "missing")] if len({c.operator for c in conditions}) == 1 else None
    if {"true", "false"} <= states or len(equal) > 1 or any(value in unequal for value in equal):
        return None
    if low is not None and high is not None and low >= high:
        return None
    phrases: list[Phrase] = []
    pinned = equal[0] if equal else None
    if isinstance(pinned, (int, float)):
        if not _within(pinned, low, high):
            return None
        low = high = None
    if low is not None or high is not None:
        phrases.append(Interval(column, low, high))
        unequal = [v for v in unequal if not isinstance(v, (int, float)) or _within(v, low, high)]
    phrases += [Is(column, state) for state in ("true", "false") if state in states]  # type: ignore[arg-type]
    if equal:
        phrases.append(OneOf(column, (pinned,)))
    elif unequal:
        phrases.append(OneOf(column, tuple(unequal), negated=True))
    return phrases or [Is(column, "known")]


def _any_of(column: str, conditions: Sequence[Condition]) -> list[Phrase] | None:
    """The shortest phrases that say the same as any condition on the column; None when one always holds."""
    states = _states(conditions)
    low, high = min(_values(conditions, ">"), default=None), max(_values(conditions, "<="), default=None)
    equal, unequal = _values(conditions, "=="), _values(conditions, "!=")
    always_known = (
        "present" in states
        or {"true", "false"} <= states
        or len(unequal) > 1
        or any(value in equal for value in unequal)
        or (low is not None and high is not None and low <= high)
    )
    if always_known:
        return None if "missing" in states else [Is(column, "known")]
    phrases: list[Phrase] = []
    if high is not None:
        phrases.append(Interval(column, None, high))
    if low is not None:
        phrases.append(Interval(column, low, None))
    phrases += [Is(column, state) for state in ("true", "false") if state in states]  # type: ignore[arg-type]
    if unequal:
        # `job != a or job == b` says no more than `job != a`.
        phrases.append(OneOf(column, tuple(unequal), negated=True))
    else:
        equal = [v for v in equal if not (isinstance(v, (int, float)) and _beyond(v, low, high))]
        if equal:
            phrases.append(OneOf(column, tuple(equal)))
    if "missing" in states:
        phrases.append(Is(column, "missing"))
    return phrases


def _within(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value > low) and (high is None or value <= high)


def _beyond(value: float, low: float | None, high: float | None) -> bool:
    return (low is not None and value > low) or (high is not None and value <= high)
