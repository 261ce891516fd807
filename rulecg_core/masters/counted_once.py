"""Forms in true counts, where a covered sample counts once however many rules cover it: what is linear about them.

A form's true value is not linear in the chosen rules, but two things are. With at most M rules, a sample that c of them
cover has ``c / M <= (1 if c else 0) <= c``, which bounds the true value from both sides. And samples that every rule
treats alike are all covered or all missed, so that the smaller of both costs is paid in any case.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from attrs import evolve

from ..base.arrays import IntArray
from ..data.linear_form import LinearForm, Row


def at_least(form: LinearForm, most_rules: float) -> LinearForm:
    """A form whose value, each cover counted, is no more than the given one's true value for at most so many rules."""
    if form.cover is None:
        return form
    return evolve(form, cover=np.where(form.cover > 0, form.cover / max(1.0, most_rules), form.cover))


def relaxed_rows(rows: Iterable[Row], most_rules: float) -> tuple[Row, ...]:
    """Rows that hold, each cover counted, for every rule set that keeps the given ones in true counts."""
    relaxed = []
    for row in rows:
        if row.form.cover is None:
            relaxed.append(row)
            continue
        if np.isfinite(row.hi):
            relaxed.append(Row(at_least(row.form, most_rules), hi=row.hi, name=row.name))
        if np.isfinite(row.lo):
            relaxed.append(Row(-at_least(-row.form, most_rules), lo=row.lo, name=row.name))
    return tuple(relaxed)


def netted(form: LinearForm, classes: IntArray) -> LinearForm:
    """The same true value for all rules that treat samples of a class alike, with what each class costs in any case,
    covered or missed, moved into the constant."""
    if form.missed is None or form.cover is None:
        return form
    missed, covered = np.bincount(classes, form.missed), np.bincount(classes, form.cover)
    common = np.where((missed > 0) & (covered > 0), np.minimum(missed, covered), 0.0)
    # Of one class only one side keeps a cost; shares of it would only add rounding.
    shares = [1.0 - common / np.where(side > 0, side, 1.0) for side in (missed, covered)]
    return evolve(
        form,
        missed=form.missed * shares[0][classes],
        cover=form.cover * shares[1][classes],
        const=form.const + common.sum(),
    )
