"""Linear expressions over missed samples and chosen rules: the one language of objectives and constraints.

Every row of the master is linear in ``zeta`` (which samples are missed) and in ``w`` (which rules are chosen), and
the coefficient of a rule is linear in *which samples it covers* and *how long it is*. A :class:`LinearForm` holds
exactly that, so a constraint never touches a solver and the pricing problem follows from the rows alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ..base.arrays import BoolArray, FloatArray, lock
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

    Forms add, subtract, scale and compare: ``form <= 3``, ``form >= 3`` and ``form == 3`` make a :class:`Row`, and
    :meth:`between` makes one with two bounds.

    Parameters
    ----------
    missed
        For every sample, what missing it (no chosen rule covers it) adds; None for nothing.
    cover
        For every sample, what each rule that covers it adds; None for nothing.
    length
        What every condition of every chosen rule adds, times the condition's cost.
    rule
        What every chosen rule adds.
    const
        What is there without any rule.
    variables
        Coefficients of named auxiliary variables, each continuous and at least 0, such as the worst group's loss.

    Examples
    --------
    >>> size = LinearForm(length=1.0, rule=1.0)
    >>> row = (size <= 12).named("complexity")
    >>> row.name, row.lo, row.hi
    ('complexity', -inf, 12.0)
    >>> row.violation(15.0)
    3.0
    """

    missed: Vector = None
    cover: Vector = None
    length: float = 0.0
    rule: float = 0.0
    const: float = 0.0
    variables: Mapping[str, float] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        # Plugins see the goal that rule sets are judged by.
        lock(self, "missed", "cover")

    @classmethod
    def variable(cls, name: str) -> LinearForm:
        """Make a form of one auxiliary variable, which is continuous and at least 0.

        Forms that use the same name share the variable, across all constraints of a problem. Its least value that the
        rows allow counts, so it belongs into rows that push it up and into an objective that pulls it down.
        """
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

    # A bound by a number leaves the form as it is, so that people read the row's value in the units they wrote.
    def __le__(self, other: LinearForm | float) -> Row:
        return Row(self - other, hi=0.0) if isinstance(other, LinearForm) else Row(self, hi=float(other))

    def __ge__(self, other: LinearForm | float) -> Row:
        return Row(self - other, lo=0.0) if isinstance(other, LinearForm) else Row(self, lo=float(other))

    def __eq__(self, other: LinearForm | float) -> Row:  # type: ignore[override]
        if isinstance(other, LinearForm):
            return Row(self - other, lo=0.0, hi=0.0)
        return Row(self, lo=float(other), hi=float(other)) if isinstance(other, Real) else NotImplemented

    __hash__ = object.__hash__

    def between(self, lo: float, hi: float) -> Row:
        """Make a row that keeps the form between two numbers, both included.

        Examples
        --------
        >>> row = LinearForm(rule=1.0).between(2, 5)
        >>> row.lo, row.hi
        (2.0, 5.0)
        """
        return Row(self, lo=float(lo), hi=float(hi))

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

    @property
    def beyond_predictions(self) -> bool:
        """Whether it depends on more than which samples are predicted positive: on sizes or auxiliary variables."""
        return bool(self.length or self.rule or self.variables)

    def fault(self, n_samples: int) -> str | None:
        """Say what makes the form unusable on a problem with so many samples; None when nothing does.

        Examples
        --------
        >>> LinearForm(rule=float("nan")).fault(3)
        'its coefficient of each rule is nan'
        >>> LinearForm(cover=np.ones(2)).fault(3)
        'it has a coefficient for covering 2 samples, but there are 3'
        """
        numbers = {"constant": self.const, "coefficient of each condition": self.length}
        numbers["coefficient of each rule"] = self.rule
        numbers |= {f"coefficient of the variable {name!r}": value for name, value in self.variables.items()}
        for what, number in numbers.items():
            if not math.isfinite(number):
                return f"its {what} is {float(number)}"
        for what, vector in (("missing", self.missed), ("covering", self.cover)):
            if vector is None:
                continue
            if np.shape(vector) != (n_samples,):
                return f"it has a coefficient for {what} {np.size(vector)} samples, but there are {n_samples}"
            # A finite sum shows in one pass, and without a copy, that all are finite; only else they are looked at.
            with np.errstate(over="ignore", invalid="ignore"):
                total = float(vector.sum())
            if not math.isfinite(total) and not np.isfinite(vector).all():
                worst = int(np.flatnonzero(~np.isfinite(vector))[0])
                return f"its coefficient for {what} sample {worst} is {float(vector[worst])}"
        return None


class ImpossibleRowError(ConfigurationError):
    """A row has bounds that no value lies between, or that are no numbers."""


@frozen(eq=False)
class Row:
    """``lo <= form <= hi`` with a name that people will see in messages and reports.

    Parameters
    ----------
    form
        What is bounded; values of the row are values of this form, its constant included.
    lo, hi
        The bounds, infinite where there is none.
    name
        What people read, such as ``"selection rate: women"``. Rows of one constraint have different names.

    Raises
    ------
    ConfigurationError
        When no value can lie between the bounds, or when a row is used as if it were true or false.

    Examples
    --------
    >>> row = Row(LinearForm(rule=1.0), hi=3, name="rules")
    >>> row.violation(5)
    2
    """

    form: LinearForm
    lo: float = -math.inf
    hi: float = math.inf
    name: str = "row"

    def __attrs_post_init__(self) -> None:
        if math.isnan(self.lo) or math.isnan(self.hi) or self.lo > self.hi:
            raise ImpossibleRowError(f"The row {self.name!r} has no possible value: {self.lo} to {self.hi}.")

    def __bool__(self) -> bool:
        # Python reads ``2 <= form <= 5`` as ``(2 <= form) and (form <= 5)``, which would drop the first bound.
        raise ConfigurationError(
            f"The row {self.name!r} is a bound for the solver and neither true nor false. Write form.between(2, 5) or "
            "Row(form, lo=2, hi=5) instead of 2 <= form <= 5; to compare forms themselves, use `is`."
        )

    def named(self, name: str) -> Row:
        """Make the same row under another name."""
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
        """Make the same row with the constant moved into the bounds, as solvers want it."""
        const = self.form.const
        return evolve(self, form=evolve(self.form, const=0.0), lo=self.lo - const, hi=self.hi - const)

    def violation(self, value: float) -> float:
        """How far a value of the form lies outside the bounds; 0 inside."""
        return max(self.lo - value, value - self.hi, 0.0)


def distinctly_named(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Give rows that share a name a number after it: two constraints may name theirs alike, and none must be lost.

    Examples
    --------
    >>> size = LinearForm(rule=1.0)
    >>> [row.name for row in distinctly_named([(size <= 3).named("rules"), (size <= 5).named("rules")])]
    ['rules', 'rules (2)']
    """
    seen: dict[str, int] = {}
    distinct = []
    for row in rows:
        seen[row.name] = seen.get(row.name, 0) + 1
        distinct.append(row if seen[row.name] == 1 else row.named(f"{row.name} ({seen[row.name]})"))
    return tuple(distinct)
