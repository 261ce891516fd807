"""The bounds of a learned rule set as the master counted them and as they truly are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulecg_core import Constraint, Problem, Rule

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 1e-9


def proxy_and_true(constraints: Sequence[Constraint], problem: Problem, rules: Sequence[Rule]) -> pd.DataFrame:
    """Tabulate the value of every bounded row in Hamming counts and in true counts.

    The proxy counts a wrongly covered sample once for every rule that covers it, the truth counts it once. Rows about
    the size of the rule set are the same both ways; rows with auxiliary variables bound nothing and are left out.

    Parameters
    ----------
    constraints
        The constraints that make the rows.
    problem
        The data.
    rules
        The rule set, as features of the problem.

    Returns
    -------
    pandas.DataFrame
        By row: the bounds ``at_least`` and ``at_most``, the values ``proxy`` and ``true``, and whether each is within.
    """
    import pandas as pd

    covers = problem.covers(rules)
    missed = (~covers.any(axis=0)).astype(float)
    counts = covers.sum(axis=0).astype(float)
    length = sum(problem.length(rule) for rule in rules)
    y_pred = problem.predict(rules)
    table = []
    for constraint in constraints:
        measured = constraint.measure(problem, y_pred)
        for row in constraint.rows(problem):
            if row.form.variables:
                continue
            proxy = row.form.value(missed, counts, length, len(rules))
            true = measured.get(row.name, proxy)
            inside = [row.violation(value) <= TOLERANCE for value in (proxy, true)]
            table.append((row.name, row.lo, row.hi, proxy, true, *inside))
    columns = ["row", "at_least", "at_most", "proxy", "true", "proxy_holds", "holds"]
    return pd.DataFrame(table, columns=columns).set_index("row")
