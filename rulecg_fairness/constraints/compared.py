"""Which groups a constraint compares, and what it says about those it does not."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from rulecg_core import (
    BoolArray,
    ConfigurationError,
    Constraint,
    Group,
    Judgement,
    Problem,
    Row,
    prediction_value,
    settings,
)

from .group_limits import MANY_GROUPS, MOST_COMPARED, MOST_GROUPS, refuse_too_many
from .judged import Judged
from .on_new_rows import KEPT_ASIDE, KeptAside, support_notes, tightened
from .rates import Rate

SmallGroups: TypeAlias = Literal["report", "merge", "constrain"]
POLICIES: tuple[SmallGroups, ...] = ("report", "merge", "constrain")

TINY = 10
"""A bounded group with fewer rows than this is worth a note: each of them moves its rate by ten points or more."""
MOST_NOTES = 5
"""So many groups are named in notes of one kind; the others are counted."""


class UndefinedRateError(ConfigurationError):
    """The data lack what a rate is about: a group, rows of it to be a share of, or a second group to compare."""


@frozen(eq=False)
class Selection:
    """The groups that a rate is constrained for, those it is reported for, and why they differ."""

    constrained: tuple[Group, ...]
    reported: tuple[Group, ...]
    notes: tuple[str, ...]


@frozen(kw_only=True)
class GroupConstraint(Constraint):
    """A constraint on rates of groups.

    A group is small when fewer than ``min_group_size`` rows are of the kind its rate is a share of (positives for a
    true positive rate). Rows without a group are fitted, not constrained, and counted in a note.

    Parameters
    ----------
    columns
        The sensitive features whose crossing makes the groups, all by default.
    groups
        The groups that count, all by default.
    min_group_size
        From how many rows on a group is not small.
    small_groups
        What to do with small groups: leave them out of the rows but measure them ("report"), join each with the next
        smallest until it is large enough ("merge"), or keep them ("constrain"). Each comes with a note.
    confidence
        With a number such as 0.9 the bound is to hold on *new* rows with that probability: it is tightened while
        learning, the more the smaller the groups are, and half of the rows is kept aside to confirm it. None for a
        bound on the training rows.
    """

    columns: tuple[str, ...] | None = field(default=None, converter=settings.names)
    groups: tuple[str, ...] | None = field(default=None, converter=settings.names)
    min_group_size: float = field(default=0, validator=settings.amount)
    small_groups: SmallGroups = field(default="report", validator=settings.one_of(*POLICIES))
    confidence: float | None = field(default=None, validator=settings.optional(settings.chance))

    rates: ClassVar[tuple[Rate, ...]]
    """The rates that the rows are about."""
    least_groups: ClassVar[int] = 2
    """How many groups the data must have for the constraint to mean anything."""

    @abstractmethod
    def rows_for(self, problem: Problem, groups_of: Callable[[Rate], Sequence[Group]]) -> list[Row]:
        """Make the rows, given the groups of each rate."""

    def bound_of(self, rate: Rate) -> float | None:
        """By how much the rate may differ between groups; None where the bound is of another kind."""
        return None

    def rows(self, problem: Problem) -> list[Row]:
        """Make the rows for all groups that are large enough; with a confidence, within tightened bounds."""
        rows = self.rows_for(problem, lambda rate: self.select(problem, rate).constrained)
        return rows if self.confidence is None else [tightened(row, problem, self.confidence) for row in rows]

    def measure(self, problem: Problem, y_pred: BoolArray) -> dict[str, float]:
        """Measure the true values of the rows, and of those that small groups would have."""
        rows = self.rows_for(problem, lambda rate: self.select(problem, rate).reported)
        return {row.name: prediction_value(row.form, problem, y_pred) for row in rows if not row.form.variables}

    @property
    def kept_aside(self) -> float:
        """Half of the rows where the bound is to hold on new ones."""
        return 0.0 if self.confidence is None else KEPT_ASIDE

    def judge_aside(self, aside: Problem, training: Problem, y_pred: BoolArray) -> Judgement:
        """Judge by rows kept aside whether the bounds hold on new rows with the confidence asked for."""
        if self.confidence is None:
            return Judgement(True, "")
        learned = self.measure(training, y_pred)
        return KeptAside(aside, training, y_pred, self.confidence).judge(self.judge(aside, training), learned)

    def notes(self, problem: Problem) -> list[str]:
        """Say which groups are left out, merged, tiny or too small for the bound, and how many rows have no group."""
        notes = [note for rate in self.rates for note in self.select(problem, rate).notes]
        notes += self._on_nameless(problem, "they are fitted but not constrained")
        for rate in self.rates:
            bound = self.bound_of(rate)
            if bound is not None and self.confidence is not None:
                groups = self.select(problem, rate).constrained
                notes += support_notes(problem, rate, groups, bound, self.confidence)
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
                f"group {group.name!r} has {_counted(sizes[group.name], rate)}, fewer than {self.min_group_size:g}: "
                f"its {rate.name} is {'measured' if sizes[group.name] > 0 else 'undefined'} but not constrained."
                for group in small
            ]
        for group in constrained:
            if rate.size(problem, group) <= 0:
                raise UndefinedRateError(
                    f"Group {group.name!r} has no {rate.cell}, so its {rate.name} is undefined. Set min_group_size=1 "
                    f"to leave such groups out with a note (small_groups='report') or to merge them ('merge')."
                )
        notes = _some(notes) + _some(self._on_tiny(problem, rate, constrained))
        if len(constrained) < self.least_groups:
            notes.append(f"too few groups are large enough: the {rate.name} is not constrained at all.")
            constrained = ()
        if self.least_groups > 1 and len(constrained) > MANY_GROUPS:
            n_rows = len(constrained) * (len(constrained) - 1)
            notes.append(f"{len(constrained)} groups make {n_rows} rows for the {rate.name}; consider coarser groups.")
        self._refuse_too_many(problem, len(constrained), MOST_COMPARED)
        return Selection(constrained, reported, tuple(notes))

    def judge(self, problem: Problem, training: Problem | None) -> Judged:
        """Make the rows that new data are to be judged by.

        The groups are those that were bounded on the training data, whatever their size in the new data. Without
        training data they are all groups of the new data: a small one may have been bounded.

        Parameters
        ----------
        problem
            The new data.
        training
            The training data as another weighting of the same samples, those of the new data having weight 0 in it;
            None when it is not known.
        """
        unjudged: dict[str, str] = {}

        def groups_of(rate: Rate) -> list[Group]:
            if training is not None:
                bounded: Sequence[Group] = self.select(training, rate).constrained
            elif self.small_groups == "merge":
                bounded = self.select(problem, rate).constrained
            else:
                bounded = self._all_groups(problem)
            for group in bounded:
                if rate.size(problem, group) <= 0:
                    why = f"group {group.name!r} has no {rate.cell} here: it cannot be judged."
                    unjudged.setdefault(group.name, why)
            return [group for group in bounded if rate.size(problem, group) > 0]

        rows = self.rows_for(problem, groups_of)
        nameless = self._on_nameless(problem, "nothing is said about them")
        return Judged(tuple(rows), (*nameless, *unjudged.values()), tuple(unjudged))

    def _on_tiny(self, problem: Problem, rate: Rate, constrained: Sequence[Group]) -> list[str]:
        """What to know of bounded groups that are too small for a rate, unless they are as large as was asked for."""
        rows = np.bincount(problem.inverse, minlength=problem.n_samples)
        notes, bound = [], self.bound_of(rate)
        for group in constrained:
            size = rate.size(problem, group)
            # Weights may be in any unit, and a sample may stand for several rows from the start: the larger counts.
            count = max(size, float(rows[group.members & rate.members(problem) & (problem.weights > 0)].sum()))
            if count < TINY and (not self.min_group_size or size < self.min_group_size):
                notes.append(
                    f"group {group.name!r} has only {_counted(count, rate)}: each of them moves its {rate.name} by "
                    f"{100 / count:.0f} points, so this group may decide about the rules for everybody. Set "
                    f"min_group_size={TINY} to measure it without bounding it, or small_groups='merge' with it to join "
                    "it with another."
                )
            elif bound is not None and count >= TINY and 0 < bound < 1 / count:
                notes.append(
                    f"group {group.name!r} has {_counted(count, rate)}, so its {rate.name} moves in steps of "
                    f"{1 / count:.2g}, more than the {bound:g} that groups may differ by: hardly any rule set keeps "
                    f"such a bound by more than chance. Allow at least {1 / count:.2g}, or join the group with another."
                )
            elif size < self.min_group_size:
                notes.append(f"group {group.name!r} has only {_counted(size, rate)}; its {rate.name} is constrained.")
        return notes

    def _on_nameless(self, problem: Problem, consequence: str) -> list[str]:
        nameless = problem.weights[~np.any([group.members for group in self._all_groups(problem)], axis=0)].sum()
        if not nameless:
            return []
        rows, verb = ("1 row", ("has", "is")) if nameless == 1 else (f"{nameless:g} rows", ("have", "are"))
        if self.groups is not None:
            return [f"{rows} {verb[1]} in none of the chosen groups: {consequence}."]
        return [f"{rows} {verb[0]} no label in {' or '.join(self._columns(problem))}: {consequence}."]

    def _columns(self, problem: Problem) -> tuple[str, ...]:
        return problem.sensitive_groups.columns if self.columns is None else self.columns

    def _refuse_too_many(self, problem: Problem, n_groups: int, most: int) -> None:
        who, n_rows = type(self).__name__, len(problem.inverse)
        refuse_too_many(who, problem.sensitive_groups, self._columns(problem), n_groups, n_rows, most)

    def _all_groups(self, problem: Problem) -> tuple[Group, ...]:
        who = type(self).__name__
        if not problem.sensitive_groups.columns:
            raise ConfigurationError(f"{who} compares groups, but no sensitive features were given: pass them to fit.")
        names, number = problem.sensitive_groups.numbered(self.columns)
        if self.groups is not None:
            for name in self.groups:
                if name not in names:
                    known = ", ".join(names[:MANY_GROUPS]) or "none"
                    raise UndefinedRateError(f"Unknown group {name!r}; known: {known}.")
            chosen = tuple(dict.fromkeys(self.groups))
        else:
            self._refuse_too_many(problem, len(names), MOST_GROUPS)
            chosen = names
        if len(chosen) < self.least_groups:
            raise UndefinedRateError(
                f"{who} needs at least {self.least_groups} groups, but {' and '.join(self._columns(problem))} has "
                f"{len(chosen)} ({', '.join(chosen) or 'none'}). Drop the constraint or choose other sensitive "
                "features."
            )
        return tuple(Group(name, number == names.index(name)) for name in chosen)


def pairwise(problem: Problem, rate: Rate, groups: Sequence[Group], eps: float) -> list[Row]:
    """For every ordered pair of groups, bound what the first's rate exceeds the second's by."""
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
        f"for the {rate.name}, small groups were merged: {group.name!r} has "
        f"{_counted(rate.size(problem, group), rate)}."
        for group in merged
        if group.name not in known
    ]
    return tuple(merged), notes


def _counted(size: float, rate: Rate) -> str:
    return f"1 {rate.cell[:-1]}" if size == 1 else f"{size:g} {rate.cell}"


def _some(notes: list[str]) -> list[str]:
    """The first few notes of one kind, and how many more there are."""
    more = len(notes) - MOST_NOTES
    return notes if more <= 0 else [*notes[:MOST_NOTES], f"{more} further groups are as small."]


def _words(class_name: str) -> str:
    return "".join(f" {c.lower()}" if c.isupper() else c for c in class_name).strip()
