"""Conditions that are known before, from a model or an earlier fit."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import validate_data

from rulecg_core import Condition

from ..inputs.dataframes import header
from ..inputs.table import as_frame
from .binarizer import Binarizer


class FixedConditions(Binarizer):
    """A binarizer with given conditions, so that rules learned at different times can be compared.

    Parameters
    ----------
    conditions : tuple of Condition
        The conditions, in this order.
    refine : bool
        Whether thresholds are refined while a classifier learns.
    cuts : str
        Where number columns are cut, in words: what ``described()`` of the binarizer that chose them said.

    Examples
    --------
    >>> FixedConditions((Condition("x0", ">", 45),)).fit_transform([[30], [50]]).tolist()
    [[False], [True]]
    """

    def __init__(
        self, conditions: tuple[Condition, ...] = (), refine: bool = False, cuts: str = "given thresholds"
    ) -> None:
        super().__init__(refine=refine)
        self.conditions = conditions
        self.cuts = cuts

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FixedConditions:
        """Take the given conditions, whatever the rows hold."""
        self.column_names_ = tuple(as_frame(X).columns)
        validate_data(self, header(X), skip_check_array=True)
        self.conditions_ = list(self.conditions)
        return self

    def described(self) -> str:
        """Say where number columns are cut."""
        return self.cuts
