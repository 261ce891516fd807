"""Bounds on every single rule: how many samples it covers at least, how precise it is, how long it may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from attrs import evolve, field, frozen

from ...base.arrays import BoolArray, ByteArray, FloatArray, IntArray
from ...base.bits import covered_sums
from ...base.errors import ConfigurationError
from ..linear_form import LinearForm

SLACK = 1e-9
"""A value may be outside its bounds by this share of what a rule's coefficients add up to: what sums leave."""


@frozen(eq=False)
class RuleBound:
    """``lo <= form <= hi`` on **each** rule of a rule set, where a row bounds the rule set as a whole.

    The form's value for a rule is what the rule adds to it (``cover`` over the samples that it covers, ``length`` times
    its length, ``rule``), plus the constant. Whoever makes rules reads the same bound: pool, pricers, heuristics, lists
    and brute force. A rule that breaks one is in no rule set.

    Parameters
    ----------
    form
        What is bounded; it looks neither at missed samples nor at auxiliary variables.
    lo, hi
        The bounds, infinite where there is none.
    name
        What people read, such as ``"rows that each rule covers"``.

    Raises
    ------
    ConfigurationError
        When no value can lie between the bounds, when the form looks at more than one rule, or when conditions could
        help a rule to keep the bound: of two rules with equal covers the shorter one must never be the worse.

    Examples
    --------
    >>> import numpy as np
    >>> bound = RuleBound(LinearForm(cover=np.ones(4)), lo=2, name="rows that each rule covers")
    >>> bound.allows(np.packbits([[1, 1, 0, 0], [0, 0, 1, 0]], axis=1), np.array([1.0, 1.0])).tolist()
    [True, False]
    """

    form: LinearForm
    lo: float = -math.inf
    hi: float = math.inf
    name: str = "rule bound"
    slack: float = field(init=False)

    @slack.default
    def _of_the_form(self) -> float:
        cover = 0.0 if self.form.cover is None else float(np.abs(self.form.cover).sum())
        return SLACK * (cover + abs(self.form.length) + abs(self.form.rule) + abs(self.form.const))

    def __attrs_post_init__(self) -> None:
        form = self.form
        if math.isnan(self.lo) or math.isnan(self.hi) or self.lo > self.hi:
            raise ConfigurationError(f"The bound {self.name!r} on rules has no possible value: {self.lo} to {self.hi}.")
        if form.uses_missed or form.variables:
            raise ConfigurationError(
                f"The bound {self.name!r} on rules looks at missed samples or auxiliary variables, which belong to "
                "rule sets: make it a row."
            )
        if (math.isfinite(self.lo) and form.length > 0) or (math.isfinite(self.hi) and form.length < 0):
            raise ConfigurationError(
                f"The bound {self.name!r} on rules would be kept by adding conditions that change nothing: bound "
                "lengths from above only."
            )

    def values(self, packed: ByteArray, lengths: FloatArray) -> FloatArray:
        """The form's values for rules, given their packed covers (rules × samples, eight to a byte) and lengths."""
        form = self.form
        values = form.length * lengths + (form.rule + form.const)
        if form.cover is not None:
            values = values + covered_sums(packed, form.cover)
        return np.asarray(values, dtype=np.float64)

    def allows(self, packed: ByteArray, lengths: FloatArray) -> BoolArray:
        """Which rules keep the bound, given their packed covers and lengths."""
        values = self.values(packed, lengths)
        return np.asarray((values >= self.lo - self.slack) & (values <= self.hi + self.slack))

    def on(self, samples: IntArray | BoolArray, scale: float = 1.0) -> RuleBound:
        """The same bound looked at on some samples only, each counted so many times."""
        cover = None if self.form.cover is None else self.form.cover[samples] * scale
        return evolve(self, form=evolve(self.form, cover=cover))

    def floors(self) -> list[tuple[LinearForm, float]]:
        """The same as forms that are at least a number, what sums leave of it taken off: one or two."""
        sides = [(self.form, self.lo)] if math.isfinite(self.lo) else []
        if math.isfinite(self.hi):
            sides.append((-self.form, -self.hi))
        return [(evolve(form, const=0.0), least - form.const - self.slack) for form, least in sides]


def all_allow(bounds: Iterable[RuleBound], packed: ByteArray, lengths: FloatArray) -> BoolArray:
    """Which rules keep every bound, given their packed covers and lengths."""
    allowed = np.ones(len(packed), dtype=bool)
    for bound in bounds:
        allowed &= bound.allows(packed, lengths)
    return allowed


def names_of(bounds: Sequence[RuleBound]) -> str:
    """The bounds' names for a message."""
    return ", ".join(repr(bound.name) for bound in bounds)
