"""Sample weights as people give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rulecg_core import ConfigurationError
from rulecg_core.base.arrays import FloatArray

from .dataframes import plain_column


def checked_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Check that weights are one finite number of at least 0 per row.

    Parameters
    ----------
    sample_weight
        The weights, or None.
    n_rows
        How many rows the table has.

    Returns
    -------
    float array or None
        The weights as numbers; None when none were given.

    Raises
    ------
    ConfigurationError
        When they cannot be used; the message says what to do.

    Examples
    --------
    >>> checked_weights([1, 2], 2).tolist()
    [1.0, 2.0]
    """
    if sample_weight is None:
        return None
    try:
        weights = np.array(plain_column(sample_weight), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"sample_weight must be one number per row ({error}).") from None
    if weights.shape != (n_rows,):
        raise ConfigurationError(
            f"sample_weight has shape {weights.shape} but the data has {n_rows} rows: give one number per row."
        )
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise ConfigurationError(
            "sample_weight must be finite and at least 0 for every row: replace NaN, infinite and negative weights."
        )
    if not np.any(weights > 0):
        raise ConfigurationError("All sample weights are zero: give at least one row a weight to learn from.")
    return weights
