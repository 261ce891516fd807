"""The price of fairness: how much loss each bound costs, from the duals of the master's relaxation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rulecg_core import ConfigurationError, Result

if TYPE_CHECKING:
    import pandas as pd

POINT = 0.01
"""Bounds on rates are thought of in percentage points."""
FREE = 1e-7


def price_of_fairness(result: Any) -> pd.DataFrame:
    """Tell for every bounded row what its bound costs, dearest first.

    Prices are those of the linear relaxation as the master counts, and hold for small changes.

    Parameters
    ----------
    result
        What :func:`~rulecg_core.generate_columns` returned, or ``classifier.result_`` of a classifier of two classes.

    Returns
    -------
    pandas.DataFrame
        By row: ``per_unit`` is the loss that the relaxation would save if the bound were loosened by 1, ``per_point``
        by 0.01 (one percentage point of a rate), and ``words`` says so. A bound that is not binding costs nothing. The
        sum of ``per_unit`` over the rows that share an eps is the loss per unit of that eps.

    Raises
    ------
    ConfigurationError
        When no relaxation was solved, or the result holds several runs or is none.
    """
    import pandas as pd

    run = _one_run(result)
    if run.relaxation is None:
        raise ConfigurationError(
            "There is no price to tell: no relaxation that satisfies the constraints was solved. Allow more time."
        )
    # Below 0 the upper bound binds, above 0 the lower one: loosening either saves |dual| per unit.
    prices = {row: abs(dual) if abs(dual) > FREE else 0.0 for row, dual in run.row_duals.items()}
    table = pd.DataFrame(
        [(row, price, price * POINT, _words(row, price)) for row, price in prices.items()],
        columns=["row", "per_unit", "per_point", "words"],
    )
    return table.set_index("row").sort_values("per_unit", ascending=False, kind="stable")


def _one_run(result: Any) -> Result:
    """The run behind a result: itself, or the only one of a classifier's."""
    runs = getattr(result, "runs", None)
    if isinstance(runs, Mapping) and len(runs) == 1:
        (result,) = runs.values()
    elif isinstance(runs, Mapping):
        raise ConfigurationError(
            f"There are {len(runs)} runs, one for each class: give one of them, such as "
            f"result_.runs[{next(iter(runs), 'label')!r}]."
        )
    if not isinstance(result, Result):
        raise ConfigurationError(
            "price_of_fairness needs what generate_columns returned, or classifier.result_ of a fitted classifier, not "
            f"{type(result).__name__}."
        )
    return result


def _words(row: str, price: float) -> str:
    if not price:
        return f"The bound on {row} costs nothing: it holds by itself."
    return f"Loosening the bound on {row} by {POINT} saves about {price * POINT:.2g} of the loss."
