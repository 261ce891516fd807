"""Data sets by name: two that are generated, one that scikit-learn brings, and those of the paper.

>>> data, target, sensitive = load("tic-tac-toe")
>>> data.shape, int(target.sum())
((958, 9), 626)
"""

from __future__ import annotations

from collections.abc import Callable

from rulecg_core import UnknownNameError

from .dataset import Dataset
from .files import DATA_VARIABLE
from .generated import LENDING_RULES, breast_cancer, lending, tic_tac_toe
from .paper import PAPER_DATA, load_paper_data

__all__ = ["DATA_VARIABLE", "LENDING_RULES", "Dataset", "lending", "load", "names"]

_BUILT_IN: dict[str, Callable[[], Dataset]] = {
    "tic-tac-toe": tic_tac_toe,
    "lending": lending,
    "breast-cancer": breast_cancer,
}


def names() -> list[str]:
    """Every name that :func:`load` knows."""
    return sorted({*_BUILT_IN, *PAPER_DATA})


def load(name: str) -> Dataset:
    """Load the data set of that name.

    "tic-tac-toe" and "lending" are generated and "breast-cancer" comes with scikit-learn. The paper's data sets are
    read from the folder that the environment variable RULECG_DATA names, as ``<name>.csv`` or ``<name>.csv.gz``;
    without such a file they are fetched from OpenML where OpenML has them.

    Parameters
    ----------
    name
        One of :func:`names`.

    Returns
    -------
    Dataset
        Inputs, target and sensitive columns.

    Raises
    ------
    ConfigurationError
        When nobody knows the name, or the data cannot be had; the message says what to do.

    Examples
    --------
    >>> load("tic-tac-toe").data.shape
    (958, 9)
    """
    if name in _BUILT_IN:
        return _BUILT_IN[name]()
    if name in PAPER_DATA:
        return load_paper_data(PAPER_DATA[name])
    raise UnknownNameError("data set", str(name), names())
