"""Constraints on the groups that several sensitive columns make together, and on each column's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from rulecg_core import BoolArray, ConfigurationError, Constraint, Judgement, LinearForm, Problem, Row, settings

from .compared import GroupConstraint, SmallGroups
from .demographic import DemographicParity
from .judged import Judged
from .on_new_rows import KEPT_ASIDE
from .parity import AccuracyParity, EqualityOfOpportunity, EqualizedOdds, ErrorRateParity, FalsePositiveRateParity
from .worst import GroupRecallFloor

PARITIES: Mapping[str, type[GroupConstraint]] = {
    "accuracy-parity": AccuracyParity,
    "demographic-parity": DemographicParity,
    "equality-of-opportunity": EqualityOfOpportunity,
    "equalized-odds": EqualizedOdds,
    "error-rate-parity": ErrorRateParity,
    "false-positive-rate-parity": FalsePositiveRateParity,
    "group-recall-floor": GroupRecallFloor,
}
"""The constraints that can be given by name; their first argument is the bound."""

Bounds: TypeAlias = float | tuple[tuple[str, float], ...] | None


def _parity(constraint: str | type[GroupConstraint]) -> type[GroupConstraint]:
    if isinstance(constraint, str):
        if constraint not in PARITIES:
            raise ConfigurationError(f"Unknown constraint {constraint!r} on groups; known: {', '.join(PARITIES)}.")
        return PARITIES[constraint]
    if not (isinstance(constraint, type) and issubclass(constraint, GroupConstraint)):
        raise ConfigurationError(f"IntersectionalGroups takes the class or name of a constraint, not {constraint!r}.")
    return constraint


def _bounds(value: float | Mapping[str, float] | str | None) -> Bounds:
    """One bound for every column, or one for each: a mapping, or text such as "race:0.05|sex:0.1"."""
    if isinstance(value, str):
        parts = [part.rpartition(":") for part in value.split("|")]
        try:
            value = {column.strip(): float(bound) for column, _, bound in parts}
        except ValueError:
            raise ConfigurationError(f"each={value!r} is neither a number nor like 'race:0.05|sex:0.1'.") from None
    return tuple(sorted(value.items())) if isinstance(value, Mapping) else value


def _each(instance: object, attribute: Any, value: Bounds) -> None:
    for bound in [bound for _, bound in value] if isinstance(value, tuple) else [value]:
        settings.optional(settings.share)(instance, attribute, bound)


@frozen
class IntersectionalGroups(Constraint):
    """One constraint on the crossed groups, on each sensitive column's own groups, or on both, each with its bound.

    Parameters
    ----------
    constraint
        The class or the name of a constraint on groups; its first argument is the bound.
    crossed
        Its bound on the groups of all columns together; None for none.
    each
        Its bound on the groups of each column: one number for all, a mapping, or text such as "race:0.05|sex:0.1".
    columns
        The sensitive features, all by default.
    min_group_size, small_groups, confidence
        As for every :class:`GroupConstraint`.

    Raises
    ------
    ConfigurationError
        When there is no bound, or the constraint is none on groups.

    Examples
    --------
    Race × sex groups may differ by 0.1, races by 0.05:

    >>> IntersectionalGroups("equalized-odds", crossed=0.1, each={"race": 0.05}).each
    (('race', 0.05),)
    """

    constraint: type[GroupConstraint] = field(converter=_parity)
    crossed: float | None = field(default=None, validator=settings.optional(settings.share))
    each: Bounds = field(default=None, converter=_bounds, validator=_each)
    columns: tuple[str, ...] | None = field(default=None, converter=settings.names, kw_only=True)
    min_group_size: float = field(default=0, validator=settings.amount, kw_only=True)
    small_groups: SmallGroups = field(default="report", kw_only=True)
    confidence: float | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.crossed is None and self.each is None:
            raise ConfigurationError("IntersectionalGroups needs a bound: crossed, each, or both.")
        self._make(0.0, None)  # settings that the constraint refuses are refused here, not at the first fit

    def rows(self, problem: Problem) -> Sequence[Row]:
        return [
            row.named(f"{row.name} ({where})") for where, part in self.parts(problem) for row in part.rows(problem)
        ]

    def objective(self, problem: Problem) -> LinearForm | None:
        terms = [term for _, part in self.parts(problem) if (term := part.objective(problem)) is not None]
        return sum(terms[1:], terms[0]) if terms else None

    def max_rules(self, problem: Problem) -> float:
        return min(part.max_rules(problem) for _, part in self.parts(problem))

    def measure(self, problem: Problem, y_pred: BoolArray) -> dict[str, float]:
        return {
            f"{name} ({where})": value
            for where, part in self.parts(problem)
            for name, value in part.measure(problem, y_pred).items()
        }

    def judge(self, problem: Problem, training: Problem | None) -> Judged:
        """Make the rows that new data are to be judged by, as the constraints that this one stands for do."""
        judged = [(where, part.judge(problem, training)) for where, part in self.parts(problem)]
        return Judged(
            tuple(row.named(f"{row.name} ({where})") for where, one in judged for row in one.rows),
            tuple(f"{note} ({where})" for where, one in judged for note in one.notes),
            tuple(dict.fromkeys(name for _, one in judged for name in one.unjudged)),
        )

    @property
    def kept_aside(self) -> float:
        """Half of the rows where the bounds are to hold on new ones."""
        return 0.0 if self.confidence is None else KEPT_ASIDE

    def judge_aside(self, aside: Problem, training: Problem, y_pred: BoolArray) -> Judgement:
        """Judge by rows kept aside whether the bounds of all parts hold on new rows."""
        judged = [part.judge_aside(aside, training, y_pred) for _, part in self.parts(training)]
        broken = [one for one in judged if not one.holds]
        return Judgement(not broken, " ".join(dict.fromkeys(one.text for one in broken or judged)))

    def notes(self, problem: Problem) -> Sequence[str]:
        return [f"{note} ({where})" for where, part in self.parts(problem) for note in part.notes(problem)]

    def parts(self, problem: Problem) -> Iterator[tuple[str, GroupConstraint]]:
        """The constraints that this one stands for, each with the columns it is about."""
        columns = problem.sensitive_groups.columns if self.columns is None else self.columns
        if len(columns) < 2:
            raise ConfigurationError(
                "IntersectionalGroups crosses at least two sensitive features, but got "
                f"{', '.join(columns) or 'none'}. Use {self.constraint.__name__} alone for one feature."
            )
        if self.crossed is not None:
            yield " × ".join(columns), self._make(self.crossed, columns)
        each = self.each if isinstance(self.each, tuple) else [(column, self.each) for column in columns]
        for column, bound in each:
            if bound is not None:
                yield column, self._make(bound, (column,))

    def _make(self, bound: float, columns: tuple[str, ...] | None) -> Any:
        parity: Any = self.constraint  # the base class does not say that the bound comes first
        return evolve(
            parity(bound),
            columns=columns,
            min_group_size=self.min_group_size,
            small_groups=self.small_groups,
            confidence=self.confidence,
        )
