"""Parities: the largest difference of a rate between any two groups is at most eps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from attrs import field, frozen

from rulecg_core import Group, Problem, Row, settings

from .compared import GroupConstraint, pairwise
from .rates import ACCURACY, ERROR_RATE, FALSE_NEGATIVE_RATE, FALSE_POSITIVE_RATE, Rate


@frozen
class Parity(GroupConstraint):
    """The base of parities with one tolerance for all their rates."""

    eps: float = field(validator=settings.share)

    def bound_of(self, rate: Rate) -> float:
        return self.eps

    def rows_for(self, problem: Problem, groups_of: Callable[[Rate], Sequence[Group]]) -> list[Row]:
        return [row for rate in self.rates for row in pairwise(problem, rate, groups_of(rate), self.eps)]


@frozen
class EqualityOfOpportunity(Parity):
    """False negative rates (and so true positive rates) of any two groups differ by at most eps.

    Parameters
    ----------
    eps
        The largest difference, from 0 to 1.
    columns, groups, min_group_size, small_groups, confidence
        Which groups count, and on which rows, as for every :class:`GroupConstraint`.

    Examples
    --------
    >>> EqualityOfOpportunity(0.1).eps
    0.1
    """

    rates: ClassVar[tuple[Rate, ...]] = (FALSE_NEGATIVE_RATE,)


@frozen
class FalsePositiveRateParity(Parity):
    """False positive rates of any two groups differ by at most eps (Hamming proxy in DNF).

    Parameters
    ----------
    eps
        The largest difference, from 0 to 1.
    columns, groups, min_group_size, small_groups, confidence
        Which groups count, and on which rows, as for every :class:`GroupConstraint`.

    Examples
    --------
    >>> FalsePositiveRateParity(0.1).eps
    0.1
    """

    rates: ClassVar[tuple[Rate, ...]] = (FALSE_POSITIVE_RATE,)


@frozen
class ErrorRateParity(Parity):
    """Error rates of any two groups differ by at most eps (Hamming proxy on the covered side).

    Parameters
    ----------
    eps
        The largest difference, from 0 to 1.
    columns, groups, min_group_size, small_groups, confidence
        Which groups count, and on which rows, as for every :class:`GroupConstraint`.

    Examples
    --------
    >>> ErrorRateParity(0.1).eps
    0.1
    """

    rates: ClassVar[tuple[Rate, ...]] = (ERROR_RATE,)


@frozen
class AccuracyParity(Parity):
    """Accuracies of any two groups differ by at most eps (Hamming proxy on the covered side).

    Parameters
    ----------
    eps
        The largest difference, from 0 to 1.
    columns, groups, min_group_size, small_groups, confidence
        Which groups count, and on which rows, as for every :class:`GroupConstraint`.

    Examples
    --------
    >>> AccuracyParity(0.1).eps
    0.1
    """

    rates: ClassVar[tuple[Rate, ...]] = (ACCURACY,)


@frozen
class EqualizedOdds(GroupConstraint):
    """False negative and false positive rates of any two groups differ by at most eps and eps_fpr (eps unless given).

    One of the two rates is the paper's Hamming proxy: false positives in DNF, false negatives in CNF.

    Parameters
    ----------
    eps
        The largest difference of false negative rates, from 0 to 1.
    eps_fpr
        The largest difference of false positive rates; eps unless given.
    columns, groups, min_group_size, small_groups, confidence
        Which groups count, and on which rows, as for every :class:`GroupConstraint`.

    Examples
    --------
    >>> EqualizedOdds(0.05, eps_fpr=0.1, columns="sex").columns
    ('sex',)
    """

    eps: float = field(validator=settings.share)
    eps_fpr: float | None = field(default=None, validator=settings.optional(settings.share))
    rates: ClassVar[tuple[Rate, ...]] = (FALSE_NEGATIVE_RATE, FALSE_POSITIVE_RATE)

    def bound_of(self, rate: Rate) -> float:
        return self.eps if self.eps_fpr is None or rate is FALSE_NEGATIVE_RATE else self.eps_fpr

    def rows_for(self, problem: Problem, groups_of: Callable[[Rate], Sequence[Group]]) -> list[Row]:
        return [row for rate in self.rates for row in pairwise(problem, rate, groups_of(rate), self.bound_of(rate))]
