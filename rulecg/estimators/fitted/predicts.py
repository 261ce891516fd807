"""Predictions of a fitted classifier, by its model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted, validate_data

from rulecg_core.base.arrays import AnyArray, FloatArray, IntArray

from ...inputs.dataframes import header, plain_table
from ...inputs.table import as_frame, plain
from ...model.model import Model
from .display import ShowsRules


class Predicts(ShowsRules):
    """A fitted estimator that predicts by its ``model_`` the labels in ``classes_``."""

    model_: Model
    classes_: AnyArray

    @property
    def rules_(self) -> pd.DataFrame:
        """One line per rule: its class, text, support, precision and recall on the training rows."""
        check_is_fitted(self, "model_")
        return self.model_.rule_table()

    def predict(self, X: Any) -> AnyArray:
        """Predict the class of every row.

        Parameters
        ----------
        X : DataFrame, array or list of rows
            The columns that ``fit`` saw.

        Returns
        -------
        array
            One label per row, of ``classes_``.
        """
        table = self.named_columns(X)
        return self.classes_[self._places[self.model_.decide(table)]]

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probability of every class.

        Parameters
        ----------
        X : DataFrame, array or list of rows
            The columns that ``fit`` saw.

        Returns
        -------
        float array, rows × classes
            In the order of ``classes_``.
        """
        table = self.named_columns(X)
        return self.model_.predict_proba(table)[:, np.argsort(self._places)]

    def named_columns(self, X: Any) -> pd.DataFrame:
        """Give a table the column names that ``fit`` saw, whether or not it brings names; another shape is refused."""
        check_is_fitted(self)
        used = plain_table(X, self.model_.columns)
        table = as_frame(X) if used is X else used
        validate_data(self, header(X), reset=False, skip_check_array=True)
        return table.set_axis(list(self.model_.rule_sets[0].columns), axis=1) if used is X else table

    @property
    def _places(self) -> IntArray:
        """Where each class of the model stands in ``classes_``: the model has the one that its rules describe last."""
        own = [plain(label) for label in self.classes_]
        return np.array([own.index(label) for label in self.model_.classes])
