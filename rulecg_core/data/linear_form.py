"""Linear expressions over missed positives and chosen rules: the one language of objectives and constraints.

Every row of the master is linear in ``zeta`` (which positives are missed) and in ``w`` (which rules are chosen), and
the coefficient of a rule is linear in *which samples it covers* and *how long it is*. A :class:`LinearForm` holds
exactly that, so a constraint never touches a solver and the pricing problem follows from the rows alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ..base.arrays import BoolArray, FloatArray
from ..base.errors import ConfigurationError

Vector: TypeAlias = FloatArray | None
"""One number per sample; None stands for all zero, so that forms stay small on large data."""


def _add(left: Vector, right: Vector) -> Vector:
    if left is None or right is None:
        return right if left is None else left
    return left + right


def _scale(vector: Vector, factor: float) -> Vector:
    return None if vector is None or factor == 0 else vector * factor


@frozen(eq=False)
class LinearForm:
    """``zeta @ missed + Σ_k w_k (cover @ covers_k + length |k| + rule) + variables + const``.

    Forms add, subtract, scale and compare: ``form <= 3`` makes a :class:`Row`.
    """

    missed: Vector = None
    cover: Vector = None
    length: float = 0.0
    rule: float = 0.0
    const: float = 0.0
    variables: Mapping[str, float] = field(factory=dict)
    """Coefficients of named auxiliary variables (continuous, at least 0), such as the worst group's loss."""

    @classmethod
    def variable(cls, name: str) -> LinearForm:
        """An auxiliary variable; forms that use the same name share it."""
        return cls(variables={name: 1.0})

    def __add__(self, other: LinearForm | float) -> LinearForm:
        if not isinstance(other, LinearForm):
            return evolve(self, const=self.const + float(other))
        names = {**self.variables, **other.variables}
        return LinearForm(
            missed=_add(self.missed, other.missed),
            cover=_add(self.cover, other.cover),
            length=self.length + other.length,
            rule=self.rule + other.rule,
            const=self.const + other.const,
            variables={name: self.variables.get(name, 0.0) + other.variables.get(name, 0.0) for name in names},
        )

    def __mul__(self, factor: float) -> LinearForm:
        factor = float(factor)
        return LinearForm(
            missed=_scale(self.missed, factor),
            cover=_scale(self.cover, factor),
            length=self.length * factor,
            rule=self.rule * factor,
            const=self.const * factor,
            variables={name: value * factor for name, value in self.variables.items()},
        )

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> LinearForm:
        return self * -1.0

    def __sub__(self, other: LinearForm | float) -> LinearForm:
        return self + (-other)

    def __rsub__(self, other: float) -> LinearForm:
        return -self + other

    def __truediv__(self, divisor: float) -> LinearForm:
        return self * (1.0 / float(divisor))

    def __le__(self, other: LinearForm | float) -> Row:
        return Row(self - other, hi=0.0).normalised()

    def __ge__(self, other: LinearForm | float) -> Row:
        return Row(self - other, lo=0.0).normalised()

    def coefficients(self, covers: BoolArray, lengths: FloatArray) -> FloatArray:
        """Coefficients of rules, given their covers (rules × samples) and lengths."""
        values = self.length * lengths + self.rule
        if self.cover is not None:
            values = values + covers @ self.cover
        return np.asarray(values, dtype=np.float64)

    def value(self, missed: FloatArray, cover_counts: FloatArray, length: float, n_rules: float) -> float:
        """The form's value without auxiliary variables, from per-sample counts and totals over the chosen rules."""
        total = self.const + self.length * length + self.rule * n_rules
        # Not `@`: on a busy machine the threads of BLAS wait for each other a hundred times longer than this takes.
        if self.missed is not None:
            total += float(np.einsum("i,i->", self.missed, missed))
        if self.cover is not None:
            total += float(np.einsum("i,i->", self.cover, cover_counts))
        return total

    @property
    def uses_missed(self) -> bool:
        return self.missed is not None and bool(np.any(self.missed))


@frozen(eq=False)
class Row:
    """``lo <= form <= hi`` with a name that people will see in messages and reports."""

    form: LinearForm
    lo: float = -math.inf
    hi: float = math.inf
    name: str = "row"

    def __attrs_post_init__(self) -> None:
        if math.isnan(self.lo) or math.isnan(self.hi) or self.lo > self.hi:
            raise ConfigurationError(f"The row {self.name!r} has no possible value: {self.lo} to {self.hi}.")

    def named(self, name: str) -> Row:
        return evolve(self, name=name)

    @property
    def bounds_size(self) -> bool:
        """Whether it bounds rules and conditions from above and looks at no sample: it then only takes size away."""
        form = self.form
        return (
            form.missed is None
            and form.cover is None
            and not form.variables
            and self.lo == -math.inf
            and form.length >= 0
            and form.rule >= 0
        )

    def normalised(self) -> Row:
        """The same row with the constant moved into the bounds."""
        const = self.form.const
        return evolve(self, form=evolve(self.form, const=0.0), lo=self.lo - const, hi=self.hi - const)

    def violation(self, value: float) -> float:
        """How far a value of the form lies outside the bounds; 0 inside."""
        return max(self.lo - value, value - self.hi, 0.0)
