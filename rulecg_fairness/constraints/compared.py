"""Which groups a constraint compares, and what it says about those it does not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from rulecg_core import BoolArray, ConfigurationError, Constraint, Group, Problem, Row, prediction_value, settings

from .rates import Rate

SmallGroups: TypeAlias = Literal["report", "merge", "constrain"]
POLICIES: tuple[SmallGroups, ...] = ("report", "merge", "constrain")

MANY_GROUPS = 20
"""From here on the number of pairs is worth a note: it grows with the square of the number of groups."""


class UndefinedRateError(ConfigurationError):
    """A group has no rows that its rate could be a share of."""


@frozen(eq=False)
class Selection:
    """The groups that a rate is constrained for, those it is reported for, and why they differ."""

    constrained: tuple[Group, ...]
    reported: tuple[Group, ...]
    notes: tuple[str, ...]


def _policy(instance: object, attribute: Any, value: Any) -> None:
    if value not in POLICIES:
        raise ConfigurationError(f"small_groups must be one of {', '.join(POLICIES)}, not {value!r}.")


@frozen(kw_only=True)
class GroupConstraint(Constraint):
    """A constraint on rates of groups.

    ``columns`` names the sensitive features whose crossing makes the groups (all by default), ``groups`` those groups
    that count (all by default). A group is small when fewer than ``min_group_size`` rows are of the kind its rate is a
    share of (positives for a true positive rate); small groups are left out of the rows but measured ("report"),
    joined with the next smallest until they are large enough ("merge"), or kept ("constrain"): each with a note.
    Rows without a group are fitted, not constrained, and counted in a note.
    """

    columns: tuple[str, ...] | None = field(default=None, converter=settings.names)
    groups: tuple[str, ...] | None = field(default=None, converter=settings.names)
    min_group_size: float = field(default=0, validator=settings.amount)
    small_groups: SmallGroups = field(default="report", validator=_policy)

    rates: ClassVar[tuple[Rate, ...]]
    """The rates that the rows are about."""
    least_groups: ClassVar[int] = 2
    """How many groups the data must have for the constraint to mean anything."""

    @abstractmethod
    def rows_for(self, problem: Problem, groups_of: Callable[[Rate], Sequence[Group]]) -> list[Row]:
        """The rows, given the groups of each rate."""

    def rows(self, problem: Problem) -> list[Row]:
        return self.rows_for(problem, lambda rate: self.select(problem, rate).constrained)

    def measure(self, problem: Problem, y_pred: BoolArray) -> dict[str, float]:
        """The true values of the rows, and of those that small groups would have."""
        rows = self.rows_for(problem, lambda rate: self.select(problem, rate).reported)
        return {row.name: prediction_value(row.form, problem, y_pred) for row in rows if not row.form.variables}

    def notes(self, problem: Problem) -> list[str]:
        notes = [note for rate in self.rates for note in self.select(problem, rate).notes]
        nameless = problem.weights[~np.any([g.members for g in self._all_groups(problem)], axis=0)].sum()
        if nameless and self.groups is None:
            notes.append(
                f"{nameless:g} rows have no label in {' or '.join(self._columns(problem))}: they are fitted but not "
                "constrained."
            )
        elif nameless:
            notes.append(f"{nameless:g} rows are in none of the chosen groups: they are fitted but not constrained.")
        return list(dict.fromkeys(f"{_words(type(self).__name__)}: {note}" for note in notes))

    def select(self, problem: Problem, rate: Rate) -> Selection:
        """Apply the policy on small groups to one rate."""
        groups = self._all_groups(problem)
        sizes = {group.name: rate.size(problem, group) for group in groups}
        least = max(self.min_group_size, np.finfo(float).tiny)
        small = [group for group in groups if sizes[group.name] < least]
        notes: list[str] = []
        constrained, reported = groups, groups
        if self.small_groups == "merge" and small:
            constrained, notes = _merge(groups, least, rate, problem)
            reported = constrained
        elif self.small_groups == "report" and self.min_group_size > 0:
            constrained = tuple(group for group in groups if sizes[group.name] >= least)
            reported = tuple(group for group in groups if sizes[group.name] > 0)
            notes = [
                f"group {group.name!r} has {sizes[group.name]:g} {rate.cell}, fewer than {self.min_group_size:g}: its "
                f"{rate.name} is {'measured' if sizes[group.name] > 0 else 'undefined'} but not constrained."
                for group in small
            ]
        else:
            notes = [
                f"group {group.name!r} has only {sizes[group.name]:g} {rate.cell}; its {rate.name} is constrained."
                for group in small
            ]
        for group in constrained:
            if rate.size(problem, group) <= 0:
                raise UndefinedRateError(
                    f"Group {group.name!r} has no {rate.cell}, so its {rate.name} is undefined. Set min_group_size=1 "
                    f"to leave such groups out with a note (small_groups='report') or to merge them ('merge')."
                )
        if len(constrained) < self.least_groups:
            notes.append(f"too few groups are large enough: the {rate.name} is not constrained at all.")
            constrained = ()
        if self.least_groups > 1 and len(constrained) > MANY_GROUPS:
            n_rows = len(constrained) * (len(constrained) - 1)
            notes.append(f"{len(constrained)} groups make {n_rows} rows for the {rate.name}; consider coarser groups.")
        return Selection(constrained, reported, tuple(notes))

    def _columns(self, problem: Problem) -> tuple[str, ...]:
        return problem.groups.columns if self.columns is None else self.columns

    def _all_groups(self, problem: Problem) -> tuple[Group, ...]:
        who = type(self).__name__
        if not problem.groups.columns:
            raise ConfigurationError(f"{who} compares groups, but no sensitive features were given: pass them to fit.")
        groups = problem.groups.crossed(self.columns)
        if self.groups is not None:
            known = {group.name: group for group in groups}
            for name in self.groups:
                if name not in known:
                    raise ConfigurationError(f"Unknown group {name!r}; known: {', '.join(known) or 'none'}.")
            groups = tuple(known[name] for name in dict.fromkeys(self.groups))
        if len(groups) < self.least_groups:
            found = ", ".join(group.name for group in groups) or "none"
            raise ConfigurationError(
                f"{who} needs at least {self.least_groups} groups, but {' and '.join(self._columns(problem))} has "
                f"{len(groups)} ({found}). Drop the constraint or choose other sensitive features."
            )
        return groups


def pairwise(
    problem: Problem, rate: Rate, groups: Sequence[Group], eps: float
) -> list[Row]:
    """For every ordered pair of groups, the first's rate exceeds the second's by at most eps."""
    forms = {group.name: rate.of(problem, group) for group in groups}
    return [
        Row(forms[one.name] - forms[other.name], hi=eps, name=f"{rate.name}: {one} − {other}")
        for one, other in permutations(groups, 2)
    ]


def _merge(
    groups: Sequence[Group], least: float, rate: Rate, problem: Problem
) -> tuple[tuple[Group, ...], list[str]]:
    """Join the two smallest groups until the smallest is large enough."""
    merged = list(groups)
    while len(merged) > 1:
        merged.sort(key=lambda group: rate.size(problem, group))
        if rate.size(problem, merged[0]) >= least:
            break
        one, other = merged[:2]
        merged[:2] = [Group(f"{one} + {other}", one.members | other.members)]
    known = {group.name for group in groups}
    notes = [
        f"for the {rate.name}, small groups were merged: {group.name!r} has {rate.size(problem, group):g} {rate.cell}."
        for group in merged
        if group.name not in known
    ]
    return tuple(merged), notes


def _words(class_name: str) -> str:
    return "".join(f" {c.lower()}" if c.isupper() else c for c in class_name).strip()
