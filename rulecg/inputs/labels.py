"""Labels as people give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import AnyArray

from .dataframes import plain_column


def checked_labels(y: Any, n_rows: int) -> AnyArray:
    """Check that there is one usable label per row.

    Parameters
    ----------
    y
        Labels: text, truth values or whole numbers, one per row.
    n_rows
        How many rows the table has.

    Returns
    -------
    numpy.ndarray
        The labels as one column.

    Raises
    ------
    ConfigurationError
        When labels are missing, too few or too many, or no classes; the message says what to do.

    Examples
    --------
    >>> checked_labels(["no", "yes"], 2).tolist()
    ['no', 'yes']
    """
    if y is None:
        raise ConfigurationError("This classifier requires y to be passed, but the target y is None.")
    y = plain_column(y)
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    array = column_or_1d(np.asarray(y), warn=True)
    if len(array) != n_rows:
        raise ConfigurationError(f"X has {n_rows} rows but y has {len(array)} labels: give one label per row.")
    missing = int(pd.isna(array).sum())
    if missing or (array.dtype.kind == "f" and not np.all(np.isfinite(array))):
        what = f"{missing} missing labels (NaN or None)" if missing else "infinite labels"
        raise ConfigurationError(f"y holds {what}: drop these rows from X and y, or fill the labels in.")
    if array.dtype.kind == "O":
        array = _without_objects(array)
    try:
        check_classification_targets(array)
    except ValueError:
        n_values = len(np.unique(array))
        raise ConfigurationError(
            f"Unknown label type: y holds numbers with fractions ({n_values} different ones), but rules tell classes "
            "apart. Make classes of them, for example with y > y.median()."
        ) from None
    return array


def _without_objects(array: AnyArray) -> AnyArray:
    """Numbers, truth values and text in an object array as what they are."""
    kind = pd.api.types.infer_dtype(array)
    if kind in ("integer", "boolean", "floating"):
        return np.array(array.tolist())
    if kind == "string":
        return array
    raise ConfigurationError(
        f"Unknown label type: y holds values of different or unsupported types ({kind}). Turn the labels into text, "
        "for example with y.astype(str)."
    )


def outcome_text(name: Any, label: Any) -> str:
    """Name what a rule set predicts: by the label column, the label, or both.

    Parameters
    ----------
    name
        The name of the label column, if it has one.
    label
        The label that the rules describe.

    Returns
    -------
    str
        The outcome in words.

    Examples
    --------
    >>> outcome_text("approved", True), outcome_text("home", "owned"), outcome_text(None, 2)
    ('approved', 'home is owned', 'class 2')
    """
    plain = label.item() if isinstance(label, np.generic) else label
    is_flag = plain is True or plain == 1
    if name is None or str(name) == "":
        if isinstance(plain, str):
            return plain
        return "positive" if is_flag else f"class {plain}"
    return str(name) if is_flag else f"{name} is {plain}"
