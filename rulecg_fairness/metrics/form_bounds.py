"""Bounds on the true value of a linear form of predictions, from rows that the predictions were not made for."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from rulecg_core import BoolArray, FloatArray, LinearForm, Problem

from .intervals import combine


@frozen(eq=False)
class Shares:
    """A form as a constant plus a weighted sum of independent shares, one for all rows that count alike."""

    base: float
    factors: FloatArray
    shares: FloatArray
    """Which share of the rows of each kind is predicted positive."""
    n_rows: FloatArray
    """How many rows there are of each kind; of weighted rows the effective number."""

    @classmethod
    def of(cls, form: LinearForm, problem: Problem, y_pred: BoolArray, *, is_weighted: bool) -> Shares:
        """Take a form apart; the problem has samples as they came, in DNF."""
        nothing = np.zeros(problem.n_samples)
        zeta = nothing if form.missed is None else form.missed
        # Predicting a row positive adds its cover and takes away its miss.
        change = (nothing if form.cover is None else form.cover) - zeta
        counts = (change != 0) & (problem.weights > 0)
        weights = problem.weights[counts]
        each = change[counts] / weights
        _, kind = np.unique(np.round(each / np.abs(each).max(initial=0.0), 12), return_inverse=True)
        weight: FloatArray = np.bincount(kind, weights).astype(np.float64)
        return cls(
            base=form.const + float(zeta.sum()),
            factors=np.bincount(kind, change[counts]).astype(np.float64),
            shares=np.bincount(kind, weights * y_pred[counts]) / weight,
            n_rows=weight**2 / np.bincount(kind, weights**2) if is_weighted else weight,
        )

    @property
    def value(self) -> float:
        """The form's value on these rows."""
        return self.base + float(self.factors @ self.shares)

    @property
    def variance(self) -> float:
        """The variance of the value over draws of rows, by the shares observed."""
        return float(np.sum(self.factors**2 * self.shares * (1 - self.shares) / self.n_rows))

    def bounds(self, z: float) -> tuple[float, float]:
        """Bound the form's true value, z standard errors to either side."""
        low, high = combine(self.factors, self.shares, self.n_rows, z)
        return self.base + low, self.base + high


# The form, its data, and how to read them.
def form_bounds(
    form: LinearForm, problem: Problem, y_pred: BoolArray, z: float, *, is_weighted: bool
) -> tuple[float, float, float]:
    """Compute a form's value on some rows, and bounds on its true value.

    Parameters
    ----------
    form
        What is measured, linear in the predictions.
    problem
        The rows, in DNF; those with weight 0 do not count.
    y_pred
        Their predictions.
    z
        How many standard errors the bounds reach.
    is_weighted
        Whether samples are single rows of different weight, so that the effective number of rows counts.

    Returns
    -------
    value, low, high
        The value and the bounds.
    """
    shares = Shares.of(form, problem, y_pred, is_weighted=is_weighted)
    return (shares.value, *shares.bounds(z))
