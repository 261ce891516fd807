"""Objective and violation from the values of the forms: by what rule sets are judged while they are searched for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import Factory, evolve, field, frozen

from rulecg_core import BoolArray, FloatArray, IntArray, LinearForm, Row, least_variables

if TYPE_CHECKING:
    from .kernels.records import Judge

TOLERANCE = 1e-9
"""How far a row may be outside its bounds, relative to the size of the bound."""

PRICES = (-3.0, -1.0)
"""Powers of ten between which the price of breaking a row by the size of its bound lies, as a share of the
objective."""


@frozen(eq=False)
class _Sides:
    """The finite bounds of all rows, one after the other: ``factor * value - bound`` is how far outside a value is."""

    rows: IntArray
    factor: FloatArray
    bound: FloatArray
    looks_at_samples: BoolArray

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Sides:
        """Distances are relative to the size of a row's bounds."""
        sides = []
        for at, row in enumerate(rows):
            bounds = [abs(bound) for bound in (row.lo, row.hi) if math.isfinite(bound) and bound != 0]
            scale = 1.0 / max(bounds, default=1.0)
            looks_at_samples = row.form.missed is not None or row.form.cover is not None
            for bound, factor in ((row.hi, scale), (row.lo, -scale)):
                if math.isfinite(bound):
                    sides.append((at, factor, factor * bound, looks_at_samples))
        columns = zip(*sides, strict=True) if sides else ((), (), (), ())
        kinds = (np.int64, np.float64, np.float64, np.bool_)
        return cls(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))


@frozen(eq=False)
class Scorer:
    """Objective and violation from the values of the forms; auxiliary variables take their least possible values."""

    objective: LinearForm
    rows: tuple[Row, ...]
    price: float = math.inf
    """What breaking a row that looks at samples costs in the objective, by the size of its bound; infinite: such a row
    must hold."""
    _sides: _Sides = field(init=False, default=Factory(lambda self: _Sides.of(self.rows), takes_self=True))
    _has_variables: bool = field(
        init=False,
        default=Factory(
            lambda self: any(form.variables for form in [self.objective, *(row.form for row in self.rows)]),
            takes_self=True,
        ),
    )

    @property
    def can_soften(self) -> bool:
        return bool(self._sides.looks_at_samples.any())

    def softened(self, objective: float, rng: np.random.Generator) -> Scorer:
        """The same, but rows that look at samples may be broken at some price, drawn as a share of the objective.
        Between rule sets that keep tight bounds there is often no path of small moves that keeps them all the way."""
        return evolve(self, price=max(1e-9, abs(objective)) * float(10.0 ** rng.uniform(*PRICES)))

    def __call__(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """``values`` is forms × anything, the objective first; the violation is summed over rows, relative to their
        bounds, and 0 when every row holds."""
        if self._has_variables:
            values = self._with_variables(values)
        sides = self._sides
        per_side = (slice(None), *(None,) * (values.ndim - 1))
        beyond = sides.factor[per_side] * values[1 + sides.rows] - sides.bound[per_side]
        beyond[beyond <= TOLERANCE] = 0.0
        if math.isinf(self.price):
            return values[0], beyond.sum(axis=0)
        soft = sides.looks_at_samples
        return values[0] + self.price * beyond[soft].sum(axis=0), beyond[~soft].sum(axis=0)

    def judge(self) -> Judge:
        """The same for compiled passes."""
        from .kernels.records import Judge

        forms, sides = [self.objective, *(row.form for row in self.rows)], self._sides
        names = list(dict.fromkeys(name for form in forms for name in form.variables))
        coefficients = [[form.variables.get(name, 0.0) for name in names] for form in forms]
        return Judge(
            rows=sides.rows,
            factor=sides.factor,
            bound=sides.bound,
            is_soft=sides.looks_at_samples,
            price=float(self.price),
            variables=np.array(coefficients, dtype=np.float64).reshape(len(forms), len(names)),
            lo=np.array([row.lo for row in self.rows], dtype=np.float64),
            hi=np.array([row.hi for row in self.rows], dtype=np.float64),
        )

    def _with_variables(self, values: FloatArray) -> FloatArray:
        values = values.copy()
        least = least_variables(self.rows, list(values[1:]))
        for at, form in enumerate([self.objective, *(row.form for row in self.rows)]):
            for name, coefficient in form.variables.items():
                values[at] += coefficient * least.get(name, 0.0)
        return values
