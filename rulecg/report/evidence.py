"""What a report is about: a model, a table, and what comes of applying one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from rulecg_core import UnknownNameError
from rulecg_core.base.arrays import AnyArray, BoolArray

from ..inputs.dataframes import plain_table
from ..inputs.missing_texts import without_texts
from ..inputs.sensitive_columns import can_be_found, sensitive_columns
from ..model.model import Model
from ..model.origin.row_sketch import Overlap

if TYPE_CHECKING:
    import pandas as pd


@frozen(eq=False)
class Evidence:
    """A model applied to a table."""

    model: Model
    table: pd.DataFrame
    predicted: AnyArray
    truth: AnyArray | None
    """The recorded label of every row as the model calls it, or None when the table has none."""
    sensitive: pd.DataFrame | None
    overlap: Overlap | None
    """How many of these rows are among those that the rules were learned from; None when the model does not know."""
    training: Evidence | None = None
    """The model applied to the rows that it was learned from, when they were given to be set beside these."""

    @classmethod
    def of(
        cls,
        model: Model,
        table: pd.DataFrame,
        target: str | None = None,
        sensitive: Sequence[str] | None = None,
        training: pd.DataFrame | None = None,
    ) -> Evidence:
        """Apply a model to a table.

        Parameters
        ----------
        model
            The model.
        table
            The rows to report on.
        target
            The column with the recorded outcome; the one learned from unless given.
        sensitive
            The columns that define groups; those learned with unless given.
        training
            The rows that the model was learned from, to be set beside.

        Returns
        -------
        Evidence
            Predictions, recorded outcomes and groups.

        Raises
        ------
        UnknownNameError
            When a column is not there.
        """
        table = without_texts(plain_table(table), model.na_values)
        if sensitive is None:
            wanted = [name for name in model.sensitive if can_be_found(name, table)]
        else:
            wanted = list(sensitive)
        if target and target not in table:
            raise UnknownNameError("column", target, table.columns)
        column = target or (model.target if model.target in table else None)
        return cls(
            model=model,
            table=table,
            predicted=model.predict(table),
            truth=None if column is None else _as_model_calls_them(table[column], model.classes),
            sensitive=sensitive_columns(table, wanted) if wanted else None,
            overlap=None if model.fingerprint is None else model.fingerprint.overlap(table),
            training=None if training is None else cls.of(model, training, target, sensitive),
        )

    @property
    def is_training_data(self) -> bool | None:
        """Whether rows that the rules were learned from are among these; None when the model does not know."""
        return None if self.overlap is None else self.overlap.is_beyond_chance

    @property
    def positive(self) -> Any:
        """The label that the rules describe."""
        return self.model.classes[1]

    @property
    def y_pred(self) -> BoolArray:
        """Whether each row is predicted positive."""
        return np.asarray(self.predicted == self.positive)

    @property
    def y_true(self) -> BoolArray:
        """Whether each row is recorded as positive."""
        assert self.truth is not None
        return np.asarray([label == self.positive for label in self.truth], dtype=bool)

    @property
    def labelled(self) -> BoolArray:
        """Which rows have a recorded outcome."""
        assert self.truth is not None
        return np.array([label is not None for label in self.truth], dtype=bool)

    @property
    def n_right(self) -> int:
        """How many rows are predicted as recorded."""
        assert self.truth is not None
        return sum(p == t for p, t in zip(self.predicted.tolist(), self.truth.tolist(), strict=True) if t is not None)


def _as_model_calls_them(column: pd.Series[Any], classes: tuple[Any, ...]) -> AnyArray:
    """Labels as read from a file (``1``, ``1.0``, ``True``, ``yes``) as the model's classes; others stay."""
    by_text = {_text(label): label for label in classes}
    known = {value: by_text.get(_text(value), value) for value in column.dropna().unique().tolist()}
    if len(classes) == 2 and isinstance(classes[0], str) and classes[0] == f"not {classes[1]}":
        known = {value: label if label == classes[1] else classes[0] for value, label in known.items()}
    labels = np.empty(len(column), dtype=object)
    labels[:] = [known.get(value) for value in column.astype(object).where(column.notna(), None)]
    return labels


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
