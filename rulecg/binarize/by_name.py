"""Binarizers by name."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from rulecg_core import UnknownNameError

from .best_cuts import CutPoints
from .binarizer import Binarizer
from .tree_gains import MOST_ROWS

BINARIZERS: dict[str, dict[str, Any]] = {
    "auto": {"thresholds": "trees", "refine": True},
    "best": {"thresholds": "best"},
    "deciles": {},
    "distinct": {"thresholds": "distinct"},
    "trees": {"thresholds": "trees"},
}
"""Binarizers by name, and their settings."""
FEW_ROWS = 2_000
"""With fewer rows than this, ``"auto"`` is ``"best"``: many thresholds that look at few labels fit their noise."""
SECONDS_PER_ENTRY, MOST_SHARE = 3e-6, 1 / 3
"""About how long trees look at one value of a table; ``"auto"`` is ``"best"`` where that would take more than this
share of the time limit."""


def binarizer_of(
    wanted: Binarizer | str | None,
    shape: tuple[int, ...],
    time_limit: float | None = None,
    cut_points: CutPoints | None = None,
) -> Binarizer:
    """Find a binarizer by name, or copy the given one.

    Parameters
    ----------
    wanted : Binarizer, str or None
        A name of ``BINARIZERS``; None is ``"auto"``, which depends on the table's shape.
    shape : tuple of int
        Rows and columns of the table.
    time_limit : float or None
        Seconds for the whole fit, of which looking for thresholds takes a part.
    cut_points : dict from column to numbers, or None
        Where number columns are cut besides; None leaves a given binarizer's own.

    Returns
    -------
    Binarizer
        Not fitted.

    Raises
    ------
    UnknownNameError
        When there is none of this name.
    """
    if isinstance(wanted, Binarizer):
        made: Binarizer = clone(wanted)
        takes_points = cut_points is not None and "cut_points" in made.get_params(deep=False)
        return made.set_params(cut_points=cut_points) if takes_points else made
    name = "auto" if wanted is None else str(wanted)
    if name not in BINARIZERS:
        raise UnknownNameError("binarizer", name, list(BINARIZERS))
    if name == "auto":
        n_rows, n_columns = shape
        seconds = min(n_rows, MOST_ROWS) * n_columns * SECONDS_PER_ENTRY
        if n_rows < FEW_ROWS or (time_limit is not None and seconds > MOST_SHARE * time_limit):
            name = "best"
    return Binarizer(**BINARIZERS[name], cut_points=cut_points)
