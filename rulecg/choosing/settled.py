"""Settings that say "auto", and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from attrs import frozen

from ..stakes.teachers import FOREST
from .choice import LABEL_WEIGHTS, Chosen
from .fold_rules import Option
from .sizes import LARGE_ROWS

AUTO = "auto"
UNCHOSEN, UNCHOSEN_OF_MANY = 10.0, 20.0
"""The bound on complexity where the rows are too few, or time too short, to choose one; the second one on many rows,
where rule sets of this size are hardly worse on new rows than on those they are learned from."""
CHOOSING_SHARE = 0.5
"""Share of the time limit that the choice may take."""
LAST_SHARE = 1 / 15
"""Share of the time limit that the last fit may take, if the choice did not take longer: more only helps the proof."""
FEWEST_TAUGHT = 100
"""With fewer rows there is no teacher unless one is asked for."""


@frozen(eq=False)
class Settled:
    """An estimator's settings without "auto", and how they were chosen."""

    settings: Mapping[str, Any]
    chosen: Chosen | None = None

    @property
    def path(self) -> pd.DataFrame | None:
        """What was tried; None where nothing was chosen."""
        return None if self.chosen is None else self.chosen.path

    def seconds(self, limit: float | None, elapsed: float) -> float | None:
        """Say when the last fit is to end, in seconds since the fit began.

        Parameters
        ----------
        limit : float or None
            The time limit.
        elapsed : float
            Seconds since the fit began.
        """
        if limit is None or self.chosen is None:
            return limit
        return min(limit, elapsed + max(LAST_SHARE * limit, self.chosen.seconds))


def number_of(max_complexity: Any) -> Any:
    """Give a bound on complexity to begin with, where it is yet to be chosen."""
    return UNCHOSEN if is_auto(max_complexity) else max_complexity


def is_auto(value: Any) -> bool:
    """Whether a setting says "auto"."""
    return isinstance(value, str) and value == AUTO


def options_of(settings: Mapping[str, Any], n_rows: int) -> list[Option]:
    """List what there is to choose among: settings that do not say "auto" stay as they are.

    Parameters
    ----------
    settings : mapping
        The estimator's parameters.
    n_rows : int
        How many rows there are.

    Returns
    -------
    list of Option
        Logics and label weights, each with each.

    Examples
    --------
    >>> options_of({"logic": "cnf", "teacher": None, "label_weight": "auto"}, 100)
    [Option(logic='cnf', label_weight=1.0, thresholds='')]
    """
    logics = ("dnf", "cnf") if is_auto(settings["logic"]) else (settings["logic"],)
    weights: tuple[float, ...] = LABEL_WEIGHTS
    if teacher_of(settings, n_rows) is None:
        weights = (1.0,)
    elif not is_auto(settings["label_weight"]):
        weights = (settings["label_weight"],)
    return [Option(logic, weight) for logic in logics for weight in weights]


def teacher_of(settings: Mapping[str, Any], n_rows: int) -> Any:
    """Find who teaches: with "auto" a forest, when the bound on complexity is chosen, too, and rows are not too few."""
    if not is_auto(settings["teacher"]):
        return settings["teacher"]
    return FOREST if is_auto(settings["max_complexity"]) and n_rows >= FEWEST_TAUGHT else None


def untaught(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Leave the teacher out unless one is asked for."""
    return {**settings, "teacher": None} if is_auto(settings["teacher"]) else dict(settings)


def without_choice(settings: Mapping[str, Any], max_complexity: float = UNCHOSEN) -> dict[str, Any]:
    """Replace "auto" by what it means where nothing is chosen by folds.

    Parameters
    ----------
    settings : mapping
        An estimator's parameters.
    max_complexity : float
        The bound on complexity where it is not given.

    Returns
    -------
    dict
        The parameters; DNF and no teacher unless they are given.

    Examples
    --------
    >>> without_choice({"max_complexity": 5, "logic": "auto", "teacher": "auto", "label_weight": "auto"})
    {'max_complexity': 5, 'logic': 'dnf', 'teacher': None, 'label_weight': 0.5}
    """
    instead = {"max_complexity": max_complexity, "logic": "dnf", "teacher": None, "label_weight": 0.5}
    return {
        name: instead[name] if name in instead and is_auto(value) else value for name, value in settings.items()
    }


def settled(settings: Mapping[str, Any], n_rows: int, chosen: Chosen | None = None) -> Settled:
    """Replace "auto" by what was chosen, or by what it means where nothing was.

    Parameters
    ----------
    settings : mapping
        The estimator's parameters.
    n_rows : int
        How many rows there are.
    chosen : Chosen or None
        What was chosen; None where nothing was to be chosen, or could be.

    Returns
    -------
    Settled
        A fixed bound means DNF, and no teacher, unless they are given.
    """
    if chosen is None:
        return Settled(without_choice(settings, UNCHOSEN if n_rows < LARGE_ROWS else UNCHOSEN_OF_MANY))
    option = chosen.option
    return Settled(
        {
            **settings,
            "max_complexity": chosen.candidate.bound,
            "logic": option.logic,
            "label_weight": option.label_weight,
            "teacher": teacher_of(settings, n_rows) if option.label_weight < 1 else None,
            "binarizer": option.thresholds or settings["binarizer"],
        },
        chosen,
    )
