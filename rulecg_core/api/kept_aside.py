"""Rows kept aside from learning: what a constraint says about a rule set after looking at rows it was not made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from ..base.arrays import BoolArray
from ..base.errors import ConfigurationError, PluginError, RulecgError
from ..data.problem import Problem

if TYPE_CHECKING:
    from .constraint import Constraint

MOST_ASIDE = 0.9
"""At least a tenth of the rows is left to learn from."""


@frozen
class Judgement:
    """What a constraint says about a learned rule set, from rows that were kept aside.

    Parameters
    ----------
    holds
        Whether the rule set may be returned.
    text
        Sentences for people: what was found on the rows kept aside and, unless it holds, what to do.
    """

    holds: bool
    text: str


def share_kept_aside(constraints: tuple[Constraint, ...]) -> float:
    """Say which share of the rows constraints want to be kept aside from learning: the largest any of them names.

    Parameters
    ----------
    constraints
        The constraints, which may be anybody's.

    Returns
    -------
    float
        0 when none of them asks for it.

    Raises
    ------
    PluginError
        When one names something else than a share from 0 to 0.9.
    """
    largest = 0.0
    for constraint in constraints:
        share = constraint.kept_aside
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= MOST_ASIDE:
            who = type(constraint)
            raise PluginError(
                f"The constraint {who.__name__} ({who.__module__}) wants {share!r} of the rows kept aside: kept_aside "
                f"must be a share from 0 to {MOST_ASIDE}.",
                who.__module__.partition(".")[0],
            )
        largest = max(largest, float(share))
    return largest


def checked_judgement(constraint: Constraint, aside: Problem, training: Problem, y_pred: BoolArray) -> Judgement:
    """Ask a constraint for its judgement of a rule set; what fails or is no judgement is named.

    Parameters
    ----------
    constraint
        The constraint, which may be anybody's.
    aside, training, y_pred
        As for :meth:`Constraint.judge_aside`.

    Returns
    -------
    Judgement
        What the constraint says.

    Raises
    ------
    PluginError
        When the constraint fails or gives something else.
    """
    who, package = type(constraint), type(constraint).__module__.partition(".")[0]
    try:
        judgement = constraint.judge_aside(aside, training, y_pred)
    except ConfigurationError as error:
        # Rows kept aside that lack a group cannot confirm anything about it.
        return Judgement(False, f"The rows kept aside cannot judge it: {error}")
    except RulecgError:
        raise
    except Exception as error:  # a stranger's code: anything may come
        raise PluginError(
            f"The constraint {who.__name__} ({who.__module__}) could not judge rows kept aside: "
            f"{type(error).__name__}: {error}.",
            package,
        ) from error
    if not isinstance(judgement, Judgement):
        raise PluginError(
            f"The constraint {who.__name__} ({who.__module__}) judged rows kept aside with a "
            f"{type(judgement).__name__} where a Judgement belongs.",
            package,
        )
    return judgement
