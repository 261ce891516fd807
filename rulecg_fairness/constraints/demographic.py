"""Demographic parity: groups are selected at similar rates, whatever the labels say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import ClassVar

from attrs import field, frozen

from rulecg_core import ConfigurationError, Group, Problem, Row, settings

from .compared import GroupConstraint, pairwise
from .rates import SELECTION_RATE, Rate


@frozen
class DemographicParity(GroupConstraint):
    """Selection rates of any two groups differ by at most eps, or the least is at least ratio times the greatest.

    A Hamming proxy for rows that are selected wrongly.

    Parameters
    ----------
    eps
        The largest difference, from 0 to 1.
    ratio
        The least ratio; 0.8 is the four-fifths rule. One of the two must be given.
    columns, groups, min_group_size, small_groups, confidence
        Which groups count, and on which rows, as for every :class:`GroupConstraint`.

    Raises
    ------
    ConfigurationError
        When neither is given.

    Examples
    --------
    >>> DemographicParity(ratio=0.8).ratio
    0.8
    """

    eps: float | None = field(default=None, validator=settings.optional(settings.share))
    ratio: float | None = field(default=None, validator=settings.optional(settings.share), kw_only=True)
    rates: ClassVar[tuple[Rate, ...]] = (SELECTION_RATE,)

    def __attrs_post_init__(self) -> None:
        if self.eps is None and self.ratio is None:
            raise ConfigurationError("DemographicParity needs eps (a difference) or ratio (0.8 for four fifths).")

    def bound_of(self, rate: Rate) -> float | None:
        return self.eps

    def rows_for(self, problem: Problem, groups_of: Callable[[Rate], Sequence[Group]]) -> list[Row]:
        groups = groups_of(SELECTION_RATE)
        rows = [] if self.eps is None else pairwise(problem, SELECTION_RATE, groups, self.eps)
        if self.ratio is not None:
            forms = {group.name: problem.selection_rate(group) for group in groups}
            rows += [
                Row(
                    forms[one.name] - forms[other.name] * self.ratio,
                    lo=0.0,
                    name=f"selection rate: {one} − {self.ratio:g} × {other}",
                )
                for one, other in permutations(groups, 2)
            ]
        return rows
